//! An answer word for word.

use std::sync::Arc;

use super::{When, WireEffect};

/// An answer word for word. The first that fits a request answers it.
#[derive(Clone, Debug)]
pub struct LiteralReply {
    /// Its name, as journals and verdicts print it.
    pub name: String,
    /// Which requests it fits.
    pub when: When,
    /// What it holds.
    pub content: Content,
    /// HTTP status.
    pub status: u16,
    /// Header fields in the order to send.
    pub headers: Vec<(String, String)>,
    /// How its bytes travel, where that is not well.
    pub wire: Option<WireEffect>,
    /// At most so many answers.
    pub times: Option<u32>,
    /// Whether the scenario is still worth something when it never answers.
    pub optional: bool,
}

/// What a literal reply holds. `{{nonce}}` and `{{now+2s}}` in it are filled in when it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The body, byte for byte.
    Body(Arc<[u8]>),
    /// What stands inside the OAI-PMH element behind responseDate and request.
    Inside(Arc<[u8]>),
}
