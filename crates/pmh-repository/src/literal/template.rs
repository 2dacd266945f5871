//! What is filled into literal answers: `{{nonce}}`, different in each answer, and `{{now}}`, with seconds, minutes,
//! hours or days added or taken away as in `{{now+2s}}`, on the repository's clock.

use pmh_protocol::Stamp;
use pmh_scenario::payload_digest;

/// What there is to fill in, for one answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling {
    pub(crate) seed: u64,
    /// Number of the request over the whole case.
    pub(crate) request: u32,
    pub(crate) clock: Stamp,
}

impl Filling {
    /// The repository's clock.
    pub(crate) fn now(&self) -> String {
        self.clock.to_string()
    }

    /// The same bytes with everything filled in; what is no placeholder stays as it is.
    pub(crate) fn fill(self, bytes: &[u8]) -> Vec<u8> {
        let mut filled = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(start) = find(rest, b"{{") {
            let (before, after) = rest.split_at(start);
            filled.extend_from_slice(before);
            let value = find(after, b"}}").and_then(|end| {
                let name = std::str::from_utf8(&after[2..end]).ok()?;
                Some((self.value(name)?, end + 2))
            });
            match value {
                Some((value, length)) => {
                    filled.extend_from_slice(value.as_bytes());
                    rest = &after[length..];
                }
                None => {
                    filled.extend_from_slice(b"{{");
                    rest = &after[2..];
                }
            }
        }
        filled.extend_from_slice(rest);
        filled
    }

    fn value(self, name: &str) -> Option<String> {
        if name == "nonce" {
            let digest = payload_digest(&format!("{} nonce {}", self.seed, self.request));
            return Some(digest[..8].to_owned());
        }
        let shift = name.strip_prefix("now")?;
        if shift.is_empty() {
            return Some(self.now());
        }
        let unit = match shift.chars().next_back()? {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            _ => return None,
        };
        let number: i32 = shift[..shift.len() - 1].parse().ok()?;
        let is_signed = shift.starts_with(['+', '-']);
        is_signed.then(|| self.clock.plus_seconds(i64::from(number) * unit).to_string())
    }
}

fn find(bytes: &[u8], wanted: &[u8; 2]) -> Option<usize> {
    bytes.windows(2).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_and_nothing_else_is() {
        let filling =
            Filling { seed: 1, request: 3, clock: Stamp::parse("2024-06-01T10:00:00Z").unwrap() };
        let check = |text: &str, expected: &str| {
            assert_eq!(String::from_utf8(filling.fill(text.as_bytes())).unwrap(), expected);
        };
        check("<d>{{now}}</d>", "<d>2024-06-01T10:00:00Z</d>");
        check("{{now+2s}} {{now-1d}}", "2024-06-01T10:00:02Z 2024-05-31T10:00:00Z");
        check("{{now2s}}{{now+2y}}{{later}}{{", "{{now2s}}{{now+2y}}{{later}}{{");
        check("{{{now}}", "{{{now}}");
        let nonce = |request| Filling { request, ..filling }.fill(b"{{nonce}}");
        assert_eq!(nonce(3).len(), 8);
        assert_eq!(nonce(3), nonce(3));
        assert_ne!(nonce(3), nonce(4));
    }
}
