//! How a repository keeps the protocol, or fails to: words that the file and the script share.
//!
//! What the protocol wants, or what it leaves open and most repositories do, is the default everywhere.

mod announced; // what a token says besides itself
mod dates; // how dates are written, and what dates select
mod identify; // what a repository says of itself
mod paging; // how lists are cut into pages
mod tokens; // how long tokens live, and where

pub use announced::{Announced, Cursor, Expiration, ListSize};
pub use dates::{Dates, DatestampForm, Earliest, Filter, Ignored, ResponseDate, UntilDay};
pub use identify::IdentifyTexts;
pub use paging::{Cap, CapEnd, Hidden, ListKind, Order, Paging};
pub use tokens::{Advances, AfterEnd, Bound, TokenLife};
