//! Rows in files of XML: every OAI-PMH `header` element in a folder is one.

use std::fs;
use std::path::{Path, PathBuf};

use pmh_oracle::HeldRow;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::lines::keep_latest;
use super::reader::{Read, text_of};

/// Folders are searched this deep.
const DEPTH_MAX: usize = 16;

/// The rows of every file below the folder, in the order of their names; a folder that is not there is empty.
pub(super) fn read(folder: &Path) -> Result<Read, String> {
    if !folder.exists() {
        return Ok(Read::nothing_at(folder));
    }
    let mut files = Vec::new();
    search(folder, DEPTH_MAX, &mut files)?;
    files.sort();
    let mut found = Read::default();
    for file in &files {
        let Some(text) = text_of(file)? else { continue };
        let name = file.strip_prefix(folder).unwrap_or(file).display();
        let rows = headers(&text);
        if rows.is_empty() {
            found.passed_over.push(format!("`{name}` of its store: no OAI-PMH header in it"));
        }
        found.rows.extend(rows);
    }
    keep_latest(&mut found.rows);
    Ok(found)
}

fn search(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.is_dir() && depth > 0 {
            search(&path, depth - 1, files)?;
        } else if path.extension().is_some_and(|ending| ending == "xml") {
            files.push(path);
        }
    }
    Ok(())
}

/// Every header of a document, up to where it cannot be read any more.
fn headers(text: &str) -> Vec<HeldRow> {
    let mut reader = Reader::from_str(text);
    let mut rows = Vec::new();
    let mut row: Option<HeldRow> = None;
    let mut field = None;
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(start) => match start.local_name().as_ref() {
                "header" => row = Some(begun(&start)),
                "identifier" if row.is_some() => field = Some(Field::Identifier),
                "datestamp" if row.is_some() => field = Some(Field::Datestamp),
                _ => field = None,
            },
            Event::Text(text) => put(row.as_mut(), field, text.trim()),
            // An ampersand in an identifier comes as an event of its own.
            Event::GeneralRef(entity) => {
                let written = format!("&{};", &*entity);
                let text = quick_xml::escape::unescape(&written).unwrap_or_default().into_owned();
                put(row.as_mut(), field, &text);
            }
            Event::End(end) => {
                field = None;
                if end.local_name().as_ref() == "header" {
                    rows.extend(row.take().filter(|row| !row.identifier.is_empty()));
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    rows
}

#[derive(Clone, Copy)]
enum Field {
    Identifier,
    Datestamp,
}

fn put(row: Option<&mut HeldRow>, field: Option<Field>, text: &str) {
    let Some(row) = row else { return };
    match field {
        Some(Field::Identifier) => row.identifier.push_str(text),
        Some(Field::Datestamp) if !text.is_empty() => {
            row.datestamp.get_or_insert_default().push_str(text);
        }
        _ => {}
    }
}

fn begun(start: &BytesStart<'_>) -> HeldRow {
    let status = start.attributes().flatten().find(|found| found.key.as_ref() == "status");
    HeldRow {
        identifier: String::new(),
        datestamp: None,
        deleted: status.is_some_and(|status| status.value.as_ref() == "deleted"),
        digest: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_in_a_folder_is_a_row_and_the_later_file_counts() {
        let folder = tempfile::tempdir().unwrap();
        let header = |attributes: &str, name: &str| {
            format!(
                "<record xmlns=\"http://www.openarchives.org/OAI/2.0/\"><header{attributes}>\
                 <identifier>{name}</identifier><datestamp>2024-01-01</datestamp></header></record>"
            )
        };
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("1.xml", &format!("<l>{}{}</l>", header("", "a&amp;b"), header("", "c")));
        write("2.xml", &header(" status=\"deleted\"", "c"));
        write("3.xml", "<dc/>");
        write("4.txt", "nothing");
        let found = read(folder.path()).unwrap();
        let rows: Vec<_> = found
            .rows
            .iter()
            .map(|row| (row.identifier.as_str(), row.deleted, row.datestamp.as_deref()))
            .collect();
        assert_eq!(rows, [("a&b", false, Some("2024-01-01")), ("c", true, Some("2024-01-01"))]);
        assert_eq!(found.passed_over, ["`3.xml` of its store: no OAI-PMH header in it"]);
        assert!(read(&folder.path().join("none")).unwrap().rows.is_empty());
    }
}
