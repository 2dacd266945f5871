//! The server over real sockets, with a client that writes its bytes itself.

use std::future::Future;
use std::sync::{Arc, Mutex};

use pmh_mock::{Hooks, JournalFile, serve};
use pmh_protocol::{Headers, HttpPage, parse_document};
use pmh_repository::{AskedRequest, Repository};
use pmh_scenario::{Effect, Fault, HttpEffect, Script, When};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const LIST: &str = "/oai?verb=ListRecords&metadataPrefix=oai_dc";

fn repository(script: Script) -> Arc<Mutex<Repository>> {
    let mut repository = Repository::new(Arc::new(script));
    repository.begin_run(0);
    Arc::new(Mutex::new(repository))
}

/// Runs a conversation against a server that lives as long as it.
fn converse<F: Future<Output = ()>>(
    repository: &Arc<Mutex<Repository>>,
    hooks: Hooks,
    journal: Option<JournalFile>,
    conversation: impl FnOnce(std::net::SocketAddr) -> F,
) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        serve(listener, Arc::clone(repository), hooks, journal, conversation(address))
            .await
            .expect("a bound listener");
    });
}

/// An answer as it came: status, head, body.
struct Got {
    status: u16,
    head: String,
    body: Vec<u8>,
}

/// Sends a request and reads one answer; the connection stays open.
async fn send(stream: &mut TcpStream, request: &str) -> Got {
    stream.write_all(request.as_bytes()).await.expect("the server reads");
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        let read = stream.read_buf(&mut bytes).await.expect("the server answers");
        assert_ne!(read, 0, "the connection closed inside a head");
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).to_ascii_lowercase();
    let length = head
        .split("content-length: ")
        .nth(1)
        .and_then(|rest| rest.lines().next())
        .expect("a length");
    let length: usize = length.parse().expect("a length is a number");
    while bytes.len() < head_end + length {
        let read = stream.read_buf(&mut bytes).await.expect("the server answers");
        assert_ne!(read, 0, "the connection closed inside a body");
    }
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Got { status, head, body: bytes.split_off(head_end) }
}

async fn get(stream: &mut TcpStream, target: &str) -> Got {
    send(stream, &format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await
}

/// The status and the beginning of the body that a request gets on a connection of its own.
fn check(request: &str, status: u16, beginning: &str) {
    converse(&repository(Script::plain(5, 2, 1)), Hooks::default(), None, |address| async move {
        let mut stream = TcpStream::connect(address).await.expect("the server listens");
        let got = send(&mut stream, request).await;
        let body = String::from_utf8_lossy(&got.body);
        assert_eq!(got.status, status, "{body}");
        assert!(body.starts_with(beginning), "{body}");
    });
}

#[test]
fn the_bytes_of_the_repository_arrive_unchanged_over_one_connection() {
    let script = Script::plain(5, 2, 1);
    let mut expected = Repository::new(Arc::new(script.clone()));
    expected.begin_run(0);
    converse(&repository(script), Hooks::default(), None, |address| async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        for query in ["verb=Identify", "verb=ListRecords&metadataPrefix=oai_dc", "verb=nonsense"] {
            let got = get(&mut stream, &format!("/oai?{query}")).await;
            assert_eq!(got.body, expected.answer(&AskedRequest::get(query)).body);
            assert_eq!(parse_document(&got.body).unwrap().complaints, []);
            assert!(got.head.contains("content-type: text/xml; charset=utf-8\r\n"), "{}", got.head);
            assert!(!got.head.contains("\r\ndate:"), "{}", got.head);
        }
    });
}

#[test]
fn a_form_is_answered_like_a_url() {
    check(
        "POST /oai HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\r\n\
         Content-Length: 13\r\n\r\nverb=Identify",
        200,
        "<?xml",
    );
}

#[test]
fn what_is_no_request_to_a_repository_is_answered_with_a_sentence() {
    check(
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        200,
        "A mock of an OAI-PMH repository. It plays `plain`:",
    );
    check("GET /other HTTP/1.1\r\nHost: x\r\n\r\n", 404, "There is nothing here");
    check(
        "PUT /oai HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        405,
        "OAI-PMH knows GET and POST",
    );
    check(
        "POST /oai HTTP/1.1\r\nHost: x\r\nContent-Length: 13\r\n\r\nverb=Identify",
        415,
        "A POST is a form",
    );
    check(
        &format!("GET /oai?{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(17_000)),
        414,
        "A URL may have",
    );
    let form = "a".repeat((1 << 20) + 1);
    check(
        &format!(
            "POST /oai HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{form}",
            form.len()
        ),
        413,
        "A form may have",
    );
}

#[test]
fn a_busy_repository_says_so_with_its_fields() {
    let mut script = Script::plain(5, 2, 1);
    let http = HttpEffect { status: 503, retry_after: Some("120".into()), ..HttpEffect::default() };
    script.faults = vec![Fault {
        name: "busy".into(),
        when: When::default(),
        effect: Effect::Http(http),
        times: None,
        optional: false,
        line: 1,
    }];
    converse(&repository(script), Hooks::default(), None, |address| async move {
        let got = get(&mut TcpStream::connect(address).await.unwrap(), "/oai?verb=Identify").await;
        assert_eq!(got.status, 503);
        assert!(got.head.contains("retry-after: 120\r\n"), "{}", got.head);
    });
}

#[test]
fn hooks_are_called_before_and_after_each_answer_in_order() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = |text: &'static str| {
        let seen = Arc::clone(&seen);
        move |page: u32| seen.lock().unwrap().push(format!("{text} {page}"))
    };
    let (before, after) = (note("before"), note("after"));
    let hooks = Hooks {
        before: Some(Arc::new(move |exchange| {
            let (before, page) = (before.clone(), exchange.page);
            Box::pin(async move {
                tokio::task::yield_now().await;
                before(page);
            })
        })),
        after: Some(Arc::new(move |exchange| after(exchange.page))),
        client_clock: Some(Arc::new(|| 77)),
        ..Hooks::default()
    };
    let repository = repository(Script::plain(5, 2, 1));
    let client = note("got");
    converse(&repository, hooks, None, |address| async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        get(&mut stream, LIST).await;
        client(1);
        get(&mut stream, "/").await;
        get(
            &mut stream,
            "/oai?verb=ListRecords&resumptionToken=ListRecords%7Coai_dc%7C%7C%7C%7C1%7C2",
        )
        .await;
        client(2);
    });
    assert_eq!(
        *seen.lock().unwrap(),
        ["before 1", "after 1", "got 1", "before 2", "after 2", "got 2"]
    );
    assert_eq!(
        repository.lock().unwrap().journal().exchanges().next().unwrap().client_ms,
        Some(77)
    );
}

#[test]
fn an_answer_held_back_holds_back_no_other_connection() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let hook_gate = Arc::clone(&gate);
    let arrived = Arc::new(tokio::sync::Semaphore::new(0));
    let hook_arrived = Arc::clone(&arrived);
    let hooks = Hooks {
        before: Some(Arc::new(move |exchange| {
            let (gate, held) = (Arc::clone(&hook_gate), exchange.page == 1);
            let arrived = Arc::clone(&hook_arrived);
            Box::pin(async move {
                if held {
                    arrived.add_permits(1);
                    let _ = gate.acquire().await;
                }
            })
        })),
        ..Hooks::default()
    };
    let repository = repository(Script::plain(5, 2, 1));
    converse(&repository, hooks, None, |address| async move {
        let held = tokio::spawn(async move {
            get(&mut TcpStream::connect(address).await.unwrap(), LIST).await.status
        });
        drop(arrived.acquire().await);
        let other =
            get(&mut TcpStream::connect(address).await.unwrap(), "/oai?verb=Identify").await;
        assert_eq!(other.status, 200);
        assert!(!held.is_finished());
        gate.add_permits(1);
        assert_eq!(held.await.unwrap(), 200);
        get(&mut TcpStream::connect(address).await.unwrap(), "/oai?verb=Identify").await;
    });
    let repository = repository.lock().unwrap();
    let mut at_once: Vec<(u32, Option<u32>)> =
        repository.journal().exchanges().map(|asked| (asked.page, asked.in_flight)).collect();
    assert_eq!(at_once.pop(), Some((0, Some(1))), "nobody else was waiting any more");
    at_once.sort_unstable();
    assert_eq!(at_once.len(), 2, "one came while the other was waiting: {at_once:?}");
    assert_eq!(at_once.iter().filter_map(|(_, number)| *number).sum::<u32>(), 3);
}

#[test]
fn an_answer_that_cannot_be_handed_over_is_not_called_delivered() {
    // 40 MB do not fit into the buffers of a connection whose client has stopped reading.
    let delivered = Arc::new(Mutex::new(0));
    let hook_delivered = Arc::clone(&delivered);
    let hooks = Hooks {
        after: Some(Arc::new(move |_| *hook_delivered.lock().unwrap() += 1)),
        ..Hooks::default()
    };
    converse(&repository(Script::plain(40_000, 40_000, 1)), hooks, None, |address| async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {LIST} HTTP/1.1\r\nHost: x\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut beginning = [0; 100];
        stream.read_exact(&mut beginning).await.unwrap();
        drop(stream);
        // A second answer is proof that the server has gone on.
        get(&mut TcpStream::connect(address).await.unwrap(), "/oai?verb=Identify").await;
    });
    assert_eq!(*delivered.lock().unwrap(), 1);
}

#[test]
fn the_journal_is_on_disk_when_the_answer_arrives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.ndjson");
    let journal = JournalFile::append_to(&path).unwrap();
    let repository = repository(Script::plain(5, 2, 1));
    let seen = path.clone();
    converse(&repository, Hooks::default(), Some(journal), |address| async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        for lines in [2, 3] {
            get(&mut stream, LIST).await;
            assert_eq!(std::fs::read_to_string(&seen).unwrap().lines().count(), lines);
        }
    });
    let mut again = JournalFile::append_to(&folder.path().join("again.ndjson")).unwrap();
    let mut repository = repository.lock().unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), repository.journal().to_ndjson());
    repository.end_run("complete");
    again.catch_up(repository.journal()).unwrap();
    let text = std::fs::read_to_string(folder.path().join("again.ndjson")).unwrap();
    assert_eq!(text, repository.journal().to_ndjson());
}

#[test]
fn a_request_for_the_head_alone_is_refused_and_says_what_is_taken() {
    let repository = repository(Script::plain(5, 2, 1));
    converse(&repository, Hooks::default(), None, |address| async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = "HEAD /oai?verb=Identify HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let answer = answer.to_ascii_lowercase();
        assert!(
            answer.starts_with("http/1.1 405 ") && answer.contains("\r\nallow: get, post\r\n"),
            "{answer}"
        );
        assert!(answer.ends_with("\r\n\r\n"), "a head and no body: {answer}");
    });
    assert_eq!(repository.lock().unwrap().journal().exchanges().count(), 0);
}

#[test]
fn whoever_takes_gzip_gets_it_and_reads_the_same_document() {
    let script = Script::plain(5, 5, 1);
    let mut expected = Repository::new(Arc::new(script.clone()));
    expected.begin_run(0);
    let expected = expected.answer(&AskedRequest::get(LIST.split_once('?').unwrap().1)).body;
    converse(&repository(script), Hooks::default(), None, |address| async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request =
            format!("GET {LIST} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br, gzip\r\n\r\n");
        let got = send(&mut stream, &request).await;
        assert!(got.head.contains("content-encoding: gzip\r\n"), "{}", got.head);
        assert!(got.body.len() < expected.len());
        let mut headers = Headers::default();
        headers.push("content-encoding", "gzip");
        let page = HttpPage { status: 200, headers, body: got.body };
        assert_eq!(pmh_protocol::decode_body(&page, 1 << 20).unwrap(), expected);
    });
}

#[test]
fn every_request_is_told_also_those_that_are_none_to_the_repository() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    let hooks = Hooks {
        access: Some(Arc::new(move |access| told.lock().unwrap().push(access.clone()))),
        ..Hooks::default()
    };
    converse(&repository(Script::plain(5, 2, 1)), hooks, None, |address| async move {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let agent = "User-Agent: tester\r\n";
        let got =
            send(&mut stream, &format!("GET {LIST} HTTP/1.1\r\nHost: x\r\n{agent}\r\n")).await;
        let other = get(&mut stream, "/nowhere").await;
        let seen = seen.lock().unwrap();
        let lines: Vec<_> = seen
            .iter()
            .map(|access| (access.request_line.as_str(), access.status, access.bytes))
            .collect();
        let list = format!("GET {LIST} HTTP/1.1");
        assert_eq!(
            lines,
            [
                (list.as_str(), 200, got.body.len() as u64),
                ("GET /nowhere HTTP/1.1", 404, other.body.len() as u64)
            ]
        );
        assert_eq!(seen[0].user_agent.as_deref(), Some("tester"));
    });
}

#[test]
fn an_answer_that_is_on_its_way_at_the_end_still_arrives() {
    let hooks = Hooks {
        before: Some(Arc::new(|_| {
            Box::pin(tokio::time::sleep(std::time::Duration::from_millis(300)))
        })),
        ..Hooks::default()
    };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let status = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let client = tokio::spawn(async move {
            let mut stream = TcpStream::connect(address).await.expect("the server listens");
            get(&mut stream, "/oai?verb=Identify").await.status
        });
        let stop = tokio::time::sleep(std::time::Duration::from_millis(100));
        let repository = repository(Script::plain(5, 2, 1));
        serve(listener, repository, hooks, None, stop).await.expect("a bound listener");
        client.await.expect("the client got an answer")
    });
    assert_eq!(status, 200);
}
