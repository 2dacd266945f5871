//! `pmh audit --repair`: what differs is asked for, record by record.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pmh_client::{AskError, Clock};
use pmh_harvest::{Counts, Entry, Key, Mending, Store as _};
use pmh_protocol::{Body, ErrorCode, Item, Request};
use pmh_store::{Kind, Listing, SqliteStore};
use serde_json::json;

use crate::asking::Asking;
use crate::output::{self, counted, plain};
use crate::signal::stop_signal;

/// Records that are asked for at the most; of more, harvesting everything again is the cheaper way.
const ASKED_MAX: u64 = 10_000;
/// Answers that are gathered before they are stored.
const STORED_AT_A_TIME: u32 = 100;
/// Requests in a row without an answer.
const UNANSWERED_MAX: u32 = 5;
/// The longest pause between two requests.
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// Records of a kind that people are told what was said of.
const SAID_MAX: usize = 20;

/// What came of a repair.
#[derive(Default)]
pub(super) struct Repair {
    asked: u64,
    /// Differences that are none any more.
    pub(super) settled: u64,
    counts: Counts,
    /// Tombstones that wait for the next complete list.
    staged: u64,
    /// What was said of records that differ still: kind, identifier, words.
    said: Vec<(Kind, String, String)>,
    /// Requests in a row without an answer, up to now.
    unanswered: u32,
    /// Why not everything was asked for.
    pub(super) given_up: Option<String>,
}

/// What an answer to GetRecord means for a difference.
enum Answer {
    /// To be stored, after which the two are the same.
    Settles(Item),
    /// To be stored, but the difference stays.
    Tells(Item, &'static str),
    /// Nothing to store.
    Says(String),
}

/// Asks for what differs and stores what it is given. Nothing is removed.
pub(super) fn repair(
    asking: &Asking,
    key: &Key,
    store: &mut SqliteStore,
    listing: &Listing,
) -> anyhow::Result<Repair> {
    let mut repair = Repair::default();
    for kind in [Kind::Missing, Kind::Stale, Kind::Deleted, Kind::Extra] {
        let mut after: Option<String> = None;
        while repair.given_up.is_none() {
            let some = listing.differences(kind, after.as_deref(), STORED_AT_A_TIME)?;
            let Some(last) = some.last() else { break };
            after = Some(last.identifier.clone());
            let (mut items, mut settled) = (Vec::new(), 0);
            for difference in &some {
                match repair.ask(asking, key, kind, &difference.identifier) {
                    None => break,
                    Some(Answer::Settles(item)) => {
                        settled += 1;
                        items.push(item);
                    }
                    Some(Answer::Tells(item, text)) => {
                        items.push(item);
                        repair.say(kind, &difference.identifier, text.to_owned());
                    }
                    Some(Answer::Says(text)) => repair.say(kind, &difference.identifier, text),
                }
            }
            if !items.is_empty() {
                let mending = Mending {
                    items,
                    closed: Vec::new(),
                    inferred: false,
                    taken_at: Clock::today(),
                };
                for receipt in store.commit(key, &[Arc::new(Entry::Mend(mending))])? {
                    repair.counts += receipt.counts;
                    repair.staged = receipt.staged;
                }
                repair.settled += settled;
            }
        }
    }
    Ok(repair)
}

fn judge(kind: Kind, identifier: &str, body: Body) -> Answer {
    let Body::Record(item) = body else {
        return Answer::Says("GetRecord gave no record".to_owned());
    };
    let found = &item.header().identifier;
    if found != identifier {
        return Answer::Says(format!("GetRecord gave `{}` instead", plain(found)));
    }
    match (kind, *item) {
        (Kind::Missing, item @ Item::Tombstone(_)) => Answer::Settles(item),
        (_, item @ Item::Tombstone(_)) => {
            Answer::Tells(item, "deleted there: takes effect with the next complete list")
        }
        (Kind::Extra, Item::Record(_)) => Answer::Says("still there, but not listed".to_owned()),
        (Kind::Deleted, Item::Record(_)) => {
            Answer::Says("listed as deleted, but GetRecord gives it alive".to_owned())
        }
        (_, Item::Record(record)) if record.payload.is_none() => {
            Answer::Says("it has no metadata that could be read".to_owned())
        }
        (_, item) => Answer::Settles(item),
    }
}

fn refused(kind: Kind, code: &ErrorCode) -> String {
    match (kind, code) {
        (Kind::Extra, ErrorCode::IdDoesNotExist) => "gone without a tombstone".to_owned(),
        (_, ErrorCode::IdDoesNotExist) => "listed, but GetRecord does not know it".to_owned(),
        (_, code) => format!("GetRecord answered `{}`", plain(&code.to_string())),
    }
}

impl Repair {
    /// Asks for one record; `None` when no more is to be asked.
    fn ask(&mut self, asking: &Asking, key: &Key, kind: Kind, identifier: &str) -> Option<Answer> {
        if self.asked == ASKED_MAX {
            self.given_up = Some(format!(
                "stopped after {ASKED_MAX} records: of so many, `pmh harvest --full` is the cheaper way"
            ));
        }
        if self.unanswered == UNANSWERED_MAX {
            self.given_up =
                Some(format!("stopped after {UNANSWERED_MAX} requests in a row without an answer"));
        }
        if self.given_up.is_some() {
            return None;
        }
        self.asked += 1;
        let request =
            Request::GetRecord { identifier: identifier.to_owned(), prefix: key.prefix.clone() };
        let asked = async {
            let started = Instant::now();
            let answer = asking.transport.ask(&asking.plan, &request).await;
            tokio::time::sleep((started.elapsed() / 4).min(PAUSE_MAX)).await;
            answer
        };
        let answer = asking.runtime.block_on(async {
            tokio::select! {
                biased;
                () = stop_signal() => None,
                answer = asked => Some(answer),
            }
        });
        let Some(answer) = answer else {
            self.given_up = Some("stopped by a signal".to_owned());
            return None;
        };
        let is_answered = matches!(answer, Ok(_) | Err(AskError::Oai(_)));
        self.unanswered = if is_answered { 0 } else { self.unanswered + 1 };
        Some(match answer {
            Ok(parsed) => judge(kind, identifier, parsed.document.body),
            Err(AskError::Oai(error)) => Answer::Says(refused(kind, &error.code)),
            Err(error) => Answer::Says(error.to_string()),
        })
    }

    fn say(&mut self, kind: Kind, identifier: &str, text: String) {
        self.said.push((kind, identifier.to_owned(), text));
    }

    pub(super) fn as_json(&self) -> serde_json::Value {
        json!({
            "asked": self.asked,
            "settled": self.settled,
            "new": self.counts.new,
            "changed": self.counts.changed,
            "revived": self.counts.revived,
            "unchanged": self.counts.unchanged,
            "staged": self.staged,
            "said": self.said.iter().map(said_as_json).collect::<Vec<_>>(),
            "given_up": self.given_up,
        })
    }

    pub(super) fn report(&self) {
        output::line(format!(
            "  repair   {} asked for: {} new, {} changed, {} revived, {} unchanged",
            counted(self.asked, "record"),
            self.counts.new,
            self.counts.changed,
            self.counts.revived,
            self.counts.unchanged
        ));
        for kind in Kind::ALL {
            let said = || self.said.iter().filter(|(of, ..)| *of == kind);
            for (_, identifier, text) in said().take(SAID_MAX) {
                output::line(format!("    {}: {}", plain(identifier), plain(text)));
            }
            if said().count() > SAID_MAX {
                output::line(format!("    … and more that are {}", kind.as_str()));
            }
        }
        if let Some(why) = &self.given_up {
            output::line(format!("  {why}"));
        }
    }
}

fn said_as_json((kind, identifier, text): &(Kind, String, String)) -> serde_json::Value {
    json!({ "difference": kind.as_str(), "identifier": identifier, "text": text })
}
