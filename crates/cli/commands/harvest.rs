//! `pmh harvest`: keys of one source, one after the other, into a store.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use owo_colors::OwoColorize as _;
use pmh_client::{Clock, Watch, drive};
use pmh_harvest::{
    End, Harvest, Key, Known, Outcome, Plan, Refusal, RepeatedToken, Stop, Store as _,
};
use pmh_protocol::{Datestamp, Stamp};
use pmh_store::{Forgetting, SqliteStore};
use serde_json::json;

use crate::args::{HarvestArguments, RepeatedTokenArgument};
use crate::asking::Asking;
use crate::commands::mortal::Mortal;
use crate::commands::rehearsing;
use crate::exit::{Ended, Exit};
use crate::output::{self, plain};
use crate::signal::StopSignals;

/// Holes that a report names.
const HOLES_SHOWN: usize = 5;
/// In a pipe, a line of progress is written this often at the most.
const LINE_EVERY: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &HarvestArguments) -> anyhow::Result<Exit> {
    let asking = Asking::of(&arguments.base_url, &arguments.source)?;
    let plans = plans(arguments, &asking.plan)?;
    if arguments.dry_run {
        return plans.into_iter().try_fold(Exit::Done, |worst, plan| {
            Ok(worst.worse(rehearsing::run(arguments, &asking, plan)?))
        });
    }
    let _entered = asking.runtime.enter();
    let stop = StopSignals::new(|number| {
        output::note(match number {
            1 => "stopping after the page in hand; once more drops it",
            _ => "stopping now",
        });
    });
    let mut worst = Exit::Done;
    for plan in plans {
        let key = plan.key.clone();
        let (outcome, took) = match harvest(arguments, &asking, &stop, plan) {
            // Somebody else has this key: that says nothing about the next.
            Err(error) if Exit::of(&error) == Exit::Impossible => {
                output::error(&error);
                worst = worst.worse(Exit::Impossible);
                continue;
            }
            ended => ended?,
        };
        if arguments.json {
            output::line(as_json(&key, &outcome).to_string());
        } else {
            report(&outcome, took);
        }
        worst = worst.worse(Exit::from_code(outcome.exit_code()));
        // Whoever stops one key does not want the next.
        if outcome.end == End::Incomplete(Stop::Operator) {
            break;
        }
    }
    Ok(worst)
}

/// One key.
fn harvest(
    arguments: &HarvestArguments,
    asking: &Asking,
    stop: &StopSignals,
    plan: Plan,
) -> anyhow::Result<(Outcome, Duration)> {
    let key = plan.key.clone();
    let mut store = SqliteStore::open(&arguments.store.path)?;
    let _claim = store.claim(&key, Clock::today())?;
    if arguments.full {
        store.distrust(&key)?;
    }
    let known = store.known(&key)?;
    let mut clock = Clock::start(arguments.wait_scale);
    let today = arguments.today.unwrap_or_else(Clock::today);
    let is_new = is_new(&known);
    let mut harvest = Harvest::resume(plan, known, today);
    let mut progress = Progress::new(arguments, &key);
    let watch = |watch| progress.show(&watch);
    let transport = &asking.transport;
    let outcome = match arguments.die_at {
        Some(at) => {
            let store = Mortal { store, at };
            let run = drive(&mut harvest, key, store, transport, &mut clock, stop.of_run(), watch);
            asking.runtime.block_on(run).0
        }
        None => {
            let stop = stop.of_run();
            let run = drive(&mut harvest, key.clone(), store, transport, &mut clock, stop, watch);
            let (outcome, store) = asking.runtime.block_on(run);
            if let Some(mut store) = store.filter(|_| is_new && is_misspelt(&outcome)) {
                store.forget(&[key], Forgetting::Done(Clock::today()))?;
            }
            outcome
        }
    };
    progress.bar.finish_and_clear();
    Ok((outcome, progress.started.elapsed()))
}

/// Whether nothing was ever kept of a key.
const fn is_new(known: &Known) -> bool {
    known.watermark.is_none()
        && known.last_complete.is_none()
        && known.open.is_none()
        && known.errors == 0
        && known.held_live == 0
        && known.coverage.is_empty()
}

/// Whether the repository knows no such set or format: a key that was never more than a typing error is not kept.
const fn is_misspelt(outcome: &Outcome) -> bool {
    matches!(outcome.end, End::Refused(Refusal::UnknownSet { .. } | Refusal::Format { .. }))
}

/// A plan for each key: every prefix, and of each prefix every set.
fn plans(arguments: &HarvestArguments, asked: &Plan) -> anyhow::Result<Vec<Plan>> {
    if arguments.prefixes.iter().any(String::is_empty) {
        return Err(Ended::usage("the metadata prefix is empty: write one such as `oai_dc`"));
    }
    let date =
        |flag, text: &Option<String>| text.as_deref().map(|text| date(flag, text)).transpose();
    let (from, until) = (date("--from", &arguments.from)?, date("--until", &arguments.until)?);
    if let (Some(from), Some(until)) = (from, until) {
        if from.granularity != until.granularity {
            return Err(Ended::usage(
                "`--from` and `--until` must have the same form: two days, or two seconds",
            ));
        }
        if from > until {
            return Err(Ended::usage(format!(
                "`--from` ({from}) is later than `--until` ({until})"
            )));
        }
    }
    let sets: Vec<Option<String>> = match arguments.sets.as_slice() {
        [] => vec![None],
        sets => sets.iter().map(|set| Some(set.clone()).filter(|set| !set.is_empty())).collect(),
    };
    let mut plans: Vec<Plan> = Vec::new();
    for prefix in &arguments.prefixes {
        for set in &sets {
            let source = asked.key.source.clone();
            let key = Key { source, prefix: prefix.clone(), set: set.clone() };
            if plans.iter().any(|plan| plan.key == key) {
                continue;
            }
            plans.push(plan(arguments, Plan { key, from, until, ..asked.clone() }));
        }
    }
    Ok(plans)
}

/// A date as the protocol writes them, of a day that there is.
fn date(flag: &str, text: &str) -> anyhow::Result<Datestamp> {
    let form: String =
        text.chars().map(|each| if each.is_ascii_digit() { '0' } else { each }).collect();
    let is_formed = matches!(form.as_str(), "0000-00-00" | "0000-00-00T00:00:00Z");
    // Readers of dates take the second 60 for the one before it.
    let is_leap_second = is_formed && text.ends_with(":60Z");
    match Datestamp::parse(text) {
        Ok(date) if date.stamp < Stamp::from_seconds(i64::MAX) && !is_leap_second => Ok(date),
        Err(error) if !is_formed => Err(Ended::usage(format!("`{flag}`: {error}"))),
        _ => Err(Ended::usage(format!(
            "`{flag}`: expected a day and time that there are, before 9999-12-30, found `{text}`"
        ))),
    }
}

/// A plan with what the operator wants.
fn plan(arguments: &HarvestArguments, mut plan: Plan) -> Plan {
    plan.full = arguments.full;
    plan.pause = arguments.pause.map(Duration::from_secs_f64);
    plan.limits.pages_max = arguments.max_pages;
    plan.limits.records_max = arguments.max_records;
    plan.max_duration = arguments.max_duration;
    plan.limit = arguments.limit;
    plan.strict = arguments.strict;
    plan.infer_deletions = arguments.infer_deletions;
    plan.accepted_holes.clone_from(&arguments.accept_hole);
    plan.ignore_not_before = arguments.ignore_not_before;
    if let Some(mebibytes) = arguments.disk_floor {
        plan.limits.disk_floor_bytes = mebibytes << 20;
    }
    if let Some(seconds) = arguments.resume_max_age {
        plan.limits.resume_age_seconds = seconds.into();
    }
    plan.allow_mass_delete = arguments.allow_mass_delete;
    if let Some(share) = arguments.mass_delete_share {
        plan.limits.mass_delete_share = share;
    }
    plan.repeated_token = match arguments.repeated_token {
        RepeatedTokenArgument::Evidence => RepeatedToken::Evidence,
        RepeatedTokenArgument::Strict => RepeatedToken::Strict,
    };
    arguments.departures.apply(&mut plan);
    for (name, value) in &arguments.bounds {
        plan.limits.set(name, *value);
    }
    plan
}

/// What a person sees while it runs.
struct Progress {
    bar: ProgressBar,
    quiet: bool,
    started: Instant,
    last_line: Instant,
}

impl Progress {
    fn new(arguments: &HarvestArguments, key: &Key) -> Self {
        let now = Instant::now();
        if arguments.json {
            return Self { bar: ProgressBar::hidden(), quiet: true, started: now, last_line: now };
        }
        output::note(format!("harvesting {key} into {}", arguments.store.path.display()));
        Self { bar: output::bar(None, "records"), quiet: false, started: now, last_line: now }
    }

    fn show(&mut self, watch: &Watch) {
        match watch {
            Watch::Committed { tally, announced_size } => {
                if let Some(size) = announced_size
                    && self.bar.length().is_none()
                {
                    self.bar.set_length(*size);
                    self.bar.set_style(output::style(true, "records"));
                }
                self.bar.set_position(tally.distinct);
                self.bar.set_message(format!("· page {}", tally.pages));
                if self.bar.is_hidden() && !self.quiet && self.last_line.elapsed() >= LINE_EVERY {
                    self.last_line = Instant::now();
                    output::note(format!("{} on {}", records(tally.distinct), pages(tally.pages)));
                }
            }
            Watch::Waiting { millis } => {
                let text = format!("waiting {} s", millis.div_ceil(1_000));
                self.bar.set_message(format!("· {text}"));
                if self.bar.is_hidden() && !self.quiet {
                    output::note(text);
                }
            }
        }
    }
}

fn records(number: u64) -> String {
    output::counted(number, "record")
}

fn pages(number: u64) -> String {
    output::counted(number, "page")
}

pub(crate) fn report(outcome: &Outcome, took: Duration) {
    let counts = &outcome.counts;
    let read = format!("{} on {}", records(outcome.tally.distinct), pages(outcome.tally.pages));
    let changes = [
        (counts.new, "new"),
        (counts.changed, "changed"),
        (counts.withdrawn, "withdrawn"),
        (counts.revived, "revived"),
        (counts.unchanged, "unchanged"),
    ];
    let changes: Vec<String> = changes
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    let changes = if changes.is_empty() { "nothing new".to_owned() } else { changes.join(" · ") };
    if outcome.end == End::Complete {
        let with = if outcome.complaints.is_empty() { "" } else { " with complaints" };
        output::line(format!(
            "{}{with}: {read} in {:.1} s",
            "complete".green().bold(),
            took.as_secs_f64()
        ));
        output::line(format!("  {changes}"));
        if let Some(window) = outcome.window.filter(|window| !window.is_everything()) {
            output::line(format!("  asked for {window}"));
        }
        match (outcome.watermark, outcome.floor) {
            (None, _) => {}
            (Some(watermark), None) => output::line(format!("  complete up to {watermark}")),
            (Some(watermark), Some(floor)) => {
                output::line(format!("  complete from {floor} up to {watermark}"));
                output::line(format!(
                    "  nothing is known before {floor}: `--until {floor}` fetches it"
                ));
            }
        }
    } else {
        let end = plain(&outcome.end.to_string());
        output::line(format!("{}: {end}", outcome.word().red().bold()));
        let reason = outcome.reason().unwrap_or_default();
        let blame = outcome.blame().map_or("", pmh_harvest::Blame::as_str);
        output::line(format!("  reason: {reason} · blame: {blame} · kept: {read}, {changes}"));
        if matches!(outcome.end, End::Incomplete(_)) && outcome.window.is_some() {
            output::line("  the window stays open: the next run works it again");
        }
    }
    if !outcome.switches.is_empty() {
        output::line(format!("  switches: {}", outcome.switches.join(", ")));
    }
    for hole in outcome.holes.iter().take(HOLES_SHOWN) {
        output::line(format!("  hole: {} ({})", plain(&hole.identifier), plain(&hole.reason)));
    }
    if outcome.holes.len() > HOLES_SHOWN {
        output::line(format!(
            "  … and {} more: `pmh status --json`",
            outcome.holes.len() - HOLES_SHOWN
        ));
    }
    if let Some(why) = &outcome.refresh_due {
        output::line(format!("  a full harvest is due, because {}: `--full` does it", plain(why)));
    }
    for (name, complained) in &outcome.complaints {
        output::line(format!(
            "  complaint: {name} × {} ({})",
            complained.count,
            plain(&complained.example)
        ));
    }
    if let Some(hint) = outcome.hint() {
        output::line(format!("{} {hint}", "hint:".cyan().bold()));
    }
}

/// The outcome for programs.
fn as_json(key: &Key, outcome: &Outcome) -> serde_json::Value {
    let counts = &outcome.counts;
    json!({
        "source": key.source,
        "prefix": key.prefix,
        "set": key.set,
        "outcome": outcome.word(),
        "guard": outcome.guard(),
        "reason": outcome.reason(),
        "text": outcome.end.to_string(),
        "blame": outcome.blame().map(pmh_harvest::Blame::as_str),
        "hint": outcome.hint(),
        "exit": outcome.exit_code(),
        "window": outcome.window.map(|window| window.to_string()),
        "pages": outcome.tally.pages,
        "delivered": outcome.tally.delivered,
        "distinct": outcome.tally.distinct,
        "new": counts.new,
        "changed": counts.changed,
        "unchanged": counts.unchanged,
        "withdrawn": counts.withdrawn,
        "revived": counts.revived,
        "watermark": outcome.watermark.map(|watermark| watermark.to_string()),
        "floor": outcome.floor.map(|floor| floor.to_string()),
        "switches": outcome.switches,
        "refresh_due": outcome.refresh_due,
        "holes": outcome.holes.iter().map(|hole| &hole.identifier).collect::<Vec<_>>(),
        "requests": outcome.requests,
        "restarts": outcome.restarts,
        "complaints": outcome.complaints.iter().map(|(name, complained)| {
            (name.clone(), json!({ "count": complained.count, "example": complained.example }))
        }).collect::<serde_json::Map<_, _>>(),
    })
}
