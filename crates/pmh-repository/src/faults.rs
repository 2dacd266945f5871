//! Which faults are due.
//!
//! One answer plays at most one fault of each layer: the first in the file whose place fits and whose effect can be
//! shown there.

use std::sync::Arc;

use pmh_scenario::{Effect, Fault, HttpBody, Layer, RepoEffect, Script, TimeEffect, TokenEffect};

use crate::cut::Cutter;
use crate::list::{List, Place};
use crate::oai;
use crate::trigger::Situation;
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

/// The page about to be shown.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) list: &'a List,
    pub(crate) place: Place,
    pub(crate) cutter: Cutter<'a>,
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
    pub(crate) fn due(&self, situation: &Situation<'_>, page: Option<Shown<'_>>) -> Vec<usize> {
        let first = |layer: Layer, page: Option<Shown<'_>>| {
            self.script.faults.iter().zip(&self.fired).position(|(fault, fired)| {
                fault.effect.layer() == layer
                    && fault.times.is_none_or(|times| *fired < times)
                    && situation.fits(&fault.when, &fault.name)
                    && shows(fault, situation.at, page)
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
        Effect::Repo(_)
        | Effect::Oai(_)
        | Effect::Time(_)
        | Effect::Token(_)
        | Effect::Xml(_)
        | Effect::Wire(_) => false,
    }
}

/// Whether the effect can be seen in a document and nowhere else. A token that dies is dead whatever is answered.
const fn needs_document(effect: &Effect) -> bool {
    match effect {
        Effect::Token(effect) => !matches!(effect, TokenEffect::Expire),
        Effect::Oai(_) | Effect::Xml(_) | Effect::Time(TimeEffect::ResponseDate(_)) => true,
        Effect::Repo(_) | Effect::Http(_) | Effect::Wire(_) | Effect::Time(_) => false,
    }
}

/// Whether the effect would change anything here: a fault that cannot be seen has not fired.
fn shows(fault: &Fault, at: At, page: Option<Shown<'_>>) -> bool {
    let effect = match &fault.effect {
        Effect::Repo(RepoEffect::Deploy { .. }) => return at.token != 0,
        Effect::Repo(_) | Effect::Http(_) | Effect::Wire(_) | Effect::Time(_) => return true,
        Effect::Oai(effect) => return oai::shows(effect, page),
        Effect::Token(effect) => effect,
        Effect::Xml(effect) => {
            let entries =
                page.map_or(0, |Shown { place, cutter, .. }| cutter.cut(place.page).numbers.len());
            return xml::shows(effect, entries);
        }
    };
    page.is_some_and(|Shown { list, place, cutter }| {
        let has_next = || place.page.checked_add(1).is_some_and(|next| cutter.has(next));
        match effect {
            TokenEffect::Expire | TokenEffect::Same => at.token != 0,
            TokenEffect::WrapTo(page) => list.carried.contains_key(page),
            TokenEffect::RewindTo(page) => cutter.has(*page),
            TokenEffect::EmptyPages(count) => place.empty < *count,
            TokenEffect::AfterEnd(_) => cutter.has(place.page) && !has_next(),
            TokenEffect::Skip(pages) => {
                let target = place.page.checked_add(1).and_then(|next| next.checked_add(*pages));
                target.is_some_and(|target| cutter.has(target))
            }
            TokenEffect::Drop
            | TokenEffect::Foreign
            | TokenEffect::Raw(_)
            | TokenEffect::Long(_)
            | TokenEffect::SwapCase => has_next(),
        }
    })
}
