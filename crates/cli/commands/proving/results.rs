//! What came of a proof, whoever was proved: a row per scenario, a cell per harvester.

use std::time::Duration;

use owo_colors::OwoColorize as _;
use pmh_oracle::{Class, Why};
use pmh_runner::why_text;
use pmh_scenario::Script;

/// Everything that was played.
pub(crate) struct Results {
    pub(crate) harvesters: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) took: Duration,
}

/// A scenario.
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    pub(crate) rules: Vec<u32>,
    pub(crate) seed: u64,
    /// The file as people call it: a path, or the name of a shipped one.
    pub(crate) file: String,
    /// In the order of the harvesters.
    pub(crate) cells: Vec<Cell>,
}

/// A scenario before one harvester.
pub(crate) struct Cell {
    pub(crate) harvester: String,
    pub(crate) standing: Standing,
    /// Names of the properties and rules that failed.
    pub(crate) failed: Vec<String>,
    /// The verdict for people, or why there is none.
    pub(crate) text: String,
    pub(crate) whys: Vec<Why>,
    /// What the file of known failures has to say of it beside.
    pub(crate) note: Option<String>,
    pub(crate) took: Duration,
    /// A command that plays it again.
    pub(crate) again: String,
    /// The file of its scenario, as [`Row::file`].
    pub(crate) file: String,
}

/// What a cell is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    Held,
    Failed,
    /// It did not bring what it should, and said so: nothing that it claims is wrong.
    GaveUp,
    Vacuous,
    /// It cannot be asked of this harvester.
    LeftOut,
    /// It failed, as somebody has said that it would.
    KnownFailure {
        reason: String,
    },
    /// Somebody has said that it fails, and it does not.
    UnexpectedPass {
        reason: String,
    },
}

impl Standing {
    pub(crate) const ALL_WORDS: [(&str, &str, &str); 7] = [
        ("●", "held", "everything that could be judged is as it must be"),
        ("✖", "failed", "something is not: the text says what, and why"),
        ("◐", "gave-up", "it should have brought everything, stopped before, and said so"),
        ("◌", "vacuous", "nothing failed, but what was to go wrong did not happen"),
        ("–", "left-out", "the scenario cannot be asked of this harvester"),
        ("▽", "known-failure", "it failed, as the file of known failures says"),
        ("△", "unexpected-pass", "the file of known failures says that it fails, and it does not"),
    ];

    const fn index(&self) -> usize {
        match self {
            Self::Held => 0,
            Self::Failed => 1,
            Self::GaveUp => 2,
            Self::Vacuous => 3,
            Self::LeftOut => 4,
            Self::KnownFailure { .. } => 5,
            Self::UnexpectedPass { .. } => 6,
        }
    }

    /// Signs differ in shape, not only in colour.
    pub(crate) const fn sign(&self) -> &'static str {
        Self::ALL_WORDS[self.index()].0
    }

    pub(crate) const fn word(&self) -> &'static str {
        Self::ALL_WORDS[self.index()].1
    }

    /// The sign in its colour.
    pub(crate) fn shown(&self) -> String {
        let sign = self.sign();
        match self {
            Self::Held => sign.green().to_string(),
            Self::Failed | Self::GaveUp | Self::UnexpectedPass { .. } => sign.red().to_string(),
            Self::LeftOut => sign.dimmed().to_string(),
            Self::Vacuous | Self::KnownFailure { .. } => sign.yellow().to_string(),
        }
    }

    /// Whether it makes the whole a failure.
    pub(crate) const fn is_bad(&self) -> bool {
        matches!(self, Self::Failed | Self::GaveUp | Self::UnexpectedPass { .. })
    }
}

impl From<Class> for Standing {
    fn from(class: Class) -> Self {
        match class {
            Class::Held => Self::Held,
            Class::Failed => Self::Failed,
            Class::Vacuous => Self::Vacuous,
        }
    }
}

impl Row {
    pub(crate) fn new(script: &Script, file: &str, cells: Vec<Cell>) -> Self {
        Self {
            id: script.id.clone(),
            title: script.title.clone(),
            kind: script.kind.clone(),
            rules: script.rules.clone(),
            seed: script.seed,
            file: file.to_owned(),
            cells,
        }
    }
}

impl Cell {
    /// Everything there is to say: the verdict, why records are not held, and how to play it again.
    pub(crate) fn story(&self) -> String {
        let mut text = self.headed();
        text.push_str(&why_text(&self.whys));
        text.push_str(&self.remark());
        if self.whys.iter().any(Why::names_a_line) {
            text.push_str(&format!(
                "  its lines: pmh scenario show --source {}\n",
                shell_words::quote(&self.file)
            ));
        }
        text.push_str(&format!("  again: {}\n", self.again));
        text
    }

    /// The verdict under the word of its standing, which knows more than its class.
    fn headed(&self) -> String {
        let class = [Class::Held, Class::Failed, Class::Vacuous].map(Class::as_str);
        match self
            .text
            .split_once('\n')
            .and_then(|(head, rest)| Some((head.rsplit_once(": ")?, rest)))
        {
            Some(((id, word), rest)) if class.contains(&word) => {
                format!("{id}: {}\n{rest}", self.standing.word())
            }
            _ => self.text.clone(),
        }
    }

    /// What the file of known failures says of it, as lines.
    pub(crate) fn remark(&self) -> String {
        match (&self.standing, &self.note) {
            (Standing::KnownFailure { reason } | Standing::UnexpectedPass { reason }, _) => {
                format!("  known as a failure: {reason}\n")
            }
            (_, Some(note)) => format!("  {note}\n"),
            (_, None) => String::new(),
        }
    }

    /// The first thing that is wrong, in one line.
    pub(crate) fn headline(&self) -> String {
        if let Standing::UnexpectedPass { reason } = &self.standing {
            return format!("holds, and is known as a failure: {reason}");
        }
        let evidence = self.text.lines().skip_while(|line| !line.trim_start().starts_with('✖'));
        let mut lines = evidence.map(str::trim);
        let name = lines.next().unwrap_or_default().trim_start_matches('✖').trim();
        match lines.next() {
            Some(line) => format!("{name}: {line}"),
            None => name.to_owned(),
        }
    }
}

impl Results {
    /// Every cell with its row.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (&Row, &Cell)> {
        self.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
    }

    /// How many cells of a harvester stand so, in the order of [`Standing::ALL_WORDS`], those that none does left out.
    pub(crate) fn counts(&self, harvester: &str) -> Vec<(usize, &'static str)> {
        Standing::ALL_WORDS
            .iter()
            .map(|(_, word, _)| {
                let cells = self.cells().map(|(_, cell)| cell);
                let cells = cells.filter(|cell| cell.harvester == harvester);
                (cells.filter(|cell| cell.standing.word() == *word).count(), *word)
            })
            .filter(|(number, _)| *number > 0)
            .collect()
    }

    /// The counts of a harvester in words.
    pub(crate) fn counted(&self, harvester: &str) -> String {
        let counts = self.counts(harvester);
        let words: Vec<String> =
            counts.iter().map(|(number, word)| format!("{number} {word}")).collect();
        words.join(", ")
    }
}
