//! Lists that nobody models: where a request stands follows from the tokens that were sent.

use std::collections::{BTreeMap, VecDeque};

use crate::faults::At;

/// How many lists are remembered; older tokens are unknown.
const LISTS_REMEMBERED_MAX: usize = 64;
/// How many different requests outside lists are told apart in a run.
const QUESTIONS_MAX: usize = 1_000;

/// The lists of a case, as far as literal answers show them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiteralLists {
    lists: VecDeque<LiteralList>,
    opened_in_run: u32,
    questions: BTreeMap<Vec<(String, String)>, u32>,
}

#[derive(Clone, Debug, Default)]
struct LiteralList {
    run: usize,
    /// Which list of its run it is, from 1.
    number: u32,
    /// Its opening request.
    arguments: Vec<(String, String)>,
    /// The tokens given out, in order.
    tokens: Vec<String>,
    /// Whether anything was answered that a list is made of; until then, asking again is another attempt.
    answered: bool,
    attempts: BTreeMap<u32, u32>,
}

impl LiteralLists {
    pub(crate) fn begin_run(&mut self) {
        self.opened_in_run = 0;
        self.questions.clear();
    }

    /// Where this request stands; it is counted as an attempt.
    pub(crate) fn locate(&mut self, run: usize, arguments: &[(String, String)]) -> At {
        let argument = |name: &str| {
            arguments.iter().find(|(sent, _)| sent == name).map(|(_, value)| value.as_str())
        };
        if !matches!(argument("verb"), Some("ListRecords" | "ListIdentifiers")) {
            return self.question(arguments);
        }
        let Some(token) = argument("resumptionToken") else { return self.open(run, arguments) };
        let found = self.lists.iter_mut().rev().find_map(|list| {
            let position = list.tokens.iter().position(|given| given == token)?;
            Some((list, u32::try_from(position).unwrap_or(u32::MAX).saturating_add(1)))
        });
        let Some((list, token)) = found else {
            let attempt = self.question(arguments).attempt;
            return At { list: self.opened_in_run, page: 0, token: 0, attempt };
        };
        if list.run != run {
            self.opened_in_run += 1;
            list.run = run;
            list.number = self.opened_in_run;
            list.attempts.clear();
        }
        list.asked(token.saturating_add(1), token)
    }

    /// What was answered to the request located last: the token that it gave out, if it was a page at all.
    pub(crate) fn answered(&mut self, at: At, run: usize, token: Option<String>) {
        let list =
            self.lists.iter_mut().rev().find(|list| list.run == run && list.number == at.list);
        let Some(list) = list else { return };
        list.answered = true;
        if let Some(token) = token
            && !list.tokens.contains(&token)
        {
            list.tokens.push(token);
        }
    }

    fn question(&mut self, arguments: &[(String, String)]) -> At {
        let has_room = self.questions.len() < QUESTIONS_MAX;
        let attempt = match self.questions.get_mut(arguments) {
            Some(attempt) => attempt,
            None if has_room => self.questions.entry(arguments.to_vec()).or_default(),
            None => return At { attempt: 1, ..At::default() },
        };
        *attempt = attempt.saturating_add(1);
        At { attempt: *attempt, ..At::default() }
    }

    fn open(&mut self, run: usize, arguments: &[(String, String)]) -> At {
        let again = self
            .lists
            .back()
            .is_some_and(|list| !list.answered && list.run == run && list.arguments == arguments);
        if !again {
            if self.lists.len() == LISTS_REMEMBERED_MAX {
                self.lists.pop_front();
            }
            self.opened_in_run += 1;
            self.lists.push_back(LiteralList {
                run,
                number: self.opened_in_run,
                arguments: arguments.to_vec(),
                ..LiteralList::default()
            });
        }
        self.lists.back_mut().expect("there is one by now").asked(1, 0)
    }
}

impl LiteralList {
    fn asked(&mut self, page: u32, token: u32) -> At {
        let attempt = self.attempts.entry(page).or_default();
        *attempt = attempt.saturating_add(1);
        At { list: self.number, page, token, attempt: *attempt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(token: Option<&str>) -> Vec<(String, String)> {
        let mut arguments = vec![("verb".to_owned(), "ListRecords".to_owned())];
        arguments.extend(token.map(|token| ("resumptionToken".to_owned(), token.to_owned())));
        arguments
    }

    #[test]
    fn pages_are_counted_by_the_tokens_that_were_given_out() {
        let mut lists = LiteralLists::default();
        let mut ask = |token: Option<&str>, gives: Option<&str>| {
            let at = lists.locate(0, &arguments(token));
            lists.answered(at, 0, gives.map(str::to_owned));
            (at.list, at.page, at.token, at.attempt)
        };
        assert_eq!(ask(None, Some("a")), (1, 1, 0, 1));
        assert_eq!(ask(Some("a"), Some("b")), (1, 2, 1, 1));
        assert_eq!(ask(Some("a"), Some("b")), (1, 2, 1, 2));
        assert_eq!(ask(Some("b"), None), (1, 3, 2, 1));
        assert_eq!(ask(None, Some("a")), (2, 1, 0, 1));
        assert_eq!(ask(Some("a"), None), (2, 2, 1, 1));
        assert_eq!(ask(Some("nobody's"), None), (2, 0, 0, 1));
    }

    #[test]
    fn a_list_that_was_never_answered_is_asked_for_again() {
        let mut lists = LiteralLists::default();
        for attempt in 1..=3 {
            let at = lists.locate(0, &arguments(None));
            assert_eq!((at.list, at.attempt), (1, attempt));
        }
    }

    #[test]
    fn a_list_of_an_earlier_run_is_the_next_of_this_one() {
        let mut lists = LiteralLists::default();
        let at = lists.locate(0, &arguments(None));
        lists.answered(at, 0, Some("a".into()));
        lists.begin_run();
        let at = lists.locate(1, &arguments(Some("a")));
        assert_eq!((at.list, at.page, at.token, at.attempt), (1, 2, 1, 1));
    }
}
