//! Which sets and formats a repository offers: formats once a run (H1); sets when the opening request came to nothing,
//! because an empty set and one that does not exist look alike (H11), and so that a refusal can name what there is (H16).

use pmh_protocol::{Body, ErrorCode, OaiError, Request, Stamp, Verb};

use super::{Harvest, Stage};
use crate::fetched::Fetched;
use crate::outcome::{End, Refusal, for_people};
use crate::time::Instant;

/// Pages of ListSets that are read at the most.
const PAGES_MAX: u32 = 1_000;
/// Sets that a refusal names.
const OFFERED_MAX: usize = 5;

impl Harvest {
    /// An answer to ListSets, of which `pages` pages were read before. An answer that says nothing about the set
    /// leaves the empty list what it was.
    pub(super) fn take_sets(&mut self, fetched: Fetched, time: Stamp, pages: u32, now: Instant) {
        let wanted = self.plan.key.set.clone().unwrap_or_default();
        let body = match fetched {
            Fetched::Document(answered) => answered.parsed.document.body,
            _ => Body::Errors(Vec::new()),
        };
        match body {
            Body::Sets { sets, .. } if sets.iter().any(|set| is_in(&set.spec, &wanted)) => {
                self.end_of_nothing(time, now);
            }
            Body::Sets { token: Some(token), .. } if !token.is_end() && pages < PAGES_MAX => {
                self.ask(Request::Resume { verb: Verb::ListSets, token: token.value });
                self.stage = Stage::Sets { time, pages: pages + 1 };
            }
            Body::Sets { sets, .. } => {
                let offered = sets.iter().take(OFFERED_MAX).map(|set| for_people(&set.spec));
                self.refuse_set(wanted, offered.collect());
            }
            Body::Errors(errors)
                if errors.iter().any(|error| error.code == ErrorCode::NoSetHierarchy) =>
            {
                self.refuse_set(wanted, Vec::new());
            }
            _ => {
                self.complain("sets", "ListSets did not tell whether the set exists".to_owned());
                self.end_of_nothing(time, now);
            }
        }
    }

    /// An answer to ListMetadataFormats. Nothing depends on it but what can be told, so it is asked again only if the
    /// source is busy.
    pub(super) fn take_formats(
        &mut self,
        fetched: Fetched,
        refusal: Option<OaiError>,
        now: Instant,
    ) {
        match fetched {
            Fetched::Busy { status: _, retry_after } => return self.busy(retry_after, now),
            Fetched::Redirect { status, location } => {
                return self.redirected(status, &location, now);
            }
            Fetched::Document(answered) => match answered.parsed.document.body {
                Body::Formats(formats) => self.learn_formats(&formats),
                _ => self.no_formats("the answer to ListMetadataFormats is another document"),
            },
            _ => self.no_formats("ListMetadataFormats brought no document"),
        }
        match refusal {
            None => self.begin(),
            Some(refusal) => self.refuse_format(refusal),
        }
    }

    pub(super) fn no_formats(&mut self, why: &str) {
        self.offered = Some(Vec::new());
        self.complain("formats", why.to_owned());
    }

    /// The repository does not have the format; names those that there are.
    fn refuse_format(&mut self, refusal: OaiError) {
        let is_listed = self.offered.iter().flatten().any(|prefix| *prefix == self.plan.key.prefix);
        let offered = self.offered.iter().flatten().filter(|_| !is_listed).take(OFFERED_MAX);
        let offered: Vec<String> = offered.map(|prefix| for_people(prefix)).collect();
        self.errand = None;
        let end = End::Refused(match offered.is_empty() {
            true => Refusal::Oai(refusal),
            false => Refusal::Format { refusal, offered },
        });
        self.stage = Stage::End { end, keep_cursor: false };
    }

    /// The format was refused: by now it may be known which there are.
    pub(super) fn format_refused(&mut self, refusal: OaiError) {
        if self.offered.is_some() {
            return self.refuse_format(refusal);
        }
        self.ask(Request::ListMetadataFormats { identifier: None });
        self.stage = Stage::Formats { refusal: Some(refusal) };
    }

    fn refuse_set(&mut self, set: String, offered: Vec<String>) {
        self.errand = None;
        let end = End::Refused(Refusal::UnknownSet { set, offered });
        self.stage = Stage::End { end, keep_cursor: false };
    }

    fn end_of_nothing(&mut self, time: Stamp, now: Instant) {
        self.settle_list(time, None, now);
    }
}

/// Whether `spec` is the set, or one below it.
pub(super) fn is_in(spec: &str, set: &str) -> bool {
    spec.strip_prefix(set).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}
