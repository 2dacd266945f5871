//! What `pmh prove` needs beside the playing: other harvesters, known failures, reports.

mod github; // annotations where a pipeline runs
mod harvesters; // commands, and those that pmh.toml names
mod in_order; // work side by side, shown in order
mod known; // failures that are put up with
mod report; // files for machines and people
mod results; // what came of it, whoever was proved
mod selected; // which scenarios are played
mod trials; // scenarios against other harvesters

pub(super) use github::annotate;
pub(super) use harvesters::{Subject, names, said_of, subjects};
pub(super) use in_order::in_order;
pub(super) use known::Known;
pub(super) use report::{Reports, report_schema};
pub(super) use results::{Cell, Results, Row, Standing};
pub(super) use selected::{Selected, all_of, wanted};
pub(super) use trials::run;
