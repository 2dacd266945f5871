//! What lies in a stranger's store, in the oracle's words.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pmh_oracle::HeldRow;

use super::harvester::{Values, fill};
use super::output::output_of;
use super::{lines, sqlite, xml_dir};

/// The largest file of a store that is read, and the most that a command may print.
const BYTES_MAX: u64 = 256 << 20;
/// How long a command or a query may take to say what a store holds.
const READING: Duration = Duration::from_secs(60);
/// Sentences on what was passed over; the rest is counted.
const TOLD_MAX: usize = 3;

/// Where a harvester's records lie. Paths are below the harvester's own folder, and `{work}` stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreReader {
    /// A file of JSON objects, one a line: `identifier`, and where known `datestamp`, `deleted`, `metadata`. It is read
    /// as a log: of two lines with one identifier the later counts.
    Jsonl(String),
    /// A folder of XML files with OAI-PMH `header` elements, read in the order of their names as a log.
    XmlDir(String),
    /// An SQLite file, and a query that yields columns named `identifier`, and where known `datestamp`, `deleted`,
    /// `metadata`.
    Sqlite {
        /// The file.
        file: String,
        /// The query.
        query: String,
    },
    /// A command that prints such JSON lines.
    Command(Vec<String>),
    /// Nobody can see it: only requests and ends of runs are judged.
    Unread,
}

/// What a reader found.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) rows: Vec<HeldRow>,
    /// What was passed over, a sentence each.
    pub(super) passed_over: Vec<String>,
}

impl Read {
    /// Nothing, because there is nothing at this place. A run that kept nothing may be right, and a place that was misspelt
    /// looks the same.
    pub(super) fn nothing_at(path: &Path) -> Self {
        let name = path.file_name().unwrap_or(path.as_os_str()).display();
        let passed_over = vec![format!("there is no `{name}`: its store counts as empty")];
        Self { rows: Vec::new(), passed_over }
    }

    /// With no more sentences than anybody reads.
    fn told_in_short(mut self) -> Self {
        let rest = self.passed_over.len().saturating_sub(TOLD_MAX);
        if rest > 0 {
            self.passed_over.truncate(TOLD_MAX);
            self.passed_over.push(format!("and {rest} more like this"));
        }
        self
    }
}

impl StoreReader {
    /// Reads `jsonl=PATH`, `xml-dir=PATH`, `sqlite=FILE:QUERY`, `command=COMMAND` or `none`; `split` makes words of a
    /// command as a shell would.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(
        text: &str,
        split: impl Fn(&str) -> Result<Vec<String>, String>,
    ) -> Result<Self, String> {
        let form = || {
            format!(
                "`{text}` is no store: write `jsonl=PATH`, `xml-dir=PATH`, `sqlite=FILE:QUERY`, `command=COMMAND` \
                 or `none`"
            )
        };
        match text.split_once('=') {
            None if text == "none" => Ok(Self::Unread),
            Some(("jsonl", path)) if !path.is_empty() => Ok(Self::Jsonl(path.to_owned())),
            Some(("xml-dir", path)) if !path.is_empty() => Ok(Self::XmlDir(path.to_owned())),
            Some(("sqlite", rest)) => {
                let (file, query) = rest.split_once(':').ok_or_else(form)?;
                Ok(Self::Sqlite { file: file.to_owned(), query: query.to_owned() })
            }
            Some(("command", command)) if !command.trim().is_empty() => {
                Ok(Self::Command(split(command)?))
            }
            _ => Err(form()),
        }
    }

    /// Whether it can see rows at all.
    pub(super) const fn sees_rows(&self) -> bool {
        !matches!(self, Self::Unread)
    }

    /// Whether two rows of one identifier would show.
    pub(super) const fn sees_doubles(&self) -> bool {
        matches!(self, Self::Sqlite { .. } | Self::Command(_))
    }

    /// The rows that lie there now. A store that is not there yet is empty.
    pub(super) fn read(&self, values: &Values<'_>) -> Result<Read, String> {
        let place = |path: &str| -> PathBuf {
            values.work.join(fill(path, values).unwrap_or_else(|| path.to_owned()))
        };
        let read = match self {
            Self::Unread => Read::default(),
            Self::Jsonl(path) => match text_of(&place(path))? {
                Some(text) => lines::read(&text, true),
                None => Read::nothing_at(&place(path)),
            },
            Self::XmlDir(path) => xml_dir::read(&place(path))?,
            Self::Sqlite { file, query } => sqlite::read(&place(file), query, READING)?,
            Self::Command(command) => {
                let words: Vec<String> =
                    command.iter().filter_map(|word| fill(word, values)).collect();
                lines::read(&output_of(&words, values.work, BYTES_MAX, READING)?, false)
            }
        };
        Ok(read.told_in_short())
    }
}

/// The text of a file; nothing where there is none.
pub(super) fn text_of(path: &Path) -> Result<Option<String>, String> {
    let wrong = |why: String| format!("`{}`: {why}", path.display());
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
        Ok(found) if found.is_dir() => return Err(wrong("is a folder, not a file".to_owned())),
        Ok(found) if !found.is_file() => return Err(wrong("is not a plain file".to_owned())),
        Ok(found) if found.len() > BYTES_MAX => {
            let bytes = found.len();
            return Err(wrong(format!("has {bytes} bytes, more than the limit of {BYTES_MAX}")));
        }
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_store_are_read_and_others_told_what_to_write() {
        let split = |text: &str| Ok(text.split(' ').map(str::to_owned).collect());
        let parse = |text: &str| StoreReader::parse(text, split);
        assert_eq!(parse("none"), Ok(StoreReader::Unread));
        assert_eq!(parse("jsonl=a.jsonl"), Ok(StoreReader::Jsonl("a.jsonl".to_owned())));
        assert_eq!(
            parse("sqlite=a.db:select id as identifier from t where x = ':'"),
            Ok(StoreReader::Sqlite {
                file: "a.db".to_owned(),
                query: "select id as identifier from t where x = ':'".to_owned()
            })
        );
        assert_eq!(
            parse("command=cat x"),
            Ok(StoreReader::Command(vec!["cat".to_owned(), "x".to_owned()]))
        );
        for text in ["jsonl", "jsonl=", "sqlite=a.db", "csv=a", "command= "] {
            assert!(parse(text).unwrap_err().contains("write `jsonl=PATH`"), "{text}");
        }
    }

    #[test]
    fn a_command_prints_rows_or_says_why_not() {
        let read = |script: &str| {
            let words = ["sh", "-c", script].map(str::to_owned).to_vec();
            let work = Path::new(".");
            StoreReader::Command(words).read(&Values { base_url: "", work, run: None })
        };
        let found = read("echo '{\"identifier\": \"a\"}'; echo '{\"identifier\": \"a\"}'").unwrap();
        assert_eq!(found.rows.len(), 2, "doubles are seen");
        let folder = Path::new("src");
        assert!(text_of(folder).unwrap_err().ends_with("is a folder, not a file"));
        assert!(read("echo no good >&2; exit 3").unwrap_err().contains("no good"));
    }
}
