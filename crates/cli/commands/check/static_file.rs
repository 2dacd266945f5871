//! The file of a static repository, from a disk or from its address.

use std::fs::File;
use std::io::Read as _;

use pmh_check::{Examination, Examined};
use pmh_client::Clock;
use pmh_protocol::{BODY_BYTES_MAX, Headers, HttpPage, HttpRequest, Method};

use crate::args::ExamineArguments;
use crate::asking::Asking;
use crate::base_url::BaseUrl;
use crate::exit::Ended;

pub(super) fn examine(arguments: &ExamineArguments, file: &str) -> anyhow::Result<Examined> {
    let options = super::options(arguments, file, true)?;
    let mut request = HttpRequest {
        method: Method::Get,
        url: file.to_owned(),
        headers: Headers::default(),
        body: None,
    };
    if file.starts_with("http://") || file.starts_with("https://") {
        let Ok(base_url) = file.parse::<BaseUrl>();
        let asking = Asking::of(&base_url, &arguments.source)?;
        base_url.checked()?.clone_into(&mut request.url);
        request.headers.push("User-Agent", asking.plan.user_agent.clone());
        request.headers.extend(&asking.plan.credentials);
        let exchanged = asking.runtime.block_on(asking.transport.exchange(&request));
        return Ok(Examination::of_file(options, request, exchanged.answer, exchanged.at));
    }
    let mut body = Vec::new();
    File::open(file)
        .and_then(|opened| opened.take(BODY_BYTES_MAX as u64 + 1).read_to_end(&mut body))
        .map_err(|error| Ended::usage(format!("failed to read `{file}`: {error}")))?;
    if body.len() > BODY_BYTES_MAX {
        return Err(Ended::usage(format!("`{file}` is larger than {BODY_BYTES_MAX} bytes")));
    }
    let page = HttpPage { status: 200, headers: Headers::default(), body };
    Ok(Examination::of_file(options, request, Ok(page), Clock::today()))
}
