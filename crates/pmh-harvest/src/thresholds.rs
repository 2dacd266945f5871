//! The bounds of a run by name, for whoever sets them from a text.

use std::time::Duration;

use crate::plan::Limits;

impl Limits {
    /// The names of all bounds that [`Limits::set`] knows.
    pub const NAMES: [&'static str; 17] = [
        "pages",
        "records",
        "repeated-pages",
        "barren-pages",
        "empty-pages",
        "empty-pages-seen",
        "repeats",
        "restarts-in-row",
        "restarts",
        "resume-age",
        "overlap",
        "tries",
        "busy",
        "busy-wait",
        "retry-after",
        "redirects",
        "mass-delete",
    ];

    /// Sets the bound of this name; times are in seconds, shares in percent. Whether there is one.
    pub fn set(&mut self, name: &str, value: u32) -> bool {
        let number = u64::from(value);
        match name {
            "pages" => self.pages_max = Some(number),
            "records" => self.records_max = Some(number),
            "repeated-pages" => self.repeated_pages_max = number,
            "barren-pages" => self.barren_pages_max = number,
            "empty-pages" => self.empty_pages_max = number,
            "empty-pages-seen" => self.empty_pages_seen_max = number,
            "repeats" => self.repeats_slack = number,
            "restarts-in-row" => self.restarts_in_row_max = value,
            "restarts" => self.restarts_max = value,
            "resume-age" => self.resume_age_seconds = value.into(),
            "overlap" => self.overlap_seconds = value.into(),
            "tries" => self.tries_max = value,
            "busy" => self.busy_max = value,
            "busy-wait" => self.busy_wait_max = Duration::from_secs(number),
            "retry-after" => self.retry_after_max = Duration::from_secs(number),
            "redirects" => self.redirects_max = value,
            "mass-delete" => self.mass_delete_share = f64::from(value) / 100.0,
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_sets_a_bound_of_its_own() {
        for name in Limits::NAMES {
            let mut limits = Limits::default();
            assert!(limits.set(name, 7), "{name}");
            assert_ne!(limits, Limits::default(), "{name}");
            for other in Limits::NAMES.into_iter().filter(|other| *other != name) {
                let mut others = Limits::default();
                others.set(other, 7);
                assert_ne!(limits, others, "{name} and {other}");
            }
        }
        assert!(!Limits::default().set("everything", 7));
    }
}
