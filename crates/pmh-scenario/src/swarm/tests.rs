//! Worlds by number are the same everywhere, and hold all there is.

use sha2::{Digest as _, Sha256};

use super::*;
use crate::{Vocabulary, load};

const KNOWN: Vocabulary<'_> =
    Vocabulary { specimens: &[], guards: &[], outcomes: &["complete", "incomplete", "refused"] };

#[test]
fn every_world_is_a_file_without_mistakes() {
    for seed in 0..500 {
        let text = world_file(seed);
        if let Err(findings) = load("world", &text, &KNOWN) {
            panic!("world {seed}: {findings:?}\n{text}");
        }
    }
}

#[test]
fn a_seed_is_the_same_world_everywhere() {
    let mut hash = Sha256::new();
    (28..77).for_each(|seed| hash.update(world_file(seed)));
    let digest: String = hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, "c6bac150");
}

#[test]
fn a_size_that_is_asked_for_is_the_size_of_every_world() {
    let size = WorldSize { pages: Some(10), page_size: Some(20) };
    for seed in 0..20 {
        let world = RandomWorld::new(seed, &size);
        assert_eq!((world.pages(), world.records()), (10, 200));
        let script = load("world", &world.file(), &KNOWN).unwrap().script();
        assert_eq!(script.repository.page_size, 20);
        assert_eq!(script.repository.world.records.len(), 200);
    }
    let pages = RandomWorld::new(7, &WorldSize { pages: Some(3), page_size: None });
    assert_eq!((pages.pages(), pages.records() % 3), (3, 0));
}

#[test]
fn every_trouble_is_met_in_some_world() {
    let text: String = (0..3_000).map(world_file).collect();
    for trouble in troubles() {
        assert!(text.contains(&format!(" {}\"", trouble.name)), "{}", trouble.name);
    }
}
