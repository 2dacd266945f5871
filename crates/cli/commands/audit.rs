//! `pmh audit`: the identifiers of a list beside those of a store.

use anyhow::Context as _;
use owo_colors::OwoColorize as _;
use pmh_client::{AskError, Clock};
use pmh_harvest::{Key, Known, Sizes, Store as _};
use pmh_protocol::{Body, Datestamp, ErrorCode, Granularity, Request, Selection};
use pmh_store::{Kind, Listing, SqliteStore, StoreError, Sum};
use serde_json::json;

use super::kept::Kept;
use super::repairing::{self, Repair};
use crate::args::AuditArguments;
use crate::asking::Asking;
use crate::exit::{Ended, Exit};
use crate::output::{self, counted, plain};
use crate::signal::stop_signal;

/// Pages of identifiers that are read at the most.
const PAGES_MAX: u32 = 100_000;
/// Differences of a kind that are named to people.
const NAMED_MAX: u32 = 20;
/// Differences that are in memory at a time.
const NAMED_AT_A_TIME: u32 = 1000;

pub(crate) fn run(arguments: &AuditArguments) -> anyhow::Result<Exit> {
    let kept = Kept::open(&arguments.kept, "audit")?;
    kept.may_ask_now()?;
    let Kept { asking, key, mut store, mut known } = kept;
    // Claimed before the list is read: a harvest meanwhile would make differences of its own.
    let _claim = if arguments.repair {
        store = SqliteStore::open(&arguments.kept.store.path)?;
        let claim = store.claim(&key, Clock::today())?;
        known = store.known(&key)?;
        Some(claim)
    } else {
        None
    };
    if known.open.is_some() {
        output::note("a list of this key is open: what it has not brought yet is missing");
    }
    let folder = tempfile::tempdir().context("failed to make a folder for the list")?;
    let mut listing = Listing::create(folder.path().join("list.sqlite"))?;
    list(&asking, &key, &known, &mut listing)?;
    let sum = listing.compare(&store, &key, known.floor, known.watermark)?;
    if sum.listed == 0 && sum.held == 0 && known.watermark.is_none() {
        return Err(Ended::impossible(format!(
            "the repository lists nothing of `{key}`, and no harvest of it was ever complete: there is \
             nothing to compare; `pmh sets` shows what sets there are"
        )));
    }
    let repair = match arguments.repair {
        true => Some(repairing::repair(&asking, &key, &mut store, &listing)?),
        false => None,
    };
    report(&key, &sum, &listing, repair.as_ref(), arguments.json)
}

/// Reads the whole list of headers, and makes sure that it is whole.
fn list(asking: &Asking, key: &Key, known: &Known, listing: &mut Listing) -> anyhow::Result<()> {
    let granularity = known.source.as_ref().map_or(Granularity::Day, |source| source.granularity);
    let opening = Request::ListIdentifiers(Selection {
        prefix: key.prefix.clone(),
        from: known.floor.map(|floor| Datestamp::new(floor, granularity)),
        until: None,
        set: key.set.clone(),
    });
    let (mut distinct, mut sizes, mut failed) = (0, None, None::<StoreError>);
    let bar = output::bar(None, "identifiers");
    let visit = |body| {
        let Body::List(page) = body else {
            return 0;
        };
        if let Some(size) = page.token.as_ref().and_then(|token| token.announced_size) {
            sizes = Some(Sizes::and(sizes, size));
        }
        // A list that cannot be kept brings nothing new, which soon ends it.
        let fresh = listing.add(&page.items).unwrap_or_else(|error| {
            failed.get_or_insert(error);
            0
        });
        distinct += fresh;
        bar.set_position(distinct);
        fresh
    };
    let listed = asking.runtime.block_on(async {
        let list = asking.transport.ask_list(&asking.plan, opening, PAGES_MAX, visit);
        tokio::select! {
            biased;
            () = stop_signal() => None,
            listed = list => Some(listed),
        }
    });
    bar.finish_and_clear();
    if let Some(error) = failed {
        return Err(error.into());
    }
    match listed {
        None => return Err(Ended::impossible("stopped by a signal before the list had ended")),
        Some(Err(error)) if !is_empty_list(&error) => return Err(error.into()),
        Some(_) => {}
    }
    let announced = sizes.map_or(0, |sizes: Sizes| sizes.first.min(sizes.last));
    if distinct < announced && !asking.plan.compat.ignore_size {
        return Err(Ended::impossible(format!(
            "the list of identifiers ended with {distinct} of {announced} announced: nothing can be \
             told from it; where the sizes of this source count something else, `--size ignore` \
             goes by what is listed"
        )));
    }
    Ok(())
}

/// Whether nothing is listed, which is an answer too.
fn is_empty_list(error: &AskError) -> bool {
    error.code() == Some(&ErrorCode::NoRecordsMatch)
}

fn report(
    key: &Key,
    sum: &Sum,
    listing: &Listing,
    repair: Option<&Repair>,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let mut counts = Vec::new();
    for kind in Kind::ALL {
        counts.push((kind, listing.count(kind)?));
    }
    let differing: u64 =
        counts.iter().filter(|(kind, _)| *kind != Kind::Since).map(|(_, number)| number).sum();
    let left = repair.map_or(differing, |repair| differing - repair.settled);
    let exit = match repair {
        Some(repair) if repair.given_up.is_some() => Exit::Impossible,
        _ if left > 0 => Exit::No,
        _ => Exit::Done,
    };
    if as_json {
        name_all(listing)?;
        let numbers: serde_json::Map<_, _> =
            counts.iter().map(|(kind, number)| (kind.as_str().to_owned(), json!(number))).collect();
        output::line(
            json!({
                "source": key.source,
                "prefix": key.prefix,
                "set": key.set,
                "audited": if left == 0 { "same" } else { "different" },
                "listed": sum.listed,
                "listed_deleted": sum.listed_deleted,
                "held": sum.held,
                "differences": numbers,
                "repair": repair.map(Repair::as_json),
            })
            .to_string(),
        );
        return Ok(exit);
    }
    let shown = match (differing, left) {
        (0, _) => "same".green().bold().to_string(),
        (_, 0) => "repaired".green().bold().to_string(),
        _ => "different".red().bold().to_string(),
    };
    output::line(format!("{shown}: {key}"));
    let deleted = match sum.listed_deleted {
        0 => String::new(),
        number => format!(", {number} of them deleted"),
    };
    let listed = counted(sum.listed, "identifier");
    output::line(format!("  listed   {listed}{deleted}"));
    output::line(format!("  held     {}", counted(sum.held, "live record")));
    for (kind, number) in counts.into_iter().filter(|(_, number)| *number > 0) {
        output::line(format!("  {:8} {number}: {}", kind.as_str(), meaning(kind)));
        let named = listing.differences(kind, None, NAMED_MAX)?;
        for difference in &named {
            output::line(format!("    {}", plain(&difference.identifier)));
        }
        if number > named.len() as u64 {
            output::line("    …");
        }
    }
    if let Some(repair) = repair {
        repair.report();
    }
    Ok(exit)
}

const fn meaning(kind: Kind) -> &'static str {
    match kind {
        Kind::Missing => "listed, not held",
        Kind::Stale => "listed with a later datestamp than held",
        Kind::Deleted => "listed as deleted, held alive",
        Kind::Extra => "held alive, not listed",
        Kind::Since => "dated after the last complete harvest: the next one brings them",
    }
}

fn name_all(listing: &Listing) -> anyhow::Result<()> {
    for kind in Kind::ALL {
        let mut after = None;
        loop {
            let named = listing.differences(kind, after.as_deref(), NAMED_AT_A_TIME)?;
            for difference in &named {
                output::line(
                    json!({
                        "difference": kind.as_str(),
                        "identifier": difference.identifier,
                        "listed": difference.listed,
                        "held": difference.held,
                    })
                    .to_string(),
                );
            }
            let Some(last) = named.into_iter().last() else { break };
            after = Some(last.identifier);
        }
    }
    Ok(())
}
