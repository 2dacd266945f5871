//! What lets us in: how it is given, where it goes, and that nobody sees it.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Ran, ScriptServer, document, pmh, pmh_in};
use crate::support::program;

/// Stands for every secret; no output and no file of ours may hold it.
const SECRET: &str = "s3cret-word";
/// `reader:s3cret-word`, as basic authentication has it.
const BASIC: &str = "authorization: Basic cmVhZGVyOnMzY3JldC13b3Jk\n";
const DENIED: &str =
    "HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno";

/// A repository of one record, for those who send this field.
fn closed_to_all_without(field: &'static str) -> ScriptServer {
    ScriptServer::start(move |head| {
        if !head.contains(field) {
            return DENIED.to_owned();
        }
        let header = "<header><identifier>oai:x:1</identifier>\
                      <datestamp>2023-01-01</datestamp></header>";
        let metadata = "<metadata><dc xmlns=\"urn:x\"/></metadata>";
        let verb = |verb: &str| head.contains(&format!("verb={verb}"));
        document(&if verb("Identify") {
            "<Identify><repositoryName>R</repositoryName><baseURL>http://x/oai</baseURL>\
             <protocolVersion>2.0</protocolVersion><adminEmail>a@x</adminEmail>\
             <earliestDatestamp>2000-01-01</earliestDatestamp><deletedRecord>no</deletedRecord>\
             <granularity>YYYY-MM-DD</granularity></Identify>"
                .to_owned()
        } else if verb("ListSets") {
            "<ListSets><set><setSpec>a</setSpec><setName>A</setName></set></ListSets>".to_owned()
        } else if verb("ListMetadataFormats") {
            "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix>\
             </metadataFormat></ListMetadataFormats>"
                .to_owned()
        } else if verb("ListIdentifiers") {
            format!("<ListIdentifiers>{header}</ListIdentifiers>")
        } else if verb("GetRecord") {
            format!("<GetRecord><record>{header}{metadata}</record></GetRecord>")
        } else {
            format!("<ListRecords><record>{header}{metadata}</record></ListRecords>")
        })
    })
}

/// No output and no file in the folder shows the secret, also not the way that it is sent.
#[track_caller]
fn check_hidden(folder: &Path, ran: &Ran) {
    let encoded = "cmVhZGVyOnMzY3JldC13b3Jk";
    for (place, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        assert!(!text.contains(SECRET) && !text.contains(encoded), "{place}: {text}");
    }
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() || path.extension().is_some_and(|ending| ending == "secret") {
            continue;
        }
        let bytes = fs::read(&path).expect("a file");
        for word in [SECRET, encoded] {
            let found = bytes.windows(word.len()).any(|window| window == word.as_bytes());
            assert!(!found, "{} holds the secret", path.display());
        }
    }
}

#[cfg(unix)]
#[test]
fn a_secret_of_the_environment_that_is_no_text_is_not_left_out_in_silence() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let server = closed_to_all_without("host: ");
    for (variable, flags) in [
        ("OAI_BEARER_TOKEN", &[][..]),
        ("OAI_BASIC_PASSWORD", &["--basic", "reader"]),
        ("OTHER", &["--header", "X-Key: env:OTHER"]),
    ] {
        let ran = Command::new(program())
            .args(["identify", &server.base_url()])
            .args(flags)
            .env(variable, OsStr::from_bytes(b"\xff"))
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("`{variable}` holds bytes that are not UTF-8")), "{said}");
    }
    assert!(server.heads().is_empty(), "nothing is asked without it");
}

#[test]
fn every_command_that_asks_is_let_in_and_shows_no_password() {
    let server = closed_to_all_without(BASIC);
    let url = server.base_url();
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("password.secret"), format!("{SECRET}\n")).expect("a file");
    let login = ["--basic", "reader", "--password-file", "password.secret"];
    let commands: [&[&str]; 8] = [
        &["identify"],
        &["sets"],
        &["formats"],
        &["get", &url, "oai:x:1"],
        &["harvest", "--dry-run"],
        &["harvest"],
        &["harvest", "--json"],
        &["verify"],
    ];
    for command in commands {
        let mut arguments = command.to_vec();
        if !arguments.contains(&url.as_str()) {
            arguments.insert(1, &url);
        }
        let denied = pmh(folder, &arguments);
        assert_eq!(denied.exit, 3, "{command:?}: {}{}", denied.stdout, denied.stderr);
        arguments.extend(login);
        let ran = pmh(folder, &arguments);
        assert_eq!(ran.exit, 0, "{command:?}: {}{}", ran.stdout, ran.stderr);
        check_hidden(folder, &ran);
    }
}

#[test]
fn a_login_in_the_base_url_is_sent_and_neither_stored_nor_shown() {
    let server = closed_to_all_without(BASIC);
    let with_login = format!("http://reader:{SECRET}@{}/oai", server.address);
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for arguments in [
        &["harvest", &with_login][..],
        &["harvest", &with_login, "--dry-run"],
        &["status"],
        &["export", "--source", &with_login],
        &["verify", &with_login],
        &["rekey", &with_login, &format!("http://reader:{SECRET}@new.example/oai")],
    ] {
        let ran = pmh(folder, arguments);
        assert_eq!(ran.exit, 0, "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        check_hidden(folder, &ran);
    }
    let status = pmh(folder, &["status", "--json"]).stdout;
    assert!(status.contains("\"http://new.example/oai\""), "{status}");
    // The environment is shown in the help of other variables.
    let help = pmh_in(folder, &[("OAI_BASE_URL", &with_login)], &["harvest", "--help"]);
    assert!(help.stdout.contains("OAI_BASE_URL"), "{}", help.stdout);
    check_hidden(folder, &help);
    let forgotten =
        pmh(folder, &["forget", &format!("http://x:{SECRET}@new.example/oai"), "--yes"]);
    assert_eq!(forgotten.exit, 0, "{}{}", forgotten.stdout, forgotten.stderr);
}

/// Whoever asks with these variables and flags sends the field.
#[track_caller]
fn check_let_in(field: &'static str, variables: &[(&str, &str)], flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("key.secret"), format!("{SECRET}\r\n")).expect("a file");
    let server = closed_to_all_without(field);
    let url = server.base_url();
    let ran = pmh_in(folder, variables, &[&["identify", &url], flags].concat());
    assert_eq!(ran.exit, 0, "{flags:?}: {}", ran.stderr);
    check_hidden(folder, &ran);
    let authorizations = server.heads()[0].matches("authorization:").count();
    assert_eq!(authorizations, usize::from(field.starts_with("authorization")));
}

#[test]
fn secrets_come_from_files_and_from_the_environment() {
    let bearer = "authorization: Bearer s3cret-word\n";
    check_let_in(bearer, &[("OAI_BEARER_TOKEN", SECRET)], &[]);
    check_let_in(bearer, &[("OAI_BEARER_TOKEN", "another")], &["--bearer-file", "key.secret"]);
    let password = ("OAI_BASIC_PASSWORD", SECRET);
    check_let_in(BASIC, &[password], &["--basic", "reader"]);
    check_let_in(BASIC, &[password, ("OAI_BEARER_TOKEN", "another")], &["--basic", "reader"]);
    let key = "x-api-key: s3cret-word\n";
    check_let_in(key, &[("KEY", SECRET)], &["--header", "X-Api-Key: env:KEY"]);
    check_let_in(key, &[], &["--header", "X-Api-Key:file:key.secret"]);
    check_let_in(key, &[], &["--header", "X-Other: 1", "--header", "X-Api-Key: s3cret-word"]);
}

#[test]
fn credentials_that_make_no_sense_are_usage_and_shown_nowhere() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("empty.secret"), "\n").expect("a file");
    fs::write(folder.join("lines.secret"), format!("{SECRET}\nmore")).expect("a file");
    let url = "http://127.0.0.1:1/oai";
    let with_login = format!("http://u:{SECRET}@127.0.0.1:1/oai");
    let cases: [(&[&str], &str); 16] = [
        (&[url, "--header", SECRET], "expected `Name: value`"),
        (&[url, "--header", "s3cret-word x: y"], "a name consists of"),
        (&[url, "--header", "X-Key: s3cret-word\r\nX-Other: 1"], "outside of printable ASCII"),
        (&[url, "--header", "X-Key:"], "`--header X-Key`: the value is empty"),
        (&[url, "--header", "X-Key: env:NOT_SET"], "`NOT_SET` is not set"),
        (&[url, "--header", "X-Key: file:nowhere"], "failed to read `nowhere`"),
        (&[url, "--header", "host: s3cret-word"], "`host` is written by pmh itself"),
        (&[url, "--header", "From: s3cret-word"], "`--contact` sets it"),
        (&[url, "--basic", "reader"], "--password-file"),
        (&[url, "--basic", "reader", "--password-file", "empty.secret"], "is empty"),
        (&[url, "--basic", "reader", "--password-file", "lines.secret"], "control characters"),
        (&[url, "--password-file", "empty.secret"], "--basic"),
        (&[url, "--bearer-file", "lines.secret"], "one word"),
        (&[&with_login, "--header", "Authorization: x"], "exclude each other"),
        (&[url, "--contact", "Jörg"], "`--contact`: expected an address"),
        (&["http:u:s3cret-word@x/oai"], "expected a base URL such as"),
    ];
    for (flags, said) in cases {
        for command in ["identify", "harvest"] {
            let arguments = [&[command][..], flags].concat();
            let ran = pmh(folder, &arguments);
            assert_eq!(ran.exit, 2, "{flags:?}: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stderr.contains(said), "no `{said}` in {}", ran.stderr);
            check_hidden(folder, &ran);
        }
    }
}

#[test]
fn a_redirect_to_another_server_takes_no_credentials_along() {
    let elsewhere = ScriptServer::start(|_| DENIED.to_owned());
    let location = format!("http://{}/oai", elsewhere.address);
    let server = ScriptServer::start(move |_| {
        format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nConnection: close\r\n\r\n")
    });
    let folder = tempfile::tempdir().expect("a folder");
    let secret = [("OAI_BEARER_TOKEN", SECRET)];
    for command in ["identify", "harvest"] {
        let ran = pmh_in(folder.path(), &secret, &[command, &server.base_url()]);
        assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    }
    let (first, second) = (server.heads(), elsewhere.heads());
    assert!(first.len() >= 2 && second.len() == first.len(), "{first:?} {second:?}");
    assert!(first.iter().all(|head| head.contains(SECRET)), "{first:?}");
    assert!(!second.iter().any(|head| head.contains("authorization")), "{second:?}");
}

#[test]
fn a_captured_run_shows_everything_but_what_lets_us_in() {
    let server = closed_to_all_without(BASIC);
    let url = format!("http://reader:{SECRET}@{}/oai", server.address);
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let flags = ["--capture", "exchanges", "--header", "X-Api-Key: s3cret-word"];
    let ran = pmh(folder, &[&["harvest", &url], &flags[..]].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let exchanges = folder.join("exchanges");
    check_hidden(&exchanges, &ran);
    let index = fs::read_to_string(exchanges.join("exchanges.jsonl")).expect("an index");
    assert_eq!(index.lines().count(), server.heads().len(), "{index}");
    let line: serde_json::Value =
        serde_json::from_str(index.lines().next().expect("a line")).expect("an object");
    assert_eq!((line["method"].as_str(), line["status"].as_u64()), (Some("GET"), Some(200)));
    assert_eq!(line["url"], format!("{}?verb=Identify", server.base_url()));
    let request = fs::read_to_string(exchanges.join("0001-request.txt")).expect("a file");
    for field in ["Authorization: [redacted]\n", "X-Api-Key: [redacted]\n", "User-Agent: pmh/"] {
        assert!(request.contains(field), "no `{field}` in {request}");
    }
    let body = fs::read_to_string(exchanges.join("0003-response.body")).expect("a file");
    assert!(body.contains("oai:x:1"), "{body}");

    // One that has no room any more does not stop the harvest.
    let bound = ["--capture-max-bytes", "9"];
    let ran = pmh(folder, &[&["harvest", &url, "--full"], &flags[..], &bound].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stderr.matches("`exchanges` is full").count(), 1, "{}", ran.stderr);
    // One that cannot be is usage, before anything is asked.
    fs::write(folder.join("file"), "").expect("a file");
    let asked = server.heads().len();
    let ran = pmh(folder, &["identify", &url, "--capture", "file"]);
    assert_eq!(ran.exit, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("`--capture`: failed to write into `file`"), "{}", ran.stderr);
    assert_eq!(server.heads().len(), asked);
}
