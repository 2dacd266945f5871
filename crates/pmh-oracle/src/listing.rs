//! Which page of a list a record was on, and what became of the requests for that page.

use std::collections::BTreeMap;

use pmh_protocol::{Request, Selection};
use pmh_scenario::{Answer, Exchange, Order, TrueRow};

use crate::case::Case;
use crate::inquiry::{Inquiry, first_of};
use crate::observation::RunObservation;
use crate::store::{Standing, standings};

/// Requests for one page that are told one by one.
const EXCHANGES_MAX: usize = 3;

/// The list that a run was reading when it ended.
pub(crate) struct Listing {
    /// Number of the exchange that opened it.
    opened: u32,
    /// Page of each record, from 1, by identifier.
    pages: BTreeMap<String, u32>,
}

impl Listing {
    /// The list that was opened last before `run` ended: a resumed run may not have opened any itself.
    pub(crate) fn of(case: &Case<'_>, run: &RunObservation) -> Option<Self> {
        let opening = case.exchanges_until(run).filter(|exchange| opens_list(exchange)).last()?;
        Self::opened_by(case, opening)
    }

    /// The list that this request opened.
    pub(crate) fn opened_by(case: &Case<'_>, opening: &Exchange) -> Option<Self> {
        let selection = selection_of(opening)?;
        let world = case.world(&opening.run);
        let protocol = &case.script.repository.protocol;
        let mut numbers = world.selection(&selection, protocol.deleted_records);
        if protocol.paging.order == Order::Id {
            numbers.sort_unstable();
        }
        let page_size = case.script.repository.page_size.max(1);
        // A page begins with what the one before it ended with; a record belongs to the first that has it.
        let overlap = protocol.paging.overlap.min(page_size - 1);
        let pages = numbers
            .iter()
            .enumerate()
            .filter_map(|(position, number)| {
                let page = u32::try_from(position.saturating_sub(overlap) / (page_size - overlap))
                    .ok()?
                    .saturating_add(1);
                Some((world.records.get(number)?.identifier.clone(), page))
            })
            .collect();
        Some(Self { opened: opening.n, pages })
    }

    /// Number of the exchange that opened it.
    pub(crate) const fn opened(&self) -> u32 {
        self.opened
    }

    /// How many pages it had when it was opened.
    pub(crate) fn pages_count(&self) -> u32 {
        self.pages.values().copied().max().unwrap_or(0)
    }

    pub(crate) fn page(&self, identifier: &str) -> Option<u32> {
        self.pages.get(identifier).copied()
    }
}

/// Whether the request opens a list of records or identifiers.
pub(crate) fn opens_list(exchange: &Exchange) -> bool {
    exchange.list > 0 && selection_of(exchange).is_some()
}

fn selection_of(exchange: &Exchange) -> Option<Selection> {
    match Request::from_arguments(&exchange.args) {
        Ok(Request::ListRecords(selection) | Request::ListIdentifiers(selection)) => {
            Some(selection)
        }
        _ => None,
    }
}

/// Blames every record that `concerned` picks and the store of `run` does not hold as it should be, page by page;
/// `beside` is added to what is wrong. How many records were looked at.
pub(crate) fn blame_wrong(
    case: &Case<'_>,
    run: &RunObservation,
    beside: &str,
    inquiry: &mut Inquiry,
    concerned: impl Fn(&str, &TrueRow) -> bool,
) -> u64 {
    let listing = Listing::of(case, run);
    let mut looked_at = 0;
    let mut wrong: BTreeMap<(Standing, Option<u32>), Vec<&str>> = BTreeMap::new();
    for (identifier, row, standing) in standings(case, run) {
        if !concerned(identifier, row) {
            continue;
        }
        looked_at += 1;
        if standing != Standing::Right {
            let page = listing.as_ref().and_then(|listing| listing.page(identifier));
            wrong.entry((standing, page)).or_default().push(identifier);
        }
    }
    for ((standing, page), identifiers) in wrong {
        let story = match (&listing, page) {
            (None, _) => "no list was opened".to_owned(),
            (Some(_), None) => "not in the list that was asked for".to_owned(),
            (Some(listing), Some(page)) => story_of_page(case, run, listing.opened, page),
        };
        let (which, what) = (first_of(&identifiers), standing.as_str(identifiers.len()));
        inquiry.blame(format!("run `{}`: {which} {what}{beside}; {story}", run.name));
    }
    looked_at
}

fn story_of_page(case: &Case<'_>, run: &RunObservation, opened: u32, page: u32) -> String {
    let asked: Vec<&Exchange> = case
        .exchanges_until(run)
        .filter(|exchange| exchange.n >= opened && exchange.page == page)
        .collect();
    let Some(last) = asked.last() else {
        return format!("page {page} was never asked for");
    };
    let mut told: Vec<String> =
        asked.iter().take(EXCHANGES_MAX).map(|exchange| answered(exchange, run)).collect();
    if asked.len() > EXCHANGES_MAX {
        told.push(format!("… {} requests in all", asked.len()));
    }
    let after =
        if last.answer.records == 0 || last.run != run.name { "; not asked for again" } else { "" };
    format!("page {page}: {}{after}", told.join(", "))
}

/// What became of one request, told in the story of `run`.
fn answered(exchange: &Exchange, run: &RunObservation) -> String {
    let answer = &exchange.answer;
    let outcome = outcome(answer);
    let elsewhere = if exchange.run == run.name {
        String::new()
    } else {
        format!(" to run `{}`", exchange.run)
    };
    format!("#{} {outcome}{elsewhere}", exchange.n)
}

/// What an answer was, in words that follow its number.
pub(crate) fn outcome(answer: &Answer) -> String {
    match (&answer.error, answer.status) {
        (Some(error), _) => format!("answered {error}"),
        (None, 200) if answer.records == 0 => "brought an empty page".to_owned(),
        (None, 200) if answer.records == 1 => "brought 1 entry".to_owned(),
        (None, 200) => format!("brought {} entries", answer.records),
        (None, status) => format!("had status {status}"),
    }
}

#[cfg(test)]
mod tests {
    use pmh_scenario::{Change, Script, identifier};

    use super::*;
    use crate::testing::{one_run, right};

    /// The page of each of six records in pages of two.
    fn check(spoil: impl FnOnce(&mut Script), pages: [u32; 6]) {
        let mut script = one_run();
        spoil(&mut script);
        let observation = right(&one_run());
        let case = Case::new(&script, &observation);
        let listing = Listing::of(&case, &observation.runs[0]).expect("a list was opened");
        let found = [1, 2, 3, 4, 5, 6].map(|number| listing.page(&identifier(number)));
        assert_eq!(found, pages.map(Some));
    }

    #[test]
    fn a_record_is_on_the_first_page_that_has_it() {
        check(|_| (), [1, 1, 2, 2, 3, 3]);
        check(|script| script.repository.protocol.paging.overlap = 1, [1, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_record_is_where_the_order_of_its_list_puts_it() {
        let restamp = |script: &mut Script| script.runs[0].before = vec![Change::Restamp(vec![1])];
        check(restamp, [3, 1, 1, 2, 2, 3]);
        let by_number = |script: &mut Script| {
            restamp(script);
            script.repository.protocol.paging.order = Order::Id;
        };
        check(by_number, [1, 1, 2, 2, 3, 3]);
    }
}
