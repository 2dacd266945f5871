//! The repository: it reads a request, finds its place in a list, plays the fault that is due there, answers,
//! and writes down what it did.

use std::sync::Arc;

use pmh_protocol::{
    Body, Datestamp, Document, ErrorCode, OaiError, Request, Selection, Stamp, Verb,
    render_document,
};
use pmh_scenario::{
    Answer, Change, Effect, Event, Exchange, Journal, Layer, Script, TokenEffect, TokenStyle,
    World, identifier,
};

use crate::answers;
use crate::faults::{At, Faults, hides_document};
use crate::list::{Issued, List, Place, read_stateless};
use crate::lists::Lists;
use crate::page;
use crate::reply::{AskedRequest, Reply};
use crate::wire::{self, BytePlan};
use crate::{http, xml};

/// The base URL in every answer, wherever the repository is really reached: bytes must not depend on a port.
pub const BASE_URL: &str = "http://repository.example/oai";

/// Where the repository is below its host.
pub const PATH: &str = "/oai";

/// Whether a request to this path is one to the repository: below [`PATH`] everything is, so that redirects have
/// somewhere to lead.
#[must_use]
pub fn is_repository(path: &str) -> bool {
    path.strip_prefix(PATH).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What the journal has among its faults when a request came after the budget was spent.
pub const BUDGET_SPENT: &str = "budget-spent";

/// How many events are kept in memory, more than any scenario's budget allows; later ones are only handed out.
pub const EVENTS_KEPT_MAX: usize = 100_000;

/// Of one request no more than this is kept in the journal: so many arguments, and so many bytes of each.
const ARGUMENTS_KEPT_MAX: usize = 32;
const ARGUMENT_BYTES_MAX: usize = 8_192;

/// A repository.
#[derive(Clone, Debug)]
pub struct Repository {
    script: Arc<Script>,
    world: World,
    /// No datestamp was ever before this one.
    earliest: Stamp,
    clock: Stamp,
    run: usize,
    requests: u32,
    lists: Lists,
    faults: Faults,
    journal: Journal,
}

/// A list's page that a request asks for.
struct Asked {
    at: At,
    place: Place,
    /// The token's fate, if there was one.
    issued: Option<Issued>,
}

/// What is about to be answered.
struct Decided {
    at: At,
    /// The document's body; `None` where the answer is none.
    body: Option<Body>,
    /// What is done to the answer, in the order of the layers.
    effects: Vec<Effect>,
    /// Names of the faults that were played.
    faults: Vec<String>,
}

/// An answer, and what the journal says of it.
struct Written {
    answer: Answer,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    plan: Option<BytePlan>,
}

impl Repository {
    /// The repository of this script, before its first run.
    #[must_use]
    pub fn new(script: Arc<Script>) -> Self {
        let world = script.repository.world.clone();
        let clock = script.repository.clock.start;
        let earliest =
            world.records.values().map(|record| record.stamp).min().unwrap_or(clock).min(clock);
        let faults = Faults::new(Arc::clone(&script));
        Self {
            world,
            earliest,
            clock,
            run: 0,
            requests: 0,
            lists: Lists::default(),
            faults,
            journal: Journal::default(),
            script,
        }
    }

    /// Begins the run of this index, from 0, one after the other: the clock jumps to its instant and the
    /// repository changes. The index beyond the last is the run that must change nothing.
    pub fn begin_run(&mut self, index: usize) {
        let at = self.script.repository.clock.run_start(index);
        self.clock = self.clock.max(at);
        self.run = index;
        self.lists.begin_run();
        self.keep(Event::RunStart { t: self.clock.to_string(), run: self.run_name() });
        let script = Arc::clone(&self.script);
        for change in script.runs.get(index).map_or(&[][..], |run| &run.before) {
            self.world.apply(change, at);
            self.keep(Event::RepoChange { t: at.to_string(), what: describe(change) });
        }
    }

    /// Writes down that the run ended, and how.
    pub fn end_run(&mut self, end: &str) {
        let (t, run) = (self.clock.to_string(), self.run_name());
        self.keep(Event::RunEnd { t, run, end: end.to_owned() });
    }

    /// Writes down that the harvester was killed, and where.
    pub fn crash(&mut self, place: &str) {
        let (t, run) = (self.clock.to_string(), self.run_name());
        self.keep(Event::Crash { t, run, place: place.to_owned() });
    }

    /// What has happened so far.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// How often each fault has fired, in the order of the script.
    #[must_use]
    pub fn fired(&self) -> &[u32] {
        self.faults.fired()
    }

    /// The script it plays.
    #[must_use]
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &AskedRequest<'_>) -> Reply {
        self.requests = self.requests.saturating_add(1);
        let mut arguments = request.arguments();
        let Decided { at, body, effects, faults } = if self.requests > self.script.budget.requests {
            let at = At { attempt: 1, ..At::default() };
            Decided { at, body: None, effects: Vec::new(), faults: vec![BUDGET_SPENT.to_owned()] }
        } else {
            self.decide(&arguments)
        };
        let Written { answer, headers, body, plan } =
            self.write(&arguments, body, &effects, request);
        arguments.truncate(ARGUMENTS_KEPT_MAX);
        for (name, value) in &mut arguments {
            cut(name);
            cut(value);
        }
        let exchange = Exchange {
            n: self.requests,
            t: self.clock.to_string(),
            client_ms: request.client_ms,
            run: self.run_name(),
            list: at.list,
            page: at.page,
            token: at.token,
            attempt: at.attempt,
            args: arguments,
            faults,
            answer,
        };
        self.keep(Event::Exchange(exchange.clone()));
        self.clock = self.clock.plus_seconds(self.script.repository.clock.tick_seconds);
        Reply { status: exchange.answer.status, headers, body, plan, exchange }
    }

    /// Decides what to answer: where the request stands, what it gets, and the faults that are played.
    fn decide(&mut self, arguments: &[(String, String)]) -> Decided {
        let read = answers::read(arguments, &self.script, &self.world);
        let asked = match &read {
            Ok(Request::ListRecords(selection)) => Some(self.open(Verb::ListRecords, selection)),
            Ok(Request::ListIdentifiers(selection)) => {
                Some(self.open(Verb::ListIdentifiers, selection))
            }
            Ok(Request::Resume { verb, token }) => self.resume(*verb, token),
            _ => None,
        };
        let Some((serial, asked)) = asked else {
            let at = At { attempt: 1, ..At::default() };
            let (effects, faults) = self.play(&self.faults.due(&self.run_name(), at, None));
            let body = (!effects.iter().any(hides_document)).then(|| match read {
                Ok(request) => self.outside_lists(&request),
                Err(error) => Body::Errors(vec![error]),
            });
            return Decided { at, body, effects, faults };
        };
        self.in_list(serial, asked)
    }

    /// Fires these faults: what they do, and their names.
    fn play(&mut self, due: &[usize]) -> (Vec<Effect>, Vec<String>) {
        due.iter()
            .map(|index| (self.script.faults[*index].effect.clone(), self.faults.fire(*index)))
            .unzip()
    }

    /// What is answered outside lists. A continuation that belongs to no list has an unknown token.
    fn outside_lists(&self, request: &Request) -> Body {
        let protocol = &self.script.repository.protocol;
        match request {
            Request::Identify => {
                answers::identify(protocol, Datestamp::new(self.earliest, protocol.granularity))
            }
            Request::ListMetadataFormats { identifier } => {
                answers::formats(&self.world, protocol.deleted_records, identifier.as_deref())
            }
            Request::ListSets => answers::sets(&self.world),
            Request::GetRecord { identifier, .. } => {
                answers::record(&self.world, &self.script, identifier)
            }
            Request::ListIdentifiers(_) | Request::ListRecords(_) | Request::Resume { .. } => {
                bad_token("the token is unknown")
            }
        }
    }

    /// Opens a list: its entries are frozen now, whatever changes while it is read.
    fn open(&mut self, verb: Verb, selection: &Selection) -> (u32, Asked) {
        let entries =
            self.world.selection(selection, self.script.repository.protocol.deleted_records);
        let list = self.lists.open(self.run, verb, selection.clone(), entries);
        (list.serial, Asked::of(list, Place::FIRST, None))
    }

    /// Finds where a token leads. A stateless one needs no memory: what it says is enough to open its list again.
    fn resume(&mut self, verb: Verb, token: &str) -> Option<(u32, Asked)> {
        let protocol = &self.script.repository.protocol;
        if let Some((list, issued)) = self.lists.find(self.run, verb, token) {
            return Some((list.serial, Asked::of(list, issued.place, Some(issued))));
        }
        // Nobody can say how long ago a forgotten token was given out, so with a lifetime it is dead.
        if protocol.token != TokenStyle::Stateless || protocol.token_requests.is_some() {
            return None;
        }
        let (opened_with, selection, place) = read_stateless(token)?;
        if opened_with != verb
            || answers::check_selection(&selection, protocol, &self.world).is_err()
        {
            return None;
        }
        let entries = self.world.selection(&selection, protocol.deleted_records);
        let pages = entries.len().div_ceil(self.script.repository.page_size);
        if !(1..=pages).contains(&(place.page as usize)) {
            return None;
        }
        let list = self.lists.open(self.run, verb, selection, entries);
        list.issue(token.to_owned(), place, self.requests);
        let issued = list.issued[token];
        Some((list.serial, Asked::of(list, place, Some(issued))))
    }

    /// Answers a request that belongs to a list.
    fn in_list(&mut self, serial: u32, asked: Asked) -> Decided {
        let Asked { at, place, issued } = asked;
        let run = self.run_name();
        let list = self.lists.get_mut(serial).expect("the list was found a moment ago");
        let shown = Some((&*list, place)).filter(|(list, _)| !list.entries.is_empty());
        let mut due = self.faults.due(&run, at, shown);
        // A token that is dead already dies of nothing else, and its fault is the one that shows.
        let killed_by = issued.and_then(|issued| issued.killed_by);
        if let Some(index) = killed_by {
            let hidden = due.iter().any(|index| hides_document(&self.script.faults[*index].effect));
            due.retain(|index| self.script.faults[*index].effect.layer() > Layer::Token);
            due.splice(0..0, (!hidden).then_some(index));
        }
        let (effects, faults) = self.play(&due);
        let body = self.in_list_body(serial, &Asked { at, place, issued }, &due, &effects);
        Decided { at, body, effects, faults }
    }

    /// What is answered to a request that belongs to a list, unless it is no document.
    fn in_list_body(
        &mut self,
        serial: u32,
        asked: &Asked,
        due: &[usize],
        effects: &[Effect],
    ) -> Option<Body> {
        let Asked { place, issued, .. } = *asked;
        let script = Arc::clone(&self.script);
        let list = self.lists.get_mut(serial).expect("the list was found a moment ago");
        let played = due.iter().zip(effects);
        let token = played.filter_map(|(index, effect)| match effect {
            Effect::Token(effect) => Some((*index, *effect)),
            _ => None,
        });
        let token = token.into_iter().next();
        if let Some((index, TokenEffect::Expire)) = token {
            list.kill(place, index);
        }
        if effects.iter().any(hides_document) {
            return None;
        }
        list.answered = true;
        let age = issued.map_or(0, |issued| self.requests - issued.at_request);
        if issued.is_some_and(|issued| issued.killed_by.is_some())
            || matches!(token, Some((_, TokenEffect::Expire)))
            || script.repository.protocol.token_requests.is_some_and(|survived| age > survived)
        {
            return Some(bad_token("the token has expired"));
        }
        if list.entries.is_empty() {
            let error = OaiError::new(ErrorCode::NoRecordsMatch, "no record matches");
            return Some(Body::Errors(vec![error]));
        }
        let effect = token.map(|(_, effect)| effect);
        let page = page::show(list, place, effect, self.requests, &script, &self.world);
        Some(Body::List(page))
    }

    /// The answer as bytes, and what the journal says of it. No document and no effect: the budget is spent.
    fn write(
        &self,
        arguments: &[(String, String)],
        body: Option<Body>,
        effects: &[Effect],
        request: &AskedRequest<'_>,
    ) -> Written {
        let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut answer = body.as_ref().map_or_else(Answer::default, summary);
        let mut document = body.map(|body| {
            let echo = answers::echo(arguments, &body);
            render_document(&Document { response_date: Some(self.clock), request: echo, body })
                .into_bytes()
        });
        let (mut http, mut wire) = (None, None);
        for effect in effects {
            match effect {
                Effect::Xml(effect) => {
                    let text = document.take().and_then(|bytes| String::from_utf8(bytes).ok());
                    document = text.map(|text| xml::damage(effect, text));
                    if !effect.delivers() {
                        answer = Answer { status: answer.status, ..Answer::default() };
                    }
                }
                Effect::Http(effect) => http = Some(effect),
                Effect::Wire(effect) => wire = Some(effect),
                Effect::Token(_) => {}
            }
        }
        let (mut headers, mut body) = match (http, document) {
            (Some(effect), document) => {
                let dressed = http::dress(effect, document, request, self.clock);
                answer.status = effect.status;
                answer.retry_after_seconds = dressed.retry_after_seconds;
                (dressed.headers, dressed.body)
            }
            (None, Some(document)) => {
                (vec![field("content-type", "text/xml; charset=utf-8")], document)
            }
            (None, None) => {
                answer.status = 503;
                let text = "The budget of requests of this scenario is spent.\n";
                (vec![field("content-type", "text/plain; charset=utf-8")], text.into())
            }
        };
        let plan = wire.and_then(|effect| {
            if !effect.delivers() {
                answer = Answer { status: answer.status, ..Answer::default() };
            }
            wire::travel(effect, answer.status, &mut headers, &mut body)
        });
        answer.bytes = body.len();
        Written { answer, headers, body, plan }
    }

    fn run_name(&self) -> String {
        self.script.run_name(self.run).to_owned()
    }

    fn keep(&mut self, event: Event) {
        if self.journal.events.len() < EVENTS_KEPT_MAX {
            self.journal.events.push(event);
        }
    }
}

impl Asked {
    fn of(list: &mut List, place: Place, issued: Option<Issued>) -> Self {
        let attempt = list.attempts.entry(place.page).or_default();
        *attempt = attempt.saturating_add(1);
        let at = At {
            list: list.number,
            page: place.page,
            token: issued.map_or(0, |issued| issued.number),
            attempt: *attempt,
        };
        Self { at, place, issued }
    }
}

/// What the journal says of a document.
fn summary(body: &Body) -> Answer {
    let mut answer = Answer { status: 200, ..Answer::default() };
    match body {
        Body::Errors(errors) => answer.error = errors.first().map(|error| error.code.to_string()),
        Body::List(page) => {
            answer.records = u32::try_from(page.items.len()).unwrap_or(u32::MAX);
            answer.token = page.token.as_ref().map(|token| token.value.clone());
        }
        Body::Record(_) => answer.records = 1,
        Body::Identify(_) | Body::Formats(_) | Body::Sets { .. } => {}
    }
    answer
}

fn bad_token(text: &str) -> Body {
    Body::Errors(vec![OaiError::new(ErrorCode::BadResumptionToken, text)])
}

fn describe(change: &Change) -> String {
    let numbers = |numbers: &[u32]| {
        numbers.iter().map(|number| identifier(*number)).collect::<Vec<_>>().join(", ")
    };
    match change {
        Change::Add(1) => "1 record is added".to_owned(),
        Change::Add(count) => format!("{count} records are added"),
        Change::Touch(touched) => format!("new versions: {}", numbers(touched)),
        Change::Delete(deleted) => format!("deleted: {}", numbers(deleted)),
    }
}

/// Shortens a text for the journal, between two characters.
fn cut(text: &mut String) {
    if let Some(end) =
        (0..=ARGUMENT_BYTES_MAX.min(text.len())).rev().find(|at| text.is_char_boundary(*at))
    {
        text.truncate(end);
    }
}
