//! Bodies packed for those who ask for it.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::HeaderMap;
use hyper::header::ACCEPT_ENCODING;

/// Less is not worth a header field.
const BYTES_MIN: usize = 512;

/// Whether a client takes gzip, by its Accept-Encoding fields: named, or covered by a star, and not with weight 0.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let fields = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let (mut named, mut star) = (None, None);
    for part in fields.flat_map(|field| field.split(',')) {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse().ok());
        let is_taken = weight.unwrap_or(1.0_f32) > 0.0;
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => named = Some(is_taken),
            "*" => star = Some(is_taken),
            _ => {}
        }
    }
    named.or(star).unwrap_or(false)
}

/// The body in gzip; `None` when that is not worth it.
pub(crate) fn gzip(body: &[u8]) -> Option<Vec<u8>> {
    if body.len() < BYTES_MIN {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).and_then(|()| encoder.finish()).ok()
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn gzip_is_for_those_who_take_it() {
        for (fields, expected) in [
            (&["gzip"][..], true),
            (&["br, gzip;q=0.5"], true),
            (&["br", "X-GZip"], true),
            (&["*"], true),
            (&["*, gzip;q=0"], false),
            (&["gzip;q=0.0"], false),
            (&["identity, br"], false),
            (&[], false),
        ] {
            let mut headers = HeaderMap::new();
            for field in fields {
                headers.append(ACCEPT_ENCODING, HeaderValue::from_static(field));
            }
            assert_eq!(takes_gzip(&headers), expected, "{fields:?}");
        }
    }
}
