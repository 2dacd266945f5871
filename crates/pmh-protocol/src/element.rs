//! A document as elements, for whoever judges how it is written and not only what it says.

use std::sync::Arc;

use crate::error::Complaint;

/// Namespace of every element of the envelope (rule 93).
pub const OAI_NAMESPACE: &str = "http://www.openarchives.org/OAI/2.0/";

/// A well-formed document. Places are byte offsets in [`Tree::text`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The document as text, decoded and with what XML forbids replaced.
    pub text: String,
    /// Its root.
    pub root: Element,
    /// What had to be survived to read it: bytes, characters, junk around the root.
    pub complaints: Vec<Complaint>,
}

/// One element with everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name as written, prefix included.
    pub qualified: String,
    /// The namespace it is in; empty for none. A prefix that nobody declares gives none.
    pub namespace: Arc<str>,
    /// Attributes in document order, namespace declarations not among them.
    pub attributes: Vec<Attribute>,
    /// The namespaces declared on this very element: prefix (empty for the default) and namespace.
    pub declarations: Vec<(String, Arc<str>)>,
    /// Element children in document order.
    pub children: Vec<Self>,
    /// Its own text, that of its children left out; references resolved.
    pub text: String,
    /// Where its `<` stands.
    pub start: usize,
    /// Where what follows its end tag stands.
    pub end: usize,
}

/// An attribute that declares nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name as written, prefix included.
    pub qualified: String,
    /// The namespace of its prefix; empty for none.
    pub namespace: Arc<str>,
    /// Its value, references resolved.
    pub value: String,
}

impl Element {
    /// Its name without prefix.
    #[must_use]
    pub fn name(&self) -> &str {
        self.qualified.split_once(':').map_or(self.qualified.as_str(), |(_, name)| name)
    }

    /// The prefix of its name; empty for none.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.qualified.split_once(':').map_or("", |(prefix, _)| prefix)
    }

    /// Whether it is the element `name` of the envelope.
    #[must_use]
    pub fn is_oai(&self, name: &str) -> bool {
        &*self.namespace == OAI_NAMESPACE && self.name() == name
    }

    /// The children of this name in the envelope's namespace.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.is_oai(name))
    }

    /// The first of them.
    #[must_use]
    pub fn first(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.is_oai(name))
    }

    /// Its own text without white space around it.
    #[must_use]
    pub fn trimmed(&self) -> &str {
        self.text.trim_matches([' ', '\t', '\r', '\n'])
    }

    /// The value of the attribute with this name and no prefix.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|each| each.qualified == name).map(|each| each.value.as_str())
    }

    /// The value of the attribute with this local name in `namespace`.
    #[must_use]
    pub fn attribute_in(&self, namespace: &str, name: &str) -> Option<&str> {
        let is_it = |each: &&Attribute| {
            &*each.namespace == namespace
                && each.qualified.split_once(':').is_some_and(|(_, local)| local == name)
        };
        self.attributes.iter().find(is_it).map(|each| each.value.as_str())
    }
}
