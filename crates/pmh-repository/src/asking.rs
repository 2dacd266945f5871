//! Requests for pages of lists: finding the place, deciding whether the token lives, showing the page.

use std::sync::Arc;

use pmh_protocol::{Body, ErrorCode, OaiError, Page, Selection, Verb};
use pmh_scenario::{Advances, AfterEnd, Bound, Effect, Layer, TokenEffect, TokenStyle};

use crate::answers;
use crate::content::Content;
use crate::cut::{Cutter, select};
use crate::faults::{At, Shown, hides_document};
use crate::list::{Issued, List, Place, read_offset, read_stateless};
use crate::page::{self, Desk};
use crate::repository::{Decided, Repository};

/// Of so many requests one reaches the machine that knows no token.
const NODE_TURN: u32 = 3;

/// The cookie that belongs to a list.
fn cookie_of(serial: u32) -> String {
    format!("session={serial}")
}

/// A list's page that a request asks for.
pub(crate) struct Asked {
    pub(crate) at: At,
    place: Place,
    /// The token and its fate, if there was one.
    token: Option<(String, Issued)>,
}

impl Asked {
    fn of(list: &mut List, place: Place, token: Option<(String, Issued)>) -> Self {
        let attempt = list.attempts.entry(place.page).or_default();
        *attempt = attempt.saturating_add(1);
        let at = At {
            list: list.number,
            page: place.page,
            token: token.as_ref().map_or(0, |(_, issued)| issued.number),
            attempt: *attempt,
        };
        Self { at, place, token }
    }
}

impl Repository {
    /// Opens a list: a frozen one keeps its entries, whatever changes while it is read.
    pub(crate) fn open(&mut self, verb: Verb, selection: &Selection) -> (u32, Asked) {
        let entries = select(&self.world, selection, &self.script.repository.protocol);
        let list = self.lists.open(self.run, verb, selection.clone(), entries);
        (list.serial, Asked::of(list, Place::FIRST, None))
    }

    /// Finds where a token leads. A stateless one needs no memory: what it says is enough to open its list again.
    pub(crate) fn resume(&mut self, verb: Verb, token: &str) -> Option<(u32, Asked)> {
        let protocol = &self.script.repository.protocol;
        if let Some((list, issued)) = self.lists.find(self.run, verb, token) {
            let asked = Asked::of(list, issued.place, Some((token.to_owned(), issued)));
            return Some((list.serial, asked));
        }
        // Nobody can say how long ago a forgotten token was given out, so with a lifetime it is dead.
        let life = &protocol.life;
        let is_mortal = life.requests.is_some() || life.seconds.is_some() || life.is_one_use;
        if is_mortal || !self.knows_old_tokens {
            return None;
        }
        let (selection, place) = match protocol.token {
            TokenStyle::Stateless => {
                let (opened_with, selection, place) = read_stateless(token)?;
                (opened_with == verb).then_some((selection, place))?
            }
            TokenStyle::Offset => read_offset(token)?,
            TokenStyle::Stateful | TokenStyle::Opaque | TokenStyle::Session => return None,
        };
        if answers::check_selection(&selection, protocol, &self.world).is_err() {
            return None;
        }
        let entries = select(&self.world, &selection, protocol);
        let unopened = List::new(0, verb, selection.clone(), entries.clone());
        if !self.cutter(&unopened).has(place.page) {
            return None;
        }
        let list = self.lists.open(self.run, verb, selection, entries);
        list.issue(token.to_owned(), place, self.requests, self.clock);
        let issued = list.issued[token];
        Some((list.serial, Asked::of(list, place, Some((token.to_owned(), issued)))))
    }

    /// Answers a request that belongs to a list.
    pub(crate) fn in_list(&mut self, serial: u32, asked: Asked) -> Decided {
        let list = self.lists.get(serial).expect("the list was found a moment ago");
        let cutter = self.cutter(list);
        let shown = Shown { list, place: asked.place, cutter };
        let run = self.run_name();
        let situation = self.current.situation(&self.script, &run, asked.at);
        let mut due = self.faults.due(&situation, Some(shown).filter(|_| cutter.has(1)));
        // A token that is dead already dies of nothing else, and its fault is the one that shows.
        let killed_by = asked.token.as_ref().and_then(|(_, issued)| issued.killed_by);
        if let Some(index) = killed_by {
            let hidden = due.iter().any(|index| hides_document(&self.script.faults[*index].effect));
            due.retain(|index| self.script.faults[*index].effect.layer() > Layer::Token);
            due.splice(0..0, (!hidden).then_some(index));
        }
        let (effects, faults) = self.play(&due);
        let mut token_effect = None;
        for (index, effect) in due.iter().zip(&effects) {
            if let Effect::Token(effect) = effect {
                token_effect = Some((*index, effect.clone()));
            }
        }
        if let Some((index, TokenEffect::Expire)) = &token_effect {
            self.list_mut(serial).kill(asked.place, *index);
        }
        let is_deployed = self.change_by(&effects);
        let content = if effects.iter().any(hides_document) {
            if !is_deployed {
                self.pass_over(serial, &asked);
            }
            None
        } else if is_deployed {
            Some(Content::bad_token("the token is of an earlier version of this service"))
        } else {
            let effect = token_effect.map(|(_, effect)| effect);
            let content = self.page_of_list(serial, &asked, effect.as_ref());
            Some(self.say(content, Some(serial), &effects))
        };
        let is_bound = self.script.repository.protocol.life.bound == Bound::Cookie;
        let cookie = (is_bound && asked.token.is_none()).then(|| cookie_of(serial));
        Decided { at: asked.at, content, effects, faults, written: None, cookie }
    }

    /// The page is not sent; a session may move on all the same.
    fn pass_over(&mut self, serial: u32, asked: &Asked) {
        let protocol = &self.script.repository.protocol;
        if protocol.token == TokenStyle::Session && protocol.life.advances == Advances::Asked {
            self.page_of_list(serial, asked, None);
        }
    }

    /// What is answered to a request that belongs to a list.
    fn page_of_list(
        &mut self,
        serial: u32,
        asked: &Asked,
        effect: Option<&TokenEffect>,
    ) -> Content {
        self.list_mut(serial).answered = true;
        if let Some(why) = self.why_refused(serial, asked, effect) {
            return Content::bad_token(why);
        }
        let list = self.lists.get(serial).expect("the list was found a moment ago");
        let cutter = self.cutter(list);
        if !cutter.has(1) {
            let error = OaiError::new(ErrorCode::NoRecordsMatch, "no record matches");
            return Content::error(error);
        }
        if cutter.is_refused(asked.place.page) {
            return Content::bad_token("this page reaches beyond what can be counted here");
        }
        let (cut, exists) = (cutter.cut(asked.place.page), cutter.has(asked.place.page));
        let (verb, after_end) = (list.verb, list.after_end);
        let mut effect = effect.cloned();
        if let (false, Some(after_end)) = (exists, after_end) {
            match after_end {
                AfterEnd::Empty => {}
                AfterEnd::EmptyForEver => effect = Some(TokenEffect::AfterEnd(after_end)),
                AfterEnd::NoRecordsMatch | AfterEnd::Status(_) => {
                    let error = OaiError::new(ErrorCode::NoRecordsMatch, "no record matches");
                    let status = match after_end {
                        AfterEnd::Status(status) => status,
                        _ => 200,
                    };
                    return Content { status, ..Content::error(error) };
                }
                AfterEnd::BadResumptionToken => {
                    return Content::bad_token("there is nothing after the end");
                }
            }
        }
        let foreign =
            matches!(effect, Some(TokenEffect::Foreign)).then(|| self.foreign_token(serial, verb));
        let script = Arc::clone(&self.script);
        let desk =
            Desk { script: &script, world: &self.world, clock: self.clock, request: self.requests };
        let list = self.lists.get_mut(serial).expect("the list was found a moment ago");
        if let Some((text, _)) = &asked.token
            && let Some(issued) = list.issued.get_mut(text)
        {
            issued.is_used = true;
        }
        if let Some(TokenEffect::AfterEnd(after_end)) = effect {
            list.after_end = Some(after_end);
        }
        let (page, edits): (Page, _) =
            page::show(list, asked.place, &cut, effect.as_ref(), foreign, &desk);
        let content = Content { edits, ..Content::of(Body::List(page)) };
        content.dated(script.repository.protocol.dates.datestamps, self.now())
    }

    /// Why the token of this request is refused, if it is.
    fn why_refused(
        &self,
        serial: u32,
        asked: &Asked,
        effect: Option<&TokenEffect>,
    ) -> Option<&'static str> {
        let (_, issued) = asked.token.as_ref()?;
        let life = &self.script.repository.protocol.life;
        let requests = self.requests - issued.at_request;
        let seconds = self.clock.seconds() - issued.at.seconds();
        if issued.killed_by.is_some()
            || effect == Some(&TokenEffect::Expire)
            || life.requests.is_some_and(|survived| requests > survived)
            || life.seconds.is_some_and(|survived| seconds > survived)
        {
            Some("the token has expired")
        } else if life.is_one_use && issued.is_used {
            Some("the token has been used")
        } else if life.bound == Bound::Node && self.requests.is_multiple_of(NODE_TURN) {
            Some("the token is unknown on this machine")
        } else if life.bound == Bound::Cookie && !self.current.has_cookie(&cookie_of(serial)) {
            Some("the session is unknown")
        } else {
            None
        }
    }

    /// A token of the list of the first set, which nobody has asked for.
    fn foreign_token(&mut self, serial: u32, verb: Verb) -> String {
        let protocol = &self.script.repository.protocol;
        let selection = Selection {
            prefix: "oai_dc".to_owned(),
            from: None,
            until: None,
            set: self.world.sets.first().cloned(),
        };
        let entries = select(&self.world, &selection, protocol);
        let list = self.lists.open_foreign(serial, verb, selection, entries);
        let text = list.token_text(protocol.token, self.script.seed, Place::FIRST);
        list.issue(text.clone(), Place::FIRST, self.requests, self.clock);
        text
    }

    fn list_mut(&mut self, serial: u32) -> &mut List {
        self.lists.get_mut(serial).expect("the list was found a moment ago")
    }

    fn cutter<'a>(&'a self, list: &'a List) -> Cutter<'a> {
        Cutter {
            protocol: &self.script.repository.protocol,
            world: &self.world,
            page_size: self.page_size,
            selection: &list.selection,
            entries: &list.entries,
            last_stamps: &list.last_stamps,
            serial: list.serial,
            shuffles: self.shuffles,
        }
    }
}
