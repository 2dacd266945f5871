//! A question with exactly one fault in it, and the answers that are right.

use crate::ask::Ask;
use crate::bench::{Bench, Stop};
use crate::finding::Found;

/// Which codes answer a faulty request. Often several are right: see rule 178.
#[derive(Clone, Copy, Default)]
pub(super) struct Codes<'a> {
    /// Right.
    pub(super) right: &'a [&'a str],
    /// Accepted, and told.
    pub(super) tolerated: &'a [&'a str],
    /// Accepted with a warning.
    pub(super) frowned: &'a [&'a str],
}

impl<'a> Codes<'a> {
    pub(super) const fn only(right: &'a [&'a str]) -> Self {
        Self { right, tolerated: &[], frowned: &[] }
    }
}

/// badVerb and nothing else.
pub(super) const BAD_VERB: Codes<'_> = Codes::only(&["badVerb"]);
/// badArgument and nothing else.
pub(super) const BAD_ARGUMENT: Codes<'_> = Codes::only(&["badArgument"]);

/// Asks, and holds the codes of the answer against those that are right.
pub(super) fn expect_error(
    bench: &Bench<'_>,
    found: &mut Found,
    ask: Ask,
    codes: Codes<'_>,
) -> Result<(), Stop> {
    let query = ask.query.clone();
    let exchange = bench.get(ask)?;
    found.look();
    let errors = exchange.errors();
    let has = |wanted: &[&str]| errors.iter().any(|(_, code)| wanted.contains(code));
    let at = errors.first().map(|(error, _)| *error).or_else(|| exchange.container());
    let expected = format!("the error {} to `{query}`", codes.right.join(" or "));
    let is_answered = exchange.container().is_some();
    if !is_answered && has(codes.right) {
        return Ok(());
    }
    if !is_answered && has(codes.tolerated) {
        found.note(exchange, at, expected, exchange.describe());
    } else if !is_answered && has(codes.frowned) {
        found.warn(exchange, at, expected, exchange.describe());
    } else {
        found.fail(exchange, at, expected, exchange.describe());
    }
    Ok(())
}

/// The same for several questions.
pub(super) fn expect_errors(
    bench: &Bench<'_>,
    asks: impl IntoIterator<Item = Ask>,
    codes: Codes<'_>,
) -> Result<Found, Stop> {
    let mut found = Found::default();
    for ask in asks {
        expect_error(bench, &mut found, ask, codes)?;
    }
    Ok(found)
}
