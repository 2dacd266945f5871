//! Which faults are due.
//!
//! One answer plays at most one fault of each layer: the first in the file whose place fits and whose effect can be
//! shown there.

use std::sync::Arc;

use pmh_scenario::{Effect, Fault, HttpBody, Layer, Script, TokenEffect, When};

use crate::list::{List, Place};
use crate::xml;

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

    /// The faults that are due, at most one of each layer and in the order of the layers, by their position in the
    /// script. `page` is the page about to be shown, if it is one.
    pub(crate) fn due(&self, run: &str, at: At, page: Option<(&List, Place)>) -> Vec<usize> {
        let page_size = self.script.repository.page_size;
        let first = |layer: Layer, page: Option<(&List, Place)>| {
            self.script.faults.iter().zip(&self.fired).position(|(fault, fired)| {
                fault.effect.layer() == layer
                    && fault.times.is_none_or(|times| *fired < times)
                    && fits(&fault.when, run, at)
                    && shows(fault, at, page, page_size)
            })
        };
        let effect = |index: usize| &self.script.faults[index].effect;
        let hides = first(Layer::Http, page).is_some_and(|index| hides_document(effect(index)));
        Layer::ALL
            .into_iter()
            .filter_map(|layer| first(layer, page))
            .filter(|index| !hides || !needs_document(effect(*index)))
            .collect()
    }
}

/// Whether the answer is something else than a document.
pub(crate) const fn hides_document(effect: &Effect) -> bool {
    match effect {
        Effect::Http(effect) => !matches!(effect.body, HttpBody::Document),
        Effect::Token(_) | Effect::Xml(_) | Effect::Wire(_) => false,
    }
}

/// Whether the effect can be seen in a document and nowhere else. A token that dies is dead whatever is answered.
const fn needs_document(effect: &Effect) -> bool {
    match effect {
        Effect::Token(effect) => !matches!(effect, TokenEffect::Expire),
        Effect::Xml(_) => true,
        Effect::Http(_) | Effect::Wire(_) => false,
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
        Effect::Http(_) | Effect::Wire(_) => return true,
        Effect::Xml(effect) => {
            let entries = page.map_or(0, |(list, place)| list.entries_of(place.page, page_size));
            return xml::shows(effect, entries);
        }
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
