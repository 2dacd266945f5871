//! What goes wrong.

use toml::Spanned;

use super::{value, values};
use crate::model;
use crate::script::{Change, Effect, Fault, HttpEffect, RepoEffect, TimeEffect, TokenEffect, When};
use crate::time::Duration;

pub(super) fn fault(written: &model::Fault, line: usize) -> Fault {
    let when = written.when.as_ref().map(Spanned::get_ref);
    let when = when.map_or_else(When::default, |when| When {
        run: when.run.as_ref().map(|run| run.get_ref().clone()),
        list: value(&when.list),
        page: value(&when.page),
        token: value(&when.token),
        attempt: value(&when.attempt),
    });
    let effect = match &written.effect {
        model::Effect::Http(http) => Effect::Http(HttpEffect {
            status: *http.status.get_ref(),
            retry_after: http.retry_after.as_ref().map(|text| {
                let seconds = Duration::parse(text.get_ref()).map(|wait| wait.seconds.to_string());
                seconds.unwrap_or_else(|| text.get_ref().clone())
            }),
        }),
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
        model::RepoEffect::Reorder => return RepoEffect::Reorder,
        model::RepoEffect::Deploy(deploy) => {
            let page_size = value(&deploy.page_size).map(|size| size as usize);
            return RepoEffect::Deploy { page_size };
        }
    })
}
