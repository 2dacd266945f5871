//! Choices that depend on a key and on nothing else.
//!
//! No sequence is drawn from one generator: what is chosen for record 7 stays the same when record 6 goes away,
//! and every platform chooses alike.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// A number that belongs to the seed and the parts of a name.
pub(crate) fn keyed(seed: u64, parts: &[&str]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = key(seed, parts);
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// A generator of its own for the seed and the parts of a name.
pub(crate) fn generator(seed: u64, parts: &[&str]) -> ChaCha8Rng {
    ChaCha8Rng::from_seed(key(seed, parts))
}

/// Whether a trigger of this name hits the request at this place, when it is to hit `share` (0 to 1) of them. What is
/// hit at one place depends on no other place and no other trigger.
#[must_use]
pub fn is_hit(share: f64, seed: u64, name: &str, run: &str, place: [u32; 3]) -> bool {
    let [list, page, attempt] = place.map(|number| number.to_string());
    let drawn = keyed(seed, &["chance", name, run, &list, &page, &attempt]);
    // 53 bits are what a double holds exactly.
    ((drawn >> 11) as f64) < share * (1_u64 << 53) as f64
}

fn key(seed: u64, parts: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    for part in parts {
        // The length keeps `ab` + `c` apart from `a` + `bc`.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_name_do_not_run_together() {
        assert_ne!(keyed(1, &["ab", "c"]), keyed(1, &["a", "bc"]));
    }

    #[test]
    fn a_share_is_hit_about_so_often_and_always_at_the_same_places() {
        let hits = |share| {
            (1..=1000).filter(|page| is_hit(share, 7, "fault", "run", [1, *page, 1])).count()
        };
        assert_eq!((hits(0.0), hits(1.0)), (0, 1000));
        // 250 are expected; 60 are more than four standard deviations.
        assert!((190..=310).contains(&hits(0.25)), "{}", hits(0.25));
        assert!((1..=1000).all(|page| {
            // Whoever is hit by a small share is hit by a greater one.
            !is_hit(0.2, 7, "fault", "run", [1, page, 1])
                || is_hit(0.5, 7, "fault", "run", [1, page, 1])
        }));
    }

    #[test]
    fn a_choice_is_the_same_on_every_platform() {
        assert_eq!(keyed(42, &["record", "7"]), 15_110_169_162_228_806_576);
    }
}
