//! One page of a list: its entries as they stand now, and how the list goes on.

use pmh_protocol::{DeletedRecords, Page, ResumptionToken, Selection, Stamp, Verb};
use pmh_scenario::{LastToken, ListSize, Script, TokenEffect, TokenStyle, World, payload_digest};

use crate::announce::{Occasion, announce};
use crate::answers;
use crate::cut::{Cut, select};
use crate::edit::Edit;
use crate::list::{List, Place};

/// What a page is made with.
pub(crate) struct Desk<'a> {
    pub(crate) script: &'a Script,
    pub(crate) world: &'a World,
    /// The repository's clock.
    pub(crate) clock: Stamp,
    /// Number of the request in the case.
    pub(crate) request: u32,
}

/// The token that a page carries, before it is announced.
struct Next {
    text: String,
    /// Where it leads; `None` when it belongs to another list.
    place: Option<Place>,
}

/// One page of a list as it stands now, with the token that the protocol or the fault's effect puts there. `foreign` is
/// a token of another list.
pub(crate) fn show(
    list: &mut List,
    place: Place,
    cut: &Cut,
    effect: Option<&TokenEffect>,
    foreign: Option<String>,
    desk: &Desk<'_>,
) -> (Page, Vec<Edit>) {
    let Desk { script, world, .. } = *desk;
    let protocol = &script.repository.protocol;
    let regular = cut.has_next.then_some(Place { page: place.page + 1, empty: 0, ..place });
    let next = match foreign {
        Some(text) => Some(Next { text, place: None }),
        None => next_place(list, place, regular, effect).map(|next| {
            let text = list.token_text(protocol.token, script.seed, next);
            Next { text: told(text, effect), place: Some(next) }
        }),
    };
    let items = if matches!(effect, Some(TokenEffect::EmptyPages(_))) {
        Vec::new()
    } else {
        // What was deleted without a trace since the list was opened is not shown, not even on its old page.
        let shown = |deleted: bool| !deleted || protocol.deleted_records != DeletedRecords::No;
        let granularity = protocol.dates.datestamps.granularity(protocol.granularity);
        cut.numbers
            .iter()
            .filter(|number| !protocol.paging.hides(**number))
            .filter_map(|number| world.records.get(number))
            .filter(|record| shown(record.deleted))
            .map(|record| {
                let has_payloads = list.verb == Verb::ListRecords;
                let prefix = has_payloads.then_some(list.selection.prefix.as_str());
                answers::item(record, world, granularity, prefix)
            })
            .collect()
    };
    let whole = if protocol.announced.size == ListSize::Whole {
        let prefix = list.selection.prefix.clone();
        select(world, &Selection { prefix, from: None, until: None, set: None }, protocol).len()
    } else {
        cut.size
    };
    let occasion = Occasion { cut, page: place.page, whole, clock: desk.clock };
    // A list that is complete in its first response has no token to close it (rule 138).
    let is_whole = place == Place::FIRST && regular.is_none();
    let (token, edits) = match (&next, protocol.last_token) {
        (Some(next), _) => some(announce(next.text.clone(), &occasion, protocol)),
        (None, _) if is_whole || effect == Some(&TokenEffect::Drop) => (None, Vec::new()),
        (None, LastToken::Empty) => some(announce(String::new(), &occasion, protocol)),
        (None, LastToken::Blank) => some(announce("\n  ".to_owned(), &occasion, protocol)),
        (None, LastToken::Bare) => (Some(ResumptionToken::default()), Vec::new()),
        (None, LastToken::Absent) => (None, Vec::new()),
    };
    if let Some(last) = cut.numbers.last().and_then(|number| world.records.get(number)) {
        list.last_stamps.insert(place.page, last.stamp);
    }
    match next {
        Some(Next { text, place: Some(next) }) => {
            list.carried.insert(place.page, next);
            list.issue(text, next, desk.request, desk.clock);
        }
        Some(Next { place: None, .. }) => {}
        // A session ends with its list.
        None if protocol.token == TokenStyle::Session => list.issued.clear(),
        None => {}
    }
    (Page { verb: list.verb, items, token }, edits)
}

fn some((token, edits): (ResumptionToken, Vec<Edit>)) -> (Option<ResumptionToken>, Vec<Edit>) {
    (Some(token), edits)
}

/// Where the token of this page leads.
fn next_place(
    list: &List,
    place: Place,
    regular: Option<Place>,
    effect: Option<&TokenEffect>,
) -> Option<Place> {
    match effect {
        Some(TokenEffect::Same) => Some(place),
        Some(TokenEffect::WrapTo(page)) => list.carried.get(page).copied(),
        Some(TokenEffect::RewindTo(page)) => {
            Some(Place { page: *page, lap: place.lap.saturating_add(1), empty: 0 })
        }
        Some(TokenEffect::EmptyPages(_)) => {
            Some(Place { empty: place.empty.saturating_add(1), ..place })
        }
        Some(TokenEffect::Skip(pages)) => {
            regular.map(|next| Place { page: next.page.saturating_add(*pages), ..next })
        }
        Some(TokenEffect::AfterEnd(_)) => {
            Some(Place { page: place.page.saturating_add(1), empty: 0, ..place })
        }
        Some(TokenEffect::Drop) => None,
        None
        | Some(
            TokenEffect::Expire
            | TokenEffect::Foreign
            | TokenEffect::Raw(_)
            | TokenEffect::Long(_)
            | TokenEffect::SwapCase,
        ) => regular,
    }
}

/// The token as the effect wants it written. Whatever it is, it is known by that text and by no other.
fn told(text: String, effect: Option<&TokenEffect>) -> String {
    match effect {
        Some(TokenEffect::Raw(raw)) => raw.clone(),
        Some(TokenEffect::SwapCase) => text
            .chars()
            .map(|c| if c.is_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() })
            .collect(),
        Some(TokenEffect::Long(bytes)) => {
            let mut long = payload_digest(&text);
            while long.len() < *bytes as usize {
                let tail = long.len().saturating_sub(16);
                let more = payload_digest(&long[tail..]);
                long.push_str(&more);
            }
            long.truncate(*bytes as usize);
            long
        }
        _ => text,
    }
}
