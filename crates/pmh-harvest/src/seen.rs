//! The tokens a list has given, by hash, bounded.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

/// Tokens remembered at the most. A list with more that goes round in a circle is caught by the guards that look
/// at identifiers.
const TOKENS_MAX: usize = 100_000;

/// Every token of a list, because a repository alternating between two looks healthy to anyone who remembers
/// only the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenTokens(BTreeMap<u64, u64>);

impl SeenTokens {
    /// Notes that `page` gave `token`; the page that gave it first, if it had been given before.
    pub(crate) fn note(&mut self, token: &str, page: u64) -> Option<u64> {
        let hash = xxh3_64(token.as_bytes());
        let first = self.0.get(&hash).copied();
        if first.is_none() && self.0.len() < TOKENS_MAX {
            self.0.insert(hash, page);
        }
        first
    }
}
