//! `pmh check`: whether a repository keeps the protocol.

mod baseline; // failures that are known
mod changing; // the repository, changed on purpose
mod defects; // which check tells of which defect
mod explaining; // what a check stands for
mod recording; // exchanges that are judged again
mod rehearsing; // what would be asked
mod reporting; // reports to where they belong
mod saving; // a repository as a scenario
mod static_file; // a file that a gateway serves
mod wanted; // what was wanted of a recorded run
mod writable; // files that will be written

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use pmh_check::{Examination, Examined, Options, Step, Verdict, all_checks, json_schema};
use pmh_protocol::{Headers, HttpRequest};
use url::Url;

use crate::args::{CheckArguments, CheckCommand, ExamineArguments};
use crate::asking::Asking;
use crate::base_url::BaseUrl;
use crate::exit::{Ended, Exit};
use crate::output;
use crate::signal::stop_signal;

use self::baseline::Baseline;
use self::recording::Recording;
use self::reporting::Reports;

/// The pause between two requests to somebody else's server.
const PAUSE: Duration = Duration::from_millis(500);

pub(crate) fn run(arguments: &CheckArguments) -> anyhow::Result<Exit> {
    match &arguments.command {
        Some(CheckCommand::List { json }) => Ok(explaining::list(*json)),
        Some(CheckCommand::Explain { id }) => explaining::explain(id),
        Some(CheckCommand::Defects { names }) => defects::run(names),
        None => examine(&arguments.examine),
    }
}

fn examine(arguments: &ExamineArguments) -> anyhow::Result<Exit> {
    if arguments.report_schema {
        output::line(json_schema());
        return Ok(Exit::Done);
    }
    // Everything that was typed is looked at before anything is asked.
    let reports = Reports::of(&arguments.report, arguments)?;
    let baseline = arguments.baseline.as_deref().map(Baseline::read).transpose()?;
    for glob in arguments.select.iter().chain(&arguments.exclude).chain(&arguments.require) {
        explaining::known(glob)?;
    }
    for alias in &arguments.base_url_alias {
        alias.checked().map_err(|error| Ended::usage(format!("`--base-url-alias`: {error}")))?;
    }
    writable::check(reports.files().chain(&arguments.write_baseline))?;
    if let Some(folder) = &arguments.save_scenario {
        saving::name(folder)?;
    }
    let selected = all_checks().filter(|check| {
        check.is_of_file() == arguments.static_repository.is_some()
            && check.is_in(arguments.profile)
            && selection(arguments).selects(check.id)
    });
    if selected.count() == 0 {
        output::note("no check is selected: `pmh check list` names them");
        return Ok(Exit::Vacuous);
    }
    let mut examined = match (&arguments.static_repository, &arguments.from_capture) {
        (Some(file), _) => static_file::examine(arguments, file)?,
        (None, Some(folder)) => recording::examine(arguments, folder)?,
        (None, None) => match of_repository(arguments)? {
            Some(examined) => examined,
            None => return Ok(Exit::Done),
        },
    };
    let outdated = match &baseline {
        Some(baseline) => baseline.apply(&mut examined),
        None => 0,
    };
    reports.write(&examined)?;
    if let Some(path) = &arguments.write_baseline {
        baseline::write(path, &examined)?;
    }
    if let Some(folder) = &arguments.save_scenario {
        saving::save(folder, &examined)?;
    }
    Ok(exit(arguments, &examined, outdated))
}

/// Examines a repository, or the recording of one; `None` if it was only shown what would be asked.
fn of_repository(arguments: &ExamineArguments) -> anyhow::Result<Option<Examined>> {
    let recording = arguments.replay.as_deref().map(Recording::read).transpose()?;
    let previous = arguments.previous.as_deref().map(Recording::read).transpose()?;
    let mut options = match &recording {
        Some(recording) => {
            let mut options = options(arguments, recording.base_url(), true)?;
            recording.fill(&mut options);
            options
        }
        None => {
            let base_url = arguments.base_url.as_ref().ok_or_else(|| {
                Ended::usage(
                    "expected the base URL of a repository, or `--replay` with a recording",
                )
            })?;
            options(arguments, base_url.checked()?, false)?
        }
    };
    if let Some(previous) = previous {
        if previous.base_url() != options.base_url {
            return Err(Ended::usage(format!(
                "`--previous`: expected a recording of `{}`, found one of `{}`",
                options.base_url,
                previous.base_url()
            )));
        }
        options.previous = Some(Arc::new(previous.play(options.clone())?));
    }
    let examined = match (recording, &arguments.base_url) {
        (Some(recording), base_url) => {
            if let Some(other) = base_url.as_ref().filter(|url| url.as_str() != options.base_url) {
                output::note(format!(
                    "note: `--replay`: the recording is one of `{}`; `{}` is not asked",
                    options.base_url,
                    output::plain(other.as_str())
                ));
            }
            recording.play(options)?
        }
        (None, _) if arguments.dry_run => {
            rehearsing::run(options);
            return Ok(None);
        }
        (None, Some(base_url)) => ask(arguments, base_url, options)?,
        (None, None) => return Err(Ended::usage("expected the base URL of a repository")),
    };
    if let Some(previous) = examined.options.previous.clone() {
        compare(&previous, &examined);
    }
    Ok(Some(examined))
}

/// Says which verdicts are others than in the earlier run.
fn compare(previous: &Examined, examined: &Examined) {
    for outcome in &examined.outcomes {
        let id = outcome.check.id;
        let was = previous.outcomes.iter().find(|each| each.check.id == id);
        if let Some(was) = was.filter(|was| was.verdict != outcome.verdict) {
            let (then, now) = (was.verdict.as_str(), outcome.verdict.as_str());
            output::note(format!("since the earlier run: {id} was {then}, is {now}"));
        }
    }
}

/// How the command ends.
fn exit(arguments: &ExamineArguments, examined: &Examined, outdated: usize) -> Exit {
    let is_required = |id: &str| {
        let mut options = Options::new("");
        options.select.clone_from(&arguments.require);
        !arguments.require.is_empty() && options.selects(id)
    };
    let unjudged: Vec<&str> = examined
        .outcomes
        .iter()
        .filter(|each| matches!(each.verdict, Verdict::Skip | Verdict::Inconclusive))
        .map(|each| each.check.id)
        .filter(|id| is_required(id))
        .collect();
    if !unjudged.is_empty() {
        output::note(format!("required and not judged: {}", unjudged.join(", ")));
    }
    let failures =
        arguments.fail_on.level().map_or(0, |threshold| examined.failures(threshold).count());
    if !examined.is_reached() {
        Exit::Impossible
    } else if failures > 0 || !unjudged.is_empty() || (arguments.strict_baseline && outdated > 0) {
        Exit::No
    } else if examined.is_cut_short {
        Exit::Impossible
    } else if !examined.is_tested() {
        Exit::Vacuous
    } else {
        Exit::Done
    }
}

/// Which checks are run.
fn selection(arguments: &ExamineArguments) -> Options {
    let mut options = Options::new("");
    options.select.clone_from(&arguments.select);
    options.exclude.clone_from(&arguments.exclude);
    options
}

fn options(
    arguments: &ExamineArguments,
    base_url: &str,
    is_replay: bool,
) -> anyhow::Result<Options> {
    let mut options = Options { base_url: base_url.to_owned(), ..selection(arguments) };
    options.aliases =
        arguments.base_url_alias.iter().map(|alias| alias.as_str().to_owned()).collect();
    options.profile = arguments.profile;
    options.seed = arguments.seed;
    options.changes = arguments.change.is_some();
    options.clock_skew_seconds = match arguments.clock_skew.as_str() {
        "any" => None,
        text => Some(text.parse().ok().filter(|seconds| *seconds >= 0).ok_or_else(|| {
            Ended::usage(format!("`--clock-skew`: expected seconds or `any`, found `{text}`"))
        })?),
    };
    let limits = &mut options.limits;
    limits.requests_max = arguments.max_requests;
    limits.pages_max = usize::from(arguments.max_list_pages);
    limits.sample = usize::from(arguments.sample);
    limits.bytes_max = arguments.max_bytes;
    limits.duration_max = Duration::from_secs(arguments.max_duration);
    if let Some(bytes) = arguments.source.max_page_bytes {
        limits.page_bytes_max = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    let pause = if is_replay || is_loopback(base_url) { Duration::ZERO } else { PAUSE };
    limits.pause = arguments.pause.unwrap_or(pause);
    Ok(options)
}

fn is_loopback(base_url: &str) -> bool {
    let host = Url::parse(base_url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.is_some_and(|host| {
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    })
}

/// Examines over the network.
fn ask(
    arguments: &ExamineArguments,
    base_url: &BaseUrl,
    mut options: Options,
) -> anyhow::Result<Examined> {
    let asking = match &arguments.record {
        None => Asking::of(base_url, &arguments.source)?,
        Some(folder) => {
            recording::prepare(folder, &options)?;
            Asking::capturing(base_url, &arguments.source, Some(folder))?
        }
    };
    options.headers.push("User-Agent", asking.plan.user_agent.clone());
    if let Some(contact) = &asking.plan.contact {
        options.headers.push("From", contact.clone());
    }
    options.headers.push("Accept", "text/xml, application/xml;q=0.9, */*;q=0.1");
    let credentials = asking.plan.credentials.clone();
    let source = options.base_url.clone();
    let bar = output::bar(None, "requests");
    let mut examination = Examination::new(options);
    asking.runtime.block_on(async {
        let stop = stop_signal();
        tokio::pin!(stop);
        loop {
            let (step, left) = (examination.step(), examination.time_left());
            let work = async {
                match step {
                    Step::Finish => None,
                    Step::Wait(time) => {
                        tokio::time::sleep(time).await;
                        Some(None)
                    }
                    Step::Change => {
                        if let Some(command) = &arguments.change {
                            changing::run(command).await;
                        }
                        Some(None)
                    }
                    Step::Fetch(mut request) => {
                        let_in(&mut request, &source, &credentials);
                        Some(Some(asking.transport.exchange_within(&request, left).await))
                    }
                }
            };
            tokio::select! {
                done = work => match done {
                    None => break,
                    Some(None) => {}
                    Some(Some(exchanged)) => {
                        examination.fetched(exchanged.answer, exchanged.at, exchanged.took);
                        bar.inc(1);
                    }
                },
                () = &mut stop => {
                    output::note("stopping: what was not asked is skipped");
                    break;
                }
            }
        }
    });
    bar.finish_and_clear();
    Ok(examination.finish())
}

/// Adds what lets us in, for the server of the base URL and no other.
fn let_in(request: &mut HttpRequest, source: &str, credentials: &Headers) {
    let origin = |url: &str| Url::parse(url).ok().map(|url| url.origin());
    if origin(&request.url).is_some() && origin(&request.url) == origin(source) {
        request.headers.extend(credentials);
    }
}
