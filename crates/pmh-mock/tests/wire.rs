//! Answers that go wrong on their way, as a bare socket sees them.

use std::io::ErrorKind;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pmh_mock::{Hooks, serve};
use pmh_repository::Repository;
use pmh_scenario::{Effect, Fault, Length, Position, Script, TimeEffect, When, WireEffect};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// How one connection went.
struct Seen {
    head: String,
    body: Vec<u8>,
    /// How it ended, where that was not in order.
    broken: Option<ErrorKind>,
    took: Duration,
}

/// What one request for a list meets with this effect, its pauses taking `pause_scale` of their time.
fn ask(effect: WireEffect, pause_scale: f64) -> Seen {
    let hooks = Hooks { pause_scale: Some(pause_scale), ..Hooks::default() };
    ask_with(Effect::Wire(effect), hooks)
}

/// The same with any effect, and whatever takes hold of the answer.
fn ask_with(effect: Effect, hooks: Hooks) -> Seen {
    let mut script = Script::plain(5, 5, 1);
    script.faults = vec![Fault {
        name: "the wire".into(),
        when: When::default(),
        effect,
        times: None,
        optional: false,
        line: 1,
    }];
    let mut repository = Repository::new(Arc::new(script));
    repository.begin_run(0);
    let repository = Arc::new(Mutex::new(repository));
    let seen = Mutex::new(None);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let conversation = async {
            let began = Instant::now();
            let mut stream = TcpStream::connect(address).await.expect("the server listens");
            let request =
                "GET /oai?verb=ListRecords&metadataPrefix=oai_dc HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
            stream.write_all(request.as_bytes()).await.expect("the server reads");
            let mut bytes = Vec::new();
            let broken = stream.read_to_end(&mut bytes).await.err().map(|error| error.kind());
            let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
            let body = bytes.split_off(end.map_or(bytes.len(), |end| end + 4));
            let head = String::from_utf8_lossy(&bytes).into_owned();
            *seen.lock().expect("nobody panicked") =
                Some(Seen { head, body, broken, took: began.elapsed() });
        };
        serve(listener, repository, hooks, None, conversation).await.expect("a bound listener");
    });
    seen.into_inner().expect("nobody panicked").expect("the conversation was held")
}

#[test]
fn a_cut_ends_in_order_and_a_reset_does_not() {
    let cut = ask(WireEffect::CutAt(Position::Byte(100)), 1.0);
    assert_eq!((cut.body.len(), cut.broken), (100, None));
    let reset = ask(WireEffect::ResetAt(Position::Byte(100)), 1.0);
    assert_eq!((reset.body.len(), reset.broken), (100, Some(ErrorKind::ConnectionReset)));
    assert_eq!(cut.head, reset.head);
    assert!(cut.head.starts_with("HTTP/1.1 200 \r\n"), "{}", cut.head);
    let refused = ask(WireEffect::Refuse, 1.0);
    assert_eq!((refused.head.len(), refused.body.len()), (0, 0));
    assert_eq!(refused.broken, Some(ErrorKind::ConnectionReset));
}

#[test]
fn a_length_is_what_the_script_says_and_the_body_what_it_is() {
    let length = |seen: &Seen| {
        let field = seen.head.lines().find_map(|line| line.strip_prefix("content-length: "));
        field.map(|length| length.parse::<usize>().expect("a number"))
    };
    let longer = ask(WireEffect::Length(Length::TooBig(7)), 1.0);
    assert_eq!(length(&longer), Some(longer.body.len() + 7));
    let shorter = ask(WireEffect::Length(Length::TooSmall(7)), 1.0);
    assert_eq!(length(&shorter), Some(shorter.body.len() - 7));
    let absent = ask(WireEffect::Length(Length::Absent), 1.0);
    assert_eq!(length(&absent), None);
    assert_eq!(absent.body, longer.body);
    let chunked = ask(WireEffect::ChunkedWithoutEnd, 1.0);
    let size = format!("{:x}\r\n", absent.body.len()).into_bytes();
    assert_eq!(chunked.body, [size, absent.body, b"\r\n".to_vec()].concat());
}

#[test]
fn a_pause_takes_its_share_of_its_time() {
    // A minute, and twenty seconds, at a two-hundredth.
    let silence = ask(WireEffect::Silence, 0.005);
    assert!(silence.head.is_empty() && silence.broken.is_none());
    assert!(silence.took >= Duration::from_millis(300), "{:?}", silence.took);
    let dribble = ask(WireEffect::Dribble(20), 0.005);
    assert!(dribble.took >= Duration::from_millis(100), "{:?}", dribble.took);
    assert!(dribble.body.ends_with(b"</OAI-PMH>\n"));
}

#[test]
fn other_bytes_are_sent_as_they_are() {
    let seen = ask(WireEffect::Replace("SSH-2.0-x\r\n".into()), 1.0);
    assert_eq!((seen.head.as_str(), seen.body.len(), seen.broken), ("SSH-2.0-x\r\n", 0, None));
}

#[test]
fn a_delay_comes_before_the_first_byte_and_takes_its_share_of_its_time() {
    let hooks = || Hooks { pause_scale: Some(0.005), ..Hooks::default() };
    let delayed = ask_with(Effect::Time(TimeEffect::Delay(60)), hooks());
    assert!(delayed.took >= Duration::from_millis(300), "{:?}", delayed.took);
    assert!(delayed.body.ends_with(b"</OAI-PMH>\n"));
}

#[test]
fn half_an_answer_leaves_and_what_is_waited_for_comes_before_the_end() {
    const WAIT: Duration = Duration::from_millis(100);
    let hooks = Hooks {
        midway: Some(Arc::new(|_| Some(Box::pin(tokio::time::sleep(WAIT))))),
        ..Hooks::default()
    };
    let whole = ask(WireEffect::Length(Length::Absent), 1.0).body;
    let half = ask_with(Effect::Time(TimeEffect::Jump(0)), hooks);
    assert_eq!(half.body, whole[..whole.len() / 2]);
    assert!(half.head.contains(&format!("content-length: {}", whole.len())), "{}", half.head);
    assert!(half.took >= WAIT, "{:?}", half.took);
    assert_eq!(half.broken, None);
}
