//! The two things a specimen touches: a wire to a repository and a shelf for what it brings home.

use pmh_protocol::{Header, HttpPage, HttpRequest, Lost, Record, Stamp};

/// A way to a repository.
pub trait Wire {
    /// Sends a request and waits for the whole answer.
    ///
    /// # Errors
    /// When there is no whole answer, or the harvester must die here.
    fn send(&mut self, request: &HttpRequest, redirects: Redirects) -> Result<HttpPage, Halt>;

    /// Waits before the next request, on the clock that Retry-After is judged by.
    ///
    /// # Errors
    /// When the harvester must die here.
    fn wait(&mut self, seconds: u64) -> Result<(), Halt>;

    /// What the harvester's own calendar clock says.
    fn now(&self) -> Stamp;
}

/// What becomes of redirects, which HTTP libraries follow for their users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// They are followed, and arguments that one of them lost are given back.
    Follow,
    /// They are followed, however many there are.
    ForEver,
    /// They are followed to the letter.
    ToTheLetter,
    /// They are answers like any other.
    Ignore,
}

/// A place for rows, one cursor and one watermark; all outlive the specimen. Every call is a crash place, and is durable
/// when it returns `Ok`; a call that returns an error has done nothing.
pub trait Shelf {
    /// Stores the rows of one page together. It is called once a page, for pages without entries too.
    ///
    /// # Errors
    /// When the harvester must die here.
    fn put_rows(&mut self, rows: &[Row<'_>]) -> Result<(), Halt>;

    /// Stores where to go on: a token, or `None` when nothing is unfinished.
    ///
    /// # Errors
    /// When the harvester must die here.
    fn put_cursor(&mut self, cursor: Option<&str>) -> Result<(), Halt>;

    /// The cursor stored last.
    fn cursor(&self) -> Option<String>;

    /// Stores up to when everything is held. It is called once when a list is complete, and not before.
    ///
    /// # Errors
    /// When the harvester must die here.
    fn put_watermark(&mut self, watermark: Option<Stamp>) -> Result<(), Halt>;

    /// The watermark stored last.
    fn watermark(&self) -> Option<Stamp>;
}

/// What is to be done to a shelf, which is a list and not a map: a specimen that adds where it should replace
/// really gets two rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row<'a> {
    /// Takes the place of every row with its identifier, or is added when there is none.
    Upsert(&'a Record),
    /// Is added, whatever there is.
    Insert(&'a Record),
    /// Is added when there is no row with its identifier.
    Keep(&'a Record),
    /// A tombstone takes the place of every row with its identifier, or is added when there is none.
    Withdraw(&'a Header),
    /// A live row without payload takes the place of every row with its identifier, or is added.
    Hollow(&'a Header),
}

/// Why a specimen cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The answer did not arrive whole; the specimen lives and may ask again.
    Lost(Lost),
    /// It is dead: nothing after this point happened.
    Killed,
    /// The budget of the scenario is spent.
    OverBudget,
}
