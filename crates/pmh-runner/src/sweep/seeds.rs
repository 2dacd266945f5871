//! Worlds by number.

use std::sync::Arc;

use pmh_oracle::Verdict;
use pmh_scenario::{RandomWorld, WorldSize, load};

use super::accused::{Accused, Wrong};
use crate::vocabulary;

/// A world in which something was wrong.
#[derive(Clone, Debug)]
pub struct SeedFailure {
    /// Its number.
    pub seed: u64,
    /// What.
    pub wrong: Wrong,
    /// The verdict.
    pub verdict: Verdict,
    /// The world as a scenario file.
    pub file: String,
}

/// Plays the world of this number and size in the pure arm: safety is judged after every run, and the last, in which nothing
/// goes wrong any more, must arrive at the truth.
///
/// # Panics
/// When the world has a mistake in it.
#[must_use]
pub fn try_seed(accused: Accused, seed: u64, size: &WorldSize) -> Option<SeedFailure> {
    let file = RandomWorld::new(seed, size).file();
    // A world that cannot be played proves nothing, and must not pass for one that was.
    let loaded = load(&format!("seed-{seed}"), &file, &vocabulary())
        .unwrap_or_else(|findings| panic!("world {seed} cannot be played: {findings:?}\n{file}"));
    let (wrong, verdict) = accused.wrong(&Arc::new(loaded.script()))?;
    Some(SeedFailure { seed, wrong, verdict, file })
}

#[cfg(test)]
mod tests {
    use pmh_specimens::Specimen;

    use super::*;

    #[test]
    fn the_sound_specimen_is_blamed_for_nothing() {
        let sound = Accused::Specimen(Specimen::SOUND);
        let size = WorldSize::default();
        let blamed: Vec<u64> =
            (0..100).filter(|seed| try_seed(sound, *seed, &size).is_some()).collect();
        assert!(blamed.is_empty(), "{blamed:?}");
    }
}
