//! The way to a repository: proxies, certificates, and how long is waited for what.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;

use super::{ScriptServer, document, pmh, pmh_in};

fn sets() -> String {
    document("<ListSets><set><setSpec>maps</setSpec><setName>Maps</setName></set></ListSets>")
}

#[test]
fn a_proxy_is_asked_for_everything_or_nothing() {
    let proxy = ScriptServer::start(|_| sets());
    let url = format!("http://user:pass@{}", proxy.address);
    let folder = tempfile::tempdir().expect("a folder");
    // Nobody could look up this name.
    let asked = ["sets", "http://repository.invalid/oai"];
    let ran = pmh(folder.path(), &[&asked[..], &["--proxy", &url]].concat());
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("maps "), "{}", ran.stdout);
    let head = proxy.heads().remove(0);
    assert!(head.starts_with("GET http://repository.invalid/oai?verb=ListSets HTTP/1.1"), "{head}");
    assert!(head.contains("proxy-authorization: Basic dXNlcjpwYXNz"), "{head}");

    let variables = [("http_proxy", url.as_str())];
    assert_eq!(pmh_in(folder.path(), &variables, &asked).exit, 0, "the environment names one");
    assert_eq!(proxy.heads().len(), 2);
    let direct = [&asked[..], &["--proxy", "none"]].concat();
    assert_eq!(pmh_in(folder.path(), &variables, &direct).exit, 3, "the flag has the last word");
    assert_eq!(proxy.heads().len(), 2);
}

#[test]
fn a_proxy_that_is_not_there_is_named_without_its_password() {
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = "http://user:s3cret@127.0.0.1:1";
    let asked = ["identify", "http://repository.invalid/oai"];
    let typed = pmh(folder.path(), &[&asked[..], &["--proxy", proxy]].concat());
    let found = pmh_in(folder.path(), &[("http_proxy", proxy)], &asked);
    for (ran, said_by) in [(typed, "named by `--proxy`"), (found, "named by the environment")] {
        assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
        let said = format!("(through the proxy 127.0.0.1:1, {said_by}");
        assert!(ran.stderr.contains(&said), "no `{said}` in {}", ran.stderr);
        assert!(!ran.stderr.contains("s3cret"), "{}", ran.stderr);
    }
}

#[test]
fn a_server_without_tls_is_told_from_one_that_is_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = ScriptServer::start(|_| sets());
    let url = format!("https://{}/oai", server.address);
    let ran = pmh(folder.path(), &["sets", &url]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    let said = "the server does not speak TLS there: is it `http://`?";
    assert!(ran.stderr.contains(said), "no `{said}` in {}", ran.stderr);
}

#[test]
fn a_proxy_that_is_none_is_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    for proxy in ["socks5://u:s3cret@x:1", "http://u:s3cret@", "u:s3cret@x", ""] {
        let ran = pmh(folder.path(), &["sets", "http://127.0.0.1:1/oai", "--proxy", proxy]);
        assert_eq!(ran.exit, 2, "`{proxy}`: {}", ran.stderr);
        assert!(ran.stderr.contains("`--proxy`: expected a proxy such as"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("s3cret"), "{}", ran.stderr);
    }
}

/// Somebody's own authority in PEM, and a server for `localhost` that it vouches for.
fn tls() -> (String, Arc<ServerConfig>) {
    let mut authority = CertificateParams::new(Vec::new()).expect("parameters");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let authority = CertifiedIssuer::self_signed(authority, key).expect("an authority");
    let key = KeyPair::generate().expect("a key");
    let leaf = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
    let leaf = leaf.signed_by(&key, &authority).expect("a certificate");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], key)
        .expect("a server");
    (authority.pem(), Arc::new(config))
}

#[test]
fn an_authority_of_ones_own_is_trusted_when_it_is_named() {
    let (authority, config) = tls();
    let server = ScriptServer::start_tls(config, |_| sets());
    let port = server.address.rsplit_once(':').expect("a port").1;
    let url = format!("https://localhost:{port}/oai");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("ca.pem"), authority).expect("a file");
    let refused = pmh(folder.path(), &["sets", &url]);
    assert_eq!(refused.exit, 3, "{}", refused.stdout);
    assert!(refused.stderr.contains("no connection"), "{}", refused.stderr);
    assert!(server.heads().is_empty(), "nothing is said to a server that is not trusted");
    let ran = pmh(folder.path(), &["sets", &url, "--ca", "ca.pem"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("maps "), "{}", ran.stdout);
}

#[test]
fn a_file_that_holds_no_certificates_is_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    let (authority, _) = tls();
    let broken = authority.replacen("MII", "AAA", 1);
    assert_ne!(broken, authority);
    for (name, content, said) in [
        ("empty.pem", String::new(), "is empty"),
        ("letter.pem", "Dear Sir or Madam".to_owned(), "there is none"),
        ("second.pem", format!("{authority}{broken}"), "certificate 2: "),
        ("cut.pem", authority[..authority.len() / 2].to_owned(), "certificate 1: "),
    ] {
        fs::write(folder.path().join(name), content).expect("a file");
        let ran = pmh(folder.path(), &["sets", "http://127.0.0.1:1/oai", "--ca", name]);
        assert_eq!(ran.exit, 2, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("`{name}`")), "{}", ran.stderr);
        assert!(ran.stderr.contains(said), "no `{said}` in {}", ran.stderr);
    }
    let ran = pmh(folder.path(), &["sets", "http://127.0.0.1:1/oai", "--ca", "nowhere.pem"]);
    assert_eq!(ran.exit, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("failed to read `nowhere.pem`"), "{}", ran.stderr);
}

/// Longer than any test waits; short enough that no thread stays behind for long.
const STALL: Duration = Duration::from_secs(30);

/// A server that does `act` with each connection and then says nothing more; host and port.
fn stalling(act: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let act = Arc::new(act);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let act = Arc::clone(&act);
            std::thread::spawn(move || {
                act(&mut stream);
                std::thread::sleep(STALL);
            });
        }
    });
    address
}

/// Reads some of the request and sends a head and some of the body.
fn begin_answer(stream: &mut TcpStream) {
    drop(stream.read(&mut [0; 1_024]));
    drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n<OAI-PMH"));
}

/// With this flag at a fifth of a second and the others as they are, the wait ends with these words.
#[track_caller]
fn check_patience(url: &str, flag: &str, said: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = pmh(folder.path(), &["identify", url, flag, "0.2"]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    let said = format!("{said} within 0.2 s (`{flag}` allows more)");
    assert!(ran.stderr.contains(&said), "no `{said}` in {}", ran.stderr);
}

#[test]
fn each_part_of_an_exchange_has_its_own_patience() {
    let silent = stalling(|_| {});
    // The TLS of a server that says nothing.
    check_patience(
        &format!("https://{silent}/oai"),
        "--timeout-connect",
        "no connection: not connected",
    );
    check_patience(
        &format!("http://{silent}/oai"),
        "--timeout-first-byte",
        "no answer: no first byte",
    );
    check_patience(&format!("http://{silent}/oai"), "--timeout-page", "no answer: not whole");
    let begun = format!("http://{}/oai", stalling(begin_answer));
    let broken = "the answer broke off after 8 bytes";
    check_patience(&begun, "--timeout-idle", &format!("{broken}: no further byte"));
    check_patience(&begun, "--timeout-page", &format!("{broken}: not whole"));
}

#[test]
fn a_server_that_dribbles_is_left_when_the_page_takes_too_long() {
    let dribbling = stalling(|stream| {
        begin_answer(stream);
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(20));
            if stream.write_all(b" ").is_err() {
                return;
            }
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("http://{dribbling}/oai");
    let flags = ["--timeout-idle", "0.9", "--timeout-page", "1"];
    let ran = pmh(folder.path(), &[&["identify", &url], &flags[..]].concat());
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("not whole within 1 s"), "{}", ran.stderr);
}

#[test]
fn a_patience_that_is_none_is_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    for flag in ["--timeout-connect", "--timeout-first-byte", "--timeout-idle", "--timeout-page"] {
        for value in ["0", "-1", "nan", "86401", "soon"] {
            let given = format!("{flag}={value}");
            let ran = pmh(folder.path(), &["identify", "http://127.0.0.1:1/oai", &given]);
            assert_eq!(ran.exit, 2, "{given}: {}", ran.stderr);
            assert!(ran.stderr.contains("expected seconds, more than 0"), "{}", ran.stderr);
        }
    }
}

#[test]
fn a_large_page_is_put_aside_until_it_is_whole_and_a_larger_one_is_refused() {
    let server = ScriptServer::start(|_| {
        // More than is kept in memory while it arrives.
        let filling = " ".repeat(17 << 20);
        document(&format!("<ListSets><set><setSpec>maps</setSpec></set>{filling}</ListSets>"))
    });
    let url = server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let ran = pmh(folder.path(), &["sets", &url]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("maps "), "{}", ran.stdout);
    // Nowhere to put it: said, not mistaken for a fault of the network's.
    let ran = pmh_in(folder.path(), &[("TMPDIR", "nowhere")], &["sets", &url]);
    assert_eq!(ran.exit, 3, "{}", ran.stdout);
    assert!(ran.stderr.contains("no room for it in a temporary file (TMPDIR)"), "{}", ran.stderr);
    let bound = (17 << 20).to_string();
    for command in ["sets", "harvest"] {
        let asked = server.heads().len();
        let ran = pmh(folder.path(), &[command, &url, "--max-page-bytes", &bound]);
        assert_ne!(ran.exit, 0, "{}", ran.stdout);
        let said =
            format!("over {bound} bytes, packed or unpacked (`--max-page-bytes` allows more)");
        let printed = [ran.stdout, ran.stderr].concat();
        assert!(printed.contains(&said), "no `{said}` in {printed}");
        let requests = server.heads().len() - asked;
        assert!(requests <= 2, "{requests} requests: asking again does not help");
    }
}
