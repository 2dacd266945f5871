//! What is done with a store: export, forget, rekey.

use std::fs;

use super::{Mock, pmh};

const SOURCE: &str = "http://127.0.0.1";

/// A folder with a store of five records, and the base URL that they came from.
fn harvested() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["--records", "5"]);
    assert_eq!(pmh(folder.path(), &["harvest", &mock.base_url]).exit, 0);
    let base_url = mock.base_url.clone();
    (folder, base_url)
}

#[test]
fn an_export_as_xml_is_one_document_with_every_record() {
    let (folder, base_url) = harvested();
    let ran = pmh(folder.path(), &["export", "--format", "xml"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let mut reader = quick_xml::Reader::from_str(&ran.stdout);
    reader.config_mut().check_end_names = true;
    let (mut records, mut payloads, mut depth) = (0, 0, 0);
    loop {
        match reader.read_event().expect("it is well-formed") {
            quick_xml::events::Event::Start(start) => {
                depth += 1;
                match (depth, start.name().as_ref()) {
                    (2, "record") => {
                        records += 1;
                        let source = start.try_get_attribute("source").expect("readable");
                        assert_eq!(&*source.expect("a source").value, base_url);
                    }
                    (4, "oai_dc:dc") => payloads += 1,
                    _ => {}
                }
            }
            quick_xml::events::Event::End(_) => depth -= 1,
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!((records, payloads, depth), (5, 5, 0));
    assert!(ran.stdout.contains("<identifier>oai:repository.example:000001</identifier>"));
}

#[test]
fn forgetting_says_what_it_would_remove_and_needs_a_yes() {
    let (folder, base_url) = harvested();
    let folder = folder.path();
    let asked = pmh(folder, &["forget", &base_url]);
    assert_eq!(asked.exit, 2, "{}{}", asked.stdout, asked.stderr);
    assert!(asked.stdout.contains("5 live records, 0 tombstones"), "{}", asked.stdout);
    assert!(asked.stderr.contains("`--yes` removes it"), "{}", asked.stderr);
    assert_eq!(pmh(folder, &["export"]).stdout.lines().count(), 5, "nothing was removed");

    let other = pmh(folder, &["forget", &base_url, "--set", "maps", "--yes"]);
    assert_eq!(other.exit, 3, "{}{}", other.stdout, other.stderr);
    let done = pmh(folder, &["forget", &base_url, "--prefix", "oai_dc", "--set", "", "--yes"]);
    assert_eq!(done.exit, 0, "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.starts_with("removed:\n"), "{}", done.stdout);
    assert!(pmh(folder, &["status"]).stdout.contains("nothing harvested yet"));
}

#[test]
fn a_moved_source_goes_on_where_it_stopped() {
    let (folder, old) = harvested();
    let folder = folder.path();
    let mock = Mock::start(folder, &["--records", "5"]);
    let new = format!("{}?moved=yes", mock.base_url);
    let moved = pmh(folder, &["rekey", &old, &new]);
    assert_eq!(moved.exit, 0, "{}{}", moved.stdout, moved.stderr);
    assert!(moved.stdout.starts_with("moved: 1 key and 5 records"), "{}", moved.stdout);
    let status = pmh(folder, &["status"]).stdout;
    assert!(status.contains(&new) && status.contains("5 live records"), "{status}");

    let again = pmh(folder, &["rekey", &old, &new]);
    assert_eq!(again.exit, 3, "{}{}", again.stdout, again.stderr);
    assert!(again.stderr.contains("1 key is kept under"), "{}", again.stderr);
    let unknown = pmh(folder, &["rekey", &old, "http://127.0.0.1:1/third"]);
    assert_eq!(unknown.exit, 3, "{}{}", unknown.stdout, unknown.stderr);
    assert!(unknown.stderr.contains("keeps nothing under"), "{}", unknown.stderr);
    assert_eq!(pmh(folder, &["rekey", &new, "nowhere"]).exit, 2);
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in [
        &["forget", SOURCE, "--yes"][..],
        &["rekey", SOURCE, "http://127.0.0.1/oai"],
        &["verify", SOURCE],
        &["audit", SOURCE, "--repair"],
        &["export", "--format", "xml"],
    ] {
        let ran = pmh(folder.path(), command);
        assert_eq!(ran.exit, 2, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("found no store at `pmh.sqlite`"), "{}", ran.stderr);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}

#[test]
fn a_payload_that_would_spoil_an_export_as_xml_is_written_as_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let mock = Mock::start(folder.path(), &["xml/escaped-metadata"]);
    let harvested = pmh(folder.path(), &["harvest", &mock.base_url]);
    assert_eq!(harvested.exit, 0, "{}{}", harvested.stdout, harvested.stderr);
    assert!(harvested.stdout.contains("complaint: undeclared-prefix"), "{}", harvested.stdout);
    let ran = pmh(folder.path(), &["export", "--format", "xml"]);
    let text = "<metadata form=\"text\">&lt;oai_dc:dc/&gt;</metadata>";
    assert!(ran.stdout.contains(text), "no `{text}` in {}", ran.stdout);
    let mut reader = quick_xml::NsReader::from_str(&ran.stdout);
    let mut payloads = 0;
    loop {
        let (namespace, event) = reader.read_resolved_event().expect("it is well-formed");
        let is_unknown = matches!(namespace, quick_xml::name::ResolveResult::Unknown(_));
        assert!(!is_unknown, "an undeclared prefix in {event:?}");
        match event {
            quick_xml::events::Event::Start(start) if start.name().0 == "oai_dc:dc" => {
                payloads += 1;
            }
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(payloads, 2);
}

#[test]
fn a_damaged_store_is_named_with_what_to_do() {
    let (folder, _) = harvested();
    let path = folder.path().join("pmh.sqlite");
    let mut bytes = fs::read(&path).expect("a store");
    // The first page holds the header, and must stay for the file to be a store.
    for byte in bytes.iter_mut().skip(16_384) {
        *byte = 0xA5;
    }
    fs::write(&path, bytes).expect("damage");
    let ran = pmh(folder.path(), &["status"]);
    assert_eq!(ran.exit, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("pmh.sqlite`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: the file is damaged"), "{}", ran.stderr);
}

/// Somebody who may read a store and no more.
#[cfg(unix)]
mod reader {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use super::harvested;
    use crate::support::program;

    /// Nobody's number.
    const NOBODY: u32 = 65_534;

    /// The program as somebody runs it who may not write in `folder`: as nobody where the test may do everything.
    fn command(folder: &Path) -> Command {
        const ROOT: u32 = 0;
        if folder.metadata().expect("a folder").uid() != ROOT {
            return Command::new(program());
        }
        // Nobody may not look where the program was built.
        let copy: PathBuf = folder.join("program");
        if !copy.exists() {
            fs::copy(program(), &copy).expect("a copy");
        }
        let mut command = Command::new(copy);
        command.uid(NOBODY).gid(NOBODY);
        command
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
    }

    /// Exit code and both outputs.
    fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
        let output = command(folder)
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .output()
            .expect("it starts");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("output is text"))
    }

    fn files_beside(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("pmh.sqlite-")).collect()
    }

    #[test]
    fn whoever_may_only_read_a_store_is_answered_and_leaves_nothing_behind() {
        let (folder, base_url) = harvested();
        let folder = folder.path();
        let store = folder.join("pmh.sqlite");
        command(folder);
        set_mode(&store, 0o444);
        // Of a folder that anybody writes in, and of one that only its owner does.
        for mode in [0o777, 0o555] {
            set_mode(folder, mode);
            let (exit, said) = run(folder, &["status"]);
            assert_eq!(exit, Some(0), "{said}");
            assert!(said.contains("5 live records"), "{said}");
            let (exit, said) = run(folder, &["export"]);
            assert_eq!((exit, said.lines().count()), (Some(0), 5), "{said}");
            // As far as the repository, which is gone.
            let (exit, said) = run(folder, &["audit", &base_url]);
            assert_eq!(exit, Some(3), "{said}");
            assert!(said.contains("no connection"), "{said}");
            assert_eq!(files_beside(folder), Vec::<String>::new());
        }
        set_mode(folder, 0o755);
        set_mode(&store, 0o000);
        let (exit, said) = run(folder, &["status"]);
        assert_eq!(exit, Some(2), "{said}");
        assert!(said.contains("it may not be read"), "{said}");
    }

    #[test]
    fn a_log_that_another_user_left_is_named() {
        let (folder, base_url) = harvested();
        let folder = folder.path();
        command(folder);
        set_mode(folder, 0o777);
        set_mode(&folder.join("pmh.sqlite"), 0o666);
        for ending in ["wal", "shm"] {
            let path = folder.join(format!("pmh.sqlite-{ending}"));
            fs::write(&path, "").expect("a file");
            set_mode(&path, 0o444);
        }
        let (exit, said) = run(folder, &["harvest", &base_url]);
        assert_eq!(exit, Some(2), "{said}");
        assert!(said.contains("pmh.sqlite-wal` beside it cannot be written"), "{said}");
        assert!(said.contains("hint: a reader of that user left it"), "{said}");
    }
}
