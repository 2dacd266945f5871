//! The hash by which a record that changed is known, without reading the payload held.

use xxhash_rust::xxh3::Xxh3;

/// Stored in every live row: what it is made of never changes without a migration.
///
/// Every part but the last is preceded by its length, so that no two contents run together into the same bytes.
pub(crate) fn content_hash(payload: Option<&str>, abouts: &[String], sets: &[String]) -> u128 {
    let mut hash = Xxh3::new();
    for list in [abouts, sets] {
        hash.update(&(list.len() as u64).to_le_bytes());
        for part in list {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    if let Some(payload) = payload {
        hash.update(b"payload");
        hash.update(payload.as_bytes());
    }
    hash.digest128()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_that_read_alike_in_a_row_are_not_the_same() {
        let list = |parts: &[&str]| parts.iter().map(|&part| part.to_owned()).collect::<Vec<_>>();
        let contents = [
            (None, list(&[]), list(&[])),
            (Some(""), list(&[]), list(&[])),
            (Some("a"), list(&[]), list(&[])),
            (None, list(&["a"]), list(&[])),
            (None, list(&[]), list(&["a"])),
            (None, list(&["a", "b"]), list(&[])),
            (None, list(&["ab"]), list(&[])),
            (None, list(&["a"]), list(&["b"])),
            (None, list(&["", ""]), list(&[])),
        ];
        let mut hashes: Vec<u128> = contents
            .iter()
            .map(|(payload, abouts, sets)| content_hash(*payload, abouts, sets))
            .collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), contents.len());
    }

    #[test]
    fn the_hash_that_stores_hold_stays_what_it_was() {
        let hash = content_hash(Some("<x/>"), &["<p/>".to_owned()], &["s".to_owned()]);
        assert_eq!(format!("{hash:032x}"), "3bb959d2f0d11b086627cb5030b27c4e");
    }
}
