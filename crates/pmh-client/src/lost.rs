//! Why an answer did not arrive, in words that lead to the mistake: another scheme, a proxy that is not there.

use std::error::Error;
use std::fmt;
use std::io;

use hyper_util::client::proxy::matcher::Matcher;
use pmh_protocol::{Lost, Phase};

use crate::options::Proxying;

/// The proxies that requests go through: the client's own rules, kept because it does not say which one it took.
pub(crate) struct Way {
    proxies: Option<Matcher>,
    /// Who named them.
    said_by: &'static str,
}

impl Way {
    pub(crate) fn of(proxying: &Proxying) -> Self {
        match proxying {
            Proxying::Environment => Self {
                proxies: Some(Matcher::from_system()),
                said_by: "named by the environment, such as HTTP_PROXY",
            },
            Proxying::Direct => Self { proxies: None, said_by: "" },
            Proxying::Through(url) => Self {
                proxies: Some(Matcher::builder().all(url.as_str()).build()),
                said_by: "named by `--proxy`",
            },
        }
    }

    /// The loss, with the proxy that a request for `url` goes through: not the repository's server was missed then.
    pub(crate) fn named(&self, mut lost: Lost, url: &str) -> Lost {
        let proxy = self.proxies.as_ref().zip(url.parse().ok());
        let proxy = proxy.and_then(|(proxies, url)| proxies.intercept(&url));
        // Its user and password are for nobody to see.
        if let Some(host) = proxy.as_ref().and_then(|proxy| proxy.uri().authority()) {
            let (place, said_by) = (host.as_str(), self.said_by);
            let place = place.rsplit_once('@').map_or(place, |(_, host)| host);
            lost.detail = format!("{} (through the proxy {place}, {said_by})", lost.detail);
        }
        lost
    }
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Way").field("said_by", &self.said_by).finish_non_exhaustive()
    }
}

/// The error as the innermost cause has it: the outer layers only repeat the URL.
pub(crate) fn lost(phase: Phase, received: u64, error: &reqwest::Error) -> Lost {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let detail = match tls(cause) {
        Some(rustls::Error::InvalidMessage(_)) => {
            "the server does not speak TLS there: is it `http://`?".to_owned()
        }
        _ => cause.to_string(),
    };
    Lost { phase, received, detail }
}

/// What TLS has to say, where it is the cause; it comes wrapped in errors of input and output.
fn tls<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut cause = cause;
    while let Some(inner) = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        cause = inner;
    }
    cause.downcast_ref()
}
