//! A server that answers each request as a function says, and keeps what it was sent.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// It serves until the test process ends: one thread for each connection, none of which can hold a test up.
pub(crate) struct ScriptServer {
    /// Host and port.
    pub(crate) address: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl ScriptServer {
    /// Answers with the bytes that `answer` makes from the head of a request.
    pub(crate) fn start(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self::serve(answer, |stream, answer| {
            let head = read_head(&stream);
            drop((&stream).write_all(answer(&head).as_bytes()));
        })
    }

    /// The same over TLS.
    pub(crate) fn start_tls(
        config: Arc<ServerConfig>,
        answer: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::serve(answer, move |stream, answer| {
            let session = ServerConnection::new(Arc::clone(&config)).expect("a session");
            let mut stream = StreamOwned::new(session, stream);
            let head = read_head(&mut stream);
            // The head of a client that did not like the certificate is empty.
            if !head.is_empty() {
                drop(stream.write_all(answer(&head).as_bytes()));
                stream.conn.send_close_notify();
                drop(stream.flush());
            }
        })
    }

    fn serve(
        answer: impl Fn(&str) -> String + Send + Sync + 'static,
        exchange: impl Fn(TcpStream, &dyn Fn(&str) -> String) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        let answer = move |head: &str| {
            kept.lock().expect("no thread panics with it").push(head.to_owned());
            answer(head)
        };
        let served = Arc::new((answer, exchange));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
                let served = Arc::clone(&served);
                std::thread::spawn(move || (served.1)(stream, &served.0));
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
fn read_head(stream: impl Read) -> String {
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
