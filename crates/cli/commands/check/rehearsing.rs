//! What would be asked: the examination of a repository in memory in which nothing is wrong.

use std::sync::Arc;
use std::time::Duration;

use pmh_check::{Examination, Options, Step};
use pmh_protocol::{Headers, HttpPage, Method, Stamp};
use pmh_repository::{AskedRequest, Repository};
use pmh_scenario::Script;

use crate::output;

/// As large as many repositories that are small.
const RECORDS: u32 = 200;
const PAGE_SIZE: usize = 50;

pub(super) fn run(options: Options) {
    let (pause, pages_max, requests_max) =
        (options.limits.pause, options.limits.pages_max, options.limits.requests_max);
    let mut repository = Repository::new(Arc::new(Script::plain(RECORDS, PAGE_SIZE, 1)));
    repository.begin_run(0);
    let mut examination = Examination::new(options);
    let mut requests = 0_u32;
    loop {
        match examination.step() {
            Step::Finish => break,
            Step::Wait(_) | Step::Change => {}
            Step::Fetch(request) => {
                let query = request.url.split_once('?').map_or("", |(_, query)| query);
                let asked = match request.method {
                    Method::Get => AskedRequest::get(query),
                    Method::Post => AskedRequest::post(request.body.as_deref().unwrap_or_default()),
                };
                let reply = repository.answer(&asked);
                let mut headers = Headers::default();
                for (name, value) in reply.headers {
                    headers.push(name, value);
                }
                let page = HttpPage { status: reply.status, headers, body: reply.body };
                let at = Stamp::parse(&reply.exchange.t).unwrap_or(Stamp::from_seconds(0));
                examination.fetched(Ok(page), at, Duration::ZERO);
                requests += 1;
                let shown = if query.is_empty() {
                    request.body.as_deref().unwrap_or("(no arguments)")
                } else {
                    query
                };
                output::line(format!("{:4} {shown}", request.method.as_str()));
            }
        }
    }
    output::line(format!(
        "{requests} requests, if the repository had {RECORDS} records in pages of {PAGE_SIZE} and nothing were wrong; names and dates are examples"
    ));
    output::line(format!(
        "at most {requests_max} requests (`--max-requests`), {pages_max} pages of one list (`--max-list-pages`), one at a time, {} s between two (`--pause`)",
        pause.as_secs_f64()
    ));
}
