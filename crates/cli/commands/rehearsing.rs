//! `pmh harvest --dry-run`: who the repository is, and what a run would ask it for.

use pmh_client::{Clock, Rehearsal, rehearse};
use pmh_harvest::{Harvest, Known, Plan, Store as _};
use pmh_store::SqliteStore;
use serde_json::json;

use super::{harvest, identify};
use crate::args::HarvestArguments;
use crate::asking::Asking;
use crate::exit::Exit;
use crate::output;

/// One key.
pub(crate) fn run(
    arguments: &HarvestArguments,
    asking: &Asking,
    plan: Plan,
) -> anyhow::Result<Exit> {
    let key = plan.key.clone();
    // A store that is not there yet is not made for this.
    let known = if arguments.store.path.exists() {
        SqliteStore::open_read_only(&arguments.store.path)?.known(&key)?
    } else {
        Known::default()
    };
    let mut run = Harvest::resume(plan, known.clone(), Clock::today());
    let mut clock = Clock::start(arguments.wait_scale);
    let rehearsed = asking.runtime.block_on(rehearse(&mut run, &asking.transport, &mut clock));
    let (identify, formats, opens, url) = match rehearsed {
        Rehearsal::Asks { identify, formats, opens, url } => (identify, formats, opens, url),
        Rehearsal::Unanswered(error) => return Err(error.into()),
        Rehearsal::Ends(outcome) => {
            harvest::report(&outcome, std::time::Duration::from_millis(clock.now().millis()));
            return Ok(Exit::from_code(outcome.exit_code()));
        }
    };
    let goes_on = known.open.filter(|_| opens.is_none());
    let window = opens.or(goes_on.as_ref().map(|open| open.traversal.window)).unwrap_or_default();
    let is_offered = formats.is_none_or(|formats| formats.contains(&key.prefix));
    if arguments.json {
        output::line(
            json!({
                "source": key.source,
                "prefix": key.prefix,
                "set": key.set,
                "window": window.to_string(),
                "goes_on_after_pages": goes_on.map(|open| open.tally.pages),
                "url": url,
                "prefix_offered": is_offered,
            })
            .to_string(),
        );
        return Ok(Exit::Done);
    }
    if let Some(identify) = &identify {
        identify::describe(identify);
    } else {
        output::line("the repository does not say who it is");
    }
    output::line(format!("a run of {key}"));
    match goes_on {
        None => output::line(format!("  asks for    {window}")),
        Some(open) => {
            let pages = output::counted(open.tally.pages, "page");
            output::line(format!("  goes on     with {window}, of which {pages} are stored"));
        }
    }
    output::line(format!("  at          {}", output::plain(&url)));
    output::line(format!("  stores in   {}", arguments.store.path.display()));
    if !is_offered {
        output::line(format!(
            "  complaint: prefix-not-offered (there is no format `{}` in its list)",
            key.prefix
        ));
    }
    output::line("only who it is and what formats it has was asked, and nothing was stored");
    Ok(Exit::Done)
}
