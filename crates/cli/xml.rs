//! The records of a store as one XML document.
//!
//! The wrapper is in no namespace, and every payload stands in it as it was harvested: a self-contained fragment.

use std::io::{self, Write};

use pmh_harvest::Row;
use pmh_protocol::escape_text;

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
        writeln!(out, "<metadata>{payload}</metadata>")?;
    }
    for about in &row.abouts {
        writeln!(out, "<about>{about}</about>")?;
    }
    out.write_all(b"</record>\n")
}
