//! Single questions, against a server that says what it is told to.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use pmh_client::{AskError, Transport, TransportOptions};
use pmh_harvest::{Key, Plan};
use pmh_protocol::{Body, ErrorCode, Request};

/// A server that gives the answers in turn, the last one again and again; the plan to ask it.
fn serve(answers: &'static [&'static str]) -> Plan {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.expect("a connection");
            let lines = BufReader::new(stream.try_clone().expect("a second handle")).lines();
            // To the empty line after the header fields: there is no body.
            for line in lines.map_while(Result::ok) {
                if line.is_empty() {
                    break;
                }
            }
            let answer = answers[number.min(answers.len() - 1)];
            drop(stream.write_all(answer.as_bytes()));
        }
    });
    let source = format!("http://{address}/oai");
    Plan::new(Key { source, prefix: "oai_dc".to_owned(), set: None })
}

/// An answer with this status, and this inside of an OAI-PMH document.
macro_rules! answer {
    ($status:literal, $inside:literal) => {
        concat!(
            "HTTP/1.1 ",
            $status,
            "\r\nConnection: close\r\n\r\n",
            "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\">",
            "<responseDate>2024-01-01T00:00:00Z</responseDate><request>http://x/oai</request>",
            $inside,
            "</OAI-PMH>"
        )
    };
}

const BUSY: &str = "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nConnection: close\r\n\r\nbusy";
const VERY_BUSY: &str = "HTTP/1.1 503 Busy\r\nRetry-After: 90\r\nConnection: close\r\n\r\nbusy";
const MOVED: &str =
    "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
const FORMATS: &str = answer!(
    "200 OK",
    "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix></metadataFormat>\
     </ListMetadataFormats>"
);
const ERROR: &str =
    answer!("404 Not Found", "<error code=\"idDoesNotExist\">no\u{85} such thing</error>");

const FORMATS_ASKED: Request = Request::ListMetadataFormats { identifier: None };

async fn ask(answers: &'static [&'static str]) -> Result<Body, AskError> {
    let transport = Transport::new(&TransportOptions::default()).expect("a transport");
    transport.ask(&serve(answers), &FORMATS_ASKED).await.map(|parsed| parsed.document.body)
}

#[tokio::test]
async fn a_busy_source_and_a_redirect_are_followed_to_the_answer() {
    let body = ask(&[BUSY, MOVED, FORMATS]).await.expect("an answer");
    assert!(matches!(body, Body::Formats(formats) if formats[0].prefix == "oai_dc"));
}

#[tokio::test]
async fn what_does_not_end_is_given_up() {
    let error = ask(&[MOVED]).await.expect_err("a circle");
    assert!(error.to_string().contains("more than 5 redirects"), "{error}");
    assert!(matches!(ask(&[BUSY]).await, Err(AskError::Busy { seconds: 0 })));
    assert!(matches!(ask(&[VERY_BUSY, FORMATS]).await, Err(AskError::Busy { seconds: 90 })));
}

#[tokio::test]
async fn an_error_of_the_repository_is_told_in_its_words_whatever_the_status() {
    let error = ask(&[ERROR]).await.expect_err("an error");
    assert_eq!(error.code(), Some(&ErrorCode::IdDoesNotExist));
    assert_eq!(error.to_string(), "the repository answered `idDoesNotExist`: no\u{85} such thing");
}

#[tokio::test]
async fn an_answer_to_another_question_is_none() {
    let transport = Transport::new(&TransportOptions::default()).expect("a transport");
    let error = transport.ask(&serve(&[FORMATS]), &Request::Identify).await.expect_err("another");
    let expected = "expected an answer to Identify, found one to ListMetadataFormats";
    assert!(error.to_string().ends_with(expected), "{error}");
}

const FIRST: &str = answer!(
    "200 OK",
    "<ListSets><set><setSpec>a</setSpec></set><resumptionToken>t</resumptionToken></ListSets>"
);
const LAST: &str = answer!("200 OK", "<ListSets><set><setSpec>b</setSpec></set></ListSets>");

/// Asks for sets; those found, and how it ended.
async fn list(
    answers: &'static [&'static str],
    pages_max: u32,
) -> (Vec<String>, Result<(), AskError>) {
    let transport = Transport::new(&TransportOptions::default()).expect("a transport");
    let mut found: Vec<String> = Vec::new();
    let visit = |body| {
        let Body::Sets { sets, .. } = body else {
            return 0;
        };
        let before = found.len();
        for set in sets {
            if !found.contains(&set.spec) {
                found.push(set.spec);
            }
        }
        (found.len() - before) as u64
    };
    let ended = transport.ask_list(&serve(answers), Request::ListSets, pages_max, visit).await;
    (found, ended)
}

#[tokio::test]
async fn a_list_is_followed_to_its_end() {
    let (found, ended) = list(&[FIRST, LAST], 100).await;
    assert_eq!(found, ["a", "b"]);
    assert!(ended.is_ok(), "{ended:?}");
}

#[tokio::test]
async fn a_list_without_end_is_given_up() {
    // The first page is new, ten more are not.
    let (found, ended) = list(&[FIRST], 100).await;
    assert_eq!(found, ["a"]);
    assert!(matches!(ended, Err(AskError::Circle { page: 11 })), "{ended:?}");
    assert!(matches!(list(&[FIRST], 5).await.1, Err(AskError::TooLong { pages: 5 })));
}
