//! The records of a store as one XML document.
//!
//! The wrapper is in no namespace, and every payload stands in it as it was harvested: a self-contained fragment. One
//! that is none, because it uses prefixes that nobody declares, would have the whole document refused; it is written as
//! text, and marked.

use std::io::{self, Write};

use pmh_harvest::Row;
use pmh_protocol::escape_text;
use quick_xml::NsReader;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{NamespaceResolver, PrefixDeclaration, QName, ResolveResult};

/// Writes what stands before the records.
pub(crate) fn begin(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n")
}

/// Writes what stands after them.
pub(crate) fn end(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"</records>\n")
}

/// Writes one record.
pub(crate) fn write_record(
    source: &str,
    prefix: &str,
    row: &Row,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        out,
        "<record source=\"{}\" prefix=\"{}\">",
        escape_text(source),
        escape_text(prefix)
    )?;
    out.write_all(if row.deleted { b"<header status=\"deleted\">" } else { b"<header>" })?;
    write!(out, "<identifier>{}</identifier>", escape_text(&row.identifier))?;
    if let Some(datestamp) = row.datestamp {
        write!(out, "<datestamp>{datestamp}</datestamp>")?;
    }
    for set in &row.sets {
        write!(out, "<setSpec>{}</setSpec>", escape_text(set))?;
    }
    out.write_all(b"</header>\n")?;
    let (harvested, changed, first) = (row.harvested_at, row.changed_at, row.first_seen);
    writeln!(
        out,
        "<kept harvestedAt=\"{harvested}\" changedAt=\"{changed}\" firstSeen=\"{first}\"/>"
    )?;
    if let Some(payload) = &row.payload {
        write_payload("metadata", payload, out)?;
    }
    for about in &row.abouts {
        write_payload("about", about, out)?;
    }
    out.write_all(b"</record>\n")
}

/// Writes what an element of ours holds: as it is where it stands alone, else as text.
fn write_payload(name: &str, fragment: &str, out: &mut impl Write) -> io::Result<()> {
    if stands_alone(fragment) {
        writeln!(out, "<{name}>{fragment}</{name}>")
    } else {
        writeln!(out, "<{name} form=\"text\">{}</{name}>", escape_text(fragment))
    }
}

/// Whether readers that know namespaces take a fragment wherever it stands: every prefix of it is declared in it.
fn stands_alone(fragment: &str) -> bool {
    let mut reader = NsReader::from_str(fragment);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                if !is_bound(&start, reader.resolver()) {
                    return false;
                }
            }
            Ok(Event::Eof) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

/// Whether element and attributes have names that namespaces allow, and none of them twice.
fn is_bound(start: &BytesStart<'_>, resolver: &NamespaceResolver) -> bool {
    let (namespace, local) = resolver.resolve_element(start.name());
    if !is_name(&namespace, local.into_inner()) {
        return false;
    }
    let mut seen = Vec::new();
    for attribute in start.attributes() {
        let Ok(attribute) = attribute else {
            return false;
        };
        let key: QName<'_> = attribute.key;
        match key.as_namespace_binding() {
            // To take a prefix back is allowed by a later version of namespaces only.
            Some(PrefixDeclaration::Named(_)) if attribute.value.is_empty() => return false,
            Some(_) => continue,
            None => {}
        }
        let (namespace, local) = resolver.resolve_attribute(key);
        let name = (format!("{namespace:?}"), local.into_inner().to_owned());
        if !is_name(&namespace, &name.1) || seen.contains(&name) {
            return false;
        }
        seen.push(name);
    }
    true
}

fn is_name(namespace: &ResolveResult<'_>, local: &str) -> bool {
    !matches!(namespace, ResolveResult::Unknown(_)) && !local.contains(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_that_needs_the_declarations_of_others_does_not_stand_alone() {
        for (fragment, expected) in [
            ("<x/>", true),
            ("<a:x xmlns:a='u'><a:y a:z='1' z='2' xml:lang='en'/></a:x>", true),
            ("<x xmlns='u'><y xmlns=''/></x>", true),
            ("<a:x/>", false),
            ("<x><y xmlns:a='u'/><a:z/></x>", false),
            ("<x a:y='1'/>", false),
            ("<x xmlns:a='u' xmlns:b='u' a:y='1' b:y='2'/>", false),
            ("<x xmlns:a='u'><y xmlns:a=''/></x>", false),
            ("<a:b:c xmlns:a='u'/>", false),
        ] {
            assert_eq!(stands_alone(fragment), expected, "{fragment}");
        }
    }

    #[test]
    fn what_does_not_stand_alone_is_written_as_text() {
        let mut out = Vec::new();
        write_payload("about", "<a:x>1 &lt; 2</a:x>", &mut out).expect("memory takes it");
        assert_eq!(out, b"<about form=\"text\">&lt;a:x&gt;1 &amp;lt; 2&lt;/a:x&gt;</about>\n");
    }
}
