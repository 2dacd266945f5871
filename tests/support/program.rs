//! The program as a process: commands that are run to their end, and a mock that is served.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::program;

/// What a command printed and how it ended.
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program in `folder`.
pub(crate) fn pmh(folder: &Path, arguments: &[&str]) -> Ran {
    pmh_in(folder, &[], arguments)
}

/// Runs the program in `folder`, with these variables in its environment.
pub(crate) fn pmh_in(folder: &Path, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    let Output { status, stdout, stderr } = Command::new(program())
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    Ran {
        exit: status.code().expect("it ends by itself"),
        stdout: text(stdout),
        stderr: text(stderr),
    }
}

/// A mock that is stopped when the test is over.
pub(crate) struct Mock {
    child: Child,
    pub(crate) base_url: String,
}

impl Mock {
    /// Serves what `arguments` say; its port file and journal lie in `folder`.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = Command::new(program())
            .arg("mock")
            .args(arguments)
            .args(["--port-file", "port", "--journal", "journal.ndjson"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the mock starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it says where it listens");
        let base_url = line.trim().strip_prefix("listening on ").expect("an address").to_owned();
        let port = fs::read_to_string(folder.join("port")).expect("the port file is there by now");
        assert_eq!(
            base_url,
            format!("http://127.0.0.1:{port}/oai"),
            "the port file holds the bare number"
        );
        Self { child, base_url }
    }

    /// Asks for an orderly end; how it ended.
    pub(crate) fn stop(mut self) -> i32 {
        let id = i32::try_from(self.child.id()).expect("a process id");
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::Signal::SIGTERM)
            .expect("it is running");
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(10) {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code().expect("it ends by itself");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the mock does not stop");
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
