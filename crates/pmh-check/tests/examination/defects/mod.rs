//! Each way in which a repository can be wrong, one at a time, flips exactly the checks that are meant to flip.

mod asking; // requests that must be refused
mod describing; // Identify, formats, sets
mod envelope; // root, request, responseDate, errors
mod lists; // pages and tokens
mod records; // headers and records
mod wire; // HTTP and XML

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use pmh_check::{Examined, Verdict};

use super::passing::Passing;
use super::support::{REPOSITORY, examine, options, report, repository};

/// A defect: its name, what it does to an answer, and the checks that it flips.
type Defect = (&'static str, fn(&mut Passing<'_>), &'static [&'static str]);

/// The token that checks make up.
const UNKNOWN_TOKEN: &str = "no-such-token";

fn defects() -> impl Iterator<Item = &'static Defect> {
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

fn gzip(passing: &mut Passing<'_>) {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&passing.page.body).expect("memory");
    passing.page.body = encoder.finish().expect("memory");
    passing.set_header("Content-Encoding", "gzip");
}

/// Takes what tokens announce out, for defects that would not fit to it.
fn unannounced(passing: &mut Passing<'_>) {
    passing.edit(|text| {
        let Some(start) = text.find("<resumptionToken") else { return text };
        let end = start + text[start..].find('>').expect("its end");
        format!("{}<resumptionToken{}", &text[..start], &text[end..])
    });
}

/// The value of an attribute of the token becomes another.
fn announce(passing: &mut Passing<'_>, name: &str, change: impl Fn(u64) -> u64) {
    passing.edit(|text| {
        let mark = format!(" {name}=\"");
        let Some(start) = text.find(&mark).map(|at| at + mark.len()) else { return text };
        let end = start + text[start..].find('"').expect("its end");
        let value: u64 = text[start..end].parse().expect("a number");
        format!("{}{}{}", &text[..start], change(value), &text[end..])
    });
}

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
    passing.argument("from").is_some_and(|from| pmh_protocol::Datestamp::parse(from).is_err())
}

fn shifted(date: &str, seconds: i64) -> String {
    let date = pmh_protocol::Datestamp::parse(date).expect("a date");
    pmh_protocol::Datestamp::new(date.stamp.plus_seconds(seconds), date.granularity).to_string()
}

/// The checks that are worse than in the repository without defect.
fn flipped(clean: &Examined, wrong: &Examined) -> Vec<&'static str> {
    let is_told = |verdict| {
        matches!(verdict, Verdict::Note | Verdict::Warn | Verdict::Fail | Verdict::Inconclusive)
    };
    let pairs = clean.outcomes.iter().zip(&wrong.outcomes);
    pairs
        .filter(|(before, after)| before.verdict != after.verdict && is_told(after.verdict))
        .map(|(_, after)| after.check.id)
        .collect()
}

#[test]
fn each_defect_flips_the_checks_that_are_meant_to_flip() {
    let clean = examine(options(), &mut repository(REPOSITORY), |_| {});
    let (mut wrong, mut table) = (String::new(), String::new());
    for (name, rewrite, expected) in defects() {
        let examined = examine(options(), &mut repository(REPOSITORY), rewrite);
        let flipped = flipped(&clean, &examined);
        let _ = writeln!(table, "{name:38} {}", flipped.join(" "));
        if flipped != *expected {
            let _ = writeln!(
                wrong,
                "{name}: expected {expected:?}, flipped {flipped:?}\n{}",
                report(&examined)
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    insta::assert_snapshot!("defects", table);
}
