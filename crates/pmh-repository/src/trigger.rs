//! Whether a request stands where a fault or a reply is due.

use pmh_protocol::{Datestamp, Granularity, Method, Stamp};
use pmh_scenario::{Match, Script, When, is_hit};

use crate::faults::At;
use crate::reply::AskedRequest;

/// The request being answered, as triggers look at it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Current {
    /// Which request of the run it is, from 1.
    pub(crate) number: u32,
    /// Seconds on the repository's clock since the run began.
    pub(crate) elapsed_seconds: i64,
    arguments: Vec<(String, String)>,
    is_post: bool,
    path: String,
    pub(crate) query: String,
    headers: Vec<(String, String)>,
}

impl Current {
    pub(crate) fn new(asked: &AskedRequest<'_>, number: u32, elapsed_seconds: i64) -> Self {
        Self {
            number,
            elapsed_seconds,
            arguments: asked.arguments(),
            is_post: asked.method == Method::Post,
            path: asked.path.to_owned(),
            query: asked.query().to_owned(),
            headers: asked.headers.to_vec(),
        }
    }

    /// Whether it brings this cookie, such as `session=1`.
    pub(crate) fn has_cookie(&self, cookie: &str) -> bool {
        self.headers
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case("cookie"))
            .flat_map(|(_, value)| value.split(';'))
            .any(|brought| brought.trim() == cookie)
    }

    /// The same with the place where it stands.
    pub(crate) fn situation<'a>(
        &'a self,
        script: &'a Script,
        run: &'a str,
        at: At,
    ) -> Situation<'a> {
        Situation { current: self, script, run, at }
    }
}

/// Everything about a request that a trigger may ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation<'a> {
    current: &'a Current,
    script: &'a Script,
    /// Name of the run.
    run: &'a str,
    /// Where in the run it stands.
    pub(crate) at: At,
}

impl Situation<'_> {
    /// Its arguments, decoded.
    pub(crate) fn arguments(&self) -> &[(String, String)] {
        &self.current.arguments
    }

    /// The value of an argument.
    fn argument(&self, name: &str) -> Option<&str> {
        self.arguments().iter().find(|(sent, _)| sent == name).map(|(_, value)| value.as_str())
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
            u32::try_from(position / self.script.repository.page_size.max(1))
                .unwrap_or(u32::MAX)
                .saturating_add(1)
        });
        when.run.as_deref().is_none_or(|wanted| wanted == self.run)
            && when.verb.as_deref().is_none_or(|verb| self.argument("verb") == Some(verb))
            && when.args.iter().all(|(name, value)| self.argument(name) == Some(value))
            && number(when.list, at.list)
            && number(when.page, at.page)
            && number(when.token, at.token)
            && number(page_of_record, at.page)
            && attempt
            && when.after_seconds.is_none_or(|seconds| self.current.elapsed_seconds >= seconds)
            && when.request.is_none_or(|request| request == self.current.number)
            && self.looks_like(&when.matching)
            && when.chance.is_none_or(|share| {
                is_hit(share, self.script.seed, name, self.run, [at.list, at.page, at.attempt])
            })
    }

    fn looks_like(&self, matching: &Match) -> bool {
        let Current { path, query, headers, .. } = self.current;
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
            && matching.path.as_deref().is_none_or(|wanted| wanted == path)
            && matching.method.is_none_or(|wanted| (wanted == Method::Post) == self.current.is_post)
            && matching.headers.iter().all(|(name, part)| {
                headers.iter().any(|(sent, value)| {
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
