//! Where in a harvest something is due.

/// A place in a harvest. All that is given must hold; what is absent matches anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct When {
    /// Name of the run.
    pub run: Option<String>,
    /// The nth list of the run, from 1: a list verb without a token starts one.
    pub list: Option<u32>,
    /// The nth page of the list by content, from 1: the page that the request asks for.
    pub page: Option<u32>,
    /// The request carries the nth token issued in the list, from 1; 0 is the opening request.
    pub token: Option<u32>,
    /// How often this page of this list has been asked for, from 1.
    pub attempt: Option<u32>,
}
