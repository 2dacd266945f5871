//! `pmh verify`: the four questions about a key.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use anyhow::Context as _;
use owo_colors::OwoColorize as _;
use pmh_client::{AskError, Clock, Transport, drive};
use pmh_harvest::{End, Harvest, Key, Known, Plan, Store as _};
use pmh_protocol::{
    Body, Datestamp, DeletedRecords, ErrorCode, Granularity, Request, Selection, Stamp,
};
use pmh_store::{Changed, HeldCount, SqliteStore};
use serde_json::json;

use super::kept::Kept;
use crate::args::VerifyArguments;
use crate::asking::Asking;
use crate::exit::Exit;
use crate::output::{self, counted, plain};
use crate::signal::{StopSignals, stop_signal};

/// Pages of identifiers that are counted at the most.
const PAGES_MAX: u32 = 100_000;
/// Rows that are named in an answer.
const NAMED_MAX: usize = 5;

/// The answer to one question, and how it was come by.
struct Answer {
    question: &'static str,
    verdict: Verdict,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Yes,
    Unverifiable,
    No,
}

/// What the repository says about the number of records.
enum Promise {
    /// It announces the size of the list.
    Announced(u64),
    /// It does not, and so many different identifiers were counted.
    Counted(u64),
}

pub(crate) fn run(arguments: &VerifyArguments) -> anyhow::Result<Exit> {
    let kept = Kept::open(&arguments.kept, "verify")?;
    let answers = answers(arguments, &kept)?;
    let worst = answers.iter().map(|answer| answer.verdict).max().unwrap_or(Verdict::Unverifiable);
    report(&kept.key, &answers, worst, arguments.json);
    Ok(match worst {
        Verdict::Yes => Exit::Done,
        Verdict::Unverifiable => Exit::Impossible,
        Verdict::No => Exit::No,
    })
}

fn answers(arguments: &VerifyArguments, kept: &Kept) -> anyhow::Result<Vec<Answer>> {
    let Kept { asking, key, store, known } = kept;
    let original = &arguments.kept.store.path;
    let closed = closed(known);
    if closed.verdict != Verdict::Yes {
        // What is being harvested still cannot be complete, whatever the counts are.
        let held = store.held(key, known.floor)?;
        let count = Answer {
            question: "count",
            verdict: Verdict::Unverifiable,
            text: format!("{}; not compared with a list that is not closed", holding(&held)),
        };
        return Ok(vec![count, closed]);
    }
    let again = tempfile::tempdir().context("failed to make a folder for a copy of the store")?;
    let path = again.path().join("copy.sqlite");
    SqliteStore::copy(original, &path).with_context(|| {
        format!("failed to try it on a copy in `{}` (TMPDIR)", std::env::temp_dir().display())
    })?;
    let plan = Plan { full: arguments.full, ..asking.plan.clone() };
    let (copy, repeat) = repeat(asking, plan, known, original, &path)?;
    let count = if repeat.verdict == Verdict::Unverifiable {
        Answer {
            question: "count",
            verdict: Verdict::Unverifiable,
            text: "not asked: the list cannot be read now".to_owned(),
        }
    } else {
        // Of the copy: what the repository changed since the last run is in it.
        count(asking, known, &copy.held(key, known.floor)?)
    };
    Ok(vec![count, closed, repeat])
}

/// Questions 1 and 2: what is promised, and what is held of it.
fn count(asking: &Asking, known: &Known, held: &HeldCount) -> Answer {
    let answer = |verdict, text| Answer { question: "count", verdict, text };
    let promise = asking.runtime.block_on(async {
        tokio::select! {
            biased;
            () = stop_signal() => None,
            promise = promise(&asking.transport, &asking.plan, known) => Some(promise),
        }
    });
    let (promised, how) = match promise {
        Some(Ok(Promise::Announced(size))) => (size, "announces"),
        Some(Ok(Promise::Counted(size))) if asking.plan.compat.ignore_size => (size, "lists"),
        Some(Ok(Promise::Counted(size))) => (size, "announces no size, and lists"),
        None => return answer(Verdict::Unverifiable, "stopped by a signal".to_owned()),
        Some(Err(error)) => {
            let text = format!("what the repository promises could not be told: {error}");
            return answer(Verdict::Unverifiable, text);
        }
    };
    let said = format!("the repository {how} {}; {}", counted(promised, "record"), holding(held));
    // One that does not keep its tombstones for ever may have dropped some that are held here.
    let forgets = known
        .source
        .as_ref()
        .is_none_or(|source| source.deleted_records != DeletedRecords::Persistent);
    let all = held.live + held.tombstones;
    let least = if forgets { held.live } else { all };
    if (least..=all).contains(&promised) {
        return answer(Verdict::Yes, said);
    }
    let text = if promised > all {
        format!("{said}: {} missing", promised - all)
    } else {
        format!("{said}: {} too many", least - promised)
    };
    answer(Verdict::No, text)
}

/// What the repository promises for all that the key is known to be complete for.
async fn promise(transport: &Transport, plan: &Plan, known: &Known) -> Result<Promise, AskError> {
    let key = &plan.key;
    let granularity = known.source.as_ref().map_or(Granularity::Day, |source| source.granularity);
    let selection = Selection {
        prefix: key.prefix.clone(),
        from: known.floor.map(|floor| Datestamp::new(floor, granularity)),
        until: None,
        set: key.set.clone(),
    };
    let is_nothing = |error: &AskError| error.code() == Some(&ErrorCode::NoRecordsMatch);
    if !plan.compat.ignore_size {
        let opening = Request::ListRecords(selection.clone());
        let first = match transport.ask(plan, &opening).await {
            Ok(parsed) => parsed.document.body,
            Err(error) if is_nothing(&error) => return Ok(Promise::Counted(0)),
            Err(error) => return Err(error),
        };
        if let Body::List(page) = first
            && let Some(size) = page.token.and_then(|token| token.announced_size)
        {
            return Ok(Promise::Announced(size));
        }
    }
    // Hashes stand for identifiers: of ten million, two are the same in one case of a hundred thousand.
    let (mut seen, hasher) = (HashSet::new(), RandomState::new());
    let visit = |body| {
        let Body::List(page) = body else {
            return 0;
        };
        let hash = |item: &pmh_protocol::Item| hasher.hash_one(&item.header().identifier);
        page.items.iter().filter(|item| seen.insert(hash(item))).count() as u64
    };
    let opening = Request::ListIdentifiers(selection);
    match transport.ask_list(plan, opening, PAGES_MAX, visit).await {
        Err(error) if is_nothing(&error) && seen.is_empty() => Ok(Promise::Counted(0)),
        listed => listed.map(|()| Promise::Counted(seen.len() as u64)),
    }
}

/// Question 3: whether the list was read to its end, and the watermark moved.
fn closed(known: &Known) -> Answer {
    let (verdict, text) = match (&known.open, known.watermark) {
        (Some(open), _) => {
            let pages = counted(open.tally.pages, "page");
            let text = format!("a list is open, {pages} of it are stored: harvest first");
            (Verdict::No, text)
        }
        (None, None) => (Verdict::No, "no list was ever complete: harvest first".to_owned()),
        (None, Some(_)) if known.errors > 0 => {
            (Verdict::No, format!("{} since then failed", counted(known.errors.into(), "run")))
        }
        (None, Some(watermark)) => {
            (Verdict::Yes, format!("nothing is open, and the watermark is at {watermark}"))
        }
    };
    Answer { question: "closed", verdict, text }
}

/// Question 4: whether harvesting again would change a row, tried on the copy at `path`.
fn repeat(
    asking: &Asking,
    plan: Plan,
    known: &Known,
    original: &Path,
    path: &Path,
) -> anyhow::Result<(SqliteStore, Answer)> {
    let mut copy = SqliteStore::open(path)?;
    let key = plan.key.clone();
    copy.distrust(&key)?;
    let knows = copy.known(&key)?;
    let mut harvest = Harvest::resume(plan, knows, Clock::today());
    let mut clock = Clock::start(1.0);
    let (outcome, copy) = asking.runtime.block_on(async {
        let stop = StopSignals::new(|_| output::note("stopping")).of_run();
        drive(&mut harvest, key.clone(), copy, &asking.transport, &mut clock, stop, |_| {}).await
    });
    let copy = copy.context("the copy of the store was lost")?;
    let answer = |verdict, text| Answer { question: "repeat", verdict, text };
    if outcome.end != End::Complete {
        let text = format!("harvesting again is {}: {}", outcome.word(), outcome.end);
        return Ok((copy, answer(Verdict::Unverifiable, text)));
    }
    let changed = copy.changed_since(original, &key.source, &key.prefix)?;
    let (since, ours): (Vec<_>, Vec<_>) =
        changed.into_iter().partition(|row| is_since(row, known.watermark));
    let window = outcome.window.unwrap_or_default();
    let asked =
        format!("harvesting {window} again reads {}", counted(outcome.tally.distinct, "record"));
    let excluded = match since.len() as u64 {
        0 => String::new(),
        number => format!(" ({} dated since the last run)", counted(number, "change")),
    };
    if ours.is_empty() {
        return Ok((copy, answer(Verdict::Yes, format!("{asked} and changes nothing{excluded}"))));
    }
    let text = format!(
        "{asked} and changes {}{excluded}: {}",
        counted(ours.len() as u64, "row"),
        named(&ours)
    );
    Ok((copy, answer(Verdict::No, text)))
}

/// Whether the repository dates a change at or after the watermark: it came after what was harvested.
fn is_since(row: &Changed, watermark: Option<Stamp>) -> bool {
    let (Some(datestamp), Some(watermark)) = (row.datestamp, watermark) else {
        return false;
    };
    datestamp >= Datestamp::new(watermark, datestamp.granularity)
}

fn named(rows: &[Changed]) -> String {
    let names: Vec<String> = rows
        .iter()
        .take(NAMED_MAX)
        .map(|row| format!("`{}` ({})", row.identifier, row.change.as_str()))
        .collect();
    let more = if rows.len() > NAMED_MAX { " …" } else { "" };
    format!("{}{more}", names.join(", "))
}

fn holding(held: &HeldCount) -> String {
    let tombstones = match held.tombstones {
        0 => String::new(),
        number => format!(" and {}", counted(number, "tombstone")),
    };
    format!("the store holds {}{tombstones}", counted(held.live, "live record"))
}

fn report(key: &Key, answers: &[Answer], worst: Verdict, as_json: bool) {
    if as_json {
        let answers: serde_json::Map<_, _> = answers
            .iter()
            .map(|answer| {
                let said = json!({ "verdict": word(answer.verdict), "text": answer.text });
                (answer.question.to_owned(), said)
            })
            .collect();
        output::line(
            json!({
                "source": key.source,
                "prefix": key.prefix,
                "set": key.set,
                "verified": word(worst),
                "answers": answers,
            })
            .to_string(),
        );
        return;
    }
    let shown = match worst {
        Verdict::Yes => "verified".green().bold().to_string(),
        Verdict::Unverifiable => "unverifiable".yellow().bold().to_string(),
        Verdict::No => "different".red().bold().to_string(),
    };
    output::line(format!("{shown}: {key}"));
    for answer in answers {
        output::line(format!("  {:12}  {}", word(answer.verdict), plain(&answer.text)));
    }
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Yes => "yes",
        Verdict::Unverifiable => "unverifiable",
        Verdict::No => "no",
    }
}
