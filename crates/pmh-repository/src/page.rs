//! One page of a list: its entries as they stand now, and how the list goes on.

use pmh_protocol::{DeletedRecords, Page, ResumptionToken, Verb};
use pmh_scenario::{LastToken, Script, TokenEffect, TokenStyle, World};

use crate::answers;
use crate::list::{List, Place};

/// One page of a list as it stands now, with the token that the protocol or the fault's effect puts there.
pub(crate) fn show(
    list: &mut List,
    place: Place,
    effect: Option<TokenEffect>,
    request: u32,
    script: &Script,
    world: &World,
) -> Page {
    let page_size = script.repository.page_size;
    let protocol = &script.repository.protocol;
    let pages = list.pages(page_size);
    let regular = (place.page < pages).then_some(Place { page: place.page + 1, empty: 0, ..place });
    let next = match effect {
        None | Some(TokenEffect::Expire) => regular,
        Some(TokenEffect::Same) => Some(place),
        Some(TokenEffect::WrapTo(page)) => list.carried.get(&page).copied(),
        Some(TokenEffect::RewindTo(page)) => {
            Some(Place { page, lap: place.lap.saturating_add(1), empty: 0 })
        }
        Some(TokenEffect::EmptyPages(_)) => {
            Some(Place { empty: place.empty.saturating_add(1), ..place })
        }
        Some(TokenEffect::Drop) => None,
    };
    let offset = List::offset(place.page, page_size);
    let items = if matches!(effect, Some(TokenEffect::EmptyPages(_))) {
        Vec::new()
    } else {
        // What was deleted without a trace since the list was opened is not shown, not even on its old page.
        let shown = |deleted: bool| !deleted || protocol.deleted_records != DeletedRecords::No;
        list.entries
            .iter()
            .skip(offset)
            .take(page_size)
            .filter_map(|number| world.records.get(number))
            .filter(|record| shown(record.deleted))
            .map(|record| {
                answers::item(
                    record,
                    script.seed,
                    protocol.granularity,
                    list.verb == Verb::ListRecords,
                )
            })
            .collect()
    };
    let announce = |value: String| ResumptionToken {
        value,
        announced_offset: protocol.announces_size.then_some(offset as u64),
        announced_size: protocol.announces_size.then_some(list.entries.len() as u64),
        expires: None,
    };
    // A list that is complete in its first response has no token to close it (rule 138).
    let is_whole = place == Place::FIRST && regular.is_none();
    let token = match (next, protocol.last_token) {
        (Some(next), _) => Some(announce(list.token_text(protocol.token, script.seed, next))),
        (None, _) if is_whole || effect == Some(TokenEffect::Drop) => None,
        (None, LastToken::Empty) => Some(announce(String::new())),
        (None, LastToken::Blank) => Some(announce("\n  ".to_owned())),
        (None, LastToken::Absent) => None,
    };
    match (next, &token) {
        (Some(next), Some(token)) => {
            list.carried.insert(place.page, next);
            list.issue(token.value.clone(), next, request);
        }
        // A session ends with its list.
        _ if protocol.token == TokenStyle::Session => list.issued.clear(),
        _ => {}
    }
    Page { verb: list.verb, items, token }
}
