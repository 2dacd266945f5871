//! The second pass: what a well-formed file means, and whether it can be meant.

mod content; // records, sets, clock and budget
mod expectations; // what must come of it
mod faults; // where they are due, and whether they can be
mod replies; // answers word for word
mod runs; // names, changes, crashes, expectations
mod style; // how the repository keeps the protocol
mod when; // triggers

use std::ops::Range;

use toml::Spanned;

use crate::expand;
use crate::finding::Finding;
use crate::kinds::{KINDS, kind_name};
use crate::load::Vocabulary;
use crate::model::File;
use crate::suggest::{listed, nearest};
use crate::world::World;

pub(crate) use content::{PAGE_SIZE_MAX, RECORDS_MAX, REQUESTS_MAX};

/// The one version of the format there is.
const FORMAT: u32 = 1;
/// Rules of the protocol are numbered up to here.
pub const RULES_MAX: u32 = 272;

/// Everything found in the file.
pub(crate) fn check(file: &File, text: &str, known: &Vocabulary<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    check_head(file, known, &mut findings);
    let repository_is_sound = content::check(file, &mut findings);
    style::check(file, &mut findings);
    runs::check(file, text, known, &mut findings);
    faults::check(file, &mut findings);
    expectations::check(file, known, &mut findings);
    replies::check(file, &mut findings);
    // Whether a record or a page exists can only be said of a repository that can be built, and that is asked.
    if repository_is_sound && expand::is_modelled(file) {
        let worlds = Worlds::of(file, &mut findings);
        // How many pages there are can only be said where they are cut plainly.
        if worlds.are_plain {
            runs::check_pages(file, &worlds, &mut findings);
            faults::check_pages(file, &worlds, &mut findings);
        }
    }
    findings
}

fn check_head(file: &File, known: &Vocabulary<'_>, findings: &mut Vec<Finding>) {
    if *file.format.get_ref() != FORMAT {
        findings.push(Finding::error(
            file.format.span(),
            format!("format {} is unknown", file.format.get_ref()),
            format!("this program reads format {FORMAT}"),
        ));
    }
    if let Some(kind) = file.kind.as_ref().filter(|kind| kind_name(kind.get_ref()).is_none()) {
        let message = format!("`{}` is not a kind of failure", kind.get_ref());
        let label = format!("expected `F` and three digits, F001 to F{KINDS:03}");
        findings.push(Finding::error(kind.span(), message, label));
    }
    for rule in &file.rules {
        if !(1..=RULES_MAX).contains(rule.get_ref()) {
            let message = format!("there is no rule {}", rule.get_ref());
            findings.push(Finding::error(
                rule.span(),
                message,
                format!("rules are numbered 1 to {RULES_MAX}"),
            ));
        }
    }
    for specimen in &file.catches {
        check_name(specimen, "specimen", known.specimens, findings);
    }
    if file.title.is_none() {
        let help = "add `title`: one sentence on what happens and what must come of it";
        findings.push(Finding::warning(0..0, "the scenario has no title", "").help(help));
    }
}

/// A name that must be one of these.
fn check_name(name: &Spanned<String>, what: &str, known: &[&str], findings: &mut Vec<Finding>) {
    if !known.contains(&name.get_ref().as_str()) {
        let known = known.iter().copied();
        let message = format!("no {what} is called `{}`", name.get_ref());
        findings.push(
            Finding::error(name.span(), message, format!("there are {}", listed(known.clone())))
                .suggest(nearest(name.get_ref(), known)),
        );
    }
}

/// Two things of the same name: the second is the error.
fn check_twins<'a>(
    what: &str,
    names: impl Iterator<Item = (&'a str, Range<usize>)>,
    findings: &mut Vec<Finding>,
) {
    let mut seen: Vec<(&str, Range<usize>)> = Vec::new();
    for (name, span) in names {
        match seen.iter().find(|(earlier, _)| *earlier == name) {
            Some((_, first)) => findings.push(
                Finding::error(span, format!("two {what} are called `{name}`"), "")
                    .related(first.clone(), "the first is here"),
            ),
            None => seen.push((name, span)),
        }
    }
}

/// A number that counts from 1.
fn check_positive(number: &Spanned<u32>, what: &str, findings: &mut Vec<Finding>) {
    if *number.get_ref() == 0 {
        findings.push(Finding::error(
            number.span(),
            format!("there is no {what} 0"),
            "counted from 1",
        ));
    }
}

/// How long the longest list of each run is: the whole repository.
struct Worlds {
    page_size: u32,
    sizes: Vec<u32>,
    are_plain: bool,
}

impl Worlds {
    /// Plays the changes of all runs, and reports records that do not exist.
    fn of(file: &File, findings: &mut Vec<Finding>) -> Self {
        let repository = expand::repository(file);
        let mut world: World = repository.world;
        let all = expand::whole();
        let mut sizes = Vec::new();
        for (index, run) in file.run.iter().enumerate() {
            for change in &run.get_ref().before {
                if runs::check_change(change, world.records.len(), file, findings) {
                    world.apply(&expand::change(change), repository.clock.run_start(index));
                }
            }
            let size = world.selection(&all, repository.protocol.deleted_records).len();
            sizes.push(u32::try_from(size).unwrap_or(u32::MAX));
        }
        let page_size = u32::try_from(repository.page_size).unwrap_or(u32::MAX);
        Self { page_size, sizes, are_plain: repository.protocol.paging.is_plain() }
    }

    /// Pages of the longest list of a run.
    fn pages(&self, run: usize) -> u32 {
        self.sizes.get(run).map_or(0, |size| size.div_ceil(self.page_size))
    }

    /// Records of the longest list of a run.
    fn records(&self, run: usize) -> u32 {
        self.sizes.get(run).copied().unwrap_or(0)
    }

    /// "200 records in pages of 20 make 10 pages"
    fn sum(&self, run: usize) -> String {
        let records = self.records(run);
        let plural = |number: u32, one: &str| {
            format!("{number} {one}{}", if number == 1 { "" } else { "s" })
        };
        format!(
            "{} in pages of {} make {}",
            plural(records, "record"),
            self.page_size,
            plural(self.pages(run), "page")
        )
    }
}

/// Where the page size is written, for a label beside another finding.
fn page_size_span(file: &File) -> Option<Range<usize>> {
    file.repository.page_size.as_ref().map(Spanned::span)
}
