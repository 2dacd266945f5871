//! The properties, one file each: a pure function from a case to a finding.

mod as_expected;
mod faults_fired;
mod honours_retry_after;
mod no_doubles;
mod nothing_invented;
mod nothing_lost;
mod open_window;
mod resumption;
mod stops_after_empty_token;
mod terminates;
mod token_sole_argument;
mod token_verbatim;
mod tombstones;
mod watermark;

use crate::case::Case;
use crate::property::Property;
use crate::verdict::Finding;

/// What is found about `property` in `case`.
pub(crate) fn judge(property: Property, case: &Case<'_>) -> Finding {
    if property == Property::NothingLost && !case.observation.sight.rows {
        return nothing_lost::judge_unseen(case);
    }
    if property.reads_store() && !case.observation.sight.rows {
        return Finding::NotApplicable { why: "the store was not read".to_owned() };
    }
    match property {
        Property::AsExpected => as_expected::judge(case),
        Property::NothingInvented => nothing_invented::judge(case),
        Property::NothingLost => nothing_lost::judge(case),
        Property::NoDoubles => no_doubles::judge(case),
        Property::Tombstones => tombstones::judge(case),
        Property::Watermark => watermark::judge(case),
        Property::OpenWindow => open_window::judge(case),
        Property::Resumption => resumption::judge(case),
        Property::TokenSoleArgument => token_sole_argument::judge(case),
        Property::TokenVerbatim => token_verbatim::judge(case),
        Property::StopsAfterEmptyToken => stops_after_empty_token::judge(case),
        Property::HonoursRetryAfter => honours_retry_after::judge(case),
        Property::Terminates => terminates::judge(case),
        Property::FaultsFired => faults_fired::judge(case),
    }
}
