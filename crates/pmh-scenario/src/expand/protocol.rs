//! How the repository keeps the protocol.

use pmh_protocol::{DeletedRecords, Granularity};

use toml::Spanned;

use super::value;
use crate::model;
use crate::script::{LastToken, Protocol, TokenStyle};
use crate::style::{Announced, Cursor, Dates, Filter, ListSize, Paging, TokenLife};

pub(super) fn protocol(written: &model::Protocol, content: &model::Repository) -> Protocol {
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
            model::TokenStyle::Opaque => TokenStyle::Opaque,
            model::TokenStyle::Offset => TokenStyle::Offset,
            model::TokenStyle::Session => TokenStyle::Session,
        },
        life: TokenLife {
            requests: value(&written.ttl.requests),
            seconds: value(&written.ttl.time).map(|time| time.seconds),
            is_one_use: value(&written.ttl.one_use).unwrap_or_default(),
            bound: written.bound.unwrap_or_default(),
            advances: written.advances.unwrap_or_default(),
        },
        last_token: match written.last_token.unwrap_or_default() {
            model::LastToken::Empty => LastToken::Empty,
            model::LastToken::Blank => LastToken::Blank,
            model::LastToken::Bare => LastToken::Bare,
            model::LastToken::Absent => LastToken::Absent,
        },
        announced: Announced {
            cursor: cursor(written),
            size: cloned(&written.list_size),
            expiration: cloned(&written.expiration),
        },
        paging: Paging {
            order: content.order.unwrap_or_default(),
            list: value(&written.list).unwrap_or_default(),
            overlap: value(&written.overlap).unwrap_or_default() as usize,
            cap: value(&written.cap),
            hidden: value(&content.hidden),
        },
        dates: Dates {
            datestamps: written.datestamps.unwrap_or_default(),
            response_date: cloned(&written.response_date),
            earliest: cloned(&written.earliest),
        },
        filter: Filter {
            until_day: written.until_day.unwrap_or_default(),
            ignores: written.ignores.clone(),
            forgotten_after: value(&written.filter_forgotten_after),
        },
        index_lag_seconds: value(&written.index_lag).map_or(0, |lag| lag.seconds),
        identify: cloned(&written.identify),
    }
}

/// What cursor says when nothing is said of it goes by what is said of completeListSize.
pub(crate) fn cursor(written: &model::Protocol) -> Cursor {
    let size = written.list_size.as_ref().map(Spanned::get_ref);
    match (&written.cursor, size) {
        (Some(cursor), _) => cursor.get_ref().clone(),
        (None, Some(ListSize::Absent)) => Cursor::Absent,
        (None, _) => Cursor::Right,
    }
}

fn cloned<T: Clone + Default>(written: &Option<Spanned<T>>) -> T {
    written.as_ref().map(|written| written.get_ref().clone()).unwrap_or_default()
}
