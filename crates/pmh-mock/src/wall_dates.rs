//! Dates of HTTP on the clock of those who read them.
//!
//! A repository tells them by its own clock, which stands where the scenario put it. A harvester that holds a
//! Retry-After against the clock on its own wall would find it in the past.

use std::time::{Duration, SystemTime};

const DATE: &str = "date";
const RETRY_AFTER: &str = "retry-after";

/// Moves the fields `Date` and `Retry-After` as far as it takes for the first to be `now`. Without a `Date` nobody knows what
/// the other counts from, and both stay.
pub(crate) fn tell_by(headers: &mut [(String, String)], now: SystemTime) {
    let date = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(DATE));
    let Some(date) = date.and_then(|(_, value)| httpdate::parse_http_date(value).ok()) else {
        return;
    };
    for (name, value) in headers {
        if name.eq_ignore_ascii_case(DATE) {
            *value = httpdate::fmt_http_date(now);
        } else if name.eq_ignore_ascii_case(RETRY_AFTER)
            && let Ok(until) = httpdate::parse_http_date(value)
        {
            *value = moved(now, date, until);
        }
    }
}

/// Seconds are all that the form has: what would begin within one begins with the next, so that nobody who waits for it
/// comes too early.
fn moved(now: SystemTime, date: SystemTime, until: SystemTime) -> String {
    httpdate::fmt_http_date(match until.duration_since(date) {
        Ok(ahead) => now + ahead + Duration::from_secs(1),
        Err(behind) => now.checked_sub(behind.duration()).unwrap_or(SystemTime::UNIX_EPOCH),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(headers: &[(&str, &str)]) -> Vec<String> {
        let mut headers: Vec<(String, String)> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let now = httpdate::parse_http_date("Tue, 01 Dec 2026 12:00:00 GMT").expect("a date");
        tell_by(&mut headers, now + Duration::from_millis(900));
        headers.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn a_wait_is_as_long_on_the_reader_s_clock() {
        let early = "Wed, 01 Jan 2025 00:00:00 GMT";
        let ahead = told(&[("retry-after", "Wed, 01 Jan 2025 00:02:00 GMT"), ("date", early)]);
        assert_eq!(ahead, ["Tue, 01 Dec 2026 12:02:01 GMT", "Tue, 01 Dec 2026 12:00:00 GMT"]);
        let behind = told(&[("date", early), ("retry-after", "Tue, 31 Dec 2024 00:00:00 GMT")]);
        assert_eq!(behind[1], "Mon, 30 Nov 2026 12:00:00 GMT");
    }

    #[test]
    fn seconds_and_what_has_nothing_to_count_from_stay() {
        let early = "Wed, 01 Jan 2025 00:00:00 GMT";
        assert_eq!(told(&[("date", early), ("retry-after", "120")])[1], "120");
        assert_eq!(told(&[("retry-after", early)]), [early]);
    }
}
