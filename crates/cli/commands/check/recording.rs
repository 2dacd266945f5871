//! Exchanges that were recorded, and that are judged again without asking anybody.
//!
//! A recording is a capture with a file beside it that says what was examined. Secrets are not in it.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use pmh_check::{Examination, Examined, Exchanged, Options, Step};
use pmh_protocol::{Headers, HttpPage, HttpRequest, Lost, Method, Phase, Stamp};
use serde::{Deserialize, Serialize};

use super::wanted::Wanted;
use crate::args::ExamineArguments;
use crate::exit::Ended;
use crate::output;

const ABOUT: &str = "check.json";
const INDEX: &str = "exchanges.jsonl";
const FORMAT: u32 = 1;

/// What was examined.
#[derive(Debug, Deserialize, Serialize)]
struct About {
    format: u32,
    base_url: String,
    /// Whether the repository was changed in the middle.
    #[serde(default)]
    changes: bool,
    /// Recordings of earlier versions do not say it.
    wanted: Option<Wanted>,
}

/// A line of the index.
#[derive(Debug, Deserialize)]
struct Line {
    number: u32,
    time: String,
    method: String,
    url: String,
    status: Option<u16>,
    millis: u64,
    lost: Option<String>,
    bytes: u64,
}

/// What tells requests apart: method, URL, Accept-Encoding and form.
type Key = (String, String, String, String);
type Played = (Result<HttpPage, Lost>, Stamp, Duration);

/// A recording that can be played.
pub(super) struct Recording {
    about: About,
    answers: BTreeMap<Key, VecDeque<Played>>,
}

/// Makes the folder of a new recording.
pub(super) fn prepare(folder: &Path, options: &Options) -> anyhow::Result<()> {
    let shown = folder.display();
    fs::create_dir_all(folder)
        .map_err(|error| Ended::usage(format!("`--record`: failed to make `{shown}`: {error}")))?;
    let is_empty = fs::read_dir(folder)
        .map_err(|error| Ended::usage(format!("`--record`: failed to list `{shown}`: {error}")))?
        .next()
        .is_none();
    if !is_empty {
        return Err(Ended::usage(format!(
            "`--record`: expected a new or empty folder, and `{shown}` is not empty"
        )));
    }
    let about = About {
        format: FORMAT,
        base_url: options.base_url.clone(),
        changes: options.changes,
        wanted: Some(Wanted::of(options)),
    };
    let text = serde_json::to_string_pretty(&about).context("failed to write JSON")?;
    // Another run may have found the same folder empty.
    File::create_new(folder.join(ABOUT))
        .and_then(|mut file| file.write_all((text + "\n").as_bytes()))
        .map_err(|error| {
            Ended::usage(format!("`--record`: failed to write into `{shown}`: {error}"))
        })
}

impl Recording {
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let about = text(&folder.join(ABOUT))?;
        let about: About = serde_json::from_str(&about)
            .map_err(|error| wrong(&folder.join(ABOUT), error.to_string()))?;
        if about.format != FORMAT {
            let said = format!("expected format {FORMAT}, found {}", about.format);
            return Err(wrong(&folder.join(ABOUT), said));
        }
        let mut answers: BTreeMap<Key, VecDeque<Played>> = BTreeMap::new();
        for line in lines(folder)? {
            let (key, played) = line.read(folder)?;
            answers.entry(key).or_default().push_back(played);
        }
        Ok(Self { about, answers })
    }

    pub(super) fn base_url(&self) -> &str {
        &self.about.base_url
    }

    /// Fills in what was wanted of the run and is not asked for otherwise now.
    pub(super) fn fill(&self, options: &mut Options) {
        if let Some(wanted) = &self.about.wanted {
            wanted.fill(options);
        }
    }

    /// Examines what was recorded.
    pub(super) fn play(mut self, mut options: Options) -> anyhow::Result<Examined> {
        options.changes = self.about.changes;
        let mut examination = Examination::new(options);
        let mut missing = 0_u64;
        let mut last = Stamp::from_seconds(0);
        loop {
            match examination.step() {
                Step::Finish => break,
                Step::Wait(_) | Step::Change => {}
                Step::Fetch(request) => {
                    let recorded =
                        self.answers.get_mut(&key(&request)).and_then(VecDeque::pop_front);
                    let (answer, at, took) = recorded.unwrap_or_else(|| {
                        missing += 1;
                        let detail = "it was not recorded".to_owned();
                        let lost = Lost { phase: Phase::TooLarge, received: 0, detail };
                        (Err(lost), last, Duration::ZERO)
                    });
                    last = at;
                    examination.fetched(answer, at, took);
                }
            }
        }
        if missing > 0 {
            output::note(format!(
                "note: {} not in the recording: it was made with other flags, or by another version",
                output::counted(missing, "request")
            ));
        }
        Ok(examination.finish())
    }
}

/// Examines what another command wrote down with `--capture`, as far as it goes.
pub(super) fn examine(arguments: &ExamineArguments, folder: &Path) -> anyhow::Result<Examined> {
    let (begun_with, exchanges) = captured(folder)?;
    let base_url = match &arguments.base_url {
        Some(base_url) => base_url.checked()?.to_owned(),
        None => begun_with,
    };
    Ok(Examination::of_exchanges(super::options(arguments, &base_url, true)?, exchanges))
}

/// What was written down, in order, and the base URL that it begins with.
fn captured(folder: &Path) -> anyhow::Result<(String, Vec<Exchanged>)> {
    let mut exchanges: Vec<Exchanged> = Vec::new();
    for line in lines(folder)? {
        let ((method, url, encoding, form), (answer, at, took)) = line.read(folder)?;
        let mut headers = Headers::default();
        if !encoding.is_empty() {
            headers.push("Accept-Encoding", encoding);
        }
        let is_post = method == Method::Post.as_str();
        let request = HttpRequest {
            method: if is_post { Method::Post } else { Method::Get },
            url,
            headers,
            body: is_post.then_some(form),
        };
        exchanges.push(Exchanged { request, answer, at, took });
    }
    let first = exchanges.first().map_or("", |exchange| exchange.request.url.as_str());
    Ok((first.split('?').next().unwrap_or_default().to_owned(), exchanges))
}

/// The lines of the index. The last one is without its end where whoever wrote it was killed, and is left out.
fn lines(folder: &Path) -> anyhow::Result<Vec<Line>> {
    let path = folder.join(INDEX);
    let text = text(&path)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        output::note(format!(
            "note: the last line of `{}` is cut off, and left out",
            path.display()
        ));
    }
    let line = |(at, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| wrong(&path, format!("line {}: {error}", at + 1)))
    };
    text[..whole].lines().enumerate().map(line).collect()
}

fn key(request: &HttpRequest) -> Key {
    (
        request.method.as_str().to_owned(),
        request.url.clone(),
        request.headers.get("accept-encoding").unwrap_or_default().to_owned(),
        request.body.clone().unwrap_or_default(),
    )
}

impl Line {
    fn read(self, folder: &Path) -> anyhow::Result<(Key, Played)> {
        let file = |what: &str| folder.join(format!("{:04}-{what}", self.number));
        let request = text(&file("request.txt"))?;
        let (head, form) = request.split_once("\n\n").unwrap_or((&request, ""));
        let sent = fields(head);
        let encoding = sent.get("accept-encoding").unwrap_or_default().to_owned();
        let at = Stamp::parse(&self.time)
            .map_err(|error| wrong(&folder.join(INDEX), error.to_string()))?;
        let answer = match self.status {
            Some(status) => {
                let headers = fields(&text(&file("response.head"))?);
                let path = file("response.body");
                let body = fs::read(&path).map_err(|error| wrong(&path, error.to_string()))?;
                // What is cut off here would be told as what the repository did.
                if body.len() as u64 != self.bytes {
                    let said = format!("expected {} bytes, found {}", self.bytes, body.len());
                    return Err(wrong(&path, said));
                }
                Ok(HttpPage { status, headers, body })
            }
            None => Err(lost(self.lost.as_deref().unwrap_or_default(), self.bytes)),
        };
        let key = (self.method, self.url, encoding, form.to_owned());
        Ok((key, (answer, at, Duration::from_millis(self.millis))))
    }
}

/// Header fields below a first line.
fn fields(head: &str) -> Headers {
    let mut headers = Headers::default();
    for line in head.lines().skip(1) {
        if let Some((name, value)) = line.split_once(": ") {
            headers.push(name, value);
        }
    }
    headers
}

/// A lost answer from the words in which it was written down.
fn lost(said: &str, received: u64) -> Lost {
    let phases = [
        ("no connection: ", Phase::Connect),
        ("no answer: ", Phase::Head),
        ("the answer is larger than allowed: ", Phase::TooLarge),
    ];
    for (start, phase) in phases {
        if let Some(detail) = said.strip_prefix(start) {
            return Lost { phase, received, detail: detail.to_owned() };
        }
    }
    let detail = said.split_once("bytes: ").map_or(said, |(_, detail)| detail);
    Lost { phase: Phase::Body, received, detail: detail.to_owned() }
}

fn text(path: &PathBuf) -> anyhow::Result<String> {
    fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => wrong(
            path,
            "it is not there; `pmh check BASE_URL --record DIR` makes a recording, `--capture DIR` of any command what `--from-capture` reads".to_owned(),
        ),
        _ => wrong(path, error.to_string()),
    })
}

fn wrong(path: &Path, what: String) -> anyhow::Error {
    Ended::usage(format!("recording: failed to read `{}`: {what}", path.display()))
}
