//! Layers: where in the making of an answer an effect belongs.

use crate::script::Effect;

/// A stage of an answer. One answer plays at most one effect of each, in this order, whatever the order in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The records, before the page is cut.
    Repo,
    /// The token that the page carries, and what becomes of the one it was asked with.
    Token,
    /// What the document says.
    Oai,
    /// How the document is written.
    Xml,
    /// Status, header fields, body.
    Http,
    /// How the bytes travel.
    Wire,
    /// When.
    Time,
}

impl Layer {
    /// All of them, in the order in which they are applied.
    pub const ALL: [Self; 7] =
        [Self::Repo, Self::Token, Self::Oai, Self::Xml, Self::Http, Self::Wire, Self::Time];
}

impl Effect {
    /// The layer it belongs to.
    #[must_use]
    pub const fn layer(&self) -> Layer {
        match self {
            Self::Repo(_) => Layer::Repo,
            Self::Token(_) => Layer::Token,
            Self::Oai(_) => Layer::Oai,
            Self::Xml(_) => Layer::Xml,
            Self::Http(_) => Layer::Http,
            Self::Wire(_) => Layer::Wire,
            Self::Time(_) => Layer::Time,
        }
    }
}
