//! What goes wrong.

use toml::Spanned;

use super::run::moved;
use super::when::when;
use super::{value, values};
use crate::model;
use crate::script::{Change, Effect, Fault, HttpEffect, RepoEffect, TimeEffect, TokenEffect};
use crate::time::Duration;

pub(super) fn fault(written: &model::Fault, line: usize) -> Fault {
    let when = when(written.when.as_ref());
    let effect = match &written.effect {
        model::Effect::Xml(xml) => Effect::Xml(xml.get_ref().clone()),
        model::Effect::Http(http) => Effect::Http(self::http(http)),
        model::Effect::Wire(wire) => Effect::Wire(wire.get_ref().clone()),
        model::Effect::Repo(effect) => Effect::Repo(repo(effect)),
        model::Effect::Oai(effect) => Effect::Oai(effect.clone()),
        model::Effect::Time(effect) => Effect::Time(match effect {
            model::TimeEffect::Delay(delay) => TimeEffect::Delay(delay.get_ref().seconds),
            model::TimeEffect::Forward(jump) => TimeEffect::Jump(jump.get_ref().seconds),
            model::TimeEffect::Back(jump) => TimeEffect::Jump(-jump.get_ref().seconds),
            model::TimeEffect::ResponseDate(text) => {
                TimeEffect::ResponseDate(text.get_ref().clone())
            }
        }),
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

fn repo(written: &model::RepoEffect) -> RepoEffect {
    RepoEffect::Change(match written {
        model::RepoEffect::Add(count) => Change::Add(*count.get_ref()),
        model::RepoEffect::Touch(numbers) => Change::Touch(values(numbers)),
        model::RepoEffect::Delete(numbers) => Change::Delete(values(numbers)),
        model::RepoEffect::Purge(numbers) => Change::Purge(values(numbers)),
        model::RepoEffect::Restamp(numbers) => Change::Restamp(values(numbers)),
        model::RepoEffect::Move(written) => Change::Move(moved(written)),
        model::RepoEffect::Reorder => return RepoEffect::Reorder,
        model::RepoEffect::Deploy(deploy) => {
            let page_size = value(&deploy.page_size).map(|size| size as usize);
            return RepoEffect::Deploy { page_size };
        }
    })
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
