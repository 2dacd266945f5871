//! Where in a harvest something is due.

use pmh_protocol::Method;
use toml::Spanned;

use super::value;
use crate::model;
use crate::pattern::Pattern;
use crate::script::{Match, When};
use crate::time::span_of;

pub(super) fn when(written: Option<&Spanned<model::When>>) -> When {
    let Some(when) = written.map(Spanned::get_ref) else { return When::default() };
    let text = |text: &Option<Spanned<String>>| text.as_ref().map(|text| text.get_ref().clone());
    When {
        run: text(&when.run),
        verb: text(&when.verb),
        args: when.args.clone().into_iter().collect(),
        list: value(&when.list),
        page: value(&when.page),
        token: value(&when.token),
        record: value(&when.record),
        attempt: value(&when.attempt),
        after_seconds: when.after.map(|after| after.seconds),
        chance: value(&when.chance),
        request: value(&when.request),
        matching: when.matching.as_ref().map_or_else(Match::default, matching),
    }
}

fn matching(written: &model::Match) -> Match {
    Match {
        absent: written.absent.clone(),
        // What cannot be read was found before any of this is played.
        contains_window: written.contains_window.as_ref().and_then(|text| span_of(text.get_ref())),
        query_regex: written
            .query_regex
            .as_ref()
            .and_then(|text| Pattern::parse(text.get_ref()).ok()),
        raw_query: written.raw_query.clone(),
        path: written.path.as_ref().map(|path| path.get_ref().clone()),
        method: written.method.map(|method| match method {
            model::Method::Get => Method::Get,
            model::Method::Post => Method::Post,
        }),
        headers: written.header.clone().into_iter().collect(),
    }
}
