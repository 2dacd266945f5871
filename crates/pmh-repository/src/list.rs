//! One list: what it holds, frozen when it was opened, and what was said in it since.

use std::collections::BTreeMap;
use std::fmt;

use pmh_protocol::{Datestamp, Selection, Stamp, Verb};
use pmh_scenario::{AfterEnd, TokenStyle, payload_digest};

/// Where in a list a token leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The page by content, from 1.
    pub(crate) page: u32,
    /// How often the list was thrown back. It is part of the token, so that after a rewind every token is fresh.
    pub(crate) lap: u32,
    /// How many empty pages stood in for this one. Likewise part of the token.
    pub(crate) empty: u32,
}

impl Place {
    /// The beginning of every list.
    pub(crate) const FIRST: Self = Self { page: 1, lap: 0, empty: 0 };

    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<u32> =
            text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        match numbers[..] {
            [page] => Some(Self { page, lap: 0, empty: 0 }),
            [page, lap, empty] => Some(Self { page, lap, empty }),
            _ => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { page, lap: 0, empty: 0 } => write!(f, "{page}"),
            Self { page, lap, empty } => write!(f, "{page}:{lap}:{empty}"),
        }
    }
}

/// A token that was given out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Issued {
    /// Which token of the list it is, from 1.
    pub(crate) number: u32,
    /// Where it leads: with sessions this moves on, the text does not.
    pub(crate) place: Place,
    /// How many requests had been answered in the case when it was last given out.
    pub(crate) at_request: u32,
    /// What the repository's clock said then.
    pub(crate) at: Stamp,
    /// Whether a page was sent for it since.
    pub(crate) is_used: bool,
    /// The fault that killed it, by its position in the script.
    pub(crate) killed_by: Option<usize>,
}

/// A list.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// Number over the whole case, from 1.
    pub(crate) serial: u32,
    /// Index of the run that last asked for it.
    pub(crate) run: usize,
    /// Which list of that run it is, from 1.
    pub(crate) number: u32,
    /// The verb that opened it.
    pub(crate) verb: Verb,
    /// What it was opened with.
    pub(crate) selection: Selection,
    /// Its records by number, as they were when it was opened.
    pub(crate) entries: Vec<u32>,
    /// Whether any of it was ever answered; until then, asking again is another attempt and no new list.
    pub(crate) answered: bool,
    /// How often each page was asked for in the present run.
    pub(crate) attempts: BTreeMap<u32, u32>,
    /// The tokens given out, by text.
    pub(crate) issued: BTreeMap<String, Issued>,
    /// Where the token led that each page last carried.
    pub(crate) carried: BTreeMap<u32, Place>,
    /// The datestamp of each page's last record when it was shown.
    pub(crate) last_stamps: BTreeMap<u32, Stamp>,
    /// What a token is answered that leads beyond the last page.
    pub(crate) after_end: Option<AfterEnd>,
}

impl List {
    /// A list that nobody has asked for yet.
    pub(crate) fn new(serial: u32, verb: Verb, selection: Selection, entries: Vec<u32>) -> Self {
        Self {
            serial,
            run: usize::MAX,
            number: 0,
            verb,
            selection,
            entries,
            answered: false,
            attempts: BTreeMap::new(),
            issued: BTreeMap::new(),
            carried: BTreeMap::new(),
            last_stamps: BTreeMap::new(),
            after_end: None,
        }
    }

    /// The text of the token that leads to `place`: the same whenever it is given out.
    pub(crate) fn token_text(&self, style: TokenStyle, seed: u64, place: Place) -> String {
        let name = || payload_digest(&format!("{seed} list {}", self.serial))[..8].to_owned();
        match style {
            TokenStyle::Stateless => {
                let Selection { prefix, from, until, set } = &self.selection;
                let date = |date: &Option<Datestamp>| {
                    date.map(|date| date.to_string()).unwrap_or_default()
                };
                format!(
                    "{}|{prefix}|{}|{}|{}|{}|{place}",
                    self.verb,
                    date(from),
                    date(until),
                    set.as_deref().unwrap_or(""),
                    self.serial,
                )
            }
            TokenStyle::Opaque => {
                let digest = payload_digest(&format!("{seed} list {} {place}", self.serial));
                format!("{}+{}/{}==", &digest[..8], &digest[8..12], &digest[12..16])
            }
            TokenStyle::Offset => offset_text(&self.selection, place),
            TokenStyle::Stateful => format!("{}-{place}", name()),
            TokenStyle::Session => name(),
        }
    }

    /// The tokens that lead to `place` are dead from now on.
    pub(crate) fn kill(&mut self, place: Place, fault: usize) {
        for issued in self.issued.values_mut().filter(|issued| issued.place == place) {
            issued.killed_by = Some(fault);
        }
    }

    /// Gives a token out. A text given out before keeps its number.
    pub(crate) fn issue(&mut self, text: String, place: Place, at_request: u32, at: Stamp) {
        let number = self.issued.len() as u32 + 1;
        let issued = self.issued.entry(text).or_insert(Issued {
            number,
            place,
            at_request,
            at,
            is_used: false,
            killed_by: None,
        });
        issued.place = place;
        issued.at_request = at_request;
        issued.at = at;
        issued.is_used = false;
    }
}

/// The token that reads like a query.
fn offset_text(selection: &Selection, place: Place) -> String {
    let Selection { prefix, from, until, set } = selection;
    let mut text = format!("metadataPrefix={prefix}&page={place}");
    for (name, date) in [("from", from), ("until", until)] {
        if let Some(date) = date {
            text.push_str(&format!("&{name}={date}"));
        }
    }
    if let Some(set) = set {
        text.push_str(&format!("&set={set}"));
    }
    text
}

/// What a token says that reads like a query.
pub(crate) fn read_offset(text: &str) -> Option<(Selection, Place)> {
    let mut selection = Selection { prefix: String::new(), from: None, until: None, set: None };
    let mut place = None;
    for part in text.split('&') {
        let (name, value) = part.split_once('=')?;
        match name {
            "metadataPrefix" => selection.prefix = value.to_owned(),
            "page" => place = Some(Place::parse(value)?),
            "from" => selection.from = Some(Datestamp::parse(value).ok()?),
            "until" => selection.until = Some(Datestamp::parse(value).ok()?),
            "set" => selection.set = Some(value.to_owned()),
            _ => return None,
        }
    }
    Some((selection, place?))
}

/// What a stateless token says, for a repository that does not remember having given it out.
pub(crate) fn read_stateless(text: &str) -> Option<(Verb, Selection, Place)> {
    let parts: Vec<&str> = text.split('|').collect();
    let [verb, prefix, from, until, set, serial, place] = parts[..] else { return None };
    let verb = Verb::from_name(verb)?;
    let _: u32 = serial.parse().ok()?;
    let date = |text: &str| match text {
        "" => Some(None),
        text => Datestamp::parse(text).ok().map(Some),
    };
    let selection = Selection {
        prefix: prefix.to_owned(),
        from: date(from)?,
        until: date(until)?,
        set: Some(set.to_owned()).filter(|set| !set.is_empty()),
    };
    Some((verb, selection, Place::parse(place)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stateless_token_says_all_that_is_needed_to_go_on() {
        let selection = Selection {
            prefix: "oai_dc".into(),
            from: Some(Datestamp::parse("2024-01-01").unwrap()),
            until: None,
            set: Some("art:paint".into()),
        };
        let list = List::new(3, Verb::ListRecords, selection, Vec::new());
        for place in [Place { page: 2, lap: 0, empty: 0 }, Place { page: 2, lap: 7, empty: 1 }] {
            let text = list.token_text(TokenStyle::Stateless, 1, place);
            assert_eq!(
                read_stateless(&text),
                Some((list.verb, list.selection.clone(), place)),
                "{text}"
            );
        }
        for place in [Place { page: 2, lap: 0, empty: 0 }, Place { page: 2, lap: 7, empty: 1 }] {
            let text = list.token_text(TokenStyle::Offset, 1, place);
            assert_eq!(read_offset(&text), Some((list.selection.clone(), place)), "{text}");
        }
        let text = list.token_text(TokenStyle::Stateless, 1, Place { page: 2, lap: 0, empty: 0 });
        assert_eq!(text, "ListRecords|oai_dc|2024-01-01|||3|2".replace("|||", "||art:paint|"));
    }

    #[test]
    fn nothing_else_is_a_stateless_token() {
        for text in
            ["", "|", "ListRecords|oai_dc||||1|", "ListRecords|oai_dc|x|||1|2", "a|b|c|d|e|f|g|h"]
        {
            assert_eq!(read_stateless(text), None, "read `{text}`");
        }
    }
}
