//! The lists that a repository remembers: so many and no more, the oldest go first.

use std::collections::VecDeque;

use pmh_protocol::{Selection, Verb};

use crate::list::{Issued, List};

/// How many lists are remembered. Whoever opens more makes the repository forget its oldest, not run out of memory.
const LISTS_REMEMBERED_MAX: usize = 64;

/// The lists of a case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    lists: VecDeque<List>,
    opened: u32,
    opened_in_run: u32,
}

impl Lists {
    /// A run begins: lists are counted from 1 again. Those opened before stay open, for a harvester that resumes.
    pub(crate) fn begin_run(&mut self) {
        self.opened_in_run = 0;
    }

    /// Opens a list. Asking once more for a list that was never answered is not another list.
    pub(crate) fn open(
        &mut self,
        run: usize,
        verb: Verb,
        selection: Selection,
        entries: Vec<u32>,
    ) -> &mut List {
        let again = self.lists.back().is_some_and(|list| {
            !list.answered && list.run == run && list.verb == verb && list.selection == selection
        });
        if !again {
            if self.lists.len() == LISTS_REMEMBERED_MAX {
                self.lists.pop_front();
            }
            self.opened += 1;
            self.opened_in_run += 1;
            let list = List::new(self.opened, verb, selection, entries);
            self.lists.push_back(List { run, number: self.opened_in_run, ..list });
        }
        self.lists.back_mut().expect("there is one by now")
    }

    /// Forgets all lists; their numbers are not used again.
    pub(crate) fn forget(&mut self) {
        self.lists.clear();
    }

    /// Opens a list that nobody has asked for: whoever uses a token of it makes it a list of their run. The list of the
    /// number `kept` is not forgotten over it.
    pub(crate) fn open_foreign(
        &mut self,
        kept: u32,
        verb: Verb,
        selection: Selection,
        entries: Vec<u32>,
    ) -> &mut List {
        if self.lists.len() == LISTS_REMEMBERED_MAX
            && let Some(oldest) = self.lists.iter().position(|list| list.serial != kept)
        {
            self.lists.remove(oldest);
        }
        self.opened += 1;
        self.lists.push_front(List::new(self.opened, verb, selection, entries));
        self.lists.front_mut().expect("there is one by now")
    }

    /// The list in which this token was given out, and what is known of it. A list of an earlier run becomes
    /// the next list of this one.
    pub(crate) fn find(
        &mut self,
        run: usize,
        verb: Verb,
        token: &str,
    ) -> Option<(&mut List, Issued)> {
        let list = self.lists.iter_mut().rev().find(|list| list.issued.contains_key(token))?;
        if list.verb != verb {
            return None;
        }
        if list.run != run {
            self.opened_in_run += 1;
            list.run = run;
            list.number = self.opened_in_run;
            list.attempts.clear();
        }
        let issued = list.issued[token];
        Some((list, issued))
    }

    /// The list of this number over the whole case, to look at.
    pub(crate) fn get(&self, serial: u32) -> Option<&List> {
        self.lists.iter().rev().find(|list| list.serial == serial)
    }

    /// The list of this number over the whole case.
    pub(crate) fn get_mut(&mut self, serial: u32) -> Option<&mut List> {
        self.lists.iter_mut().rev().find(|list| list.serial == serial)
    }
}
