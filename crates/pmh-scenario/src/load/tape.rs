//! A recording of exchanges: an index of one JSON object a line, and beside it the files of each exchange.

use pmh_protocol::decode_arguments;
use serde::Deserialize;
use toml::Spanned;

use super::bodies::{read_beside, read_bounded};
use super::sources::{ReadFile, Sources};
use crate::finding::Finding;

/// More exchanges than this are no story any more.
const EXCHANGES_MAX: usize = 10_000;
/// Fields that say how a body was framed when it was recorded, and when: whoever sends it again says that anew.
const FRAMING: [&str; 5] =
    ["content-length", "transfer-encoding", "connection", "keep-alive", "date"];

/// An exchange that was recorded.
#[derive(Debug)]
pub(crate) struct Taped {
    /// Its number in the recording.
    pub(crate) number: u32,
    /// Arguments, decoded.
    pub(crate) arguments: Vec<(String, String)>,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// A line of the index.
#[derive(Deserialize)]
struct Line {
    number: u32,
    url: String,
    /// None where the answer was lost.
    status: Option<u16>,
}

/// Reads a recording by the path of its index. An exchange whose answer was lost is not in it.
pub(super) fn read_tape(
    name: &Spanned<String>,
    sources: &Sources,
    read: &ReadFile<'_>,
) -> Result<Vec<Taped>, Finding> {
    let wrong = |message: String| Finding::error(name.span(), message, "");
    let (path, index) = read_beside(name, sources, read)?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = |number: u32, what: &str| {
        let file = format!("{number:04}-{what}");
        let path = if folder.is_empty() { file } else { format!("{folder}/{file}") };
        read_bounded(&path, read).map_err(wrong)
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let mut taped = Vec::new();
    for (line, written) in text(index).lines().enumerate() {
        let Line { number, url, status } = serde_json::from_str(written).map_err(|why| {
            let help = "the index of a recording has a JSON object a line, as \
                        `pmh harvest --capture DIR` writes them into DIR/exchanges.jsonl";
            wrong(format!("`{path}` is no index of a recording: line {}: {why}", line + 1))
                .help(help)
        })?;
        let Some(status) = status else { continue };
        if taped.len() == EXCHANGES_MAX {
            return Err(wrong(format!("`{path}` has more than {EXCHANGES_MAX} exchanges")));
        }
        let request = text(beside(number, "request.txt")?);
        // The arguments of a POST stand behind its header fields.
        let form = request.split_once("\n\n").map_or("", |(_, form)| form);
        let query = url.split_once('?').map_or("", |(_, query)| query);
        let mut arguments = decode_arguments(query);
        arguments.extend(decode_arguments(form));
        taped.push(Taped {
            number,
            arguments,
            status,
            headers: fields(&text(beside(number, "response.head")?)),
            body: beside(number, "response.body")?,
        });
    }
    Ok(taped)
}

/// Header fields below a status line, without those that frame a body.
fn fields(head: &str) -> Vec<(String, String)> {
    head.lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "))
        .filter(|(name, _)| !FRAMING.iter().any(|framing| name.eq_ignore_ascii_case(framing)))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}
