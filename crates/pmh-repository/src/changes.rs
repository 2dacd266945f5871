//! What changes while the repository is open: its records, its program, its clock.

use pmh_protocol::Stamp;
use pmh_scenario::{Change, Effect, Event, RepoEffect, TimeEffect, identifier};

use crate::repository::Repository;

/// A change that does not show yet.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    visible: Stamp,
    stamp: Stamp,
    change: Change,
}

impl Repository {
    /// Something changes at this instant, and shows when the index has caught up.
    pub(crate) fn change(&mut self, change: &Change, stamp: Stamp) {
        let lag_seconds = self.script.repository.protocol.index_lag_seconds;
        let visible = stamp.plus_seconds(lag_seconds);
        self.keep(Event::RepoChange { t: stamp.to_string(), what: self.describe(change) });
        self.pending.push(Pending { visible, stamp, change: change.clone() });
        self.catch_up();
    }

    /// What is due to show by now shows.
    pub(crate) fn catch_up(&mut self) {
        let clock = self.clock;
        let is_due = |pending: &mut Pending| pending.visible <= clock;
        let mut due: Vec<Pending> = self.pending.extract_if(.., is_due).collect();
        due.sort_by_key(|pending| pending.visible);
        for Pending { stamp, change, .. } in due {
            self.world.apply(&change, stamp);
        }
    }

    /// Plays what these effects do to the records and to the program. Whether all tokens died of it.
    pub(crate) fn change_by(&mut self, effects: &[Effect]) -> bool {
        let mut is_deployed = false;
        for effect in effects {
            match effect {
                Effect::Repo(RepoEffect::Change(change)) => self.change(change, self.clock),
                Effect::Repo(RepoEffect::Reorder) => {
                    self.shuffles = self.shuffles.saturating_add(1)
                }
                Effect::Repo(RepoEffect::Deploy { page_size }) => {
                    self.page_size = page_size.unwrap_or(self.page_size);
                    self.lists.forget();
                    self.knows_old_tokens = false;
                    is_deployed = true;
                }
                Effect::Token(_)
                | Effect::Oai(_)
                | Effect::Xml(_)
                | Effect::Http(_)
                | Effect::Wire(_)
                | Effect::Time(_) => {}
            }
        }
        is_deployed
    }

    /// Lets time pass as these effects want it. How many seconds the answer takes longer.
    pub(crate) fn pass_time(&mut self, effects: &[Effect]) -> u64 {
        let mut delay_seconds = 0;
        for effect in effects {
            match effect {
                Effect::Time(TimeEffect::Delay(seconds)) => {
                    self.clock = self.clock.plus_seconds(*seconds);
                    delay_seconds = seconds.unsigned_abs();
                }
                Effect::Time(TimeEffect::Jump(seconds)) => {
                    self.clock = self.clock.plus_seconds(*seconds);
                }
                Effect::Time(TimeEffect::ResponseDate(_))
                | Effect::Repo(_)
                | Effect::Token(_)
                | Effect::Oai(_)
                | Effect::Xml(_)
                | Effect::Http(_)
                | Effect::Wire(_) => {}
            }
        }
        delay_seconds
    }

    fn describe(&self, change: &Change) -> String {
        // A record that is added and does not show yet will be called by its number.
        let name = |number: &u32| {
            let records = &self.world.records;
            let record = records.get(number).or_else(|| self.world.gone.get(number));
            record.map_or_else(|| identifier(*number), |record| record.identifier.clone())
        };
        let numbers = |numbers: &[u32]| numbers.iter().map(name).collect::<Vec<_>>().join(", ");
        match change {
            Change::Add(1) => "1 record is added".to_owned(),
            Change::Add(count) => format!("{count} records are added"),
            Change::Touch(touched) => format!("new versions: {}", numbers(touched)),
            Change::Delete(deleted) => format!("deleted: {}", numbers(deleted)),
            Change::Purge(gone) => format!("gone without a trace: {}", numbers(gone)),
            Change::Move(moved) => {
                let sets =
                    if moved.to.is_empty() { "no set".to_owned() } else { moved.to.join(", ") };
                format!("in {sets} from now on: {}", numbers(&moved.records))
            }
            Change::Restamp(stamped) => format!("new datestamps: {}", numbers(stamped)),
        }
    }
}
