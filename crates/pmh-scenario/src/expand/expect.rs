//! What must be true in the end.

use super::{store, values};
use crate::model::{self, File};
use crate::script::{Expect, StoreExpect, TraceRule};

pub(super) fn expect(file: &File) -> Expect {
    Expect {
        store: match store(file) {
            model::StoreExpect::Truth => StoreExpect::Truth,
            model::StoreExpect::Subset => StoreExpect::Subset,
            model::StoreExpect::TruthOrNewer => StoreExpect::TruthOrNewer,
            model::StoreExpect::Unchanged => StoreExpect::Unchanged,
            model::StoreExpect::Withheld => StoreExpect::Withheld,
            model::StoreExpect::Exactly(number) => StoreExpect::Exactly(number.into()),
        },
        guards: values(&file.expect.guards),
        no_guards: file.expect.no_guards.unwrap_or_default(),
        trace: file.expect.trace.iter().map(rule).collect(),
        idempotent: file.expect.idempotent.unwrap_or_default(),
    }
}

fn rule(written: &model::TraceRule) -> TraceRule {
    let verb =
        |verb: &Option<toml::Spanned<String>>| verb.as_ref().map(|verb| verb.get_ref().clone());
    match written {
        model::TraceRule::TokenSoleArgument => TraceRule::TokenSoleArgument,
        model::TraceRule::TokenVerbatim => TraceRule::TokenVerbatim,
        model::TraceRule::TokenEncoded => TraceRule::TokenEncoded,
        model::TraceRule::RestartFromWindow => TraceRule::RestartFromWindow,
        model::TraceRule::ResendsLastToken => TraceRule::ResendsLastToken,
        model::TraceRule::SameWindowOnResume => TraceRule::SameWindowOnResume,
        model::TraceRule::HonoursRetryAfter => TraceRule::HonoursRetryAfter,
        model::TraceRule::MaxConcurrency(most) => TraceRule::MaxConcurrency(*most.get_ref()),
        model::TraceRule::MinGap(gap) => TraceRule::MinGap(gap.seconds.unsigned_abs()),
        model::TraceRule::StopsAfterEmptyToken => TraceRule::StopsAfterEmptyToken,
        model::TraceRule::NoRequestAfter(guard) => {
            TraceRule::NoRequestAfter(guard.get_ref().clone())
        }
        model::TraceRule::GranularityLearned => TraceRule::GranularityLearned,
        model::TraceRule::OverlapKept => TraceRule::OverlapKept,
        model::TraceRule::AtMost(most) => TraceRule::AtMost { n: most.n, verb: verb(&most.verb) },
        model::TraceRule::Never(never) => TraceRule::Never {
            verb: verb(&never.verb),
            args: never.args.clone().into_iter().collect(),
        },
        model::TraceRule::Order(verbs) => TraceRule::Order(values(verbs)),
    }
}
