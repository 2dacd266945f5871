//! Defects: ways in which a repository breaks the protocol, each alone in a repository that is right otherwise.
//!
//! A defect rewrites answers on their way out. So it can do what no fault of a scenario says, and has no place in one:
//! these are for testing whoever judges repositories, scenarios for whoever harvests them.

mod asking; // requests that must be refused, and dates
mod describing; // Identify, formats, sets
mod envelope; // root, request, responseDate, errors
mod lists; // pages and tokens
mod passing; // an answer on its way back
mod records; // headers and records
mod wire; // HTTP and XML

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use pmh_protocol::Datestamp;

pub use passing::Passing;

/// The scenario of the repository that all defects are made for: 20 records, 3 of them deleted, pages of 5, three sets
/// in a hierarchy, seconds.
pub const DEFECTIVE_REPOSITORY: &str = r#"
format = 1
title = "A repository that keeps every rule"
repository.records.generate = { count = 20, deleted = 0.15, stamps.every.step = "7h" }
repository.sets = ["art", "art:paint", "maps"]
repository.page-size = 5
protocol.granularity = "second"

[[run]]
action = "harvest"
"#;

/// One way in which a repository is wrong.
#[derive(Clone, Copy, Debug)]
pub struct Defect {
    /// What it is called: a short sentence with hyphens.
    pub name: &'static str,
    pub(crate) rewrite: fn(&mut Passing<'_>),
}

impl Defect {
    /// A defect of one's own: what is done to each answer. It meets every answer, and changes what it is about.
    #[must_use]
    pub const fn new(name: &'static str, rewrite: fn(&mut Passing<'_>)) -> Self {
        Self { name, rewrite }
    }
}

/// Every defect there is.
pub fn all_defects() -> impl Iterator<Item = &'static Defect> {
    [
        wire::DEFECTS,
        envelope::DEFECTS,
        describing::DEFECTS,
        asking::DEFECTS,
        records::DEFECTS,
        lists::DEFECTS,
    ]
    .into_iter()
    .flatten()
}

/// The token that whoever tests a repository makes up.
const UNKNOWN_TOKEN: &str = "no-such-token";

fn gzip(passing: &mut Passing<'_>) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    if let Ok(packed) = encoder.write_all(&passing.body).and_then(|()| encoder.finish()) {
        passing.body = packed;
        passing.set_header("content-encoding", "gzip");
    }
}

/// Takes what tokens announce out, for defects that would not fit to it.
fn unannounced(passing: &mut Passing<'_>) {
    passing.edit(|text| {
        let Some(start) = text.find("<resumptionToken") else { return text };
        let Some(end) = text[start..].find('>').map(|at| start + at) else { return text };
        format!("{}<resumptionToken{}", &text[..start], &text[end..])
    });
}

/// The value of an attribute of the token becomes another.
fn announce(passing: &mut Passing<'_>, name: &str, change: impl Fn(u64) -> u64) {
    passing.edit(|text| {
        let mark = format!(" {name}=\"");
        let Some(start) = text.find(&mark).map(|at| at + mark.len()) else { return text };
        let Some(end) = text[start..].find('"').map(|at| start + at) else { return text };
        let Ok(value) = text[start..end].parse() else { return text };
        format!("{}{}{}", &text[..start], change(value), &text[end..])
    });
}

/// Whether the answer is no error.
fn is_valid(passing: &Passing<'_>) -> bool {
    !passing.says("<error")
}

/// Whether it asks for a page of a list without criteria.
fn is_of_everything(passing: &Passing<'_>) -> bool {
    let is_open = ["from", "until", "set"].iter().all(|name| passing.argument(name).is_none());
    let token = passing.argument("resumptionToken");
    passing.is_list() && is_open && token.is_none_or(|token| token.contains("|oai_dc||||"))
}

fn bad_date(passing: &Passing<'_>) -> bool {
    passing.argument("from").is_some_and(|from| Datestamp::parse(from).is_err())
}

/// Some seconds later; what is no date stays as it is.
fn shifted(date: &str, seconds: i64) -> String {
    Datestamp::parse(date).map_or_else(
        |_| date.to_owned(),
        |date| Datestamp::new(date.stamp.plus_seconds(seconds), date.granularity).to_string(),
    )
}
