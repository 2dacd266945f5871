//! What goes wrong.

use super::value;
use super::when::when;
use crate::model;
use crate::script::{Effect, Fault, HttpEffect, TokenEffect};
use crate::time::Duration;

pub(super) fn fault(written: &model::Fault, line: usize) -> Fault {
    let when = when(written.when.as_ref());
    let effect = match &written.effect {
        model::Effect::Http(http) => Effect::Http(HttpEffect {
            status: *http.status.get_ref(),
            retry_after: http.retry_after.as_ref().map(|text| {
                let seconds = Duration::parse(text.get_ref()).map(|wait| wait.seconds.to_string());
                seconds.unwrap_or_else(|| text.get_ref().clone())
            }),
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
