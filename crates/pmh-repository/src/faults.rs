//! Which fault is due.
//!
//! One answer plays one fault: the first in the file whose place fits and whose effect can be shown there.

use std::sync::Arc;

use pmh_scenario::{Effect, Fault, Script, TokenEffect, When};

use crate::list::{List, Place};

/// Where in a run a request stands, in the words of a trigger.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct At {
    /// The list of the run, from 1; 0 outside lists.
    pub(crate) list: u32,
    /// The page asked for, from 1; 0 outside lists.
    pub(crate) page: u32,
    /// The token carried, from 1; 0 is none.
    pub(crate) token: u32,
    /// How often this page was asked for, from 1.
    pub(crate) attempt: u32,
}

/// The faults of a script and how often each has fired.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    script: Arc<Script>,
    fired: Vec<u32>,
}

impl Faults {
    pub(crate) fn new(script: Arc<Script>) -> Self {
        let fired = vec![0; script.faults.len()];
        Self { script, fired }
    }

    /// How often each has fired, in the order of the script.
    pub(crate) fn fired(&self) -> &[u32] {
        &self.fired
    }

    /// Counts a firing, and names the fault.
    pub(crate) fn fire(&mut self, index: usize) -> String {
        self.fired[index] = self.fired[index].saturating_add(1);
        self.script.faults[index].name.clone()
    }

    /// The fault that is due, by its position in the script. `page` is the page about to be shown, if it is one.
    pub(crate) fn due(
        &self,
        run: &str,
        at: At,
        page: Option<(&List, Place)>,
    ) -> Option<(usize, Effect)> {
        let page_size = self.script.repository.page_size;
        self.script
            .faults
            .iter()
            .zip(&self.fired)
            .position(|(fault, fired)| {
                fault.times.is_none_or(|times| *fired < times)
                    && fits(&fault.when, run, at)
                    && shows(fault, at, page, page_size)
            })
            .map(|index| (index, self.script.faults[index].effect.clone()))
    }
}

fn fits(when: &When, run: &str, at: At) -> bool {
    let number = |wanted: Option<u32>, found: u32| {
        wanted.is_none_or(|wanted| at.list != 0 && wanted == found)
    };
    when.run.as_deref().is_none_or(|wanted| wanted == run)
        && number(when.list, at.list)
        && number(when.page, at.page)
        && number(when.token, at.token)
        && number(when.attempt, at.attempt)
}

/// Whether the effect would change anything here: a fault that cannot be seen has not fired.
fn shows(fault: &Fault, at: At, page: Option<(&List, Place)>, page_size: usize) -> bool {
    let effect = match &fault.effect {
        Effect::Http(_) => return true,
        Effect::Token(effect) => *effect,
    };
    page.is_some_and(|(list, place)| match effect {
        TokenEffect::Expire | TokenEffect::Same => at.token != 0,
        TokenEffect::WrapTo(page) => list.carried.contains_key(&page),
        TokenEffect::RewindTo(page) => (1..=list.pages(page_size)).contains(&page),
        TokenEffect::EmptyPages(count) => place.empty < count,
        TokenEffect::Drop => place.page < list.pages(page_size),
    })
}
