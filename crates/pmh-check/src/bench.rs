//! The evidence as a check sees it: answers are there, or the check is begun anew once they are.

use std::collections::BTreeMap;

use pmh_protocol::{Datestamp, Element, Granularity, Stamp, Verb};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::ask::Ask;
use crate::exchange::{Entry, Exchange, Part};
use crate::finding::Found;
use crate::options::Options;

/// Why a check has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// This must be asked first.
    Wait(Box<Ask>),
    /// It does not apply; why.
    Skip(String),
    /// It cannot be told; why.
    Inconclusive(String),
}

pub(crate) fn skip<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Skip(reason.into()))
}

/// What a check may look at.
pub(crate) struct Bench<'a> {
    pub(crate) options: &'a Options,
    pub(crate) exchanges: &'a [Exchange],
    /// Where among the exchanges the answer to each question is.
    pub(crate) answers: &'a BTreeMap<Ask, usize>,
}

/// A list that was read as far as the bound on pages.
pub(crate) struct Crawl<'a> {
    pub(crate) pages: Vec<&'a Exchange>,
    pub(crate) end: End,
}

/// How a crawl ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As the protocol has it, or without the closing token.
    Complete,
    /// At the bound on pages.
    Cut,
    /// In an answer that is no page.
    Broken(String),
    /// The same page came again.
    Circle,
}

impl<'a> Crawl<'a> {
    pub(crate) fn entries(&self) -> Vec<(&'a Exchange, Entry<'a>)> {
        let pages = self.pages.iter();
        pages.flat_map(|page| page.entries().into_iter().map(|entry| (*page, entry))).collect()
    }

    /// This, if the list was read to its end.
    pub(crate) fn whole(self) -> Result<Self, Stop> {
        match &self.end {
            End::Complete => Ok(self),
            End::Cut => skip(format!("the list is longer than {} pages", self.pages.len())),
            End::Broken(why) => skip(format!("the list breaks off: {why}")),
            End::Circle => skip("the list goes round in a circle"),
        }
    }
}

/// A format of ListMetadataFormats.
#[derive(Clone, Copy)]
pub(crate) struct Format<'a> {
    pub(crate) element: &'a Element,
    pub(crate) prefix: &'a str,
    pub(crate) schema: &'a str,
    pub(crate) namespace: &'a str,
}

impl<'a> Bench<'a> {
    /// The answer to `ask`, whatever it is.
    pub(crate) fn get(&self, ask: Ask) -> Result<&'a Exchange, Stop> {
        let Some(at) = self.answers.get(&ask) else { return Err(Stop::Wait(Box::new(ask))) };
        let exchange = &self.exchanges[*at];
        match &exchange.answer {
            Err(lost) => Err(Stop::Inconclusive(format!("`{}`: {lost}", ask.query))),
            Ok(page) if matches!(page.status, 429 | 503) && exchange.root().is_none() => {
                Err(Stop::Inconclusive(format!("`{}`: the repository is busy", ask.query)))
            }
            Ok(_) => Ok(exchange),
        }
    }

    /// The answers that are documents of OAI-PMH, for checks that look at every one.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (&'a Exchange, &'a Element)> {
        self.exchanges.iter().filter_map(|exchange| Some((exchange, exchange.root()?)))
    }

    /// The pages that came, redirects and refusals left out.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &'a Exchange> {
        self.exchanges
            .iter()
            .filter(|exchange| exchange.part == Part::Answer && exchange.page().is_some())
    }

    pub(crate) fn identify(&self) -> Result<(&'a Exchange, &'a Element), Stop> {
        let exchange = self.get(Ask::verb(Verb::Identify))?;
        match exchange.root().and_then(|root| root.first("Identify")) {
            Some(identify) => Ok((exchange, identify)),
            None => skip("Identify cannot be read"),
        }
    }

    pub(crate) fn granularity(&self) -> Result<Granularity, Stop> {
        let (_, identify) = self.identify()?;
        let text = identify.first("granularity").map(Element::trimmed).unwrap_or_default();
        match [Granularity::Day, Granularity::Second].iter().find(|each| each.pattern() == text) {
            Some(granularity) => Ok(*granularity),
            None => skip("Identify announces no granularity"),
        }
    }

    pub(crate) fn earliest(&self) -> Result<Datestamp, Stop> {
        let (_, identify) = self.identify()?;
        let text = identify.first("earliestDatestamp").map(Element::trimmed).unwrap_or_default();
        Datestamp::parse(text).or_else(|_| skip("Identify has no earliestDatestamp that is a date"))
    }

    /// What Identify says about deletions.
    pub(crate) fn deleted_records(&self) -> Result<&'a str, Stop> {
        let (_, identify) = self.identify()?;
        Ok(identify.first("deletedRecord").map(Element::trimmed).unwrap_or_default())
    }

    pub(crate) fn formats(&self) -> Result<(&'a Exchange, Vec<Format<'a>>), Stop> {
        let exchange = self.get(Ask::verb(Verb::ListMetadataFormats))?;
        match formats_in(exchange) {
            Some(formats) => Ok((exchange, formats)),
            None => skip("ListMetadataFormats cannot be read"),
        }
    }

    /// The format that records are asked for in: oai_dc, or the first there is.
    pub(crate) fn prefix(&self) -> Result<&'a str, Stop> {
        let formats = match self.formats() {
            Ok((_, formats)) => formats,
            Err(wait @ Stop::Wait(_)) => return Err(wait),
            Err(_) => Vec::new(),
        };
        let prefixes: Vec<&str> =
            formats.iter().map(|format| format.prefix).filter(|each| !each.is_empty()).collect();
        Ok(match prefixes.first() {
            Some(first) if !prefixes.contains(&"oai_dc") => first,
            _ => "oai_dc",
        })
    }

    /// The sets, all pages of them; skipped where the repository says that it has none.
    pub(crate) fn sets(&self) -> Result<Vec<(&'a Exchange, &'a Element)>, Stop> {
        let first = self.get(Ask::verb(Verb::ListSets))?;
        if first.has_error("noSetHierarchy") {
            return skip("the repository has no sets");
        }
        let crawl = self.walk(Verb::ListSets, Ask::verb(Verb::ListSets))?;
        let mut sets = Vec::new();
        for page in crawl.pages {
            let container = page.root().and_then(|root| root.first("ListSets"));
            let found = container.into_iter().flat_map(|container| container.all("set"));
            sets.extend(found.map(|set| (page, set)));
        }
        if sets.is_empty() { skip("ListSets lists no set") } else { Ok(sets) }
    }

    pub(crate) fn set_specs(&self) -> Result<Vec<&'a str>, Stop> {
        let spec = |set: &'a Element| set.first("setSpec").map(Element::trimmed);
        let specs = self.sets()?.into_iter().filter_map(|(_, set)| spec(set));
        Ok(specs.filter(|spec| !spec.is_empty()).collect())
    }

    /// A list of records or headers, as far as the bound on pages.
    pub(crate) fn crawl(
        &self,
        verb: Verb,
        prefix: &str,
        more: &[(&str, &str)],
    ) -> Result<Crawl<'a>, Stop> {
        self.walk(verb, Ask::list(verb, prefix, more))
    }

    pub(crate) fn walk(&self, verb: Verb, opening: Ask) -> Result<Crawl<'a>, Stop> {
        let mut crawl = Crawl { pages: Vec::new(), end: End::Complete };
        let mut brought: BTreeMap<&str, Vec<&Exchange>> = BTreeMap::new();
        let (list, after_change) = (opening.query.clone(), opening.after_change);
        let (mut ask, mut token) = (opening, "");
        loop {
            let page = self.get(ask)?;
            if page.root().and_then(|root| root.first(verb.as_str())).is_none() {
                let is_empty = crawl.pages.is_empty() && page.has_error("noRecordsMatch");
                if !is_empty {
                    crawl.end = End::Broken(page.describe());
                }
                return Ok(crawl);
            }
            // A token may come back, as in lists that live in a session; a page that comes back with it is a circle.
            let earlier = brought.entry(token).or_default();
            let keys = |page: &Exchange| {
                page.entries().iter().map(|entry| entry.identifier().to_owned()).collect::<Vec<_>>()
            };
            if earlier.iter().any(|earlier| keys(earlier) == keys(page)) {
                crawl.end = End::Circle;
                return Ok(crawl);
            }
            earlier.push(page);
            crawl.pages.push(page);
            let Some(next) = page.next_token() else { return Ok(crawl) };
            if crawl.pages.len() >= self.options.limits.pages_max {
                crawl.end = End::Cut;
                return Ok(crawl);
            }
            token = next;
            let times = brought.get(token).map_or(0, Vec::len);
            let times = u16::try_from(times).unwrap_or(u16::MAX);
            let next = Ask::resume(verb, token).again(times).in_list(&list);
            ask = Ask { after_change, ..next };
        }
    }

    /// The headers of the format that records are asked for in.
    pub(crate) fn headers(&self) -> Result<Crawl<'a>, Stop> {
        self.crawl(Verb::ListIdentifiers, self.prefix()?, &[])
    }

    /// Its records.
    pub(crate) fn records(&self) -> Result<Crawl<'a>, Stop> {
        self.crawl(Verb::ListRecords, self.prefix()?, &[])
    }

    /// Some live headers, the same ones in every run.
    pub(crate) fn sample(&self) -> Result<Vec<(&'a Exchange, Entry<'a>)>, Stop> {
        self.pick(false)
    }

    /// Some deleted headers.
    pub(crate) fn tombstones(&self) -> Result<Vec<(&'a Exchange, Entry<'a>)>, Stop> {
        self.pick(true)
    }

    fn pick(&self, is_deleted: bool) -> Result<Vec<(&'a Exchange, Entry<'a>)>, Stop> {
        let mut entries = self.headers()?.entries();
        entries.retain(|(_, entry)| {
            entry.is_deleted() == is_deleted && !entry.identifier().is_empty()
        });
        let seed = self.options.seed;
        entries.sort_by_key(|(_, entry)| xxh3_64_with_seed(entry.identifier().as_bytes(), seed));
        entries.dedup_by_key(|(_, entry)| entry.identifier());
        entries.truncate(self.options.limits.sample);
        match (entries.is_empty(), is_deleted) {
            (false, _) => Ok(entries),
            (true, false) => skip("no live record was seen"),
            (true, true) => skip("no deleted record was seen"),
        }
    }

    /// One live header.
    pub(crate) fn live(&self) -> Result<Entry<'a>, Stop> {
        Ok(self.sample()?[0].1)
    }

    /// One live header whose datestamp is a date.
    pub(crate) fn dated(&self) -> Result<(Entry<'a>, Datestamp), Stop> {
        let dated = |(_, entry): (&'a Exchange, Entry<'a>)| {
            Datestamp::parse(entry.datestamp()).ok().map(|date| (entry, date))
        };
        match self.sample()?.into_iter().find_map(dated) {
            Some(dated) => Ok(dated),
            None => skip("no record has a datestamp that is a date"),
        }
    }

    /// The datestamp of an entry, where it has the form that is announced: others are told by a check of their own.
    pub(crate) fn date_of(&self, entry: &Entry<'_>) -> Option<Datestamp> {
        let date = Datestamp::parse(entry.datestamp()).ok()?;
        let is_right = self.granularity().map_or(true, |announced| announced == date.granularity);
        is_right.then_some(date)
    }

    /// When the first document was answered, on the repository's clock.
    pub(crate) fn began(&self) -> Option<Stamp> {
        self.exchanges.iter().find_map(Exchange::responded)
    }

    /// What was found, unless it compares answers and the repository changed between them.
    pub(crate) fn unless_changed(&self, found: Found) -> Result<Found, Stop> {
        if found.has_failed() && self.has_changed()? {
            return Err(Stop::Inconclusive(
                "the repository changed while it was examined: run it again in a quiet hour"
                    .to_owned(),
            ));
        }
        Ok(found)
    }

    fn has_changed(&self) -> Result<bool, Stop> {
        let (Ok(granularity), Some(began)) = (self.granularity(), self.began()) else {
            return Ok(false);
        };
        let from = Datestamp::new(began, granularity);
        let text = from.to_string();
        let ask = Ask::list(Verb::ListIdentifiers, self.prefix()?, &[("from", &text)]);
        // Nothing that is wrong with this very answer may hide what was found.
        match self.get(ask.again(9)) {
            Ok(page) => Ok(page
                .entries()
                .iter()
                .any(|entry| Datestamp::parse(entry.datestamp()).is_ok_and(|date| date >= from))),
            Err(wait @ Stop::Wait(_)) => Err(wait),
            Err(_) => Ok(false),
        }
    }
}

/// The formats in an answer, if it is one of ListMetadataFormats.
pub(crate) fn formats_in(exchange: &Exchange) -> Option<Vec<Format<'_>>> {
    let container = exchange.root()?.first("ListMetadataFormats")?;
    let format = |element| {
        let field = |name| Element::first(element, name).map(Element::trimmed).unwrap_or_default();
        Format {
            element,
            prefix: field("metadataPrefix"),
            schema: field("schema"),
            namespace: field("metadataNamespace"),
        }
    };
    Some(container.all("metadataFormat").map(format).collect())
}
