//! How the repository keeps the protocol.

use pmh_protocol::{DeletedRecords, Granularity};

use super::value;
use crate::model;
use crate::script::{LastToken, Protocol, TokenStyle};

pub(super) fn protocol(written: &model::Protocol) -> Protocol {
    Protocol {
        granularity: match written.granularity.unwrap_or_default() {
            model::Granularity::Second => Granularity::Second,
            model::Granularity::Day => Granularity::Day,
        },
        deleted_records: match written.deleted_records.unwrap_or_default() {
            model::DeletedRecords::No => DeletedRecords::No,
            model::DeletedRecords::Transient => DeletedRecords::Transient,
            model::DeletedRecords::Persistent => DeletedRecords::Persistent,
        },
        token: match written.token.unwrap_or_default() {
            model::TokenStyle::Stateless => TokenStyle::Stateless,
            model::TokenStyle::Stateful => TokenStyle::Stateful,
            model::TokenStyle::Session => TokenStyle::Session,
        },
        token_requests: value(&written.ttl.requests),
        last_token: match written.last_token.unwrap_or_default() {
            model::LastToken::Empty => LastToken::Empty,
            model::LastToken::Blank => LastToken::Blank,
            model::LastToken::Absent => LastToken::Absent,
        },
        announces_size: matches!(written.list_size.unwrap_or_default(), model::ListSize::Right),
    }
}
