//! How the harvester is set up.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// How the harvester is set up.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Client {
    /// Thresholds of its guards and limits on its trying, so that ten records can trip a brake. Default: its own.
    pub(crate) guards_at: Option<Thresholds>,
    /// What stands behind a question mark in the base URL that it is given, such as "mode=oaipmh". Default: nothing.
    #[schemars(with = "Option<String>")]
    pub(crate) base_url_query: Option<Spanned<String>>,
}

/// Thresholds of guards and limits on trying. What is absent stays as it is.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Thresholds {
    /// Most pages of a list.
    #[schemars(with = "Option<u32>")]
    pub(crate) pages: Option<Spanned<u32>>,
    /// Most records of a list.
    #[schemars(with = "Option<u32>")]
    pub(crate) records: Option<Spanned<u32>>,
    /// Pages in a row that bring nothing new and carry a token seen before.
    #[schemars(with = "Option<u32>")]
    pub(crate) repeated_pages: Option<Spanned<u32>>,
    /// Pages with entries in a row that bring nothing new, whatever their tokens.
    #[schemars(with = "Option<u32>")]
    pub(crate) barren_pages: Option<Spanned<u32>>,
    /// Pages without entries in a row, with fresh tokens.
    #[schemars(with = "Option<u32>")]
    pub(crate) empty_pages: Option<Spanned<u32>>,
    /// Pages without entries in a row, with tokens seen before.
    #[schemars(with = "Option<u32>")]
    pub(crate) empty_pages_seen: Option<Spanned<u32>>,
    /// Repeated deliveries beyond what the size of the list explains.
    #[schemars(with = "Option<u32>")]
    pub(crate) repeats: Option<Spanned<u32>>,
    /// Restarts of a list in a row that bring nothing new.
    #[schemars(with = "Option<u32>")]
    pub(crate) restarts_in_row: Option<Spanned<u32>>,
    /// Restarts of a list in all.
    #[schemars(with = "Option<u32>")]
    pub(crate) restarts: Option<Spanned<u32>>,
    /// Seconds that a stored token may lie before it is not used any more.
    #[schemars(with = "Option<u32>")]
    pub(crate) resume_age: Option<Spanned<u32>>,
    /// Seconds that a window reaches back behind the watermark.
    #[schemars(with = "Option<u32>")]
    pub(crate) overlap: Option<Spanned<u32>>,
    /// Tries of one page, the first included.
    #[schemars(with = "Option<u32>")]
    pub(crate) tries: Option<Spanned<u32>>,
    /// Polite refusals of one page that are waited for.
    #[schemars(with = "Option<u32>")]
    pub(crate) busy: Option<Spanned<u32>>,
    /// Seconds of waiting for a busy source in one run.
    #[schemars(with = "Option<u32>")]
    pub(crate) busy_wait: Option<Spanned<u32>>,
    /// Seconds of the longest single wait that a source may ask for.
    #[schemars(with = "Option<u32>")]
    pub(crate) retry_after: Option<Spanned<u32>>,
    /// Redirects of one request.
    #[schemars(with = "Option<u32>")]
    pub(crate) redirects: Option<Spanned<u32>>,
    /// Percent (0 to 100) of the records held that one run may withdraw.
    #[schemars(with = "Option<u32>")]
    pub(crate) mass_delete: Option<Spanned<u32>>,
}

impl Thresholds {
    /// Those that are given, by name.
    pub(crate) fn given(&self) -> Vec<(&'static str, &Spanned<u32>)> {
        let all = [
            ("pages", &self.pages),
            ("records", &self.records),
            ("repeated-pages", &self.repeated_pages),
            ("barren-pages", &self.barren_pages),
            ("empty-pages", &self.empty_pages),
            ("empty-pages-seen", &self.empty_pages_seen),
            ("repeats", &self.repeats),
            ("restarts-in-row", &self.restarts_in_row),
            ("restarts", &self.restarts),
            ("resume-age", &self.resume_age),
            ("overlap", &self.overlap),
            ("tries", &self.tries),
            ("busy", &self.busy),
            ("busy-wait", &self.busy_wait),
            ("retry-after", &self.retry_after),
            ("redirects", &self.redirects),
            ("mass-delete", &self.mass_delete),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))).collect()
    }
}
