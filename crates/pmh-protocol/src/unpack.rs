//! One layer of content encoding undone, and never more of it than was allowed.
//!
//! Which encoding it is was decided before. Every decoder stops at one byte beyond the limit, which is enough to know,
//! so that a bomb of any kind is never unpacked; what a decoder may keep in memory beside it (its window) is bounded
//! too, because that is announced by the sender.

use std::error::Error;
use std::io::{self, Read};

use brotli_decompressor::{
    BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc as Alloc,
};
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};

/// The largest window that HTTP allows zstd (RFC 9659), and that every decoder must offer.
const ZSTD_WINDOW_BYTES: usize = 8 << 20;
/// How much brotli unpacks at a time.
const BROTLI_CHUNK_BYTES: usize = 64 << 10;

/// An encoding that can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Encoding {
    /// The encoding of this name in a Content-Encoding field.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [
            ("gzip", Self::Gzip),
            ("x-gzip", Self::Gzip),
            ("deflate", Self::Deflate),
            ("br", Self::Brotli),
            ("zstd", Self::Zstd),
        ]
        .into_iter()
        .find(|(known, _)| name.eq_ignore_ascii_case(known))
        .map(|(_, encoding)| encoding)
    }

    /// The encoding that a body says it is in by its own first bytes.
    pub(crate) fn from_magic(body: &[u8]) -> Option<Self> {
        if body.starts_with(&[0x1F, 0x8B]) {
            Some(Self::Gzip)
        } else if body.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
            Some(Self::Zstd)
        } else {
            None
        }
    }

    /// Its name on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// Why a body could not be unpacked.
#[derive(Debug)]
pub(crate) enum UnpackError {
    /// More than the limit came out of it.
    TooLarge,
    /// The stream stops too early, after so many bytes of content.
    Cut(usize),
    /// The stream is none, after so many bytes of content.
    Broken(usize, String),
}

/// Undoes `encoding`, to at most `limit` bytes.
pub(crate) fn unpack(
    encoding: Encoding,
    body: &[u8],
    limit: usize,
) -> Result<Vec<u8>, UnpackError> {
    let mut content = Vec::new();
    match encoding {
        Encoding::Gzip => read_into(&mut content, MultiGzDecoder::new(body), limit)?,
        // The specification means zlib by deflate; some servers send it without zlib's frame.
        Encoding::Deflate if has_zlib_frame(body) => {
            read_into(&mut content, ZlibDecoder::new(body), limit)?;
        }
        Encoding::Deflate => read_into(&mut content, DeflateDecoder::new(body), limit)?,
        Encoding::Brotli => unpack_brotli(&mut content, body, limit)?,
        Encoding::Zstd => unpack_zstd(&mut content, body, limit)?,
    }
    Ok(content)
}

const fn has_zlib_frame(body: &[u8]) -> bool {
    matches!(body, [method, flags, ..]
        if *method & 0x0F == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0)
}

/// Reads to the end, or to one byte beyond the limit.
fn read_into(content: &mut Vec<u8>, reader: impl Read, limit: usize) -> Result<(), UnpackError> {
    let left = limit.saturating_sub(content.len());
    let beyond = u64::try_from(left).unwrap_or(u64::MAX).saturating_add(1);
    match reader.take(beyond).read_to_end(content) {
        Ok(_) if content.len() > limit => Err(UnpackError::TooLarge),
        Ok(_) => Ok(()),
        Err(error) if is_cut(&error) => Err(UnpackError::Cut(content.len())),
        Err(error) => Err(UnpackError::Broken(content.len(), error.to_string())),
    }
}

/// Whether some decoder asked for more bytes than there were, however deep that is buried in its error.
fn is_cut(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|error| error.kind() == io::ErrorKind::UnexpectedEof) {
            return true;
        }
        cause = error.source();
    }
    false
}

fn unpack_brotli(content: &mut Vec<u8>, body: &[u8], limit: usize) -> Result<(), UnpackError> {
    // Strict: without the large windows that HTTP does not know, of a gigabyte each.
    let mut state = BrotliState::new_strict(Alloc::default(), Alloc::default(), Alloc::default());
    let mut chunk = vec![0; BROTLI_CHUNK_BYTES];
    let (mut available_in, mut offset_in, mut total_out) = (body.len(), 0, 0);
    loop {
        let (mut available_out, mut offset_out) = (chunk.len(), 0);
        let result = BrotliDecompressStream(
            &mut available_in,
            &mut offset_in,
            body,
            &mut available_out,
            &mut offset_out,
            &mut chunk,
            &mut total_out,
            &mut state,
        );
        content.extend_from_slice(&chunk[..offset_out]);
        if content.len() > limit {
            return Err(UnpackError::TooLarge);
        }
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::NeedsMoreInput => return Err(UnpackError::Cut(content.len())),
            BrotliResult::ResultSuccess if available_in == 0 => return Ok(()),
            BrotliResult::ResultSuccess => {
                let detail = format!("{available_in} bytes follow its end");
                return Err(UnpackError::Broken(content.len(), detail));
            }
            BrotliResult::ResultFailure => {
                let detail = "no such stream of brotli".to_owned();
                return Err(UnpackError::Broken(content.len(), detail));
            }
        }
    }
}

/// A body of zstd is one frame after the other, some of them with nothing for us.
fn unpack_zstd(content: &mut Vec<u8>, body: &[u8], limit: usize) -> Result<(), UnpackError> {
    // A frame in one segment names its whole content as its window.
    let window = u64::try_from(limit.max(ZSTD_WINDOW_BYTES)).unwrap_or(u64::MAX);
    let mut rest = body;
    while !rest.is_empty() {
        match StreamingDecoder::new_with_max_window_size(&mut rest, window) {
            Ok(mut decoder) => {
                read_into(content, &mut decoder, limit)?;
                let frame = decoder.into_frame_decoder();
                let announced = frame.get_checksum_from_data();
                if announced.is_some() && announced != frame.get_calculated_checksum() {
                    let detail = "the checksum differs".to_owned();
                    return Err(UnpackError::Broken(content.len(), detail));
                }
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let skipped = usize::try_from(length).ok().and_then(|length| rest.get(length..));
                rest = skipped.ok_or(UnpackError::Cut(content.len()))?;
            }
            Err(error) if is_cut(&error) => return Err(UnpackError::Cut(content.len())),
            Err(error) => return Err(UnpackError::Broken(content.len(), error.to_string())),
        }
    }
    Ok(())
}
