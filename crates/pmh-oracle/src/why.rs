//! Record by record, why a store does not hold what it should: the page it was on, every exchange that could have
//! delivered it, what became of each, and the line of the scenario that did it.

use std::collections::BTreeMap;

use pmh_scenario::{Exchange, Fate, Script};

use crate::case::Case;
use crate::listing::{Listing, opens_list, outcome};
use crate::observation::{Observation, RunEnd, RunObservation};
use crate::store::{Standing, standings};

/// Lists that are looked at, the latest ones: a harvester that begins again for ever opens many.
const LISTS_MAX: usize = 8;
/// Exchanges that one explanation tells of; what was left out is counted.
const TOLD_MAX: usize = 12;

/// Opening exchanges and pages.
type Places = Vec<(u32, u32)>;

/// Why a store does not hold these records as it should: all those with one and the same story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The run after which the store was looked at.
    pub run: String,
    /// The records.
    pub identifiers: Vec<String>,
    /// What is wrong with them, verb included: `are missing`.
    pub wrong: String,
    /// Where they were: number of the exchange that opened a list, and the page of that list, from 1.
    pub places: Vec<(u32, u32)>,
    /// Every exchange that could have delivered them, or, where there was none, the one that should have led there.
    pub told: Vec<Told>,
    /// Exchanges that are not told of, because there were too many.
    pub untold: usize,
    /// What came of it.
    pub conclusion: String,
    /// What a harvester should have done instead, where the last answer says.
    pub advice: Option<&'static str>,
}

impl Why {
    /// Whether an exchange of it was made so by a line of the scenario that is known.
    #[must_use]
    pub fn names_a_line(&self) -> bool {
        self.told.iter().flat_map(|told| &told.made_by).any(|(_, line)| line.is_some())
    }
}

/// One exchange in such a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its number in the journal.
    pub n: u32,
    /// Its run.
    pub run: String,
    /// The page that it asked for, from 1; 0 outside lists.
    pub page: u32,
    /// How often that page had been asked for, this time included.
    pub attempt: u32,
    /// What came, in words.
    pub answer: String,
    /// The faults and replies of the scenario that made the answer, with the line of the file, from 1, where it is known.
    pub made_by: Vec<(String, Option<usize>)>,
}

/// Why the store lacks what it should hold, after every run that said it was complete and after the last one. Nothing
/// where the store was not read.
#[must_use]
pub fn explain(script: &Script, observation: &Observation) -> Vec<Why> {
    let case = Case::new(script, observation);
    if !observation.sight.rows {
        return Vec::new();
    }
    let last = script.runs.last().map(|run| run.name.as_str());
    case.runs()
        .iter()
        .filter(|run| run.end.claims_complete() || last == Some(run.name.as_str()))
        .flat_map(|run| of_run(&case, run))
        .collect()
}

fn of_run(case: &Case<'_>, run: &RunObservation) -> Vec<Why> {
    let openings: Vec<&Exchange> =
        case.exchanges_until(run).filter(|exchange| opens_list(exchange)).collect();
    let listings: Vec<Listing> = openings
        .iter()
        .skip(openings.len().saturating_sub(LISTS_MAX))
        .filter_map(|opening| Listing::opened_by(case, opening))
        .collect();
    let mut stories: BTreeMap<(Standing, Places), Vec<String>> = BTreeMap::new();
    for (identifier, row, standing) in standings(case, run) {
        if standing == Standing::Right || matches!(row.fate, Fate::Unknowable | Fate::Unsettled) {
            continue;
        }
        let places = listings
            .iter()
            .filter_map(|listing| Some((listing.opened(), listing.page(identifier)?)))
            .collect();
        stories.entry((standing, places)).or_default().push(identifier.to_owned());
    }
    stories
        .into_iter()
        .map(|((standing, places), identifiers)| {
            tell(case, run, standing, places, identifiers, openings.is_empty())
        })
        .collect()
}

fn tell(
    case: &Case<'_>,
    run: &RunObservation,
    standing: Standing,
    places: Places,
    identifiers: Vec<String>,
    no_list: bool,
) -> Why {
    let exchanges: Vec<&Exchange> = case.exchanges_until(run).collect();
    let list_of = |exchange: &Exchange| {
        let mut before = exchanges.iter().rev().filter(|other| other.n <= exchange.n);
        before.find(|other| opens_list(other)).map(|opening| opening.n)
    };
    let could_deliver = |exchange: &&&Exchange| {
        let in_place = exchange.page > 0
            && list_of(exchange).is_some_and(|opened| places.contains(&(opened, exchange.page)));
        let alone = exchange.arg("identifier");
        in_place || alone.is_some_and(|asked| identifiers.iter().any(|one| one == asked))
    };
    let mut told: Vec<&Exchange> = exchanges.iter().filter(could_deliver).copied().collect();
    let place = places.last().copied();
    let has_come = told.last().is_some_and(|last| brought(last));
    let conclusion = match (place, told.last()) {
        _ if no_list => "no list was opened".to_owned(),
        (None, None) => {
            // How the last list ended, and what it was asked for, is all there is to go by.
            let last = exchanges.iter().rev().find(|exchange| exchange.page > 0);
            told.extend(last);
            let opening = last.and_then(|last| list_of(last));
            let opening = opening.and_then(|n| exchanges.iter().find(|other| other.n == n));
            let asked = opening.map_or_else(String::new, |opening| selection(opening));
            format!("in none of the lists that were asked for{asked}; {}", ended(run))
        }
        (Some((opened, page)), None) => {
            // What should have led to the page tells why nobody came there.
            let before = exchanges.iter().rev().find(|exchange| {
                exchange.page > 0 && exchange.page < page && list_of(exchange) == Some(opened)
            });
            told.extend(before);
            format!("page {page} was never asked for; {}", ended(run))
        }
        (_, Some(last)) if brought(last) => {
            let verb = if identifiers.len() == 1 { "it" } else { "them" };
            format!("#{} could have brought {verb}; {}", last.n, ended(run))
        }
        (_, Some(last)) => format!("not asked for again after #{}; {}", last.n, ended(run)),
    };
    let advice = match told.last().filter(|_| run.end.claims_complete()) {
        Some(_) if has_come => Some(KEEP_WHAT_COMES),
        last => last.and_then(|last| advice(last)),
    };
    let untold = told.len().saturating_sub(TOLD_MAX);
    Why {
        run: run.name.clone(),
        wrong: standing.as_str(identifiers.len()).to_owned(),
        identifiers,
        places,
        told: told[untold..].iter().map(|exchange| told_of(case, exchange)).collect(),
        untold,
        conclusion,
        advice,
    }
}

/// What to do where the answer that has the record did come.
const KEEP_WHAT_COMES: &str = "look whether all of that answer was kept before the run ended, and whether what is read as \
                               the store is where the harvester writes";

fn brought(exchange: &Exchange) -> bool {
    exchange.answer.records > 0 && !exchange.answer.unread
}

/// What to do about an answer after which a harvester wrongly said that it was done.
fn advice(last: &Exchange) -> Option<&'static str> {
    let answer = &last.answer;
    Some(match (answer.error.as_deref(), answer.status) {
        (Some("badResumptionToken"), _) => {
            "a token that is refused ends no list: send the opening request again, or end with an exit code that says \
             that the harvest is incomplete (rule 243)"
        }
        (None, 429 | 503) => {
            "a busy server ends no list: wait as long as Retry-After says, in seconds or until a date, and send the \
             request again (rule 78)"
        }
        _ if answer.unread || answer.status >= 400 => {
            "an answer that is no whole OAI-PMH document ends no list: send the last token again, or end with an exit \
             code that says that the harvest is incomplete (rules 154, 243)"
        }
        (None, _) if answer.records > 0 && answer.token.as_deref().is_none_or(str::is_empty) => {
            "a list may lose its token: count what came, and where it is less than completeListSize, ask again or end \
             with an exit code that says that the harvest is incomplete (rule 147)"
        }
        _ => return None,
    })
}

/// What a list was opened for, where it was not for everything.
fn selection(opening: &Exchange) -> String {
    let chosen = |name: &&str| opening.arg(name).is_some();
    let names = ["set", "from", "until"].into_iter().filter(chosen);
    let chosen: Vec<String> =
        names.map(|name| format!("`{name}={}`", opening.arg(name).unwrap_or_default())).collect();
    match chosen.is_empty() {
        true => String::new(),
        false => format!(" (#{} asked for {})", opening.n, chosen.join(", ")),
    }
}

fn told_of(case: &Case<'_>, exchange: &Exchange) -> Told {
    let faults = case.script.faults.iter();
    let faults = faults.filter(|fault| exchange.faults.contains(&fault.name));
    let replies = case.script.replies.iter();
    let replies = replies.filter(|reply| exchange.reply.as_ref() == Some(&reply.name));
    let answer = match (exchange.answer.unread, exchange.answer.status) {
        (true, 200) => "nothing that can be read".to_owned(),
        _ => outcome(&exchange.answer),
    };
    let token = match (&exchange.answer.token, exchange.answer.error.is_none()) {
        _ if exchange.answer.records == 0 => String::new(),
        (Some(token), _) if token.is_empty() => " and an empty token".to_owned(),
        (Some(token), _) => format!(" and the token `{token}`"),
        (None, true) => " and no token".to_owned(),
        (None, false) => String::new(),
    };
    Told {
        n: exchange.n,
        run: exchange.run.clone(),
        page: exchange.page,
        attempt: exchange.attempt,
        answer: format!("{answer}{token}"),
        made_by: faults
            .map(|fault| (fault.name.clone(), Some(fault.line)))
            .chain(replies.map(|reply| (reply.name.clone(), None)))
            .collect(),
    }
}

fn ended(run: &RunObservation) -> String {
    let name = &run.name;
    match &run.end {
        RunEnd::Ended { outcome, exit, .. } => {
            format!("run `{name}` ended {outcome}, exit {exit}")
        }
        RunEnd::Crashed => format!("run `{name}` was killed"),
        RunEnd::OverBudget | RunEnd::OutOfTime => format!("run `{name}` had to be stopped"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{exchange, fault, lose, one_run, right};

    #[test]
    fn a_record_that_was_refused_once_is_traced_to_the_line_that_refused_it() {
        let mut script = one_run();
        script.faults.push(fault("the token dies"));
        script.faults[0].line = 41;
        let mut observation = right(&script);
        lose(&mut observation, 0, &[3, 4]);
        let refused = exchange(&mut observation, 2);
        refused.answer.records = 0;
        refused.answer.error = Some("badResumptionToken".to_owned());
        refused.faults = vec!["the token dies".to_owned()];
        let whys = explain(&script, &observation);
        assert_eq!(whys.len(), 1);
        let why = &whys[0];
        assert_eq!((why.identifiers.len(), why.wrong.as_str()), (2, "are missing"));
        assert_eq!(why.places, [(1, 2)]);
        assert_eq!(why.told.len(), 1);
        assert_eq!(why.told[0].answer, "answered badResumptionToken");
        assert_eq!(why.told[0].made_by, [("the token dies".to_owned(), Some(41))]);
        assert_eq!(
            why.conclusion,
            "not asked for again after #2; run `harvest` ended complete, exit 0"
        );
        let advice = why.advice.expect("the answer says what to do");
        assert!(advice.starts_with("a token that is refused ends no list"), "{advice}");
    }

    #[test]
    fn a_record_outside_of_every_list_is_told_with_what_was_asked_for_and_how_the_list_ended() {
        let script = one_run();
        let mut observation = right(&script);
        lose(&mut observation, 0, &[6]);
        // Only what the span has is in the list of the truth.
        exchange(&mut observation, 1).args.push(("until".into(), "1999-01-01T00:00:00Z".into()));
        let why = &explain(&script, &observation)[0];
        assert!(why.places.is_empty(), "{why:?}");
        assert_eq!(why.told.len(), 1);
        assert_eq!(
            why.conclusion,
            "in none of the lists that were asked for (#1 asked for `until=1999-01-01T00:00:00Z`); \
             run `harvest` ended complete, exit 0"
        );
    }

    #[test]
    fn what_came_and_was_not_kept_is_a_matter_of_the_store() {
        let script = one_run();
        let mut observation = right(&script);
        lose(&mut observation, 0, &[3]);
        let why = &explain(&script, &observation)[0];
        assert!(why.conclusion.starts_with("#2 could have brought it"), "{}", why.conclusion);
        assert_eq!(why.advice, Some(KEEP_WHAT_COMES));
    }

    #[test]
    fn a_page_that_nobody_asked_for_is_explained_by_the_answer_before_it() {
        let script = one_run();
        let mut observation = right(&script);
        lose(&mut observation, 0, &[5, 6]);
        exchange(&mut observation, 2).answer.token = None;
        observation.journal.events.retain(
            |event| !matches!(event, pmh_scenario::Event::Exchange(exchange) if exchange.n == 3),
        );
        let why = &explain(&script, &observation)[0];
        assert_eq!(why.places, [(1, 3)]);
        assert_eq!((why.told[0].n, why.told[0].page), (2, 2));
        assert!(why.told[0].answer.ends_with("and no token"), "{}", why.told[0].answer);
        assert!(why.conclusion.starts_with("page 3 was never asked for"), "{}", why.conclusion);
    }

    #[test]
    fn a_store_that_was_not_read_or_lacks_nothing_needs_no_explanation() {
        let script = one_run();
        let mut observation = right(&script);
        assert_eq!(explain(&script, &observation), []);
        lose(&mut observation, 0, &[1]);
        assert_eq!(explain(&script, &observation).len(), 1);
        observation.sight.rows = false;
        assert_eq!(explain(&script, &observation), []);
    }
}
