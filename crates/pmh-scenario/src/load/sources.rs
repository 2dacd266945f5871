//! The files that a scenario is made of, laid end to end, so that one number names a place in any of them.

use std::sync::Arc;

use crate::finding::place;

/// Reads a file by its path below the scenario folder, such as `base/two-hundred.toml`; what it says when there is
/// none becomes part of a finding.
pub type ReadFile<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// One file of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path below the scenario folder.
    pub path: String,
    /// Its whole text.
    pub text: String,
}

/// All files of a scenario, in the order they were read: the scenario's own comes first and begins at 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    files: Vec<(usize, Arc<SourceFile>)>,
}

impl Sources {
    /// Adds a file; where its first byte lies.
    pub(crate) fn add(&mut self, path: String, text: String) -> usize {
        // One byte between two files: an end is never also a beginning.
        let start = self.files.last().map_or(0, |(start, file)| start + file.text.len() + 1);
        self.files.push((start, Arc::new(SourceFile { path, text })));
        start
    }

    /// The file in which this place lies, by its position, and where it begins.
    pub(crate) fn at(&self, place: usize) -> (usize, usize, &Arc<SourceFile>) {
        let after = self.files.partition_point(|(start, _)| *start <= place);
        let index = after.saturating_sub(1);
        let (start, file) = &self.files[index];
        (index, *start, file)
    }

    /// The line of this place in its own file, from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        let (_, start, file) = self.at(at);
        place(&file.text, at - start).0
    }
}

/// What `relative` names for whoever stands in the file at `base`; both are paths below the scenario folder.
pub(crate) fn resolve(base: &str, relative: &str) -> Result<String, String> {
    let is_absolute = relative.starts_with('/') || relative.contains(':');
    if relative.is_empty() || is_absolute || relative.contains('\\') {
        return Err(
            "a path is relative to the file that names it, with `/` between its parts".to_owned()
        );
    }
    let mut parts: Vec<&str> = base.split('/').collect();
    parts.pop();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_belongs_to_the_file_it_lies_in() {
        let mut sources = Sources::default();
        assert_eq!(sources.add("a".into(), "12345".into()), 0);
        assert_eq!(sources.add("b".into(), "12".into()), 6);
        for (place, index) in [(0, 0), (5, 0), (6, 1), (8, 1), (99, 1)] {
            assert_eq!(sources.at(place).0, index, "place {place}");
        }
    }

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        for (base, relative, expected) in [
            ("token/ring.toml", "page1.xml", "token/page1.xml"),
            ("token/ring.toml", "../base/two.toml", "base/two.toml"),
            ("ring.toml", "./x/../y.xml", "y.xml"),
            ("ring.toml", "../y.xml", "../y.xml"),
            ("ring.toml", "../../y.xml", "../../y.xml"),
        ] {
            assert_eq!(resolve(base, relative).as_deref(), Ok(expected), "{relative}");
        }
        for relative in ["", "/etc/hosts", "C:/x", "a\\b", "https://example.org/x"] {
            assert!(resolve("a.toml", relative).is_err(), "took `{relative}`");
        }
    }
}
