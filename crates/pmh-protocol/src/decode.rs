//! Content encodings undone, bounded: one function, so that every arm reads the same bytes the same way.
//!
//! Header and body disagree often enough (a proxy unpacked the body and kept the header, or packed it and
//! said nothing) that the body's own first bytes have the last word: neither can be mistaken for the other.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::error::ParseError;
use crate::http::HttpPage;

/// The largest body that is read, also after decompression: 64 MiB.
pub const BODY_BYTES_MAX: usize = 64 << 20;

/// How many encodings may lie on top of each other; gzip twice has been seen, more would be an attack.
const LAYERS_MAX: usize = 2;

const GZIP_MAGIC: &[u8] = &[0x1F, 0x8B];

/// The body of `page` with its Content-Encoding undone.
///
/// A body that starts as XML or HTML is taken as it is whatever the header says, and one that starts as gzip is
/// unpacked even when the header is silent.
///
/// # Errors
/// [`ParseError::Encoding`] when the encoding is unknown or its stream broken or cut short,
/// [`ParseError::Limit`] when the body passes `limit` bytes, before or after.
pub fn decode_body(page: &HttpPage, limit: usize) -> Result<Cow<'_, [u8]>, ParseError> {
    let mut body = Cow::Borrowed(page.body.as_slice());
    let announced = page.headers.get("content-encoding").unwrap_or_default();
    // Encodings are listed in the order applied, so the last is undone first.
    let mut encodings: Vec<&str> = announced
        .split(',')
        .map(str::trim)
        .filter(|encoding| !encoding.is_empty() && !encoding.eq_ignore_ascii_case("identity"))
        .collect();
    for _ in 0..LAYERS_MAX {
        let encoding = encodings.pop();
        if body.starts_with(GZIP_MAGIC) {
            body = Cow::Owned(inflate("gzip", &mut MultiGzDecoder::new(&*body), limit)?);
        } else if encoding.is_none() || starts_as_markup(&body) {
            break;
        } else if encoding.is_some_and(|name| name.eq_ignore_ascii_case("deflate")) {
            body = Cow::Owned(inflate_deflate(&body, limit)?);
        } else {
            return Err(not_undone(
                encoding.unwrap_or_default(),
                "the body is not in this encoding, or the encoding is not supported".to_owned(),
            ));
        }
    }
    if body.starts_with(GZIP_MAGIC) || !(encodings.is_empty() || starts_as_markup(&body)) {
        return Err(not_undone(announced, format!("more than {LAYERS_MAX} layers")));
    }
    if body.len() > limit {
        return Err(too_large(limit));
    }
    Ok(body)
}

/// Whether the body is plain markup. More than the `<` is looked at: that alone could be raw deflate.
fn starts_as_markup(body: &[u8]) -> bool {
    let text = body.trim_ascii_start();
    let starts_with =
        |mark: &[u8]| text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    starts_with(b"<?xml")
        || starts_with(b"<OAI-PMH")
        || starts_with(b"<!DOCTYPE")
        || starts_with(b"<html")
}

/// The specification means zlib by deflate; some servers send it without zlib's frame.
fn inflate_deflate(body: &[u8], limit: usize) -> Result<Vec<u8>, ParseError> {
    let has_frame = matches!(body, [method, flags, ..]
        if method & 0x0F == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0);
    if has_frame {
        inflate("deflate", &mut ZlibDecoder::new(body), limit)
    } else {
        inflate("deflate", &mut DeflateDecoder::new(body), limit)
    }
}

fn inflate(encoding: &str, reader: &mut dyn Read, limit: usize) -> Result<Vec<u8>, ParseError> {
    let mut inflated = Vec::new();
    // One byte more than allowed is enough to know; a bomb is never unpacked beyond it.
    let beyond = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(beyond).read_to_end(&mut inflated).map_err(|error| {
        let so_far = inflated.len();
        not_undone(
            encoding,
            if error.kind() == io::ErrorKind::UnexpectedEof {
                format!("the stream is cut short after {so_far} bytes")
            } else {
                format!("the stream is broken after {so_far} bytes: {error}")
            },
        )
    })?;
    if inflated.len() > limit {
        return Err(too_large(limit));
    }
    Ok(inflated)
}

const fn too_large(limit: usize) -> ParseError {
    ParseError::Limit { what: "bytes of the body", limit }
}

fn not_undone(encoding: &str, detail: String) -> ParseError {
    ParseError::Encoding { encoding: encoding.chars().take(40).collect(), detail }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;
    use crate::http::Headers;

    const XML: &[u8] = b"<?xml version=\"1.0\"?><OAI-PMH>a a a a a a a a a a</OAI-PMH>";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decode(encoding: &str, body: Vec<u8>, limit: usize) -> Result<Vec<u8>, ParseError> {
        let mut headers = Headers::default();
        if !encoding.is_empty() {
            headers.push("Content-Encoding", encoding);
        }
        decode_body(&HttpPage { status: 200, headers, body }, limit).map(Cow::into_owned)
    }

    #[test]
    fn every_encoding_is_undone_also_when_header_and_body_disagree() {
        for (encoding, body) in [
            ("", XML.to_vec()),
            ("identity", XML.to_vec()),
            ("gzip", gzip(XML)),
            ("X-GZip", gzip(XML)),
            ("deflate", zlib(XML)),
            ("deflate", raw_deflate(XML)),
            ("deflate, gzip", gzip(&zlib(XML))),
            ("gzip", [gzip(&XML[..9]), gzip(&XML[9..])].concat()),
            // A header that is silent, one that is wrong, and one that says it once too rarely.
            ("", gzip(XML)),
            ("gzip", XML.to_vec()),
            ("br", XML.to_vec()),
            ("gzip", gzip(&gzip(XML))),
        ] {
            assert_eq!(decode(encoding, body, 1000), Ok(XML.to_vec()), "of `{encoding}`");
        }
    }

    #[test]
    fn a_stream_that_is_cut_or_broken_says_so() {
        for (encoding, whole) in [("gzip", gzip(XML)), ("deflate", zlib(XML))] {
            for length in 3..whole.len() {
                let error = decode(encoding, whole[..length].to_vec(), 1000).unwrap_err();
                assert!(error.to_string().contains("cut short"), "{length} bytes: {error}");
            }
            let mut broken = whole.clone();
            *broken.last_mut().unwrap() ^= 1;
            let error = decode(encoding, broken, 1000).unwrap_err();
            assert!(error.to_string().contains("broken"), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_undone_is_an_error() {
        for (encoding, body) in [
            ("br", b"\x0b\x02".to_vec()),
            ("gzip", b"nonsense".to_vec()),
            ("", gzip(&gzip(&gzip(XML)))),
            ("gzip, gzip, gzip", gzip(&gzip(&gzip(XML)))),
            ("deflate, deflate, deflate", zlib(&zlib(&zlib(XML)))),
        ] {
            let error = decode(encoding, body, 1000).unwrap_err();
            assert!(matches!(error, ParseError::Encoding { .. }), "{error}");
        }
    }

    #[test]
    fn no_body_passes_the_limit() {
        let bomb = vec![b' '; 1 << 20];
        for (encoding, body) in [
            ("gzip", gzip(&bomb)),
            ("deflate", zlib(&bomb)),
            ("deflate", raw_deflate(&bomb)),
            ("", bomb),
        ] {
            let error = decode(encoding, body, 1000).unwrap_err();
            assert_eq!(error, ParseError::Limit { what: "bytes of the body", limit: 1000 });
        }
    }
}
