//! What a piece of work costs: wall time, CPU time, and the memory of a process.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{Usage, UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

/// The cost of a piece of work.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    /// Greatest resident size in KiB; 0 where it was not measured.
    pub(crate) peak_kib: u64,
}

impl Cost {
    /// So many a second.
    pub(crate) fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.wall.as_secs_f64()
    }

    /// CPU seconds for a million.
    pub(crate) fn cpu_per_million(&self, count: u64) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / count as f64
    }
}

/// The cost of `work` in this process.
pub(crate) fn of_work(work: impl FnOnce()) -> Cost {
    let before = cpu(UsageWho::RUSAGE_SELF);
    let started = Instant::now();
    work();
    Cost {
        wall: started.elapsed(),
        cpu: cpu(UsageWho::RUSAGE_SELF).saturating_sub(before),
        peak_kib: 0,
    }
}

/// The cost of a program, which must succeed. It is started by a small process of its own: a child's peak memory
/// begins at that of the process it is forked from.
pub(crate) fn of_program(program: &str, arguments: &[&str]) -> std::io::Result<Cost> {
    let output = Command::new(std::env::current_exe()?)
        .arg("measure")
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let numbers = text.lines().last().unwrap_or_default().strip_prefix("measured ");
    let numbers: Vec<u64> = numbers
        .map(|line| line.split(' ').filter_map(|number| number.parse().ok()).collect())
        .unwrap_or_default();
    match (output.status.success(), numbers.as_slice()) {
        (true, [wall, cpu, peak_kib]) => Ok(Cost {
            wall: Duration::from_micros(*wall),
            cpu: Duration::from_micros(*cpu),
            peak_kib: *peak_kib,
        }),
        _ => Err(std::io::Error::other(format!("`{program}` failed: {text}"))),
    }
}

/// The other side: runs a program and writes what it cost as the last line of standard error.
pub(crate) fn run(program: &str, arguments: &[String]) -> std::io::Result<bool> {
    let started = Instant::now();
    let status = Command::new(program).args(arguments).status()?;
    let wall = started.elapsed().as_micros();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let line = format!("measured {wall} {} {}", cpu_of(&usage).as_micros(), usage.max_rss());
    crate::table::note(&line);
    Ok(status.success())
}

fn cpu(who: UsageWho) -> Duration {
    getrusage(who).map(|usage| cpu_of(&usage)).unwrap_or_default()
}

fn cpu_of(usage: &Usage) -> Duration {
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}
