//! How literal answers and the modelled repository share a case.

use std::sync::Arc;

use pmh_scenario::{Effect, NO_REPLY};

use super::{Filling, nothing_fits};
use crate::faults::{At, hides_document};
use crate::repository::{Decided, Repository};

impl Repository {
    /// Decides what to answer: where the request stands, what it gets, and the faults that are played.
    pub(crate) fn decide(&mut self, arguments: &[(String, String)]) -> Decided {
        if self.script.is_modelled() {
            return self.decide_modelled(arguments);
        }
        let at = self.literal_lists.locate(self.run, arguments);
        if let Some(decided) = self.decide_literal(at) {
            return decided;
        }
        let verb = arguments.iter().find(|(name, _)| name == "verb").map(|(_, verb)| verb.as_str());
        match verb {
            // What a repository says of itself is not worth a reply in every file.
            Some("Identify" | "ListSets" | "ListMetadataFormats") => {
                self.decide_modelled(arguments)
            }
            _ => Decided {
                at,
                written: Some(nothing_fits(arguments)),
                faults: vec![NO_REPLY.to_owned()],
                ..Decided::default()
            },
        }
    }

    /// The answer word for word, if a reply fits, and the faults that are played on it.
    pub(crate) fn decide_literal(&mut self, at: At) -> Option<Decided> {
        if self.script.replies.is_empty() {
            return None;
        }
        let script = Arc::clone(&self.script);
        let filling = Filling { seed: script.seed, request: self.requests, clock: self.clock };
        let run = self.run_name();
        let situation = self.current.situation(&script, &run, at);
        let due = self.faults.due(&situation, None);
        let mut written = self.replies.answer(&script, &situation, filling)?;
        let (mut effects, faults) = self.play(&due);
        if !effects.iter().any(|effect| matches!(effect, Effect::Wire(_))) {
            effects.extend(written.wire.take().map(Effect::Wire));
        }
        if written.status == 200 && !effects.iter().any(hides_document) {
            self.literal_lists.answered(at, self.run, written.next_token());
        }
        Some(Decided { at, written: Some(written), effects, faults, ..Decided::default() })
    }
}
