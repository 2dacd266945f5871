//! How a stranger's brake is recognised: by its exit code, by what it says, or by both.

use pmh_harvest::Trip;
use pmh_scenario::Pattern;

/// A sign that a guard ended a run. All that is given must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct GuardSign {
    /// The guard, in our words: `no-progress`.
    pub name: String,
    /// Exit code of the run.
    pub exit: Option<i32>,
    /// What its standard error holds somewhere.
    pub stderr: Option<Pattern>,
}

impl GuardSign {
    /// A sign for the guard of this name.
    ///
    /// # Errors
    /// When there is no such guard, or nothing to tell it by, or the expression is none; in words.
    pub fn new(name: &str, exit: Option<i32>, stderr: Option<&str>) -> Result<Self, String> {
        if !Trip::GUARDS.contains(&name) {
            return Err(format!(
                "no guard is called `{name}`; guards: {}",
                Trip::GUARDS.join(", ")
            ));
        }
        if exit == Some(0) {
            return Err(format!(
                "the guard `{name}`: exit code 0 says that a run has everything, and not that it was stopped"
            ));
        }
        if exit.is_none() && stderr.is_none() {
            return Err(format!("the guard `{name}` needs an exit code or a pattern on stderr"));
        }
        let pattern = |text: &str| {
            Pattern::parse(text).map_err(|why| {
                format!("the guard `{name}`: `{text}` is no regular expression: {why}")
            })
        };
        let stderr = stderr.map(pattern).transpose()?;
        if let Some(exit) = exit.filter(|exit| !(0..=255).contains(exit)) {
            return Err(format!(
                "the guard `{name}`: no process ends with {exit}; exit codes are 1 to 255"
            ));
        }
        Ok(Self { name: name.to_owned(), exit, stderr })
    }

    /// Reads `NAME=exit:3` or `NAME=stderr:REGEX`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = || {
            format!(
                "`{text}` is no sign of a guard: write `no-progress=exit:3` or `no-progress=stderr:REGEX`"
            )
        };
        let (name, sign) = text.split_once('=').ok_or_else(form)?;
        match sign.split_once(':') {
            Some(("exit", code)) => Self::new(name, Some(code.parse().map_err(|_| form())?), None),
            Some(("stderr", pattern)) => Self::new(name, None, Some(pattern)),
            _ => Err(form()),
        }
    }

    /// Whether a run that ended so shows it.
    pub(crate) fn fits(&self, exit: i32, stderr: &str) -> bool {
        self.exit.is_none_or(|code| code == exit)
            && self.stderr.as_ref().is_none_or(|pattern| pattern.is_in(stderr))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_exit_codes_and_patterns() {
        let by_exit = GuardSign::parse("no-progress=exit:3").unwrap();
        assert!(by_exit.fits(3, "") && !by_exit.fits(4, ""));
        let by_word = GuardSign::parse("repeated-token=stderr:same .*token").unwrap();
        assert!(by_word.fits(1, "the same old token") && !by_word.fits(1, "another"));
        let both = GuardSign::new("shrink", Some(3), Some("less")).unwrap();
        assert!(both.fits(3, "less than before") && !both.fits(3, "") && !both.fits(0, "less"));
    }

    #[test]
    fn what_is_no_sign_is_told_with_what_to_write() {
        for (text, said) in [
            ("no-progress", "write `no-progress=exit:3`"),
            ("no-progress=exit:three", "write `no-progress=exit:3`"),
            ("progress=exit:3", "guards: "),
            ("no-progress=stderr:(", "the guard `no-progress`: `(` is no regular expression: "),
            ("no-progress=exit:999", "exit codes are 1 to 255"),
        ] {
            let error = GuardSign::parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert!(GuardSign::new("shrink", None, None).is_err());
    }
}
