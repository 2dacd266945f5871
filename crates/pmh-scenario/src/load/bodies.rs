//! What replies hold: their own text, a file, or a recording.

use std::sync::Arc;

use toml::Spanned;

use super::sources::{ReadFile, Sources, resolve};
use super::tape::{Taped, read_tape};
use crate::finding::Finding;
use crate::http_file::HttpFile;
use crate::model::{File, Reply};

/// The largest file of a reply.
const BODY_BYTES_MAX: usize = 16 << 20;

/// What a reply holds.
#[derive(Debug)]
pub(crate) enum Held {
    /// One answer.
    Answer(Arc<[u8]>),
    /// The answers of a recording.
    Tape(Vec<Taped>),
}

/// One for each reply, in their order; what cannot be read is a finding and empty.
pub(super) fn read_all(
    file: &File,
    sources: &Sources,
    read: &ReadFile<'_>,
    findings: &mut Vec<Finding>,
) -> Vec<Held> {
    file.reply
        .iter()
        .map(|reply| {
            held(reply.get_ref(), sources, read).unwrap_or_else(|finding| {
                findings.push(finding);
                Held::Tape(Vec::new())
            })
        })
        .collect()
}

fn held(reply: &Reply, sources: &Sources, read: &ReadFile<'_>) -> Result<Held, Finding> {
    let text = |text: &Option<Spanned<String>>| text.as_ref().map(|text| text.get_ref().clone());
    if let Some(name) = &reply.tape {
        return read_tape(name, sources, read).map(Held::Tape);
    }
    let bytes = match &reply.file {
        Some(name) => read_body(name, sources, read)?,
        None => text(&reply.body).or(text(&reply.xml)).unwrap_or_default().into_bytes(),
    };
    Ok(Held::Answer(Arc::from(bytes)))
}

fn read_body(
    name: &Spanned<String>,
    sources: &Sources,
    read: &ReadFile<'_>,
) -> Result<Vec<u8>, Finding> {
    let (path, bytes) = read_beside(name, sources, read)?;
    if path.ends_with(".http") {
        HttpFile::parse(&bytes).map_err(|why| {
            Finding::error(name.span(), format!("`{path}` is no HTTP answer: {why}"), "")
        })?;
    }
    Ok(bytes)
}

/// A file beside the one that names it: its path, and what it holds.
pub(super) fn read_beside(
    name: &Spanned<String>,
    sources: &Sources,
    read: &ReadFile<'_>,
) -> Result<(String, Vec<u8>), Finding> {
    let wrong = |message: String| Finding::error(name.span(), message, "");
    let (_, _, origin) = sources.at(name.span().start);
    let path = resolve(&origin.path, name.get_ref()).map_err(wrong)?;
    let bytes = read_bounded(&path, read).map_err(wrong)?;
    Ok((path, bytes))
}

/// What a file holds, by its path below the scenario folder, if it is not too much.
pub(super) fn read_bounded(path: &str, read: &ReadFile<'_>) -> Result<Vec<u8>, String> {
    let bytes = read(path).map_err(|why| format!("failed to read `{path}`: {why}"))?;
    if bytes.len() > BODY_BYTES_MAX {
        let length = bytes.len();
        return Err(format!(
            "`{path}` has {length} bytes, more than the limit of {BODY_BYTES_MAX}"
        ));
    }
    Ok(bytes)
}
