//! Whether a request stands where a fault or a reply is due.

use pmh_protocol::{Datestamp, Granularity, Method, Stamp};
use pmh_scenario::{Match, When, is_hit};

use crate::faults::At;
use crate::reply::AskedRequest;

/// Everything about a request that a trigger may ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation<'a> {
    /// Name of the run.
    pub(crate) run: &'a str,
    /// Where in the run it stands.
    pub(crate) at: At,
    /// Which request of the run it is, from 1.
    pub(crate) number: u32,
    /// Seconds on the repository's clock since the run began.
    pub(crate) elapsed_seconds: i64,
    /// Its arguments, decoded.
    pub(crate) arguments: &'a [(String, String)],
    /// As it arrived.
    pub(crate) asked: &'a AskedRequest<'a>,
    /// What chances are drawn from.
    pub(crate) seed: u64,
    /// Entries a page.
    pub(crate) page_size: usize,
}

impl Situation<'_> {
    /// The value of an argument.
    fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|(sent, _)| sent == name).map(|(_, value)| value.as_str())
    }

    /// Whether all of `when` holds here; `name` is whose trigger it is.
    pub(crate) fn fits(&self, when: &When, name: &str) -> bool {
        let at = self.at;
        let number = |wanted: Option<u32>, found: u32| {
            wanted.is_none_or(|wanted| at.list != 0 && wanted == found)
        };
        // How often something outside lists was asked for is only a question where the trigger names its verb.
        let attempt = when
            .attempt
            .is_none_or(|wanted| wanted == at.attempt && (at.list != 0 || when.verb.is_some()));
        let page_of_record = when.record.map(|record| {
            let position = record.saturating_sub(1) as usize;
            u32::try_from(position / self.page_size.max(1)).unwrap_or(u32::MAX).saturating_add(1)
        });
        when.run.as_deref().is_none_or(|wanted| wanted == self.run)
            && when.verb.as_deref().is_none_or(|verb| self.argument("verb") == Some(verb))
            && when.args.iter().all(|(name, value)| self.argument(name) == Some(value))
            && number(when.list, at.list)
            && number(when.page, at.page)
            && number(when.token, at.token)
            && number(page_of_record, at.page)
            && attempt
            && when.after_seconds.is_none_or(|seconds| self.elapsed_seconds >= seconds)
            && when.request.is_none_or(|request| request == self.number)
            && self.looks_like(&when.matching)
            && when.chance.is_none_or(|share| {
                is_hit(share, self.seed, name, self.run, [at.list, at.page, at.attempt])
            })
    }

    fn looks_like(&self, matching: &Match) -> bool {
        let asked = self.asked;
        let query = match asked.method {
            Method::Get => asked.raw_query,
            Method::Post => asked.form_body.unwrap_or(""),
        };
        matching.absent.iter().all(|name| self.argument(name).is_none())
            && matching.contains_window.is_none_or(|(first, last)| {
                let from = self.argument("from").map(Datestamp::parse_lenient);
                let until = self.argument("until").map(Datestamp::parse_lenient);
                let reaches_back =
                    from.is_none_or(|from| from.is_ok_and(|from| from.stamp <= first));
                let reaches_on =
                    until.is_none_or(|until| until.is_ok_and(|until| last_second(until) >= last));
                reaches_back && reaches_on
            })
            && matching.query_regex.as_ref().is_none_or(|pattern| pattern.is_in(query))
            && matching.raw_query.as_deref().is_none_or(|wanted| wanted == query)
            && matching.path.as_deref().is_none_or(|wanted| wanted == asked.path)
            && matching.method.is_none_or(|wanted| wanted == asked.method)
            && matching.headers.iter().all(|(name, part)| {
                asked.headers.iter().any(|(sent, value)| {
                    sent.eq_ignore_ascii_case(name) && value.contains(part.as_str())
                })
            })
    }
}

/// The last second that a date includes.
const fn last_second(date: Datestamp) -> Stamp {
    match date.granularity {
        Granularity::Second => date.stamp,
        Granularity::Day => date.stamp.plus_seconds(86_399),
    }
}
