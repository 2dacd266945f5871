//! What a source said about itself before, and what it says now (H24).
//!
//! A difference is a complaint and nothing is inferred from it, but where it means that what is held may be out of
//! date, a full harvest becomes due.

use std::fmt::Display;

use pmh_protocol::{Identify, MetadataFormat};
use url::Url;

use super::Harvest;
use crate::entry::{Refresh, SourceFacts};

impl Harvest {
    pub(super) fn learn(&mut self, identify: &Identify) {
        let before = self.known.source.clone();
        let source = &mut self.source;
        source.granularity = identify.granularity.unwrap_or(source.granularity);
        source.deleted_records = identify.deleted_records.unwrap_or(source.deleted_records);
        let name = Some(identify.repository_name.clone()).filter(|name| !name.is_empty());
        source.name = name.or(source.name.take());
        source.host = host_of(&identify.base_url).or(source.host.take());
        source.namespace = identify.identifier_namespace().or(source.namespace.take());
        let earliest = identify.earliest_datestamp.map(|datestamp| datestamp.stamp);
        source.earliest = earliest.or(source.earliest);
        if let Some(before) = before {
            self.compare(&before);
        }
    }

    fn compare(&mut self, before: &SourceFacts) {
        let now = self.source.clone();
        self.drifted("the repository's name", before.name.as_ref(), now.name.as_ref());
        self.drifted("the host of its base URL", before.host.as_ref(), now.host.as_ref());
        let (namespace, namespace_now) = (before.namespace.as_ref(), now.namespace.as_ref());
        self.drifted("the namespace of its identifiers", namespace, namespace_now);
        let (form, form_now) = (before.granularity.pattern(), now.granularity.pattern());
        self.drifted("the form of its dates", Some(form), Some(form_now));
        let (promise, promise_now) =
            (before.deleted_records.as_str(), now.deleted_records.as_str());
        self.drifted("its promise about deletions", Some(promise), Some(promise_now));
        if before.earliest.zip(now.earliest).is_some_and(|(before, now)| now < before) {
            self.refresh = Some(Refresh::EarliestMovedBack);
        }
    }

    fn drifted<T: Display + PartialEq>(&mut self, what: &str, before: Option<T>, now: Option<T>) {
        if let Some((before, now)) = before.zip(now).filter(|(before, now)| before != now) {
            self.complain("drift", format!("{what} was `{before}` and is `{now}`"));
        }
    }

    pub(super) fn learn_formats(&mut self, formats: &[MetadataFormat]) {
        self.offered = Some(formats.iter().map(|format| format.prefix.clone()).collect());
        let Some(format) = formats.iter().find(|format| format.prefix == self.plan.key.prefix)
        else {
            let prefix = &self.plan.key.prefix;
            self.complain(
                "prefix-not-offered",
                format!("there is no format `{prefix}` in its list"),
            );
            return;
        };
        let schema = Some(format.schema.clone()).filter(|schema| !schema.is_empty());
        if let Some((before, now)) = self.known.schema.as_ref().zip(schema.as_ref())
            && before != now
        {
            self.refresh.get_or_insert(Refresh::SchemaChanged);
        }
        self.schema = schema;
    }

    /// Why everything should be harvested again, unless this run did.
    pub(super) fn refresh_due(&self) -> Option<String> {
        let did = matches!(self.stage, super::Stage::Finished(crate::outcome::End::Complete))
            && self.list.as_ref().is_some_and(|list| list.traversal().window.is_everything());
        let due = self.refresh.map(|refresh| refresh.as_str().to_owned());
        due.or_else(|| self.known.refresh_due.clone()).filter(|_| !did)
    }
}

fn host_of(url: &str) -> Option<String> {
    Url::parse(url.trim()).ok()?.host_str().map(str::to_owned)
}
