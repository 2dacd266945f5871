//! Records, sets, protocol, clock and budget.

use toml::Spanned;

use crate::defaults;
use crate::expand;
use crate::finding::Finding;
use crate::model::{File, LiteralRecord, Records};
use crate::suggest::nearest;

/// The most records of a scenario, added ones included; more belong into a benchmark.
pub(crate) const RECORDS_MAX: u32 = 1_000_000;
pub(crate) const PAGE_SIZE_MAX: u32 = 100_000;
pub(crate) const REQUESTS_MAX: u32 = 50_000;
/// Harvesters with a real clock distrust datestamps of the future, so repositories live before 2026.
const CLOCK_END_SECONDS: i64 = 1_767_225_600;

/// Whether the repository can be built.
pub(super) fn check(file: &File, findings: &mut Vec<Finding>) -> bool {
    let before = findings.len();
    if let Some(page_size) = &file.repository.page_size {
        in_range(page_size, 1, PAGE_SIZE_MAX, "a page holds", findings);
    }
    if let Some(Records::Generate(generate)) = &file.repository.records {
        if let Some(count) = &generate.count {
            in_range(count, 0, RECORDS_MAX, "the number of records is", findings);
        }
        if let Some(share) =
            generate.deleted.as_ref().filter(|share| !(0.0..=1.0).contains(share.get_ref()))
        {
            let message = format!("`{}` is not a share", share.get_ref());
            findings.push(Finding::error(share.span(), message, "expected a number from 0 to 1"));
        }
    }
    if let Some(Records::Literal(records)) = &file.repository.records {
        check_literal(file, records, findings);
    }
    check_formats(file, findings);
    let is_sound = findings.len() == before;
    check_sets(file, findings);
    if let Some(requests) = &file.protocol.ttl.requests {
        in_range(requests, 1, u32::MAX, "requests that a token survives are", findings);
    }
    check_clock(file, findings);
    if is_sound {
        check_stamps(file, findings);
    }
    is_sound
}

fn in_range(number: &Spanned<u32>, least: u32, most: u32, what: &str, findings: &mut Vec<Finding>) {
    if !(least..=most).contains(number.get_ref()) {
        let label = if most == u32::MAX {
            format!("at least {least}")
        } else {
            format!("{least} to {most}")
        };
        let message = format!("{what} {label}, not {}", number.get_ref());
        findings.push(Finding::error(number.span(), message, label));
    }
}

fn check_literal(file: &File, records: &[Spanned<LiteralRecord>], findings: &mut Vec<Finding>) {
    let ids = records.iter().map(|record| &record.get_ref().id);
    super::check_twins("records", ids.map(|id| (id.get_ref().as_str(), id.span())), findings);
    let start = expand::clock(file).start;
    for record in records.iter().map(Spanned::get_ref) {
        let stamp = record.stamp.get_ref().0;
        if stamp > start {
            let message = format!("the record is stamped {stamp}, but the clock starts at {start}");
            findings.push(Finding::error(record.stamp.span(), message, "a stamp of the future"));
        }
        if record.id.get_ref().trim().is_empty() {
            let message = "a record needs an identifier";
            let label = "expected text such as \"oai:x:1\"";
            findings.push(Finding::error(record.id.span(), message, label));
        }
        check_known_sets(&record.sets, file, findings);
    }
}

/// Whether there are these sets.
pub(super) fn check_known_sets(sets: &[Spanned<String>], file: &File, findings: &mut Vec<Finding>) {
    for set in sets {
        let known = file.repository.sets.iter().map(|set| set.get_ref().as_str());
        if !known.clone().any(|name| name == set.get_ref()) {
            let message = format!("no set is called `{}`", set.get_ref());
            let label = "`repository.sets` names those that there are";
            findings.push(
                Finding::error(set.span(), message, label).suggest(nearest(set.get_ref(), known)),
            );
        }
    }
}

fn check_formats(file: &File, findings: &mut Vec<Finding>) {
    let formats = &file.repository.formats;
    let names = formats.iter().map(|name| (name.get_ref().as_str(), name.span()));
    super::check_twins("formats", names, findings);
    if !matches!(file.repository.records, Some(Records::Literal(_))) {
        for format in formats {
            super::check_name(format, "format", &["oai_dc", "iso19139"], findings);
        }
    }
    for prefix in file.run.iter().filter_map(|run| run.get_ref().prefix.as_ref()) {
        let is_offered = match formats.as_slice() {
            [] => prefix.get_ref() == "oai_dc",
            formats => formats.iter().any(|format| format.get_ref() == prefix.get_ref()),
        };
        if expand::is_modelled(file) && !is_offered {
            let message = format!("the repository has no format `{}`", prefix.get_ref());
            let help = "`repository.formats` names those that it has";
            findings.push(Finding::warning(prefix.span(), message, "").help(help));
        }
    }
}

fn check_sets(file: &File, findings: &mut Vec<Finding>) {
    let sets = &file.repository.sets;
    super::check_twins(
        "sets",
        sets.iter().map(|set| (set.get_ref().as_str(), set.span())),
        findings,
    );
    for set in sets {
        let spec = set.get_ref();
        let is_name = |part: &str| {
            !part.is_empty()
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.!~*'()".contains(c))
        };
        if !spec.split(':').all(is_name) {
            let message = format!("`{spec}` is not a setSpec");
            let label = "names of unreserved characters, joined by single colons";
            findings.push(Finding::error(set.span(), message, label));
        } else if let Some((parent, _)) = spec.rsplit_once(':')
            && !sets.iter().any(|set| set.get_ref() == parent)
        {
            let message = format!("the set `{parent}` above `{spec}` is not listed");
            findings.push(Finding::warning(set.span(), message, ""));
        }
    }
}

fn check_stamps(file: &File, findings: &mut Vec<Finding>) {
    let Some(Records::Generate(generate)) = &file.repository.records else { return };
    let Some(stamps) = &generate.stamps else { return };
    let start = expand::clock(file).start;
    let count = i64::from(expand::count(file));
    let (first, step_seconds) = expand::stamps(file);
    let last = first.plus_seconds(step_seconds.saturating_mul((count - 1).max(0)));
    if last > start {
        let message = format!("the last record is stamped {last}, but the clock starts at {start}");
        findings.push(Finding::error(stamps.span(), message, "stamps of the future"));
    }
}

fn check_clock(file: &File, findings: &mut Vec<Finding>) {
    let clock = expand::clock(file);
    let between_span = file.clock.between_runs.as_ref().map(Spanned::span);
    if clock.between_runs_seconds == 0 {
        let message = "runs begin one after the other, so that changes are stamped apart";
        findings.push(Finding::error(between_span.clone().unwrap_or(0..0), message, "at least 1s"));
        return;
    }
    if let Some(requests) = &file.budget.requests {
        in_range(requests, 1, REQUESTS_MAX, "a budget of requests is", findings);
    }
    if let Some(wall) = file.budget.wall.as_ref().filter(|wall| wall.get_ref().seconds == 0) {
        findings.push(Finding::error(wall.span(), "no run ends in no time", "at least 1s"));
    }
    let requests = expand::budget(file).requests;
    let spent_seconds = i64::from(requests).saturating_mul(clock.tick_seconds);
    if spent_seconds >= clock.between_runs_seconds {
        let span = file
            .budget
            .requests
            .as_ref()
            .map(Spanned::span)
            .or_else(|| file.clock.tick.as_ref().map(Spanned::span))
            .or(between_span)
            .unwrap_or(0..0);
        let message = format!(
            "{requests} requests of {} s each outrun the {} s from one run to the next",
            clock.tick_seconds, clock.between_runs_seconds
        );
        let help = "the instants of changes must follow from the script alone: keep `budget.requests` times \
                    `clock.tick` below `clock.between-runs`";
        findings.push(Finding::error(span, message, "").help(help));
    }
    // One run more than there are: the one that must change nothing.
    let end = clock.run_start(file.run.len() + 1);
    if end.seconds() > CLOCK_END_SECONDS {
        let span = file.clock.start.as_ref().map(Spanned::span).or(file
            .clock
            .between_runs
            .as_ref()
            .map(Spanned::span));
        let message = format!("the clock runs until {end}, but it must stay before 2026");
        let help = format!("the default start is {}", defaults::clock_start());
        findings.push(Finding::error(span.unwrap_or(0..0), message, "").help(help));
    }
}
