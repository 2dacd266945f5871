//! What a list is opened with, and how its pages are asked for.

use pmh_protocol::{
    Body, Datestamp, Granularity, Identify, Page, Request, Selection, Stamp, Verb,
    decode_arguments, encode_arguments,
};

use crate::ask::Asked;
use crate::dates::Dates;
use crate::defect::Defect;
use crate::harvest::Harvest;
use crate::wire::Halt;

/// How far behind the watermark the next list begins, for what shows late.
const OVERLAP_SECONDS: i64 = 86_400;
/// What a narrow database column holds of a token, in characters.
const COLUMN_CHARS: usize = 255;

impl Harvest<'_> {
    pub(crate) const fn has_span_of_its_own(&self) -> bool {
        self.task.selection.from.is_some() || self.task.selection.until.is_some()
    }

    /// Where the list begins: a while before the watermark.
    pub(crate) fn from(&mut self) -> Result<Option<Datestamp>, Halt> {
        if self.has_span_of_its_own() || self.task.full {
            return Ok(self.task.selection.from);
        }
        // Defect: whoever appends begins anew each time, as scripts do that fetch everything every night.
        if self.has(Defect::InsertNotUpsert) {
            return Ok(None);
        }
        let Some(watermark) = self.shelf.watermark() else {
            // Defect: earliestDatestamp may be wrong.
            if self.has(Defect::BeginsAtEarliest) {
                let identify = self.identify()?;
                return Ok(identify.and_then(|identify| identify.earliest_datestamp));
            }
            return Ok(None);
        };
        // Defect: not every repository knows seconds.
        let granularity = if self.has(Defect::SecondsAlways) {
            Granularity::Second
        } else {
            let identify = self.identify()?;
            identify.and_then(|identify| identify.granularity).unwrap_or(Granularity::Day)
        };
        // Defect: a change may show later than its datestamp says.
        let overlap = if self.has(Defect::NoOverlap) { 0 } else { OVERLAP_SECONDS };
        let from = watermark.plus_seconds(-overlap);
        // Defect: both dates of a request have one granularity.
        let granularity =
            if self.has(Defect::MixesGranularities) { Granularity::Day } else { granularity };
        Ok(Some(Datestamp::new(from, granularity)))
    }

    pub(crate) fn identify(&mut self) -> Result<Option<Identify>, Halt> {
        Ok(match self.ask(&Request::Identify.query(), false)? {
            Asked::Document(parsed) => match parsed.document.body {
                Body::Identify(identify) => Some(*identify),
                _ => None,
            },
            Asked::Nothing(_) => None,
        })
    }

    /// The query for the page of this token, or for the first page.
    pub(crate) fn query(&self, from: Option<Datestamp>, token: Option<&str>) -> String {
        let Some(token) = token else {
            return Request::ListRecords(Selection {
                from: self.as_sent(from),
                until: self.until(from),
                ..self.task.selection.clone()
            })
            .query();
        };
        match self.defect {
            // Defect: an exclusive argument that is not alone.
            Defect::TokenBesideArguments => encode_arguments(&[
                ("verb", Verb::ListRecords.as_str()),
                ("metadataPrefix", &self.task.selection.prefix),
                ("resumptionToken", token),
            ]),
            // Defect: reserved characters mean something in a URL.
            Defect::RawToken => format!("verb={}&resumptionToken={token}", Verb::ListRecords),
            _ => Request::Resume { verb: Verb::ListRecords, token: self.token_sent(token) }.query(),
        }
    }

    fn until(&self, from: Option<Datestamp>) -> Option<Datestamp> {
        // Defect: both dates of a request have one granularity.
        if self.has(Defect::MixesGranularities) && from.is_some() {
            return Some(Datestamp::new(self.wire.now(), Granularity::Second));
        }
        self.as_sent(self.task.selection.until)
    }

    /// A date of a request.
    fn as_sent(&self, date: Option<Datestamp>) -> Option<Datestamp> {
        // Defect: where a day ends is left to the repository.
        if self.has(Defect::SpanAsTyped) && self.has_span_of_its_own() {
            return date.map(|date| Datestamp::new(date.stamp, Granularity::Day));
        }
        date
    }

    fn token_sent(&self, token: &str) -> String {
        match self.defect {
            // Defect: a token that looks encoded is none the less a token.
            Defect::DecodesToken => decode_arguments(&format!("token={token}"))
                .into_iter()
                .next()
                .map_or_else(String::new, |(_, value)| value),
            // Defect: capitals are other letters.
            Defect::LowercasesToken => token.to_lowercase(),
            // Defect: a token has no greatest length.
            Defect::CutsToken => token.chars().take(COLUMN_CHARS).collect(),
            _ => token.to_owned(),
        }
    }

    /// The token to go on with; none when the element is absent, empty or blank.
    pub(crate) fn next_token(&self, page: &Page, dates: &Dates) -> Option<String> {
        // Defect: any token element is a token.
        if self.has(Defect::EmptyTokenAsToken) {
            return page.token.as_ref().map(|token| token.value.clone());
        }
        let token = page.next_token()?;
        let has_expired = |expires: Stamp| dates.last().is_some_and(|now| expires <= now);
        // Defect: a date of expiry is only said by the way.
        if self.has(Defect::BelievesExpiry) && token.expires.is_some_and(has_expired) {
            return None;
        }
        Some(token.value.clone())
    }
}
