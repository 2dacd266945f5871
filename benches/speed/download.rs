//! The baseline of a harvest: the same pages over one kept connection, thrown away.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use crate::corpus::token;

/// Asks for `pages` pages one after the other, as a harvester has to.
pub(crate) fn run(address: SocketAddr, pages: u64) -> std::io::Result<()> {
    let mut answers = BufReader::with_capacity(1 << 16, TcpStream::connect(address)?);
    let mut body = Vec::new();
    for number in 1..=pages {
        let token = token(number);
        let request = format!(
            "GET /oai?verb=ListRecords&resumptionToken={token} HTTP/1.1\r\nHost: {address}\r\n\r\n"
        );
        answers.get_mut().write_all(request.as_bytes())?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            answers.read_line(&mut line)?;
            match line.trim_end().to_ascii_lowercase().split_once(": ") {
                Some(("content-length", value)) => length = value.parse().unwrap_or(0),
                Some(_) => {}
                None if line.trim_end().is_empty() => break,
                None => {}
            }
        }
        body.resize(length, 0);
        answers.read_exact(&mut body)?;
    }
    Ok(())
}
