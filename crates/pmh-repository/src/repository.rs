//! The repository: it reads a request, finds its place in a list, plays the fault that is due there, answers,
//! and writes down what it did.

use std::sync::Arc;

use pmh_protocol::{Body, Datestamp, Request, Stamp, Verb};
use pmh_scenario::{
    Answer, Effect, Event, Exchange, Journal, ResponseDate, Script, TimeEffect, World,
};

use crate::answers;
use crate::changes::Pending;
use crate::content::Content;
use crate::defects::{Defect, Passing};
use crate::faults::{At, Faults, hides_document};
use crate::identity;
use crate::lists::Lists;
use crate::literal::{LiteralLists, Replies, Written};
use crate::outgoing::{self, Draft, Outgoing};
use crate::reply::{AskedRequest, PATH, Reply};
use crate::trigger::Current;

/// The base URL in every answer, wherever the repository is really reached: bytes must not depend on a port.
pub const BASE_URL: &str = "http://repository.example/oai";

/// What the journal has among its faults when a request came after the budget was spent.
pub const BUDGET_SPENT: &str = "budget-spent";

/// How many events are kept in memory, more than any scenario's budget allows; later ones are only handed out.
pub const EVENTS_KEPT_MAX: usize = 100_000;

/// Of one request no more than this is kept in the journal: so many arguments, and so many bytes of each.
const ARGUMENTS_KEPT_MAX: usize = 32;
const ARGUMENT_BYTES_MAX: usize = 8_192;

/// So many lines are remembered for defects, the latest.
const DEFECTS_MEMORY_MAX: usize = 1_000;

/// A repository.
#[derive(Clone, Debug)]
pub struct Repository {
    pub(crate) script: Arc<Script>,
    pub(crate) world: World,
    /// No datestamp was ever before this one.
    earliest: Stamp,
    pub(crate) clock: Stamp,
    pub(crate) run: usize,
    pub(crate) requests: u32,
    pub(crate) lists: Lists,
    pub(crate) faults: Faults,
    pub(crate) replies: Replies,
    pub(crate) literal_lists: LiteralLists,
    /// The request being answered.
    pub(crate) current: Current,
    /// Requests before this run.
    requests_before: u32,
    /// What the clock said when this run began.
    run_began: Stamp,
    journal: Journal,
    /// Entries a page.
    pub(crate) page_size: usize,
    /// Changes that do not show yet.
    pub(crate) pending: Vec<Pending>,
    /// How often live lists got another order.
    pub(crate) shuffles: u32,
    /// Whether tokens that nobody remembers can still be read.
    pub(crate) knows_old_tokens: bool,
    /// What is wrong with every answer, and what that remembers of earlier ones.
    defects: Vec<Defect>,
    defects_memory: Vec<String>,
}

/// What is about to be answered.
#[derive(Default)]
pub(crate) struct Decided {
    /// Where the request stands.
    pub(crate) at: At,
    /// The document; `None` where the answer is none.
    pub(crate) content: Option<Content>,
    /// The answer word for word, where there is one.
    pub(crate) written: Option<Written>,
    /// What is done to the answer, in the order of the layers.
    pub(crate) effects: Vec<Effect>,
    /// Names of the faults that were played.
    pub(crate) faults: Vec<String>,
    /// A cookie that is set.
    pub(crate) cookie: Option<String>,
}

impl Repository {
    /// The repository of this script, before its first run.
    #[must_use]
    pub fn new(script: Arc<Script>) -> Self {
        let world = script.repository.world.clone();
        let clock = script.repository.clock.start;
        let earliest =
            world.records.values().map(|record| record.stamp).min().unwrap_or(clock).min(clock);
        let faults = Faults::new(Arc::clone(&script));
        Self {
            world,
            earliest,
            clock,
            run: 0,
            requests: 0,
            lists: Lists::default(),
            faults,
            replies: Replies::new(&script),
            literal_lists: LiteralLists::default(),
            current: Current::default(),
            requests_before: 0,
            run_began: clock,
            journal: Journal::default(),
            page_size: script.repository.page_size,
            pending: Vec::new(),
            shuffles: 0,
            knows_old_tokens: true,
            defects: Vec::new(),
            defects_memory: Vec::new(),
            script,
        }
    }

    /// Begins the run of this index, from 0, one after the other: the clock jumps to its instant and the
    /// repository changes. The index beyond the last is the run that must change nothing.
    pub fn begin_run(&mut self, index: usize) {
        let at = self.script.repository.clock.run_start(index);
        self.clock = self.clock.max(at);
        self.run = index;
        // Between two runs there was time enough for everything that was still to show in the one before.
        self.catch_up();
        self.run_began = self.clock;
        self.requests_before = self.requests;
        self.lists.begin_run();
        self.literal_lists.begin_run();
        self.keep(Event::RunStart { t: self.clock.to_string(), run: self.run_name() });
        let script = Arc::clone(&self.script);
        for change in script.runs.get(index).map_or(&[][..], |run| &run.before) {
            self.change(change, at);
        }
    }

    /// Writes down that the run ended, and how.
    pub fn end_run(&mut self, end: &str) {
        let (t, run) = (self.clock.to_string(), self.run_name());
        self.keep(Event::RunEnd { t, run, end: end.to_owned() });
    }

    /// Writes down that the harvester was killed, and where.
    pub fn crash(&mut self, place: &str) {
        let (t, run) = (self.clock.to_string(), self.run_name());
        self.keep(Event::Crash { t, run, place: place.to_owned() });
    }

    /// What has happened so far.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What has happened, when nothing more will.
    #[must_use]
    pub fn into_journal(self) -> Journal {
        self.journal
    }

    /// How often each fault has fired, in the order of the script.
    #[must_use]
    pub fn fired(&self) -> &[u32] {
        self.faults.fired()
    }

    /// The script it plays.
    #[must_use]
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// Whether a request to this path is one to the repository: below [`PATH`] everything is, so that redirects have
    /// somewhere to lead, and wherever a reply of the script says so.
    #[must_use]
    pub fn is_at(&self, path: &str) -> bool {
        let below = path.strip_prefix(PATH);
        let mut named = self.script.replies.iter().map(|reply| reply.when.matching.path.as_deref());
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            || named.any(|named| named == Some(path))
    }

    /// The repository with these defects, which meet each answer one after the other. The journal names them among the
    /// faults of every exchange, and says besides what would have been answered without them.
    #[must_use]
    pub fn with_defects(self, defects: Vec<Defect>) -> Self {
        Self { defects, ..self }
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &AskedRequest<'_>) -> Reply {
        let mut reply = self.answer_by_script(request);
        if !self.defects.is_empty() {
            self.rewrite(request, &mut reply);
        }
        self.keep(Event::Exchange(reply.exchange.clone()));
        reply
    }

    /// What the script has the repository answer, as if nobody had asked: for a defect that gives it to another request.
    pub(crate) fn answer_aside(&mut self, request: &AskedRequest<'_>) -> Reply {
        let (requests, clock) = (self.requests, self.clock);
        let reply = self.answer_by_script(request);
        (self.requests, self.clock) = (requests, clock);
        reply
    }

    fn rewrite(&mut self, request: &AskedRequest<'_>, reply: &mut Reply) {
        let defects = std::mem::take(&mut self.defects);
        let mut memory = std::mem::take(&mut self.defects_memory);
        // What travels as a plan of bytes is damaged already.
        if reply.plan.is_none() {
            let mut passing = Passing::new(request, reply, self, &mut memory);
            for defect in &defects {
                (defect.rewrite)(&mut passing);
            }
            (reply.status, reply.headers, reply.body) =
                (passing.status, passing.headers, passing.body);
        }
        reply.exchange.answer.status = reply.status;
        reply.exchange.faults.extend(defects.iter().map(|defect| defect.name.to_owned()));
        let excess = memory.len().saturating_sub(DEFECTS_MEMORY_MAX);
        memory.drain(..excess);
        (self.defects, self.defects_memory) = (defects, memory);
    }

    fn answer_by_script(&mut self, request: &AskedRequest<'_>) -> Reply {
        self.requests = self.requests.saturating_add(1);
        self.catch_up();
        let mut arguments = request.arguments();
        let elapsed_seconds = self.clock.seconds() - self.run_began.seconds();
        self.current = Current::new(request, self.requests - self.requests_before, elapsed_seconds);
        let decided = if self.requests > self.script.budget.requests {
            let at = At { attempt: 1, ..At::default() };
            Decided { at, faults: vec![BUDGET_SPENT.to_owned()], ..Decided::default() }
        } else {
            self.decide(&arguments)
        };
        let Decided { at, content, written, effects, faults, cookie } = decided;
        let delay_seconds = self.pass_time(&effects);
        let reply = written.as_ref().and_then(|written| written.reply.clone());
        let draft = match (written, content) {
            _ if effects.iter().any(hides_document) => None,
            (Some(written), _) => Some(written.draft()),
            (None, content) => content.map(|content| self.draft(&arguments, content, &effects)),
        };
        let draft = draft.map(|mut draft| {
            draft.headers.extend(cookie.map(|cookie| ("set-cookie".to_owned(), cookie)));
            draft
        });
        let Outgoing { answer, headers, body, plan } =
            outgoing::send(draft, &effects, request, self.clock);
        arguments.truncate(ARGUMENTS_KEPT_MAX);
        for (name, value) in &mut arguments {
            cut(name);
            cut(value);
        }
        let mut query = self.current.query.clone();
        cut(&mut query);
        let exchange = Exchange {
            n: self.requests,
            t: self.clock.to_string(),
            client_ms: request.client_ms,
            in_flight: request.in_flight,
            run: self.run_name(),
            list: at.list,
            page: at.page,
            token: at.token,
            attempt: at.attempt,
            args: arguments,
            query,
            faults,
            reply,
            answer,
        };
        self.clock = self.clock.plus_seconds(self.script.repository.clock.tick_seconds);
        Reply { status: exchange.answer.status, headers, body, plan, delay_seconds, exchange }
    }

    /// What the modelled repository answers.
    pub(crate) fn decide_modelled(&mut self, arguments: &[(String, String)]) -> Decided {
        let read = answers::read(arguments, &self.script, &self.world);
        let asked = match &read {
            Ok(Request::ListRecords(selection)) => Some(self.open(Verb::ListRecords, selection)),
            Ok(Request::ListIdentifiers(selection)) => {
                Some(self.open(Verb::ListIdentifiers, selection))
            }
            Ok(Request::Resume { verb, token }) => self.resume(*verb, token),
            _ => None,
        };
        let Some((serial, asked)) = asked else {
            let at = At { attempt: 1, ..At::default() };
            if let Some(decided) = self.decide_literal(at) {
                return decided;
            }
            let run = self.run_name();
            let due = self.faults.due(&self.current.situation(&self.script, &run, at), None);
            let (effects, faults) = self.play(&due);
            self.change_by(&effects);
            let content = (!effects.iter().any(hides_document)).then(|| match read {
                Ok(request) => self.outside_lists(&request),
                Err(error) => Content::error(error),
            });
            let content = content.map(|content| self.say(content, None, &effects));
            return Decided { at, content, effects, faults, ..Decided::default() };
        };
        if let Some(decided) = self.decide_literal(asked.at) {
            return decided;
        }
        self.in_list(serial, asked)
    }

    /// Fires these faults: what they do, and their names.
    pub(crate) fn play(&mut self, due: &[usize]) -> (Vec<Effect>, Vec<String>) {
        due.iter()
            .map(|index| (self.script.faults[*index].effect.clone(), self.faults.fire(*index)))
            .unzip()
    }

    /// What is answered outside lists. A continuation that belongs to no list has an unknown token.
    pub(crate) fn outside_lists(&self, request: &Request) -> Content {
        let protocol = &self.script.repository.protocol;
        let body = match request {
            Request::Identify => {
                return identity::identify(protocol, &self.world, self.earliest, self.clock);
            }
            Request::ListMetadataFormats { identifier } => {
                answers::formats(&self.world, protocol.deleted_records, identifier.as_deref())
            }
            Request::ListSets => answers::sets(&self.world),
            Request::GetRecord { identifier, prefix } => {
                answers::record(&self.world, &self.script, identifier, prefix)
            }
            Request::ListIdentifiers(_) | Request::ListRecords(_) | Request::Resume { .. } => {
                return Content::bad_token("the token is unknown");
            }
        };
        Content::of(body).dated(protocol.dates.datestamps, self.now())
    }

    /// A document as it leaves where nothing more is done to it.
    fn draft(&self, arguments: &[(String, String)], content: Content, effects: &[Effect]) -> Draft {
        let summary = summary(&content.body);
        let error = content.error_inside().or(summary.error);
        let answer = Answer { status: content.status, error, ..summary };
        let date = effects.iter().find_map(|effect| match effect {
            Effect::Time(TimeEffect::ResponseDate(text)) => Some(ResponseDate::Text(text.clone())),
            _ => None,
        });
        let date = date.as_ref().unwrap_or(&self.script.repository.protocol.dates.response_date);
        let body = content.render(self.clock, date, arguments).into_bytes();
        let headers = vec![("content-type".to_owned(), "text/xml; charset=utf-8".to_owned())];
        Draft { answer, headers, body }
    }

    /// What the clock says, in the granularity of datestamps.
    pub(crate) fn now(&self) -> Datestamp {
        let protocol = &self.script.repository.protocol;
        Datestamp::new(self.clock, protocol.dates.datestamps.granularity(protocol.granularity))
    }

    pub(crate) fn run_name(&self) -> String {
        self.script.run_name(self.run).to_owned()
    }

    pub(crate) fn keep(&mut self, event: Event) {
        if self.journal.events.len() < EVENTS_KEPT_MAX {
            self.journal.events.push(event);
        }
    }
}

/// What the journal says of a document.
pub(crate) fn summary(body: &Body) -> Answer {
    let mut answer = Answer::default();
    match body {
        Body::Errors(errors) => answer.error = errors.first().map(|error| error.code.to_string()),
        Body::List(page) => {
            answer.records = u32::try_from(page.items.len()).unwrap_or(u32::MAX);
            answer.token = page.token.as_ref().map(|token| token.value.clone());
        }
        Body::Record(_) => answer.records = 1,
        Body::Sets { token, .. } => answer.token = token.as_ref().map(|token| token.value.clone()),
        Body::Identify(_) | Body::Formats(_) => {}
    }
    answer
}

/// Shortens a text for the journal, between two characters.
fn cut(text: &mut String) {
    if let Some(end) =
        (0..=ARGUMENT_BYTES_MAX.min(text.len())).rev().find(|at| text.is_char_boundary(*at))
    {
        text.truncate(end);
    }
}
