//! Several files become one table: what a file extends, from left to right, then the file itself.
//!
//! Tables are merged key by key; `[[fault]]`, `[[run]]` and `[[reply]]` are appended, and an entry with the name of an
//! earlier one takes its place. Everything keeps the place it was written at, whichever file that is: each text is
//! parsed behind as many line breaks as there are bytes before it in [`Sources`].

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::sources::{ReadFile, Sources, resolve};
use crate::finding::Finding;
use crate::shape::parsed;

/// The largest file that is read.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Files that extend each other in a row; more is no composition that a reader could follow.
const DEPTH_MAX: usize = 8;
/// Files of one scenario.
const FILES_MAX: usize = 32;
/// Lists of named entries, appended where everything else is replaced.
const APPENDED: [&str; 3] = ["fault", "run", "reply"];
/// Keys whose value takes one of several forms: another form replaces the former whole.
const CHOICES: [&str; 5] = ["records", "stamps", "ttl", "cursor", "list-size"];

/// The texts of a scenario's files, each behind its line breaks, and which extends which.
pub(super) struct Family {
    texts: Vec<String>,
    root: Node,
}

#[derive(Default)]
struct Node {
    text: usize,
    bases: Vec<Self>,
}

/// Reads whatever the scenario's own text extends.
pub(super) fn gather(
    path: &str,
    text: &str,
    sources: &mut Sources,
    read: &ReadFile<'_>,
) -> Result<Family, Vec<Finding>> {
    let mut gathering = Gathering { sources, read, chain: Vec::new(), texts: Vec::new() };
    let root = gathering.file(path.to_owned(), text.to_owned(), None)?;
    Ok(Family { texts: gathering.texts, root })
}

impl Family {
    /// All of it as one table.
    pub(super) fn table(&self) -> Result<DeTable<'_>, Vec<Finding>> {
        self.merged(&self.root)
    }

    fn merged(&self, node: &Node) -> Result<DeTable<'_>, Vec<Finding>> {
        let mut whole = DeTable::new();
        for base in &node.bases {
            merge(&mut whole, self.merged(base)?, true);
        }
        merge(&mut whole, parsed(&self.texts[node.text])?, true);
        Ok(whole)
    }
}

struct Gathering<'a> {
    sources: &'a mut Sources,
    read: &'a ReadFile<'a>,
    /// The files being read, each because of the one before it.
    chain: Vec<String>,
    texts: Vec<String>,
}

impl Gathering<'_> {
    /// `mention` is where the file was asked for; the scenario's own was not.
    fn file(
        &mut self,
        path: String,
        text: String,
        mention: Option<&Spanned<String>>,
    ) -> Result<Node, Vec<Finding>> {
        if text.len() > TEXT_BYTES_MAX {
            let message = format!(
                "the file has {} bytes, more than the limit of {TEXT_BYTES_MAX}",
                text.len()
            );
            if mention.is_none() {
                self.sources.add(path, text);
            }
            return Err(vec![Finding::error(mention.map_or(0..0, Spanned::span), message, "")]);
        }
        let start = self.sources.add(path.clone(), text.clone());
        let index = self.texts.len();
        self.texts.push(format!("{:\n<start$}{text}", ""));
        let bases = extended(&parsed(&self.texts[index])?);
        self.chain.push(path.clone());
        let bases = bases.iter().map(|base| self.base(&path, base)).collect::<Result<_, _>>()?;
        self.chain.pop();
        Ok(Node { text: index, bases })
    }

    fn base(&mut self, path: &str, base: &Spanned<String>) -> Result<Node, Vec<Finding>> {
        let wrong = |message: String| vec![Finding::error(base.span(), message, "")];
        let found = resolve(path, base.get_ref()).map_err(wrong)?;
        if let Some(first) = self.chain.iter().position(|earlier| *earlier == found) {
            let mut ring: Vec<&str> = self.chain[first..].iter().map(String::as_str).collect();
            ring.push(&found);
            return Err(wrong(format!("files extend each other in a ring: {}", ring.join(" -> "))));
        }
        if self.chain.len() >= DEPTH_MAX {
            return Err(wrong(format!("more than {DEPTH_MAX} files extend each other")));
        }
        if self.texts.len() >= FILES_MAX {
            return Err(wrong(format!("a scenario is made of more than {FILES_MAX} files")));
        }
        let bytes =
            (self.read)(&found).map_err(|why| wrong(format!("failed to read `{found}`: {why}")))?;
        let text =
            String::from_utf8(bytes).map_err(|_| wrong(format!("`{found}` is not UTF-8")))?;
        self.file(found, text, Some(base))
    }
}

/// What a file extends. Whatever is no list of strings is left to the check of the shape.
fn extended(table: &DeTable<'_>) -> Vec<Spanned<String>> {
    let Some(DeValue::Array(array)) = table.get("extends").map(Spanned::get_ref) else {
        return Vec::new();
    };
    let name = |entry: &Spanned<DeValue<'_>>| {
        entry.get_ref().as_str().map(|name| Spanned::new(entry.span(), name.to_owned()))
    };
    array.iter().filter_map(name).collect()
}

/// Puts `over` upon `whole`.
fn merge<'i>(whole: &mut DeTable<'i>, over: DeTable<'i>, is_top: bool) {
    for (key, value) in over {
        let name = key.get_ref().as_ref();
        match (whole.get_mut(name).map(Spanned::get_mut), value.get_ref()) {
            (Some(DeValue::Array(entries)), DeValue::Array(added))
                if is_top && APPENDED.contains(&name) =>
            {
                append(entries, added);
            }
            (Some(DeValue::Table(old)), DeValue::Table(new))
                if !CHOICES.contains(&name) || old.keys().eq(new.keys()) =>
            {
                merge(old, new.clone(), false);
            }
            _ => {
                // The key in the map must be the one written last: its place is what is shown.
                whole.remove(name);
                whole.insert(key, value);
            }
        }
    }
}

fn append<'i>(entries: &mut DeArray<'i>, added: &DeArray<'i>) {
    for entry in added {
        let name = name_of(entry);
        let earlier =
            name.and_then(|name| entries.iter().position(|earlier| name_of(earlier) == Some(name)));
        match earlier {
            Some(earlier) => entries.as_mut()[earlier] = entry.clone(),
            None => entries.push(entry.clone()),
        }
    }
}

/// The name of an entry of a list.
pub(super) fn name_of<'a>(entry: &'a Spanned<DeValue<'_>>) -> Option<&'a str> {
    entry.get_ref().as_table()?.get("name")?.get_ref().as_str()
}
