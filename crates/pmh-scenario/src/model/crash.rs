//! Where the harvester dies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A sudden death of the harvester.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Crash {
    /// Where in a list of the run; "before-close" and "after-close" are at the end of the first.
    pub(crate) at: Option<CrashPlace>,
    /// The moment.
    #[schemars(with = "CrashPhase")]
    pub(crate) phase: Spanned<CrashPhase>,
    /// How it is ended: "KILL", or "TERM" for an orderly stop. Default: "KILL".
    pub(crate) signal: Option<Signal>,
}

/// Where in a list a harvester dies.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CrashPlace {
    /// The nth list of the run, from 1. In a later one than the first a harvester dies at page 1, "before-response" or in
    /// "mid-body": that is between two spans of dates. Default: 1.
    #[schemars(with = "Option<u32>")]
    pub(crate) list: Option<Spanned<u32>>,
    /// The page by content, from 1.
    #[schemars(with = "u32")]
    pub(crate) page: Spanned<u32>,
}

/// The moment of a crash, in terms of its page.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CrashPhase {
    /// The page has arrived and nothing of it is committed.
    Uncommitted,
    /// The page is committed, and nothing after it.
    Committed,
    /// The page has been asked for, all before it is committed, and nothing of the answer arrives.
    BeforeResponse,
    /// Half of the page's body has arrived, and all pages before it are committed.
    MidBody,
    /// The page has arrived, nothing of it is committed, and the next is not asked for.
    AfterResponse,
    /// The page has arrived, nothing of it is committed, and the request for the next is not answered.
    NextRequest,
    /// All pages are committed; what comes with the end of the list, such as the watermark, is not.
    BeforeClose,
    /// The end of the list is committed too, and nobody is told.
    AfterClose,
}

/// How a harvester is ended.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
pub(crate) enum Signal {
    /// At once.
    #[serde(rename = "KILL")]
    Kill,
    /// It is asked to, and may finish what it has in hand.
    #[serde(rename = "TERM")]
    Term,
}
