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
    fn a_choice_is_the_same_on_every_platform() {
        assert_eq!(keyed(42, &["record", "7"]), 15_110_169_162_228_806_576);
    }
}
