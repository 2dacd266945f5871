//! A run up to its first page, and no further: what it would ask for.

use pmh_harvest::{Entry, Fetched, Harvest, Outcome, Receipt, Step, Window};
use pmh_protocol::{Body, HttpRequest, Identify};

use crate::ask::AskError;
use crate::clock::Clock;
use crate::transport::Transport;

/// What a run would do.
#[derive(Debug)]
pub enum Rehearsal {
    /// It would ask for a page.
    Asks {
        /// What the repository says about itself; `None` when its Identify is broken.
        identify: Option<Box<Identify>>,
        /// Prefixes of the formats it says it has; `None` when it does not say.
        formats: Option<Vec<String>>,
        /// The window it would open; `None` when it would go on with an unfinished traversal.
        opens: Option<Window>,
        /// The request, with its arguments.
        url: String,
    },
    /// Nothing that was asked was answered by an OAI-PMH document. A run would try a page all the same; this is what it
    /// has to expect.
    Unanswered(AskError),
    /// It would end before that.
    Ends(Box<Outcome>),
}

/// Plays `harvest` up to its first page: only Identify and ListMetadataFormats are sent, and nothing is stored.
pub async fn rehearse(
    harvest: &mut Harvest,
    transport: &Transport,
    clock: &mut Clock,
) -> Rehearsal {
    let (mut identify, mut formats, mut opens) = (None, None, None);
    // While nothing has been answered: why not.
    let mut unanswered = None;
    let mut is_answered = false;
    loop {
        match harvest.step(clock.now()) {
            Step::Fetch(request) if !is_greeting(&request) => {
                return match unanswered.filter(|_| !is_answered) {
                    Some(error) => Rehearsal::Unanswered(error),
                    None => Rehearsal::Asks { identify, formats, opens, url: request.url.clone() },
                };
            }
            Step::Fetch(request) => {
                let fetched = transport.fetch(&request).await;
                match &fetched {
                    Fetched::Document(answered) => {
                        is_answered = true;
                        match &answered.parsed.document.body {
                            Body::Identify(said) => identify = Some(said.clone()),
                            Body::Formats(said) => {
                                let prefixes = said.iter().map(|format| format.prefix.clone());
                                formats = Some(prefixes.collect());
                            }
                            _ => {}
                        }
                    }
                    other => unanswered = Some(AskError::of(other.clone())),
                }
                harvest.fetched(fetched, clock.now());
            }
            Step::Wait { until } => clock.wait(until).await,
            Step::Store(entry) => {
                if let Entry::Open(opening) = entry.as_ref() {
                    opens = Some(opening.traversal.window);
                }
                harvest.committed(&Receipt::default());
            }
            // Every entry has its receipt, so there is nothing to wait for.
            Step::Idle => tokio::task::yield_now().await,
            Step::Finish(outcome) => return Rehearsal::Ends(outcome),
        }
    }
}

/// Whether it asks what the repository is and has, rather than for a page of it.
fn is_greeting(request: &HttpRequest) -> bool {
    let body = request.body.as_deref().unwrap_or_default();
    let asks = |verb: &str| [request.url.as_str(), body].iter().any(|place| place.contains(verb));
    asks("verb=Identify") || asks("verb=ListMetadataFormats")
}
