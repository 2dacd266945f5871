//! Single questions to a repository, outside of a harvest: one request, its redirects, one document.
//!
//! For people who look around and for checks. Nothing is tried twice: whoever asks sees the answer and may ask
//! again. Only a source that is busy and names a short time is waited for.

use std::time::{Duration, Instant};

use pmh_harvest::{Answered, Fetched, Plan, RetryAfter, Trouble, Window, http_request, redirected};
use pmh_protocol::{Body, ErrorCode, OaiError, ParseError, Parsed, Phase, Request, Verb};
use thiserror::Error;

use crate::clock::Clock;
use crate::transport::Transport;

const REDIRECTS_MAX: u32 = 5;
/// Polite refusals that are waited for, and the longest of these waits; without a time named, this long.
const BUSY_MAX: u32 = 3;
const BUSY_WAIT_MAX: Duration = Duration::from_secs(60);
/// The longest pause between two pages.
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// Pages in a row that bring nothing new.
const BARREN_PAGES_MAX: u32 = 10;

/// Why a question has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AskError {
    /// No OAI-PMH document that answers it could be had.
    #[error("no OAI-PMH answer: {0}")]
    Unanswered(Trouble),
    /// The source blocks us.
    #[error("the source refuses us with HTTP status {status}")]
    Blocked {
        /// Status code.
        status: u16,
    },
    /// The source is busy for longer than is waited here.
    #[error("the source is busy and asks to wait {seconds} s")]
    Busy {
        /// Seconds it asked to wait the last time.
        seconds: u64,
    },
    /// The repository answered with an error. Its text is as it came: not fit for a terminal.
    #[error("the repository answered `{}`: {}", .0.code, .0.text)]
    Oai(OaiError),
    /// The pages of a list bring nothing new any more, and there are tokens still.
    #[error("the list goes round in a circle: nothing new came up to page {page}")]
    Circle {
        /// The page.
        page: u32,
    },
    /// The list is longer than is followed.
    #[error("the list has more than {pages} pages")]
    TooLong {
        /// The bound.
        pages: u32,
    },
}

impl AskError {
    /// The code of an error that the repository answered with.
    #[must_use]
    pub const fn code(&self) -> Option<&ErrorCode> {
        match self {
            Self::Oai(error) => Some(&error.code),
            _ => None,
        }
    }

    /// What to do about it, where that can be said.
    #[must_use]
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unanswered(trouble) => Some(hint(trouble)),
            Self::Blocked { .. } => Some(
                "with an account there: `--basic`, `--bearer-file` or `--header`; without, ask the operator for access",
            ),
            Self::Busy { .. } => Some("run the same command again later"),
            Self::Circle { .. } => Some("tell the repository's operator"),
            Self::Oai(_) | Self::TooLong { .. } => None,
        }
    }

    /// What it means that this came, and nobody waits, follows or reads on.
    pub(crate) fn of(fetched: Fetched) -> Self {
        Self::Unanswered(match fetched {
            Fetched::Blocked { status } => return Self::Blocked { status },
            Fetched::Busy { retry_after, .. } => {
                return Self::Busy { seconds: busy_wait(retry_after).as_secs() };
            }
            Fetched::Status { status } => Trouble::Status(status),
            Fetched::Unreadable(error) => Trouble::Unreadable(error),
            Fetched::Lost(lost) => Trouble::Lost(lost),
            Fetched::Redirect { location, .. } => {
                Trouble::Redirects(format!("a redirect to `{location}`"))
            }
            Fetched::Document(_) => Trouble::Answer("a document that does not say it".to_owned()),
        })
    }
}

/// What to do about a question that has no answer.
const fn hint(trouble: &Trouble) -> &'static str {
    match trouble {
        Trouble::Lost(lost) => match lost.phase {
            Phase::Connect => {
                "check scheme, host and port of the base URL, and the proxy where one is used (`--proxy`, HTTP_PROXY)"
            }
            Phase::TooLarge => {
                "if the repository really has pages that large, allow them with `--max-page-bytes`"
            }
            Phase::Head | Phase::Body => {
                "run the same command again later; where that does not help, tell the server's operator"
            }
        },
        Trouble::Status(500..) => {
            "the server failed: run the same command again later; where that does not help, tell its operator"
        }
        Trouble::Unreadable(ParseError::Encoding { .. } | ParseError::Truncated { .. }) => {
            "the answer was damaged: run the same command again; where that does not help, tell the repository's operator"
        }
        Trouble::Redirects(_) => {
            "ask for the base URL that the repository has now, and tell its operator where the old one leads"
        }
        Trouble::Status(_) | Trouble::Unreadable(_) | Trouble::Answer(_) | Trouble::Oai(_) => {
            "check the base URL: `BASE_URL?verb=Identify` must answer with an OAI-PMH document"
        }
    }
}

impl Transport {
    /// Asks the plan's source one thing; the document that answers it, with its complaints.
    ///
    /// # Errors
    /// When there is no such document, or it is an error.
    pub async fn ask(&self, plan: &Plan, request: &Request) -> Result<Parsed, AskError> {
        self.ask_within(plan, request, Window::default()).await
    }

    /// Asks for something that belongs to the list of a window.
    async fn ask_within(
        &self,
        plan: &Plan,
        request: &Request,
        window: Window,
    ) -> Result<Parsed, AskError> {
        let mut http = http_request(request, plan, window);
        let (mut redirects, mut refusals) = (0, 0);
        loop {
            match self.fetch(&http).await {
                Fetched::Document(answered) => return answer(*answered, request.verb()),
                Fetched::Redirect { status, location } if redirects < REDIRECTS_MAX => {
                    redirects += 1;
                    http = redirected(&http, request, status, &location)
                        .map_err(|text| AskError::Unanswered(Trouble::Redirects(text)))?;
                }
                Fetched::Redirect { location, .. } => {
                    let text =
                        format!("more than {REDIRECTS_MAX} redirects, the last to `{location}`");
                    return Err(AskError::Unanswered(Trouble::Redirects(text)));
                }
                Fetched::Busy { retry_after, .. } => {
                    let wait = busy_wait(retry_after);
                    refusals += 1;
                    if refusals > BUSY_MAX || wait > BUSY_WAIT_MAX {
                        return Err(AskError::Busy { seconds: wait.as_secs() });
                    }
                    tokio::time::sleep(wait).await;
                }
                other => return Err(AskError::of(other)),
            }
        }
    }

    /// Asks the plan's source for a list and follows its tokens to the end, at most `pages_max` pages. Each page is given to `visit`,
    /// which says how many of its entries were new. A pause between the pages follows the source's own speed.
    ///
    /// # Errors
    /// When a page is not to be had, or the list does not end.
    pub async fn ask_list(
        &self,
        plan: &Plan,
        opening: Request,
        pages_max: u32,
        mut visit: impl FnMut(Body) -> u64,
    ) -> Result<(), AskError> {
        let verb = opening.verb();
        let window = match &opening {
            Request::ListRecords(selection) | Request::ListIdentifiers(selection) => {
                Window { from: selection.from, until: selection.until }
            }
            _ => Window::default(),
        };
        let mut request = opening;
        let mut barren = 0;
        for page in 1..=pages_max {
            let asked = Instant::now();
            let body = self.ask_within(plan, &request, window).await?.document.body;
            let pause = (asked.elapsed() / 4).min(PAUSE_MAX);
            let token = next_token(&body);
            barren = if visit(body) == 0 { barren + 1 } else { 0 };
            let Some(token) = token else {
                return Ok(());
            };
            if barren >= BARREN_PAGES_MAX {
                return Err(AskError::Circle { page });
            }
            request = Request::Resume { verb, token };
            tokio::time::sleep(pause).await;
        }
        Err(AskError::TooLong { pages: pages_max })
    }
}

/// How long a busy source asks to wait.
fn busy_wait(retry_after: Option<RetryAfter>) -> Duration {
    retry_after.map_or(BUSY_WAIT_MAX, |retry_after| retry_after.wait(Clock::today()))
}

fn next_token(body: &Body) -> Option<String> {
    let token = match body {
        Body::Sets { token, .. } => token.as_ref(),
        Body::List(page) => page.token.as_ref(),
        _ => None,
    };
    token.filter(|token| !token.is_end()).map(|token| token.value.clone())
}

/// The document, if it is one that answers the verb.
fn answer(answered: Answered, asked: Verb) -> Result<Parsed, AskError> {
    let parsed = answered.parsed;
    let found = match &parsed.document.body {
        Body::Errors(errors) => {
            let error = errors.first().cloned();
            let error = error.unwrap_or_else(|| OaiError::new(ErrorCode::Other(String::new()), ""));
            return Err(AskError::Oai(error));
        }
        Body::Identify(_) => Verb::Identify,
        Body::Formats(_) => Verb::ListMetadataFormats,
        Body::Sets { .. } => Verb::ListSets,
        Body::List(page) => page.verb,
        Body::Record(_) => Verb::GetRecord,
    };
    if found != asked {
        let text = format!("expected an answer to {asked}, found one to {found}");
        return Err(AskError::Unanswered(Trouble::Answer(text)));
    }
    Ok(parsed)
}
