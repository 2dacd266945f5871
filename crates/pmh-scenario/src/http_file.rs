//! A complete HTTP/1.1 answer in a file: status line, header fields, and whatever follows the empty line.

/// A complete answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HttpFile {
    pub(crate) status: u16,
    /// As they are written, in order.
    pub(crate) headers: Vec<(String, String)>,
    /// Whatever follows, be it shorter or longer than Content-Length says.
    pub(crate) body: Vec<u8>,
}

impl HttpFile {
    /// Reads one, or says what is wrong with it. Lines may end with or without a carriage return.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut rest = bytes;
        let line = next_line(&mut rest)?;
        let status = line
            .strip_prefix("HTTP/1.1 ")
            .or(line.strip_prefix("HTTP/1.0 "))
            .and_then(|rest| rest.get(..3))
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| format!("`{line}` is not a status line such as `HTTP/1.1 200 OK`"))?;
        let mut headers = Vec::new();
        loop {
            let line = next_line(&mut rest)?;
            if line.is_empty() {
                return Ok(Self { status, headers, body: rest.to_vec() });
            }
            let (name, value) =
                line.split_once(':').ok_or_else(|| format!("`{line}` is not a header field"))?;
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }
}

fn next_line<'a>(rest: &mut &'a [u8]) -> Result<&'a str, String> {
    let end = rest.iter().position(|byte| *byte == b'\n');
    let end = end.ok_or_else(|| "no empty line ends the header fields".to_owned())?;
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    std::str::from_utf8(line).map_err(|_| "a header field is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_with_everything_behind_the_empty_line() {
        let file = HttpFile::parse(b"HTTP/1.1 200 OK\r\nA: b\r\nC:d \r\n\r\nbody\r\n\xff").unwrap();
        assert_eq!(file.status, 200);
        assert_eq!(file.headers, [("A".into(), "b".into()), ("C".into(), "d".into())]);
        assert_eq!(file.body, b"body\r\n\xff");
    }

    #[test]
    fn anything_else_is_refused_with_a_reason() {
        for (text, why) in [
            ("", "no empty line ends the header fields"),
            ("HTTP/1.1 200 OK\r\nA: b\r\n", "no empty line ends the header fields"),
            ("200 OK\n\n", "`200 OK` is not a status line such as `HTTP/1.1 200 OK`"),
            ("HTTP/1.1 200 OK\nA\n\n", "`A` is not a header field"),
        ] {
            assert_eq!(HttpFile::parse(text.as_bytes()).unwrap_err(), why, "{text}");
        }
    }
}
