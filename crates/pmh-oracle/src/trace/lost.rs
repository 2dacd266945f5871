//! Answers that are none.

use pmh_scenario::Exchange;

/// Whether the answer brought neither a page nor an error of the protocol.
pub(super) fn is_lost(exchange: &Exchange) -> bool {
    let answer = &exchange.answer;
    let says_something = answer.error.is_some() || answer.records > 0 || answer.token.is_some();
    answer.status != 200 || !says_something
}
