//! What replies hold: their own text, or a file.

use std::sync::Arc;

use toml::Spanned;

use super::sources::{ReadFile, Sources, resolve};
use crate::finding::Finding;
use crate::http_file::HttpFile;
use crate::model::File;

/// The largest file of a reply.
const BODY_BYTES_MAX: usize = 16 << 20;

/// One for each reply, in their order; what cannot be read is a finding and empty.
pub(super) fn read_all(
    file: &File,
    sources: &Sources,
    read: &ReadFile<'_>,
    findings: &mut Vec<Finding>,
) -> Vec<Arc<[u8]>> {
    let text = |text: &Option<Spanned<String>>| text.as_ref().map(|text| text.get_ref().clone());
    file.reply
        .iter()
        .map(Spanned::get_ref)
        .map(|reply| match &reply.file {
            Some(name) => read_body(name, sources, read).unwrap_or_else(|finding| {
                findings.push(finding);
                Vec::new()
            }),
            None => text(&reply.body).or(text(&reply.xml)).unwrap_or_default().into_bytes(),
        })
        .map(Arc::from)
        .collect()
}

fn read_body(
    name: &Spanned<String>,
    sources: &Sources,
    read: &ReadFile<'_>,
) -> Result<Vec<u8>, Finding> {
    let wrong = |message: String| Finding::error(name.span(), message, "");
    let (_, _, origin) = sources.at(name.span().start);
    let path = resolve(&origin.path, name.get_ref()).map_err(wrong)?;
    let bytes = read(&path).map_err(|why| wrong(format!("failed to read `{path}`: {why}")))?;
    if bytes.len() > BODY_BYTES_MAX {
        let message =
            format!("`{path}` has {} bytes, more than the limit of {BODY_BYTES_MAX}", bytes.len());
        return Err(wrong(message));
    }
    if path.ends_with(".http") {
        HttpFile::parse(&bytes)
            .map_err(|why| wrong(format!("`{path}` is no HTTP answer: {why}")))?;
    }
    Ok(bytes)
}
