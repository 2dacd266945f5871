//! What a check is: a name, the rules it stands for, and a function over the evidence.

use crate::bench::{Bench, Stop};
use crate::finding::Found;
use crate::options::Profile;

/// How binding what a check asks for is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The protocol demands it: one failure, and the repository does not conform (rule 1).
    Must,
    /// The protocol asks for it.
    Should,
    /// A companion guideline recommends it.
    Guideline,
    /// A community asks for it.
    Profile,
    /// Only told.
    Info,
}

impl Level {
    /// All of them, the most binding first.
    pub const ALL: [Self; 5] =
        [Self::Must, Self::Should, Self::Guideline, Self::Profile, Self::Info];

    /// Its name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Guideline => "guideline",
            Self::Profile => "profile",
            Self::Info => "info",
        }
    }
}

/// When a check is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Before all others: whether there is anything to check.
    First,
    /// It asks what it needs.
    Asking,
    /// After those: it has the repository changed.
    Changing,
    /// After all others: it looks at every answer there is, and asks nothing.
    Last,
    /// Over the file of a static repository, and never over a repository that answers.
    OfFile,
}

impl When {
    /// Whether such a check asks for what it needs.
    pub(crate) const fn asks(self) -> bool {
        matches!(self, Self::Asking | Self::Changing)
    }
}

/// The function of a check.
pub(crate) type Judge = fn(&Bench<'_>) -> Result<Found, Stop>;

/// Constructors of checks, each named after its level.
macro_rules! of_level {
    ($($name:ident: $level:ident),*) => {$(
        pub(crate) const fn $name(
            id: &'static str,
            title: &'static str,
            rules: &'static [u16],
            judge: Judge,
        ) -> Self {
            Self::new(Level::$level, id, title, rules, judge)
        }
    )*};
}

/// One check.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// A name that stays: group, full stop, what it looks at.
    pub id: &'static str,
    /// What holds when it passes.
    pub title: &'static str,
    /// How binding that is.
    pub level: Level,
    /// Numbers of the rules it stands for.
    pub rules: &'static [u16],
    /// Checks without which it says nothing: where one of them fails, it is skipped.
    pub needs: &'static [&'static str],
    /// The profiles that it belongs to; empty for all.
    pub profiles: &'static [Profile],
    pub(crate) when: When,
    pub(crate) judge: Judge,
}

impl Check {
    /// The part of its id before the full stop.
    #[must_use]
    pub fn group(&self) -> &'static str {
        self.id.split('.').next().unwrap_or(self.id)
    }

    /// Whether it belongs to a run under this profile.
    #[must_use]
    pub fn is_in(&self, profile: Profile) -> bool {
        self.profiles.is_empty() || self.profiles.contains(&profile)
    }

    /// Whether it judges the file of a static repository, and not a repository that is asked.
    #[must_use]
    pub fn is_of_file(&self) -> bool {
        self.when == When::OfFile
    }

    const fn new(
        level: Level,
        id: &'static str,
        title: &'static str,
        rules: &'static [u16],
        judge: Judge,
    ) -> Self {
        Self { id, title, level, rules, needs: &[], profiles: &[], when: When::Asking, judge }
    }

    of_level! { must: Must, should: Should, guideline: Guideline, info: Info }

    pub(crate) const fn profile(
        profiles: &'static [Profile],
        id: &'static str,
        title: &'static str,
        judge: Judge,
    ) -> Self {
        Self { profiles, ..Self::new(Level::Profile, id, title, &[], judge) }
    }

    /// Judged first.
    pub(crate) const fn first(self) -> Self {
        Self { when: When::First, ..self }
    }

    /// Judged when all is asked that a change would disturb.
    pub(crate) const fn changing(self) -> Self {
        Self { when: When::Changing, ..self }
    }

    /// Judged last, over every answer.
    pub(crate) const fn last(self) -> Self {
        Self { when: When::Last, ..self }
    }

    /// Judged over the file of a static repository.
    pub(crate) const fn of_file(self) -> Self {
        Self { when: When::OfFile, ..self }
    }

    /// Skipped where one of these fails.
    pub(crate) const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }
}
