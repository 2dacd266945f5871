//! Where a redirect leads (H19): the same for a harvest and for a single question.

use pmh_protocol::{HttpRequest, Method, Request, encode_arguments};
use url::Url;

/// The request that follows `http`, which asked for `request`, when it was answered with `status` and `location`:
/// arguments are kept, a POST becomes a GET except on 307 and 308, and neither cookies nor credentials go where they do
/// not belong.
///
/// # Errors
/// When it leads nowhere, or away from HTTP; in words.
pub fn redirected(
    http: &HttpRequest,
    request: &Request,
    status: u16,
    location: &str,
) -> Result<HttpRequest, String> {
    let malformed = |error| format!("redirected to `{location}`: {error}");
    let here = Url::parse(&http.url).map_err(malformed)?;
    let mut target = here.join(location).map_err(malformed)?;
    if !matches!(target.scheme(), "http" | "https") {
        return Err(format!("redirected to `{location}`, which is not HTTP"));
    }
    let mut next = http.clone();
    if next.method == Method::Post && !matches!(status, 307 | 308) {
        (next.method, next.body) = (Method::Get, None);
    }
    if next.method == Method::Get {
        give_back(&mut target, request);
    }
    let is_elsewhere =
        here.host() != target.host() || (here.scheme() == "https" && target.scheme() == "http");
    if is_elsewhere {
        next.headers = next.headers.without("Cookie");
    }
    if is_elsewhere || !is_same_server(&here, &target) {
        next.headers = next.headers.without_secrets();
    }
    next.url = target.into();
    Ok(next)
}

/// Whether both are one server of a host, or `target` is the same one over TLS. Another port is somebody else's server
/// until proven otherwise: cookies are not told apart by port, credentials are.
fn is_same_server(here: &Url, target: &Url) -> bool {
    match (here.port_or_known_default(), target.port_or_known_default()) {
        (Some(80), Some(443)) => here.scheme() == "http" && target.scheme() == "https",
        (here, target) => here == target,
    }
}

/// Arguments that were lost in a redirect are given back; what the target says itself is kept.
fn give_back(target: &mut Url, request: &Request) {
    let present: Vec<String> = target.query_pairs().map(|(name, _)| name.into_owned()).collect();
    let lost: Vec<_> = request
        .arguments()
        .into_iter()
        .filter(|(name, _)| !present.iter().any(|present| present == name))
        .collect();
    if !lost.is_empty() {
        let own = target.query().filter(|query| !query.is_empty());
        let lost = encode_arguments(&lost);
        target.set_query(Some(&own.map_or(lost.clone(), |own| format!("{own}&{lost}"))));
    }
}
