//! Departures that some sources need (H21).
//!
//! Off by default, chosen for a source by its operator, and printed in every report: what a request says never
//! changes by itself.

/// The switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compat {
    /// metadataPrefix is sent beside the token, and so are dates and set (F031).
    pub prefix_with_token: bool,
    /// The token is sent as it was delivered, not percent-encoded.
    pub token_raw: bool,
    /// A list ends when all that was announced has come, whatever token its last page carries.
    pub end_by_count: bool,
    /// Requests are sent by POST.
    pub post: bool,
    /// Announced sizes are not believed: they count something else (F021).
    pub ignore_size: bool,
}

impl Compat {
    /// The switches by name.
    pub const NAMES: [&'static str; 5] =
        ["prefix-with-token", "token-raw", "end-by-count", "post", "ignore-size"];

    /// Turns on the switch of this name; whether there is one.
    pub fn turn_on(&mut self, name: &str) -> bool {
        let switches = self.switches_mut();
        let found = Self::NAMES.iter().zip(switches).find(|(known, _)| **known == name);
        found.is_some_and(|(_, switch)| {
            *switch = true;
            true
        })
    }

    /// The names of those that are on.
    #[must_use]
    pub fn names(mut self) -> Vec<&'static str> {
        let switches = self.switches_mut();
        let on = Self::NAMES.iter().zip(switches).filter(|(_, switch)| **switch);
        on.map(|(name, _)| *name).collect()
    }

    /// In the order of their names.
    const fn switches_mut(&mut self) -> [&mut bool; 5] {
        [
            &mut self.prefix_with_token,
            &mut self.token_raw,
            &mut self.end_by_count,
            &mut self.post,
            &mut self.ignore_size,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_turns_on_its_own_switch() {
        for name in Compat::NAMES {
            let mut compat = Compat::default();
            assert!(compat.turn_on(name));
            assert_eq!(compat.names(), [name]);
        }
        assert!(!Compat::default().turn_on("everything"));
    }
}
