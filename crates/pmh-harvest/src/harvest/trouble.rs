//! What is done about an answer that will not do (H15).

use std::time::Duration;

use pmh_protocol::Phase;

use super::{Harvest, Stage};
use crate::fetched::RetryAfter;
use crate::guard::Reopening;
use crate::outcome::{End, Refusal, Stop, Trouble};
use crate::time::Instant;
use crate::token_loop::{Halt, TokenLoop};

/// Without a Retry-After, a busy source gets this long.
const BUSY_WAIT: Duration = Duration::from_secs(60);
/// And never less than this.
const BUSY_WAIT_LEAST: Duration = Duration::from_secs(1);
/// So often a page is asked for again just when the source said; after that the wait doubles from time to time.
const REFUSALS_BELIEVED: u32 = 5;
/// A source that asks for a longer wait than a run waits is left alone so long at the most.
const NOT_BEFORE_SECONDS_MAX: u64 = 86_400;

impl Harvest {
    /// An answer that will not do: the same request again, while that is allowed and may help (H15).
    pub(super) fn trouble(&mut self, trouble: Trouble, now: Instant) {
        let identifying = matches!(self.stage, Stage::Identify);
        if identifying && !matches!(trouble, Trouble::Lost(_) | Trouble::Status(500..=599)) {
            // What answers Identify like this answers it so again; the opening request decides (H1).
            self.complain("identify", trouble.to_string());
            self.begin();
            return;
        }
        if let (Trouble::Status(405 | 414), Some(errand)) = (&trouble, &mut self.errand)
            && errand.switch_method(&self.plan)
        {
            // 405: the other method; 414: a POST has no long URL (H15).
            self.complain("method", format!("asked by the other method after {trouble}"));
            return;
        }
        if matches!(self.stage, Stage::Singles) {
            return self.trouble_with_single(&trouble, now);
        }
        let opening = self.is_opening();
        let refused_for_good = matches!(trouble, Trouble::Status(404 | 410));
        let hopeless = matches!(trouble, Trouble::Redirects(_))
            || matches!(&trouble, Trouble::Lost(lost) if lost.phase == Phase::TooLarge);
        if !opening
            && matches!(trouble, Trouble::Status(400 | 404 | 410 | 422))
            && let Some(list) = self.list.as_mut().filter(|list| list.counts_say_complete())
        {
            list.end_by_counts();
            self.errand = None;
            self.complain("token-after-end", format!("the last token was answered with {trouble}"));
            return;
        }
        if !identifying && !opening && self.list.as_ref().is_some_and(TokenLoop::is_session_bound) {
            self.complain("list-restarted", trouble.to_string());
            self.stage = Stage::Reopen(Reopening::SessionLost);
            return;
        }
        let errand = self.errand.as_mut().expect("trouble answers a request");
        if matches!(trouble, Trouble::Lost(_)) {
            errand.lose();
        }
        let wait = if hopeless || (opening && refused_for_good) {
            None
        } else {
            errand.fail(&self.plan.limits, self.plan.seed)
        };
        if let Some(wait) = wait {
            self.pace.wait(wait, now);
            if let Some(list) = &mut self.list
                && !opening
            {
                list.asking_again();
            }
            self.complain("asked-again", trouble.to_string());
            return;
        }
        if identifying && !matches!(&trouble, Trouble::Lost(lost) if lost.phase == Phase::Connect) {
            self.complain("identify", trouble.to_string());
            self.begin();
            return;
        }
        if let (false, false, Trouble::Status(400 | 404 | 410 | 422 | 500)) =
            (identifying, opening, &trouble)
        {
            self.complain("list-restarted", trouble.to_string());
            self.stage = Stage::Reopen(Reopening::TokenFails);
            return;
        }
        let keep_cursor = matches!(trouble, Trouble::Lost(_)) && !hopeless;
        let page = self.list.as_ref().map_or(1, TokenLoop::next_page);
        if !keep_cursor && !identifying && (self.pages_taken > 0 || self.slices.cut_of().is_some())
        {
            // The page fails every time: what is wrong may be one record of it (F036).
            self.errand = None;
            let end = End::Incomplete(Stop::RetryExhausted { page, trouble });
            self.stage = Stage::Pieces(Box::new(end));
            return;
        }
        self.end_early(
            Stop::RetryExhausted { page, trouble: trouble.clone() },
            Refusal::Unreachable(trouble),
            keep_cursor,
        );
    }

    fn trouble_with_single(&mut self, trouble: &Trouble, now: Instant) {
        let errand = self.errand.as_mut().expect("trouble answers a request");
        match errand.fail(&self.plan.limits, self.plan.seed) {
            Some(wait) => {
                self.pace.wait(wait, now);
                self.complain("asked-again", trouble.to_string());
            }
            None => self.single_failed(trouble),
        }
    }

    pub(super) fn busy(&mut self, retry_after: Option<RetryAfter>, now: Instant) {
        let limits = self.plan.limits;
        let clock = self.clock(now);
        let asked = retry_after.map_or(BUSY_WAIT, |retry_after| retry_after.wait(clock));
        let believed = if retry_after.is_some() { REFUSALS_BELIEVED } else { 1 };
        let errand = self.errand.as_mut().expect("a refusal answers a request");
        let refusals = errand.refused();
        let wait = longer_wait(asked, refusals.saturating_sub(believed), limits.retry_after_max);
        if refusals > limits.busy_max
            || wait > limits.retry_after_max
            || self.busy_waited + wait > limits.busy_wait_max
        {
            let seconds = wait.as_secs();
            if wait > limits.retry_after_max {
                let seconds = seconds.min(NOT_BEFORE_SECONDS_MAX).cast_signed();
                self.memory.not_before = Some(clock.plus_seconds(seconds));
            }
            let (stop, refusal) =
                (Stop::Busy { refusals, seconds }, Refusal::Busy { refusals, seconds });
            self.end_early(stop, refusal, true);
            return;
        }
        self.busy_waited += wait;
        self.pace.slow_down(self.plan.pause);
        self.pace.wait(wait, now);
        self.complain(
            "busy",
            format!("the source was busy, and was left alone for {} s", wait.as_secs()),
        );
        let opening = self.is_opening();
        let reads = matches!(self.stage, Stage::List);
        if let Some(list) = self.list.as_mut().filter(|_| !opening && reads) {
            // A session may have moved on before it said that it is busy (H17).
            if list.is_session_bound() {
                self.halt(Halt::Reopen(Reopening::SessionLost));
            } else {
                list.asking_again();
            }
        }
    }

    pub(super) fn redirected(&mut self, status: u16, location: &str, now: Instant) {
        let asks_formats = matches!(self.stage, Stage::Formats { .. });
        let errand = self.errand.as_mut().expect("a redirect answers a request");
        match errand.follow(status, location, &self.plan.limits) {
            Ok(()) if matches!(status, 301 | 308) => {
                self.complain("moved-permanently", format!("redirected to `{location}`"));
            }
            Ok(()) => {}
            Err(text) if asks_formats => {
                self.no_formats(&text);
                self.begin();
            }
            Err(text) => self.trouble(Trouble::Redirects(text), now),
        }
    }

    /// Ends as incomplete when something was read, in this run or the one that is resumed; else as refused.
    pub(super) fn end_early(&mut self, stop: Stop, refusal: Refusal, keep_cursor: bool) {
        self.errand = None;
        let began =
            self.pages_taken > 0 || self.list.as_ref().is_some_and(|list| list.next_page() > 1);
        let end = if began { End::Incomplete(stop) } else { End::Refused(refusal) };
        self.stage = Stage::End { end, keep_cursor };
    }
}

/// The wait that a busy source gets: what was asked for, and twice as long with each doubling. A wait of nothing would be
/// none, so it is a second at least; and it grows no longer than `longest`, beyond which only the source can ask.
fn longer_wait(asked: Duration, doublings: u32, longest: Duration) -> Duration {
    let wait = asked.max(BUSY_WAIT_LEAST);
    wait.saturating_mul(1 << doublings.min(16)).min(longest.max(wait))
}
