//! Where in a harvest something is due.

use pmh_protocol::{Method, Stamp};

use crate::pattern::Pattern;

/// A place in a harvest. All that is given must hold; what is absent matches anything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct When {
    /// Name of the run.
    pub run: Option<String>,
    /// The verb of the request.
    pub verb: Option<String>,
    /// Arguments of the request, decoded; others may stand beside them.
    pub args: Vec<(String, String)>,
    /// The nth list of the run, from 1: a list verb without a token starts one.
    pub list: Option<u32>,
    /// The nth page of the list by content, from 1: the page that the request asks for.
    pub page: Option<u32>,
    /// The request carries the nth token issued in the list, from 1; 0 is the opening request.
    pub token: Option<u32>,
    /// The page that holds the nth record of the list, from 1.
    pub record: Option<u32>,
    /// How often this page of this list has been asked for, from 1.
    pub attempt: Option<u32>,
    /// So many seconds after the beginning of the run on the repository's clock, or later.
    pub after_seconds: Option<i64>,
    /// The share of the requests that is hit, from 0 to 1; see [`crate::is_hit`].
    pub chance: Option<f64>,
    /// The nth request of the run, from 1.
    pub request: Option<u32>,
    /// What the request looks like.
    pub matching: Match,
}

/// What a request looks like. All that is given must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Match {
    /// Names of arguments that are not there.
    pub absent: Vec<String>,
    /// The first and the last second of a span that lies between the request's from and until as a whole.
    pub contains_window: Option<(Stamp, Stamp)>,
    /// What is found in the query as it was sent.
    pub query_regex: Option<Pattern>,
    /// The whole query as it was sent.
    pub raw_query: Option<String>,
    /// The path of the URL.
    pub path: Option<String>,
    /// How it is sent.
    pub method: Option<Method>,
    /// Names of header fields, and what their values contain.
    pub headers: Vec<(String, String)>,
}
