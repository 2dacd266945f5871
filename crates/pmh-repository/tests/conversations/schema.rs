//! What OAI-PMH.xsd asks of a document, told again as a table and walked with an XML reader that this project's own
//! reader and writer know nothing of.
//!
//! The schema of the protocol (targetNamespace http://www.openarchives.org/OAI/2.0/) states no licence, so no copy of it
//! is kept here. Told are its sequences with their counts, its attributes, and its simple types; what stands in
//! metadata, about and description must be one element of another namespace, as its wildcards want.

use quick_xml::NsReader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

const NAMESPACE: &str = "http://www.openarchives.org/OAI/2.0/";
const MANY: usize = usize::MAX;

/// Children in order, each with the least and the greatest number.
type Sequence = &'static [(&'static str, usize, usize)];

/// Children of each complex type.
const CHILDREN: &[(&str, Sequence)] = &[
    ("ListMetadataFormats", &[("metadataFormat", 1, MANY)]),
    ("metadataFormat", &[("metadataPrefix", 1, 1), ("schema", 1, 1), ("metadataNamespace", 1, 1)]),
    ("ListSets", &[("set", 1, MANY), ("resumptionToken", 0, 1)]),
    ("set", &[("setSpec", 1, 1), ("setName", 1, 1), ("setDescription", 0, MANY)]),
    ("GetRecord", &[("record", 1, 1)]),
    ("ListRecords", &[("record", 1, MANY), ("resumptionToken", 0, 1)]),
    ("ListIdentifiers", &[("header", 1, MANY), ("resumptionToken", 0, 1)]),
    ("record", &[("header", 1, 1), ("metadata", 0, 1), ("about", 0, MANY)]),
    ("header", &[("identifier", 1, 1), ("datestamp", 1, 1), ("setSpec", 0, MANY)]),
    (
        "Identify",
        &[
            ("repositoryName", 1, 1),
            ("baseURL", 1, 1),
            ("protocolVersion", 1, 1),
            ("adminEmail", 1, MANY),
            ("earliestDatestamp", 1, 1),
            ("deletedRecord", 1, 1),
            ("granularity", 1, 1),
            ("compression", 0, MANY),
            ("description", 0, MANY),
        ],
    ),
];

/// Attributes that an element may have, each with its type; no others.
const ATTRIBUTES: &[(&str, &[(&str, Type)])] = &[
    (
        "request",
        &[
            ("verb", Type::Words(VERBS)),
            ("identifier", Type::Uri),
            ("metadataPrefix", Type::Name),
            ("from", Type::Date),
            ("until", Type::Date),
            ("set", Type::SetSpec),
            ("resumptionToken", Type::Text),
        ],
    ),
    ("error", &[("code", Type::Words(CODES))]),
    ("header", &[("status", Type::Words(&["deleted"]))]),
    (
        "resumptionToken",
        &[
            ("expirationDate", Type::Second),
            ("completeListSize", Type::Count { least: 1 }),
            ("cursor", Type::Count { least: 0 }),
        ],
    ),
];

const TEXTS: &[(&str, Type)] = &[
    ("responseDate", Type::Second),
    ("request", Type::Uri),
    ("error", Type::Text),
    ("repositoryName", Type::Text),
    ("baseURL", Type::Uri),
    ("protocolVersion", Type::Words(&["2.0"])),
    ("adminEmail", Type::Email),
    ("earliestDatestamp", Type::Date),
    ("deletedRecord", Type::Words(&["no", "persistent", "transient"])),
    ("granularity", Type::Words(&["YYYY-MM-DD", "YYYY-MM-DDThh:mm:ssZ"])),
    ("compression", Type::Text),
    ("metadataPrefix", Type::Name),
    ("schema", Type::Uri),
    ("metadataNamespace", Type::Uri),
    ("setSpec", Type::SetSpec),
    ("setName", Type::Text),
    ("identifier", Type::Uri),
    ("datestamp", Type::Date),
    ("resumptionToken", Type::Text),
];

const VERBS: &[&str] =
    &["Identify", "ListMetadataFormats", "ListSets", "GetRecord", "ListIdentifiers", "ListRecords"];
const CODES: &[&str] = &[
    "cannotDisseminateFormat",
    "idDoesNotExist",
    "badArgument",
    "badVerb",
    "noMetadataFormats",
    "noRecordsMatch",
    "badResumptionToken",
    "noSetHierarchy",
];
/// Elements that hold one element of another namespace.
const WILD: &[&str] = &["metadata", "about", "description", "setDescription"];

#[derive(Clone, Copy)]
enum Type {
    Text,
    Uri,
    Name,
    SetSpec,
    Second,
    Date,
    Email,
    Count { least: u64 },
    Words(&'static [&'static str]),
}

impl Type {
    fn takes(self, text: &str) -> bool {
        let is_name = |text: &str| {
            !text.is_empty()
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.!~*'()".contains(c))
        };
        let fits = |pattern: &str| {
            text.len() == pattern.len()
                && text.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
                    b'0' => byte.is_ascii_digit(),
                    _ => byte == wanted,
                })
        };
        match self {
            Self::Text => true,
            Self::Uri => text.contains(':') && !text.contains(char::is_whitespace),
            Self::Name => is_name(text),
            Self::SetSpec => text.split(':').all(is_name),
            Self::Second => fits("0000-00-00T00:00:00Z"),
            Self::Date => fits("0000-00-00T00:00:00Z") || fits("0000-00-00"),
            Self::Email => text.split_once('@').is_some_and(|(user, host)| {
                !user.is_empty() && host.split('.').count() > 1 && !text.contains(' ')
            }),
            Self::Count { least } => text.parse::<u64>().is_ok_and(|count| count >= least),
            Self::Words(words) => words.contains(&text),
        }
    }
}

/// An element with what is in it.
#[derive(Default)]
struct Element {
    namespace: String,
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<Self>,
}

/// What a document has that the schema does not allow.
pub(crate) fn violations(document: &str) -> Vec<String> {
    let root = match read(document) {
        Ok(root) => root,
        Err(error) => return vec![error],
    };
    let mut found = Vec::new();
    if (root.namespace.as_str(), root.name.as_str()) != (NAMESPACE, "OAI-PMH") {
        found.push(format!("the root is `{}` of `{}`", root.name, root.namespace));
    }
    let names: Vec<&str> = root.children.iter().map(|child| child.name.as_str()).collect();
    let answers = names.get(2..).unwrap_or_default();
    let is_errors = !answers.is_empty() && answers.iter().all(|name| *name == "error");
    let is_verb = answers.len() == 1 && VERBS.contains(&answers[0]);
    if names.get(..2) != Some(&["responseDate", "request"]) || !(is_errors || is_verb) {
        found.push(format!("the root holds {names:?}"));
    }
    root.children.iter().for_each(|child| check(child, &mut found));
    found
}

fn check(element: &Element, found: &mut Vec<String>) {
    let name = element.name.as_str();
    if element.namespace != NAMESPACE {
        found.push(format!("`{name}` is of the namespace `{}`", element.namespace));
        return;
    }
    let allowed = of(ATTRIBUTES, name).unwrap_or_default();
    for (attribute, value) in &element.attributes {
        match of(allowed, attribute) {
            Some(kind) if kind.takes(value) => {}
            Some(_) => found.push(format!("`{name}` has {attribute}=`{value}`")),
            None => found.push(format!("`{name}` has an attribute `{attribute}`")),
        }
    }
    if WILD.contains(&name) {
        let [only] = &element.children[..] else {
            found.push(format!("`{name}` holds {} elements", element.children.len()));
            return;
        };
        if only.namespace == NAMESPACE || only.namespace.is_empty() {
            found.push(format!("`{name}` holds `{}` of `{}`", only.name, only.namespace));
        }
        return;
    }
    if let Some(kind) = of(TEXTS, name) {
        if !element.children.is_empty() || !kind.takes(&element.text) {
            found.push(format!("`{name}` says `{}`", element.text));
        }
        return;
    }
    let Some(sequence) = of(CHILDREN, name) else {
        found.push(format!("there is no element `{name}`"));
        return;
    };
    if !element.text.trim().is_empty() {
        found.push(format!("`{name}` says `{}`", element.text));
    }
    let mut rest = &element.children[..];
    for (child, least, most) in sequence {
        let count = rest.iter().take_while(|found| found.name == *child).count();
        if count < *least || count > *most {
            found.push(format!("`{name}` holds {count} times `{child}`"));
        }
        rest = &rest[count..];
    }
    if let Some(child) = rest.first() {
        found.push(format!("`{name}` holds `{}` where it should not", child.name));
    }
    element.children.iter().for_each(|child| check(child, found));
}

fn of<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The document as a tree.
fn read(document: &str) -> Result<Element, String> {
    let mut reader = NsReader::from_str(document);
    let mut open = vec![Element::default()];
    loop {
        let (namespace, event) = reader.read_resolved_event().map_err(|error| error.to_string())?;
        let namespace = match namespace {
            ResolveResult::Bound(namespace) => namespace.0.to_owned(),
            ResolveResult::Unbound | ResolveResult::Unknown(_) => String::new(),
        };
        match event {
            Event::Start(tag) => open.push(begin(&tag, namespace)?),
            Event::Empty(tag) => {
                let element = begin(&tag, namespace)?;
                open.last_mut().ok_or("an element after the end")?.children.push(element);
            }
            Event::End(_) => {
                let element = open.pop().ok_or("an end without a beginning")?;
                open.last_mut().ok_or("an end without a beginning")?.children.push(element);
            }
            Event::Text(text) => {
                open.last_mut().ok_or("text after the end")?.text.push_str(&text);
            }
            Event::GeneralRef(entity) => {
                let name: &str = &entity;
                let text =
                    unescape(&format!("&{name};")).map_err(|error| error.to_string())?.into_owned();
                open.last_mut().ok_or("text after the end")?.text.push_str(&text);
            }
            Event::Eof => break,
            Event::CData(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
    }
    let mut top = open.pop().ok_or("nothing was read")?;
    if !open.is_empty() || top.children.len() != 1 {
        return Err("the document has no single root that ends".to_owned());
    }
    top.children.pop().ok_or_else(|| "nothing was read".to_owned())
}

/// The element of a tag, with its attributes but for declarations and what belongs to XML Schema itself.
fn begin(tag: &BytesStart<'_>, namespace: String) -> Result<Element, String> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let key = attribute.key.0.to_owned();
        let value = unescape(&attribute.value).map_err(|error| error.to_string())?.into_owned();
        if key != "xmlns" && !key.starts_with("xmlns:") && !key.starts_with("xsi:") {
            attributes.push((key, value));
        }
    }
    let name = tag.local_name().into_inner().to_owned();
    Ok(Element { namespace, name, attributes, ..Element::default() })
}
