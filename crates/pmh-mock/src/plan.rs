//! A plan of bytes carried out on a connection that has been taken from the HTTP layer, which cannot lie.

use std::time::Duration;

use pmh_repository::{BytePlan, WireEnd, WireStep};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A reset overtakes what is still on its way: the other side gets this long to read it.
const BEFORE_RESET: Duration = Duration::from_millis(20);

/// Does what the plan says, to the end of the connection, which does not come before what is waited for. A pause takes
/// `scale` of its time, and ends when the other side goes away.
pub(crate) async fn carry_out(
    mut stream: TcpStream,
    plan: &BytePlan,
    wait: Option<impl Future<Output = ()>>,
    scale: f64,
) {
    for step in &plan.steps {
        let done = match step {
            WireStep::Send(bytes) => stream.write_all(bytes).await.is_ok(),
            WireStep::Pause(seconds) => {
                let pause = Duration::from_secs(u64::from(*seconds)).mul_f64(scale);
                tokio::select! {
                    () = tokio::time::sleep(pause) => true,
                    () = gone(&mut stream) => false,
                }
            }
        };
        // Nobody is there any more.
        if !done {
            return;
        }
    }
    if let Some(wait) = wait {
        wait.await;
    }
    match plan.end {
        // An error means that the other side was first.
        WireEnd::Close => drop(stream.shutdown().await),
        WireEnd::Reset => {
            if !plan.steps.is_empty() {
                tokio::time::sleep(BEFORE_RESET).await;
            }
            drop(stream.set_zero_linger());
        }
    }
}

/// Ends when the other side has closed. What it still says is of no interest.
async fn gone(stream: &mut TcpStream) {
    let mut ignored = [0; 256];
    while stream.read(&mut ignored).await.is_ok_and(|read| read > 0) {}
}
