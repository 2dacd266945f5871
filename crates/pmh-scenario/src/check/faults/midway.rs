//! What can change while a list is read, and what a document can be made to say.

use std::ops::Range;

use toml::Spanned;

use super::super::content::{PAGE_SIZE_MAX, check_known_sets};
use crate::effect::OaiEffect;
use crate::expand;
use crate::finding::Finding;
use crate::model::{Change, File, RepoEffect, TimeEffect};
use crate::style::ListKind;

/// The most records that faults may bring.
const ADDED_MAX: u32 = 10_000;

pub(super) fn check_repo(
    effect: &RepoEffect,
    name: Range<usize>,
    file: &File,
    findings: &mut Vec<Finding>,
) {
    match effect {
        RepoEffect::Add(count) if !(1..=ADDED_MAX).contains(count.get_ref()) => {
            let message = format!("a fault cannot add {} records", count.get_ref());
            findings.push(Finding::error(count.span(), message, format!("1 to {ADDED_MAX}")));
        }
        RepoEffect::Move(moved) => {
            check_numbers(&moved.records, file, findings);
            check_known_sets(&moved.to, file, findings);
        }
        RepoEffect::Touch(numbers)
        | RepoEffect::Delete(numbers)
        | RepoEffect::Purge(numbers)
        | RepoEffect::Restamp(numbers) => check_numbers(numbers, file, findings),
        RepoEffect::Reorder
            if !file
                .protocol
                .list
                .as_ref()
                .is_some_and(|list| *list.get_ref() == ListKind::Live) =>
        {
            let message = "only a live list can change its order";
            let help = "add `protocol.list = \"live\"`";
            findings.push(Finding::error(name, message, "").help(help));
        }
        RepoEffect::Deploy(deploy) => {
            if let Some(size) = deploy
                .page_size
                .as_ref()
                .filter(|size| !(1..=PAGE_SIZE_MAX).contains(size.get_ref()))
            {
                let message = format!("a page cannot hold {} entries", size.get_ref());
                let label = format!("1 to {PAGE_SIZE_MAX}");
                findings.push(Finding::error(size.span(), message, label));
            }
        }
        RepoEffect::Add(_) | RepoEffect::Reorder => {}
    }
}

/// Whether there can be these records, by all that runs add; what faults add cannot be named.
fn check_numbers(numbers: &[Spanned<u32>], file: &File, findings: &mut Vec<Finding>) {
    let added = file.run.iter().flat_map(|run| &run.get_ref().before).map(|change| match change {
        Change::Add(count) => *count.get_ref(),
        Change::Touch(_)
        | Change::Delete(_)
        | Change::Purge(_)
        | Change::Restamp(_)
        | Change::Move(_) => 0,
    });
    let records = added.fold(expand::count(file), u32::saturating_add);
    for number in numbers {
        if !(1..=records).contains(number.get_ref()) {
            let message = format!("there is no record {}", number.get_ref());
            let label = format!("records are numbered 1 to {records}");
            findings.push(Finding::error(number.span(), message, label));
        }
    }
}

pub(super) fn check_oai(effect: &OaiEffect, name: Range<usize>, findings: &mut Vec<Finding>) {
    let number = match effect {
        OaiEffect::Errors(errors) => {
            if errors.codes.is_empty() {
                let message = "an error needs a code";
                let help = "such as `codes = [\"badArgument\"]`";
                findings.push(Finding::error(name.clone(), message, "").help(help));
            }
            if !(200..=599).contains(&errors.status) || [204, 205, 304].contains(&errors.status) {
                let message =
                    format!("an answer with a body cannot have the status {}", errors.status);
                let label = "200 to 599, but for 204, 205 and 304";
                findings.push(Finding::error(name, message, label));
            }
            return;
        }
        OaiEffect::Document(_) | OaiEffect::Outsider | OaiEffect::WrappedHeaders => return,
        OaiEffect::Repeat(number)
        | OaiEffect::NoHeader(number)
        | OaiEffect::NoIdentifier(number)
        | OaiEffect::NoMetadata(number)
        | OaiEffect::TwoMetadata(number) => *number,
    };
    if number == 0 {
        findings.push(Finding::error(name, "there is no entry 0", "counted from 1"));
    }
}

pub(super) fn check_time(effect: &TimeEffect, file: &File, findings: &mut Vec<Finding>) {
    let between_seconds = expand::clock(file).between_runs_seconds;
    match effect {
        TimeEffect::Delay(time) | TimeEffect::Forward(time) | TimeEffect::Back(time) => {
            let seconds = time.get_ref().seconds;
            if seconds == 0 {
                findings.push(Finding::error(time.span(), "no time is no fault", "at least 1s"));
            } else if seconds > between_seconds / 2 {
                let message =
                    format!("{seconds} s are more than half of what lies between two runs");
                let help = "the instants of changes must follow from the script: a longer `clock.between-runs` helps";
                findings.push(Finding::error(time.span(), message, "").help(help));
            }
        }
        TimeEffect::ResponseDate(text) if text.get_ref().chars().any(char::is_control) => {
            let message = "a document cannot hold control characters";
            findings.push(Finding::error(text.span(), message, ""));
        }
        TimeEffect::ResponseDate(_) => {}
    }
}
