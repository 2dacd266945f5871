//! A static server on loopback: every page is rendered before it listens, so that it costs next to nothing while the
//! harvester is measured.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::corpus::{Corpus, Edition, identify, token};

/// The rendered answers.
pub(crate) struct Pages {
    identify: Bytes,
    pages: Vec<Bytes>,
}

impl Pages {
    pub(crate) fn render(corpus: &Corpus) -> Self {
        let pages = (1..=corpus.pages()).map(|number| corpus.page(number, Edition::First));
        Self {
            identify: identify("http://repository.example/oai").into(),
            pages: pages.map(Bytes::from).collect(),
        }
    }

    /// Bytes of all pages of the list.
    pub(crate) fn bytes(&self) -> u64 {
        self.pages.iter().map(|page| page.len() as u64).sum()
    }

    /// The answer to a query. Dates and prefixes are not looked at: every list is the whole list.
    fn answer(&self, query: &str) -> Option<Bytes> {
        if query.contains("verb=Identify") {
            return Some(self.identify.clone());
        }
        let number = match query.split('&').find_map(|part| part.strip_prefix("resumptionToken=")) {
            Some(value) => value.strip_prefix(&token_stem())?.parse().ok()?,
            None => 1,
        };
        self.pages.get(usize::checked_sub(number, 1)?).cloned()
    }
}

fn token_stem() -> String {
    token(0).trim_end_matches('0').to_owned()
}

/// Serves `pages` on a thread of its own for as long as the process lives; its address.
pub(crate) fn start(pages: Pages) -> std::io::Result<SocketAddr> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let address = listener.local_addr()?;
    thread::spawn(move || runtime.block_on(serve(listener, Arc::new(pages))));
    Ok(address)
}

async fn serve(listener: TcpListener, pages: Arc<Pages>) {
    while let Ok((stream, _)) = listener.accept().await {
        let pages = Arc::clone(&pages);
        tokio::spawn(async move {
            let answer = service_fn(move |request: Request<Incoming>| {
                let found = pages.answer(request.uri().query().unwrap_or_default());
                async move { Ok::<_, Infallible>(response(found)) }
            });
            // A connection that is reset is the client's affair.
            let _ = stream.set_nodelay(true);
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

fn response(found: Option<Bytes>) -> Response<Full<Bytes>> {
    let status = if found.is_some() { 200 } else { 404 };
    Response::builder()
        .status(status)
        .header("Content-Type", "text/xml; charset=utf-8")
        .body(Full::new(found.unwrap_or_default()))
        .expect("the parts of the response are valid")
}
