//! Every exchange of a run as files, for whoever has to find out what a repository really said.
//!
//! A line of `exchanges.jsonl` is written when the files of its exchange are there. Capturing is never a reason to end
//! a run: where it cannot go on it stops, and says so once.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use pmh_protocol::{Headers, HttpPage, HttpRequest, Lost, REDACTED, Stamp};
use reqwest::Url;
use serde_json::json;

const INDEX: &str = "exchanges.jsonl";
/// Fields that let somebody in, whoever set them.
const SECRET_FIELDS: &[&str] =
    &["authorization", "proxy-authorization", "cookie", "set-cookie", "authentication-info"];

/// A folder that exchanges are written into.
///
/// Values of secrets, cookies and authorizations, and passwords in URLs, are left out; what a body holds is kept as it
/// came, content encoding not undone.
pub struct Capture {
    folder: PathBuf,
    state: Mutex<State>,
    note: Box<dyn Fn(&str) + Send + Sync>,
}

struct State {
    index: File,
    /// Number of the next exchange.
    number: u32,
    bytes_left: u64,
    is_over: bool,
}

impl Capture {
    /// Captures into `folder`, which is made when it is not there, until it holds `bytes_max` bytes. Exchanges that are
    /// there already are kept and counted. `note` is told once why capturing ended before the run did.
    ///
    /// # Errors
    /// When the folder cannot be made, read or written to.
    pub fn open(
        folder: &Path,
        bytes_max: u64,
        note: impl Fn(&str) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let (mut last, mut held) = (0, 0);
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            held += entry.metadata()?.len();
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.split('-').next()?.parse().ok());
            last = last.max(number.unwrap_or(0));
        }
        let index = OpenOptions::new().create(true).append(true).open(folder.join(INDEX))?;
        let bytes_left = bytes_max.saturating_sub(held);
        let state = State { index, number: last + 1, bytes_left, is_over: false };
        Ok(Self { folder: folder.to_owned(), state: Mutex::new(state), note: Box::new(note) })
    }

    /// Writes down what was asked, begun at `time`, and what came of it after `took`.
    pub(crate) fn keep(
        &self,
        request: &HttpRequest,
        answer: &Result<HttpPage, Lost>,
        time: Stamp,
        took: Duration,
    ) {
        // A thread that panicked in here left a state that is still good.
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if state.is_over {
            return;
        }
        let files = Files::of(state.number, request, answer, time, took);
        let folder = self.folder.display();
        let over = if files.bytes() > state.bytes_left {
            format!("`{folder}` is full: the exchanges from here on are not captured")
        } else if let Err(error) = files.write(&self.folder, &mut state.index) {
            format!("capturing into `{folder}` ended: {error}")
        } else {
            state.number += 1;
            state.bytes_left -= files.bytes();
            return;
        };
        state.is_over = true;
        (self.note)(&over);
    }
}

impl fmt::Debug for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The files of an exchange, and its line in the index.
struct Files<'a> {
    named: Vec<(String, Vec<u8>)>,
    body: Option<(String, &'a [u8])>,
    line: String,
}

impl<'a> Files<'a> {
    fn of(
        number: u32,
        request: &HttpRequest,
        answer: &'a Result<HttpPage, Lost>,
        time: Stamp,
        took: Duration,
    ) -> Self {
        let url = without_password(&request.url);
        let method = request.method.as_str();
        let asked = format!(
            "{method} {url} HTTP/1.1\n{}\n{}",
            fields(&request.headers),
            request.body.as_deref().unwrap_or_default()
        );
        let mut named = vec![(format!("{number:04}-request.txt"), asked.into_bytes())];
        let mut body = None;
        let (status, bytes, lost) = match answer {
            Ok(page) => {
                let head = format!("HTTP/1.1 {}\n{}", page.status, fields(&page.headers));
                named.push((format!("{number:04}-response.head"), head.into_bytes()));
                body = Some((format!("{number:04}-response.body"), page.body.as_slice()));
                (Some(page.status), page.body.len() as u64, None)
            }
            Err(lost) => (None, lost.received, Some(lost.to_string())),
        };
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let line = json!({
            "number": number,
            "time": time.to_string(),
            "method": method,
            "url": url,
            "status": status,
            "bytes": bytes,
            "millis": millis,
            "lost": lost,
        });
        Self { named, body, line: format!("{line}\n") }
    }

    fn all(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let named = self.named.iter().map(|(name, content)| (name.as_str(), content.as_slice()));
        named.chain(self.body.iter().map(|(name, content)| (name.as_str(), *content)))
    }

    fn bytes(&self) -> u64 {
        self.line.len() as u64 + self.all().map(|(_, content)| content.len() as u64).sum::<u64>()
    }

    /// All of them or none.
    fn write(&self, folder: &Path, index: &mut File) -> io::Result<()> {
        let mut begun = Vec::new();
        let index_bytes = index.metadata()?.len();
        let written = self
            .all()
            .try_for_each(|(name, content)| {
                let path = folder.join(name);
                // Of somebody else who captures into the same folder nothing is overwritten.
                let mut file = OpenOptions::new().create_new(true).write(true).open(&path)?;
                begun.push(path);
                file.write_all(content)
            })
            .and_then(|()| index.write_all(self.line.as_bytes()));
        if written.is_err() {
            begun.iter().for_each(|path| drop(fs::remove_file(path)));
            drop(index.set_len(index_bytes));
        }
        written
    }
}

/// Header fields, a line each, without what lets somebody in.
fn fields(headers: &Headers) -> String {
    let lines = headers.shown().map(|(name, value)| {
        if SECRET_FIELDS.iter().any(|secret| name.eq_ignore_ascii_case(secret)) {
            format!("{name}: {REDACTED}\n")
        } else {
            format!("{name}: {}\n", without_password(value))
        }
    });
    lines.collect()
}

/// A text that may be a URL, its password redacted; byte for byte where there is none.
fn without_password(text: &str) -> String {
    if let Ok(mut url) = Url::parse(text)
        && url.password().is_some()
        && url.set_password(Some("redacted")).is_ok()
    {
        return url.into();
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn request() -> HttpRequest {
        let mut request = HttpRequest::get("http://u:s3cret@x/oai", "verb=Identify");
        request.headers.push("Accept", "text/xml");
        request.headers.push("Cookie", "session=s3cret");
        request.headers.push_secret("X-Api-Key", "s3cret");
        request
    }

    fn page() -> Result<HttpPage, Lost> {
        let mut headers = Headers::default();
        headers.push("Set-Cookie", "session=s3cret; Path=/");
        headers.push("Location", "http://u:s3cret@y/");
        Ok(HttpPage { status: 302, headers, body: b"\x1F\x8B whatever came".to_vec() })
    }

    /// A capture into `folder`, and what it notes.
    fn capture(folder: &Path, bytes_max: u64) -> (Capture, Arc<Mutex<Vec<String>>>) {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&notes);
        let note = move |text: &str| told.lock().expect("no panic").push(text.to_owned());
        (Capture::open(folder, bytes_max, note).expect("a folder"), notes)
    }

    fn keep(capture: &Capture, answer: &Result<HttpPage, Lost>) {
        capture.keep(&request(), answer, Stamp::from_seconds(0), Duration::from_millis(7));
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.map_while(Result::ok).map(name).collect();
        names.sort();
        names
    }

    #[test]
    fn an_exchange_is_kept_whole_and_without_its_secrets() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("made/for/this");
        let (capture, notes) = capture(&folder, 1 << 20);
        keep(&capture, &page());
        let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
        assert_eq!(
            read("0001-request.txt"),
            "GET http://u:redacted@x/oai?verb=Identify HTTP/1.1\nAccept: text/xml\n\
             Cookie: [redacted]\nX-Api-Key: [redacted]\n\n"
        );
        assert_eq!(
            read("0001-response.head"),
            "HTTP/1.1 302\nSet-Cookie: [redacted]\nLocation: http://u:redacted@y/\n"
        );
        let body = fs::read(folder.join("0001-response.body")).expect("a file");
        assert_eq!(body, page().expect("a page").body);
        let line: serde_json::Value = serde_json::from_str(&read(INDEX)).expect("one object");
        assert_eq!(
            line,
            json!({
                "number": 1, "time": "1970-01-01T00:00:00Z", "method": "GET",
                "url": "http://u:redacted@x/oai?verb=Identify", "status": 302, "bytes": 16,
                "millis": 7, "lost": null,
            })
        );
        assert!(notes.lock().expect("no panic").is_empty());
    }

    #[test]
    fn a_later_run_goes_on_counting_and_a_lost_answer_has_a_line() {
        let folder = tempfile::tempdir().expect("a folder");
        keep(&capture(folder.path(), 1 << 20).0, &page());
        let detail = "reset".to_owned();
        let lost = Lost { phase: pmh_protocol::Phase::Body, received: 5, detail };
        keep(&capture(folder.path(), 1 << 20).0, &Err(lost));
        let index = fs::read_to_string(folder.path().join(INDEX)).expect("an index");
        let last: serde_json::Value =
            serde_json::from_str(index.lines().nth(1).expect("two lines")).expect("an object");
        assert_eq!((last["number"].as_u64(), last["bytes"].as_u64()), (Some(2), Some(5)));
        assert_eq!(last["lost"].as_str(), Some("the answer broke off after 5 bytes: reset"));
        assert_eq!(names(folder.path()).len(), 5, "three files, one file, the index");
    }

    #[test]
    fn a_folder_takes_no_more_than_it_may() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let size = || -> u64 {
            let length = |name: &String| fs::metadata(folder.join(name)).expect("a file").len();
            names(folder).iter().map(length).sum()
        };
        let (unbounded, _) = capture(folder, u64::MAX);
        keep(&unbounded, &page());
        let one = size();
        // Room for one more, not for two.
        let (bounded, notes) = capture(folder, one * 2 + one / 2);
        (0..3).for_each(|_| keep(&bounded, &page()));
        assert_eq!(size(), one * 2);
        let notes = notes.lock().expect("no panic");
        assert!(matches!(notes.as_slice(), [note] if note.contains("is full")), "{notes:?}");
    }

    #[test]
    fn a_full_disk_ends_the_capture_with_one_note_and_no_half_exchange() {
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink("/dev/full", folder.path().join(INDEX)).expect("a link");
        let (capture, notes) = capture(folder.path(), 1 << 20);
        keep(&capture, &page());
        keep(&capture, &page());
        let notes = notes.lock().expect("no panic");
        assert!(matches!(notes.as_slice(), [note] if note.contains("ended: ")), "{notes:?}");
        assert_eq!(names(folder.path()), [INDEX]);
    }
}
