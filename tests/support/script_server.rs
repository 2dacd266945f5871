//! A server that answers each request as a function says, and keeps what it was sent.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// It serves until the test process ends: one thread for each connection, none of which can hold a test up.
pub(crate) struct ScriptServer {
    /// Host and port.
    pub(crate) address: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl ScriptServer {
    /// Answers with the bytes that `answer` makes from the head of a request.
    pub(crate) fn start(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&heads), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let head = read_head(&stream);
                    kept.lock().expect("no thread panics with it").push(head.clone());
                    drop((&stream).write_all(answer(&head).as_bytes()));
                });
            }
        });
        Self { address, heads }
    }

    /// The base URL of a repository there.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/oai", self.address)
    }

    /// The heads of the requests so far, names of fields in lower case.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("no thread panics with it").clone()
    }
}

/// Request line and fields; no body is waited for.
fn read_head(stream: &TcpStream) -> String {
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    let lines = lines.take_while(|line| !line.is_empty()).map(|line| match line.split_once(": ") {
        Some((name, value)) => format!("{}: {value}\n", name.to_lowercase()),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// An answer with status 200 and this inside of an OAI-PMH document.
pub(crate) fn document(inside: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\
         <OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\">\
         <responseDate>2024-01-01T00:00:00Z</responseDate><request>http://x/oai</request>\
         {inside}</OAI-PMH>"
    )
}
