//! Bytes on their way out, watched so that it is known when an answer has left.
//!
//! The HTTP layer takes the body of an answer, puts it behind the head in its own buffer, and flushes. So once the body
//! has been taken, the next flush that succeeds has emptied that buffer into the socket: that is the moment.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use pmh_scenario::Exchange;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::answer::InFlight;
use crate::hooks::After;

/// The exchange whose body was taken and not yet flushed: one at a time, as a connection answers in order.
#[derive(Clone, Default)]
pub(crate) struct Taken(Arc<Mutex<Option<Exchange>>>);

impl Taken {
    fn set(&self, exchange: Option<Exchange>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = exchange;
    }

    fn take(&self) -> Option<Exchange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A whole body in one piece.
pub(crate) struct WholeBody {
    bytes: Bytes,
    exchange: Option<Exchange>,
    taken: Taken,
    /// The request that waits for it: no longer than until the HTTP layer has it all.
    _in_flight: Option<InFlight>,
}

impl WholeBody {
    /// The body of an answer of the repository.
    pub(crate) fn of_exchange(
        bytes: Vec<u8>,
        exchange: Exchange,
        taken: Taken,
        in_flight: InFlight,
    ) -> Self {
        let _in_flight = Some(in_flight);
        Self { bytes: bytes.into(), exchange: Some(exchange), taken, _in_flight }
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// A body that nobody waits for.
    pub(crate) fn text(text: String) -> Self {
        Self { bytes: text.into(), exchange: None, taken: Taken::default(), _in_flight: None }
    }
}

impl Body for WholeBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let exchange = self.exchange.take();
        self.taken.set(exchange);
        Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}

/// A connection that tells when an answer has left.
pub(crate) struct WatchedStream {
    stream: TcpStream,
    taken: Taken,
    after: Option<After>,
}

impl WatchedStream {
    pub(crate) fn new(stream: TcpStream, taken: Taken, after: Option<After>) -> Self {
        Self { stream, taken, after }
    }

    /// The bare connection.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.stream
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        if let Poll::Ready(Ok(())) = flushed
            && let Some(exchange) = self.taken.take()
            && let Some(after) = &self.after
        {
            after(&exchange);
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
