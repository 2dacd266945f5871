//! A driver without a socket: requests become calls of a repository, whose answers may be rewritten on their way.

use std::sync::Arc;
use std::time::Duration;

use pmh_check::{Examination, Examined, Options, Step, Verdict};
use pmh_protocol::{Headers, HttpPage, HttpRequest, Lost, Method, Stamp};
pub(crate) use pmh_repository::DEFECTIVE_REPOSITORY as REPOSITORY;
use pmh_repository::{AskedRequest, Defect, Passing, Repository};
use pmh_scenario::{Vocabulary, load};

pub(crate) fn repository(text: &str) -> Repository {
    let known = Vocabulary { specimens: &[], guards: &[], outcomes: &[] };
    let loaded = load("test", text, &known).unwrap_or_else(|findings| panic!("{findings:#?}"));
    let mut script = loaded.script();
    script.budget.requests = u32::MAX;
    let mut repository = Repository::new(Arc::new(script));
    repository.begin_run(0);
    repository
}

/// What the repository answers to `request`, and when on its clock.
pub(crate) fn answer(repository: &mut Repository, request: &HttpRequest) -> (HttpPage, Stamp) {
    let query = request.url.split_once('?').map_or("", |(_, query)| query);
    let asked = match request.method {
        Method::Get => AskedRequest::get(query),
        Method::Post => AskedRequest::post(request.body.as_deref().unwrap_or_default()),
    };
    let reply = repository.answer(&asked);
    let at = Stamp::parse(&reply.exchange.t).expect("a time");
    let mut headers = Headers::default();
    for (name, value) in reply.headers {
        headers.push(name, value);
    }
    (HttpPage { status: reply.status, headers, body: reply.body }, at)
}

pub(crate) fn options() -> Options {
    Options::new("http://repository.example/oai")
}

/// Examines what `server` answers; it also says the time on our clock.
pub(crate) fn examine_with(
    options: Options,
    mut server: impl FnMut(&HttpRequest) -> (Result<HttpPage, Lost>, Stamp),
) -> Examined {
    let mut examination = Examination::new(options);
    for _ in 0..10_000 {
        match examination.step() {
            Step::Fetch(request) => {
                let (answer, at) = server(&request);
                examination.fetched(answer, at, Duration::from_millis(1));
            }
            Step::Wait(_) | Step::Change => {}
            Step::Finish => return examination.finish(),
        }
    }
    panic!("it does not end");
}

/// Examines a repository whose answers pass through `rewrite`.
pub(crate) fn examine(
    options: Options,
    repository: Repository,
    rewrite: fn(&mut Passing<'_>),
) -> Examined {
    let mut repository = repository.with_defects(vec![Defect::new("test", rewrite)]);
    examine_with(options, |request| {
        let (page, at) = answer(&mut repository, request);
        (Ok(page), at)
    })
}

/// The ids of the checks that have this verdict.
pub(crate) fn ids(examined: &Examined, verdict: Verdict) -> Vec<&'static str> {
    let outcomes = examined.outcomes.iter();
    outcomes.filter(|each| each.verdict == verdict).map(|each| each.check.id).collect()
}

/// The report, for a test that failed.
pub(crate) fn report(examined: &Examined) -> String {
    pmh_check::text(examined, false, false)
}
