//! Rules on the requests of a case, one file each: a scenario names those that it asks for.
//!
//! Where a rule is also a property of every harvest, the property is asked. A rule that had nothing to look at proves
//! nothing, and says so.

mod at_most;
mod granularity_learned;
mod lost;
mod max_concurrency;
mod min_gap;
mod never;
mod no_request_after;
mod order;
mod overlap_kept;
mod resends_last_token;
mod restart_from_window;
mod same_window_on_resume;
#[cfg(test)]
mod testing;
mod token_encoded;

use pmh_scenario::{Exchange, TraceRule};

use crate::case::Case;
use crate::properties;
use crate::property::Property;
use crate::verdict::Finding;

/// What is found about `rule` in `case`.
pub(crate) fn judge(rule: &TraceRule, case: &Case<'_>) -> Finding {
    let finding = match rule {
        TraceRule::TokenSoleArgument => properties::judge(Property::TokenSoleArgument, case),
        TraceRule::TokenVerbatim => properties::judge(Property::TokenVerbatim, case),
        TraceRule::HonoursRetryAfter => properties::judge(Property::HonoursRetryAfter, case),
        TraceRule::StopsAfterEmptyToken => properties::judge(Property::StopsAfterEmptyToken, case),
        TraceRule::TokenEncoded => token_encoded::judge(case),
        TraceRule::RestartFromWindow => restart_from_window::judge(case),
        TraceRule::ResendsLastToken => resends_last_token::judge(case),
        TraceRule::SameWindowOnResume => same_window_on_resume::judge(case),
        TraceRule::MaxConcurrency(most) => max_concurrency::judge(case, *most),
        TraceRule::MinGap(seconds) => min_gap::judge(case, *seconds),
        TraceRule::NoRequestAfter(guard) => no_request_after::judge(case, guard),
        TraceRule::GranularityLearned => granularity_learned::judge(case),
        TraceRule::OverlapKept => overlap_kept::judge(case),
        TraceRule::AtMost { n, verb } => at_most::judge(case, *n, verb.as_deref()),
        TraceRule::Never { verb, args } => never::judge(case, verb.as_deref(), args),
        TraceRule::Order(verbs) => order::judge(case, verbs),
    };
    match finding {
        Finding::NotApplicable { why } => Finding::Vacuous { why },
        finding => finding,
    }
}

/// Whether the request has this verb; no verb is any.
fn has_verb(exchange: &Exchange, verb: Option<&str>) -> bool {
    verb.is_none_or(|verb| exchange.arg("verb") == Some(verb))
}

/// Whether the request belongs to a list.
fn is_of_list(exchange: &Exchange) -> bool {
    matches!(exchange.arg("verb"), Some("ListRecords" | "ListIdentifiers"))
}

/// What a list was opened with, without its verb, in the order of the alphabet.
fn selection(exchange: &Exchange) -> Vec<(&str, &str)> {
    let mut arguments: Vec<(&str, &str)> = exchange
        .args
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .filter(|(name, _)| *name != "verb")
        .collect();
    arguments.sort_unstable();
    arguments
}

/// The same as words.
fn in_words(arguments: &[(&str, &str)]) -> String {
    let pairs: Vec<String> =
        arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if pairs.is_empty() { "nothing".to_owned() } else { format!("`{}`", pairs.join("&")) }
}
