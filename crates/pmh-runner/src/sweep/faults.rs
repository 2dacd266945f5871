//! A fault of every kind at every exchange of a small world, and every pair of them.

use std::sync::Arc;

use pmh_oracle::{Class, Observation, Verdict, judge};
use pmh_scenario::{FaultAt, Trouble, load, small_world_file, troubles};

use super::accused::Wrong;
use super::panics::caught;
use crate::simulate::simulate;
use crate::vocabulary::vocabulary;

/// Exchanges of one run at the most: a fault that stays makes it longer.
const REQUESTS_MAX: u64 = 60;
/// Exchanges of the small world when nothing goes wrong: Identify, the formats, three pages.
const REQUESTS: u64 = 5;
/// Styles of tokens.
const TOKENS: [&str; 3] = ["stateless", "stateful", "session"];

/// What a sweep of faults found.
#[derive(Clone, Debug, Default)]
pub struct FaultSweep {
    /// Worlds played.
    pub worlds: u64,
    /// Those in which something was wrong.
    pub failures: Vec<FaultFailure>,
}

/// A world in which something was wrong.
#[derive(Clone, Debug)]
pub struct FaultFailure {
    /// Which faults were where, in words.
    pub place: String,
    /// What was wrong.
    pub wrong: Wrong,
    /// The verdict.
    pub verdict: Verdict,
    /// The world as a scenario file.
    pub file: String,
}

impl FaultSweep {
    /// Plays one world; whether every fault of it fired.
    fn play(&mut self, token: &str, faults: &[FaultAt<'_>]) -> bool {
        let file = small_world_file(token, faults);
        let Ok(loaded) = load("faults", &file, &vocabulary()) else { return false };
        let script = Arc::new(loaded.script());
        let played = caught(|| {
            let observation = simulate(&script);
            let verdict = judge(&script, &observation);
            (observation, verdict)
        });
        self.worlds += 1;
        let mut fail = |wrong, verdict| {
            let place = |fault: &FaultAt<'_>| {
                let from = if fault.stays { "from request" } else { "request" };
                format!("{} ({from} {})", fault.trouble.name, fault.request)
            };
            let places: Vec<String> = faults.iter().map(place).collect();
            let place = format!("{token}: {}", places.join(", "));
            self.failures.push(FaultFailure { place, wrong, verdict, file: file.clone() });
        };
        let (observation, verdict) = match played {
            Ok(played) => played,
            Err(wrong) => {
                fail(wrong, judge(&script, &Observation::default()));
                return true;
            }
        };
        let has_fired = script.faults.iter().all(|fault| {
            observation.journal.exchanges().any(|exchange| exchange.faults.contains(&fault.name))
        });
        if verdict.class() == Class::Failed
            && let Some(wrong) = Wrong::of(&verdict)
        {
            fail(wrong, verdict);
        }
        has_fired
    }
}

/// Every kind of fault at exchange 1, 2, 3 … until a run never meets it: once, and from there on.
#[must_use]
pub fn sweep_faults() -> FaultSweep {
    let mut sweep = FaultSweep::default();
    let known = troubles();
    for token in TOKENS {
        for trouble in &known {
            for stays in [false, true].into_iter().take(if trouble.is_passing { 1 } else { 2 }) {
                for request in 1..=REQUESTS_MAX {
                    let has_fired = sweep.play(token, &[FaultAt { trouble, request, stays }]);
                    // Some have nothing to do with the first exchanges.
                    if !has_fired && request >= REQUESTS {
                        break;
                    }
                }
            }
        }
    }
    sweep
}

/// Every pair of faults at every two exchanges, each once; of the pairs every `every`th, beginning with the first.
#[must_use]
pub fn sweep_pairs(every: usize, progress: &mut dyn FnMut(&FaultSweep)) -> FaultSweep {
    let mut sweep = FaultSweep::default();
    let known = troubles();
    let mut pairs = 0;
    for one in &known {
        for other in &known {
            // An answer travels in one way; and what does not arrive asks for nothing.
            let is_of_the_way = |of: &Trouble| of.is_wire() || of.asks_for_patience();
            if is_of_the_way(one) && is_of_the_way(other) {
                continue;
            }
            for first in 1..=REQUESTS {
                for second in first..=REQUESTS + 2 {
                    pairs += 1;
                    if (pairs - 1) % every.max(1) != 0 {
                        continue;
                    }
                    let at = |trouble, request| FaultAt { trouble, request, stays: false };
                    sweep.play(TOKENS[pairs % TOKENS.len()], &[at(one, first), at(other, second)]);
                }
            }
        }
        progress(&sweep);
    }
    sweep
}
