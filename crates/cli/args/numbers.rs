//! Numbers as they are typed: each reader says what it expects, in the words of the flag.

use std::time::Duration;

use bytesize::ByteSize;

/// Larger pages than that are nobody's wish.
const PAGE_BYTES_MAX: u64 = 2 << 30;

/// How many: at least one.
pub(super) fn count(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|number| *number > 0).ok_or("expected a whole number, 1 or more")
}

/// A share: between nothing and everything.
pub(super) fn share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or("expected a share between 0 and 1")
}

/// Seconds of a pause: not negative, and no longer than an hour.
pub(super) fn pause(text: &str) -> Result<f64, &'static str> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=3_600.0).contains(seconds));
    seconds.ok_or("expected seconds between 0 and 3600")
}

/// Seconds that a part of an exchange may take: more than nothing, and no longer than a day.
pub(super) fn patience(text: &str) -> Result<Duration, &'static str> {
    seconds(text, 86_400.0).ok_or("expected seconds, more than 0 and at most 86400")
}

/// Seconds of a run: more than nothing, and no longer than a year.
pub(super) fn span(text: &str) -> Result<Duration, &'static str> {
    seconds(text, 31_536_000.0).ok_or("expected seconds, more than 0 and at most 31536000")
}

fn seconds(text: &str, most: f64) -> Option<Duration> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= most)?;
    Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero())
}

/// Bytes of a page.
pub(super) fn page_bytes(text: &str) -> Result<u32, &'static str> {
    let bytes = text.parse::<ByteSize>().ok().map(|size| size.as_u64());
    bytes
        .filter(|bytes| (1..=PAGE_BYTES_MAX).contains(bytes))
        .and_then(|bytes| u32::try_from(bytes).ok())
        .ok_or("expected bytes, such as `1000000` or `64MiB`, at least 1 and at most 2GiB")
}

/// Bytes of whatever may be large.
pub(super) fn bytes(text: &str) -> Result<u64, &'static str> {
    let bytes = text.parse::<ByteSize>().ok().map(|size| size.as_u64());
    bytes.ok_or("expected bytes, such as `1000000` or `64MiB`")
}

/// MiB, as many as can be told in bytes.
pub(super) fn mebibytes(text: &str) -> Result<u64, &'static str> {
    let number = text.parse().ok().filter(|number: &u64| *number < 1 << 40);
    number.ok_or("expected a whole number of MiB, 0 or more, such as `200`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_carry_a_unit() {
        for (text, bytes) in
            [("1", 1), ("64MiB", 64 << 20), ("64 MiB", 64 << 20), ("2GiB", 2 << 30), ("1kB", 1_000)]
        {
            assert_eq!(page_bytes(text), Ok(bytes), "{text}");
        }
        for text in ["", "0", "-1", "3GiB", "x", "64 apples", "1e99"] {
            assert!(page_bytes(text).is_err(), "took `{text}`");
        }
    }

    #[test]
    fn a_run_may_last_half_a_second_and_not_none() {
        assert_eq!(span("0.5"), Ok(Duration::from_millis(500)));
        for text in ["0", "-1", "nan", "inf", "1e99", "1e-99", "soon"] {
            assert!(span(text).is_err(), "took `{text}`");
        }
    }
}
