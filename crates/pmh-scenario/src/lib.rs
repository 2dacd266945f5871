//! The scenario file format, its expansion by seed, and the truth that follows.

mod body; // payloads
mod chance; // choices that depend on a key alone
mod check; // what a file means
mod course; // what happened while harvesters were reading
mod defaults; // what holds when a file does not say
mod effect; // what faults do, in words that file and script share
mod expand; // a file to a script
mod finding; // what is wrong with a file
mod http_file; // an answer as it goes over the wire
mod journal; // what did happen
mod kinds; // what goes wrong in the field, by number
mod layer; // where in an answer an effect belongs
mod load; // text to a file
mod model; // the file as it is written
mod past; // the repository up to a moment
mod pattern; // regular expressions
mod reach; // what runs ask for
mod schema; // the format, for editors
mod script; // what will happen
mod shape; // TOML to values, and every mistake of form
mod show; // a file written out in full
mod style; // how a repository keeps the protocol
mod suggest; // names that were meant
mod swarm; // worlds by number, and files with less in them
mod time; // instants and durations as written
mod truth; // what the store must hold
mod truths; // the truth of a whole case
mod world; // the records of a repository

pub use body::{payload, payload_digest, payload_in};
pub use chance::is_hit;
pub use check::RULES_MAX;
pub use course::{Course, Midway};
pub use effect::{DocumentOf, ErrorPlace, OaiEffect, OaiErrors};
pub use finding::{Finding, Severity, render_findings};
pub use journal::{Answer, Event, Exchange, Journal, NO_REPLY};
pub use kinds::{KINDS, kind_name, kinds};
pub use layer::Layer;
pub use load::{Loaded, ReadFile, SourceFile, Vocabulary, load, load_all};
pub use pattern::Pattern;
pub use schema::json_schema;
pub use script::{
    Budget, Change, ClockScript, Content, Crash, CrashPhase, Effect, Expect, Fault, GzipLie,
    Holdings, HttpBody, HttpEffect, Label, LastToken, Length, LiteralReply, Match, Move, ONCE_MORE,
    Position, Protocol, RepoEffect, RepositoryScript, Run, RunExpect, Script, StoreExpect,
    TimeEffect, TokenEffect, TokenStyle, TraceRule, WatermarkExpect, When, WireEffect, XmlEffect,
};
pub use shape::read_toml;
pub use style::{
    Advances, AfterEnd, Announced, Bound, Cap, CapEnd, Cursor, Dates, DatestampForm, Earliest,
    Expiration, Filter, Hidden, IdentifyTexts, Ignored, ListKind, ListSize, Order, Paging,
    ResponseDate, TokenLife, UntilDay,
};
pub use swarm::{
    FaultAt, RandomWorld, Shrinking, Trouble, WorldSize, small_world_file, troubles, world_file,
    written,
};
pub use truth::{Fate, TrueRow, Truth};
pub use truths::Truths;
pub use world::{World, WorldRecord, identifier};
