//! What goes wrong.

use toml::Spanned;

use super::when::when;
use super::{value, values};
use crate::model;
use crate::script::{Effect, Fault, HttpEffect, TokenEffect};
use crate::time::Duration;

pub(super) fn fault(written: &model::Fault, line: usize) -> Fault {
    let when = when(written.when.as_ref());
    let effect = match &written.effect {
        model::Effect::Xml(xml) => Effect::Xml(xml.get_ref().clone()),
        model::Effect::Http(http) => Effect::Http(self::http(http)),
        model::Effect::Wire(wire) => Effect::Wire(wire.get_ref().clone()),
        model::Effect::Token(token) => Effect::Token(match token {
            model::TokenEffect::Expire => TokenEffect::Expire,
            model::TokenEffect::Same => TokenEffect::Same,
            model::TokenEffect::Drop => TokenEffect::Drop,
            model::TokenEffect::WrapTo(page) => TokenEffect::WrapTo(*page.get_ref()),
            model::TokenEffect::RewindTo(page) => TokenEffect::RewindTo(*page.get_ref()),
            model::TokenEffect::Skip(pages) => TokenEffect::Skip(*pages.get_ref()),
            model::TokenEffect::AfterEnd(end) => TokenEffect::AfterEnd(*end.get_ref()),
            model::TokenEffect::Foreign => TokenEffect::Foreign,
            model::TokenEffect::Raw(text) => TokenEffect::Raw(text.get_ref().clone()),
            model::TokenEffect::Long(bytes) => TokenEffect::Long(*bytes.get_ref()),
            model::TokenEffect::SwapCase => TokenEffect::SwapCase,
            model::TokenEffect::EmptyPages(count) => TokenEffect::EmptyPages(*count.get_ref()),
        }),
    };
    Fault {
        name: written.name.get_ref().clone(),
        when,
        effect,
        times: value(&written.times),
        optional: written.optional.unwrap_or_default(),
        line,
    }
}

fn http(written: &model::HttpEffect) -> HttpEffect {
    let text = |written: &Option<Spanned<String>>| {
        written.as_ref().map(|written| written.get_ref().clone())
    };
    HttpEffect {
        status: written.status(),
        body: written.body(),
        retry_after: text(&written.retry_after)
            .map(|text| Duration::parse(&text).map_or(text, |wait| wait.seconds.to_string())),
        retry_after_date: text(&written.retry_after_date).and_then(|text| signed_seconds(&text)),
        location: text(&written.location),
        content_type: text(&written.content_type),
        headers: values(&written.headers),
        without: written.without.clone(),
    }
}

/// The seconds of a duration that may have a minus sign before it.
pub(crate) fn signed_seconds(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(text) => Duration::parse(text).map(|wait| -wait.seconds),
        None => Duration::parse(text).map(|wait| wait.seconds),
    }
}
