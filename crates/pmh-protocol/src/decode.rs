//! Content encodings undone, bounded: one function, so that every arm reads the same bytes the same way.
//!
//! Header and body disagree often enough (a proxy unpacked the body and kept the header, or packed it and
//! said nothing) that the body's own first bytes have the last word: neither can be mistaken for the other.

use std::borrow::Cow;

use memchr::memmem;

use crate::error::ParseError;
use crate::http::HttpPage;
use crate::unpack::{Encoding, UnpackError, unpack};

/// The largest body that is read, also after decompression: 64 MiB.
pub const BODY_BYTES_MAX: usize = 64 << 20;

/// How many encodings may lie on top of each other; gzip twice has been seen, more would be an attack.
const LAYERS_MAX: usize = 2;

/// The body of `page` with its Content-Encoding undone.
///
/// A body that starts as XML or HTML is taken as it is whatever the header says, as is one that only claims to be gzip
/// and holds a document; and one that starts as gzip or zstd is unpacked even when the header is silent.
///
/// # Errors
/// [`ParseError::Encoding`] when the encoding is unknown or its stream broken or cut short,
/// [`ParseError::Limit`] when the body passes `limit` bytes, before or after.
pub fn decode_body(page: &HttpPage, limit: usize) -> Result<Cow<'_, [u8]>, ParseError> {
    let mut body = Cow::Borrowed(page.body.as_slice());
    let announced = page.headers.get("content-encoding").unwrap_or_default();
    // Encodings are listed in the order applied, so the last is undone first.
    let mut names: Vec<&str> = announced
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"))
        .collect();
    for _ in 0..LAYERS_MAX {
        let name = names.pop();
        let encoding = match (Encoding::from_magic(&body), name) {
            (Some(encoding), _) => encoding,
            (None, None) => break,
            (None, Some(_)) if starts_as_markup(&body) => break,
            (None, Some(name)) => match Encoding::from_name(name) {
                // Gzip would have begun otherwise, so that this is text with a warning above the document.
                Some(Encoding::Gzip) if holds_document(&body) => break,
                Some(encoding) => encoding,
                None => return Err(not_undone(name, "the encoding is not supported".to_owned())),
            },
        };
        let unpacked = unpack(encoding, &body, limit).map_err(|error| {
            let detail = match error {
                UnpackError::TooLarge => return too_large(limit),
                UnpackError::Cut(so_far) => format!("the stream is cut short after {so_far} bytes"),
                UnpackError::Broken(so_far, detail) => {
                    format!("the stream is broken after {so_far} bytes: {detail}")
                }
            };
            not_undone(encoding.as_str(), detail)
        })?;
        body = Cow::Owned(unpacked);
    }
    let is_packed = Encoding::from_magic(&body).is_some();
    if is_packed || !(names.is_empty() || starts_as_markup(&body)) {
        return Err(not_undone(announced, format!("more than {LAYERS_MAX} layers")));
    }
    if body.len() > limit {
        return Err(too_large(limit));
    }
    Ok(body)
}

/// Whether the body is plain markup. More than the `<` is looked at: that alone could be raw deflate.
fn starts_as_markup(body: &[u8]) -> bool {
    let unmarked = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let text = unmarked.trim_ascii_start();
    let starts_with =
        |mark: &[u8]| text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    starts_with(b"<?xml")
        || starts_with(b"<OAI-PMH")
        || starts_with(b"<!DOCTYPE")
        || starts_with(b"<html")
        || starts_with(b"\xFF\xFE<\0")
        || starts_with(b"\xFE\xFF\0<")
        || starts_with(b"<\0?\0x\0")
        || starts_with(b"\0<\0?\0x")
}

/// Whether a document begins somewhere in the body, behind whatever a server put before it.
fn holds_document(body: &[u8]) -> bool {
    [&b"<?xml"[..], b"<OAI-PMH"].iter().any(|mark| memmem::find(body, mark).is_some())
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

    /// [`XML`] as the reference encoder writes it at its highest level.
    const BROTLI: &[u8] = b"\
        \x1b\x3a\x00\xb0\x15\xa1\xd2\xf5\x64\xa9\x3e\x14\x13\xca\x77\xd3\x08\x46\xa8\x60\
        \x22\x07\xec\x6d\x61\x7a\x41\x78\x8c\x69\x03\x2c\xd8\xc4\x11\x3b\x1d\x04\xfe\x21\
        \x6e\xb6\xdd\x94\x1e\x8c\x2e\
        ";
    /// A mebibyte of blanks, by the same.
    const BROTLI_BOMB: &[u8] = b"\
        \x5b\xff\xff\x8f\x5f\x02\x24\x1e\x0b\x04\x72\xef\x1f\x00\
        ";
    /// [`XML`] as the reference encoder writes it, with its checksum.
    const ZSTD: &[u8] = b"\
        \x28\xb5\x2f\xfd\x04\x58\x8d\x01\x00\xa4\x02\x3c\x3f\x78\x6d\x6c\x20\x76\x65\x72\
        \x73\x69\x6f\x6e\x3d\x22\x31\x2e\x30\x22\x3f\x3e\x3c\x4f\x41\x49\x2d\x50\x4d\x48\
        \x3e\x61\x20\x3c\x2f\x4f\x41\x49\x2d\x50\x4d\x48\x3e\x01\x00\x68\x76\x4f\xaf\x99\
        \x8b\xef\
        ";
    /// A mebibyte of blanks, by the same.
    const ZSTD_BOMB: &[u8] = b"\
        \x28\xb5\x2f\xfd\x04\x68\x4c\x00\x00\x08\x20\x01\x00\xfc\xff\x39\x10\x02\x02\x00\
        \x10\x20\x02\x00\x10\x20\x02\x00\x10\x20\x02\x00\x10\x20\x02\x00\x10\x20\x02\x00\
        \x10\x20\x03\x00\x10\x20\x85\xf8\xfa\x42\
        ";

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
            ("br", BROTLI.to_vec()),
            ("BR, gzip", gzip(BROTLI)),
            ("zstd", ZSTD.to_vec()),
            ("zstd, deflate", zlib(ZSTD)),
            // A header that is silent, one that is wrong, and one that says it once too rarely.
            ("", gzip(XML)),
            ("gzip", XML.to_vec()),
            ("", ZSTD.to_vec()),
            ("gzip", ZSTD.to_vec()),
            ("br", gzip(XML)),
            ("br", XML.to_vec()),
            ("zstd", XML.to_vec()),
            ("gzip", gzip(&gzip(XML))),
            ("gzip", gzip(ZSTD)),
        ] {
            assert_eq!(decode(encoding, body, 1000), Ok(XML.to_vec()), "of `{encoding}`");
        }
    }

    #[test]
    fn a_warning_above_a_document_that_only_claims_to_be_gzip_does_not_hide_it() {
        let warned = [b"Warning: zlib is missing\n", XML].concat();
        assert_eq!(decode("gzip", warned.clone(), 1000), Ok(warned));
    }

    #[test]
    fn frames_of_zstd_follow_each_other_and_some_are_skipped() {
        let skipped = [&[0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"any"].concat();
        let frames = [ZSTD, &skipped, ZSTD].concat();
        assert_eq!(decode("zstd", frames.clone(), 1000), Ok([XML, XML].concat()));
        assert!(decode("zstd", frames.clone(), 2 * XML.len() - 1).is_err(), "the limit is for all");
        let cut = frames[..frames.len() - ZSTD.len() - 1].to_vec();
        assert!(decode("zstd", cut, 1000).unwrap_err().to_string().contains("cut short"));
    }

    #[test]
    fn no_window_larger_than_http_allows_is_made() {
        // A window of 2 GiB for zstd; one of a gigabyte in brotli's own extension, of the same content.
        let mut zstd = ZSTD.to_vec();
        zstd[5] = 21 << 3;
        let error = decode("zstd", zstd, 1000).unwrap_err();
        assert!(error.to_string().contains("window"), "{error}");
        let large_window = b"\
            \x11\x5e\xe8\x00\x00\x10\x3b\x5b\xaa\x42\x31\xa1\xdc\x98\x46\x30\x42\xd5\x7d\xff\
            \x16\xc4\x92\x5b\x84\xd2\x06\x16\x1b\x1d\x02\xfb\xef\xe8\x3d\xad\xbf\x29\xda\x93\
            \xa7\x42\x97\x10\x22\x00\
            ";
        let error = decode("br", large_window.to_vec(), 1000).unwrap_err();
        assert!(error.to_string().contains("broken"), "{error}");
    }

    #[test]
    fn no_mutation_makes_a_decoder_panic_or_pass_the_limit() {
        let streams = [("br", BROTLI), ("br", BROTLI_BOMB), ("zstd", ZSTD), ("zstd", ZSTD_BOMB)];
        let mut readable = 0;
        for (encoding, stream) in streams {
            for at in 0..stream.len() {
                for bit in 0..8 {
                    let mut mutated = stream.to_vec();
                    mutated[at] ^= 1 << bit;
                    if let Ok(content) = decode(encoding, mutated, 1000) {
                        assert!(content.len() <= 1000);
                        readable += 1;
                    }
                }
            }
        }
        assert!(readable > 0, "brotli has no checksum: some mutations are readable");
    }

    #[test]
    fn a_stream_that_is_cut_or_broken_says_so() {
        for (encoding, whole, has_checksum) in [
            ("gzip", gzip(XML), true),
            ("deflate", zlib(XML), true),
            ("br", BROTLI.to_vec(), false),
            ("zstd", ZSTD.to_vec(), true),
        ] {
            for length in 4..whole.len() {
                let error = decode(encoding, whole[..length].to_vec(), 1000).unwrap_err();
                assert!(error.to_string().contains("cut short"), "{length} bytes: {error}");
            }
            let mut broken = whole.clone();
            if has_checksum {
                *broken.last_mut().unwrap() ^= 1;
            } else {
                broken.push(1);
            }
            let error = decode(encoding, broken, 1000).unwrap_err();
            assert!(error.to_string().contains("broken"), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_undone_is_an_error() {
        for (encoding, body) in [
            ("br", b"\xFF nonsense".to_vec()),
            ("zstd", b"nonsense".to_vec()),
            ("gzip", b"nonsense".to_vec()),
            ("compress", b"\x1F\x9D\x90".to_vec()),
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
            ("br", BROTLI_BOMB.to_vec()),
            ("zstd", ZSTD_BOMB.to_vec()),
            ("", ZSTD_BOMB.to_vec()),
            ("", bomb),
        ] {
            let error = decode(encoding, body, 1000).unwrap_err();
            assert_eq!(error, ParseError::Limit { what: "bytes of the body", limit: 1000 });
        }
    }
}
