//! What a command of a stranger prints, bounded in bytes and in time.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::process_group::ProcessGroup;

/// So much of what it complains of is kept.
const COMPLAINT_BYTES_MAX: u64 = 4 << 10;
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// What the command says on standard output: no more than `bytes`, and all of it within `patience`.
///
/// # Errors
/// When it cannot be started, fails, says more or takes longer; in words. It is killed then, with all that it started.
pub(super) fn output_of(
    words: &[String],
    work: &Path,
    bytes: u64,
    patience: Duration,
) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("the command is empty")?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("WORK", work)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let wrong = |error: io::Error| format!("`{program}`: {error}");
    let (mut child, group) = ProcessGroup::start(&mut command).map_err(wrong)?;
    let until = Instant::now() + patience;
    let said = follow(child.stdout.take(), bytes + 1);
    let complained = follow(child.stderr.take(), COMPLAINT_BYTES_MAX);
    let said = said.recv_timeout(patience);
    let is_over = said.as_ref().is_ok_and(|said| said.len() as u64 > bytes);
    let status = match is_over {
        true => None,
        false => ended(&mut child, until).map_err(wrong)?,
    };
    if status.is_none() {
        group.kill();
        child.wait().map_err(wrong)?;
    }
    match (said, status) {
        (Ok(_), _) if is_over => Err(format!("`{program}` prints more than {bytes} bytes")),
        (Ok(said), Some(status)) if status.success() => {
            Ok(String::from_utf8_lossy(&said).into_owned())
        }
        (Ok(_), Some(status)) => {
            let complained = complained.recv_timeout(LOOK_EVERY).unwrap_or_default();
            let complained = String::from_utf8_lossy(&complained);
            Err(format!("`{program}` ended with {status}: {}", complained.trim()))
        }
        (Ok(_) | Err(RecvTimeoutError::Timeout), None) => {
            Err(format!("`{program}` did not end within {} s", patience.as_secs_f64()))
        }
        (Err(_), _) => Err(format!("`{program}` could not be read to its end")),
    }
}

/// The first `bytes` of what comes, when there is no more of it or so much has come.
fn follow(source: Option<impl Read + Send + 'static>, bytes: u64) -> Receiver<Vec<u8>> {
    let (tell, told) = channel();
    thread::spawn(move || {
        let mut taken = Vec::new();
        let read = source.map(|source| source.take(bytes).read_to_end(&mut taken));
        if matches!(read, Some(Ok(_))) {
            // Nobody listens any more where it took too long.
            let _ = tell.send(taken);
        }
    });
    told
}

fn ended(child: &mut Child, until: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() > until {
            return Ok(None);
        }
        thread::sleep(LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str) -> Result<String, String> {
        let words = ["sh", "-c", script].map(str::to_owned);
        output_of(&words, Path::new("."), 1_000, Duration::from_millis(700))
    }

    #[test]
    fn a_command_says_what_it_says() {
        assert_eq!(run("echo a; echo $WORK"), Ok("a\n.\n".to_owned()));
        assert!(run("echo no good >&2; exit 3").unwrap_err().contains("no good"));
        assert!(run("echo a; kill -9 $$").unwrap_err().contains("signal: 9"));
    }

    #[test]
    fn who_prints_for_ever_or_does_not_end_is_stopped() {
        let began = Instant::now();
        assert_eq!(run("yes").unwrap_err(), "`sh` prints more than 1000 bytes");
        assert_eq!(run("sleep 60 & wait").unwrap_err(), "`sh` did not end within 0.7 s");
        assert_eq!(run("sleep 60 >&2").unwrap_err(), "`sh` did not end within 0.7 s");
        assert!(began.elapsed() < Duration::from_secs(20), "it took {:?}", began.elapsed());
    }
}
