//! Random entries of three keys over a handful of identifiers: small enough that everything meets everything.

use pmh_harvest::{
    Closing, Comparison, Completion, Ending, Entry, Hole, Key, Lacking, Mending, SourceMemory,
};
use pmh_protocol::{Datestamp, Item};

use crate::support::{
    COMPLETION, Stores, at, batch, dated, gone, key, live, reopen, set_key, with_header,
};

const SEEDS: u64 = 30;
const COMMITS: u64 = 60;

#[test]
fn both_stores_agree_about_random_entries() {
    for seed in 1..=SEEDS {
        let mut chance = Chance(seed);
        let mut stores = Stores::new(format!("seed {seed}"));
        let mut keys =
            [key(), set_key("one"), set_key("other")].map(|key| Writer { key, open: None });
        let mut number = 0;
        for _ in 0..COMMITS {
            let writer = &mut keys[chance.below(3)];
            let entry = writer.entry(&mut chance, &mut number);
            stores.commit(&writer.key, [entry]);
            if chance.below(20) == 0 {
                stores.reopen();
            }
        }
    }
}

/// A key, and the traversal and window it has open.
struct Writer {
    key: Key,
    open: Option<(u64, u64)>,
}

impl Writer {
    fn entry(&mut self, chance: &mut Chance, last: &mut u64) -> Entry {
        if chance.below(12) == 0 {
            return Entry::Mend(Mending {
                items: (0..chance.below(3)).map(|_| item(chance)).collect(),
                inferred: chance.below(2) == 0,
                closed: vec![identifier(chance).to_owned()],
                taken_at: at(2000 + last.cast_signed()),
            });
        }
        let (number, window) = match self.open {
            Some(open) if chance.below(10) > 0 => open,
            open => {
                *last += 1;
                let restarted = open.filter(|_| chance.below(2) == 0).map(|(_, window)| window);
                let open = (*last, restarted.unwrap_or(*last));
                self.open = Some(open);
                return reopen(open.0, open.1);
            }
        };
        let ending = match chance.below(15) {
            0 | 1 => {
                self.open = None;
                let watermark = (chance.below(2) == 0).then(|| at(number.cast_signed()));
                let holes = (0..chance.below(3)).map(|_| hole(chance)).collect();
                let incomplete = (chance.below(3) == 0).then(|| "holes".to_owned());
                Ending::Complete(Completion { watermark, holes, incomplete, ..COMPLETION })
            }
            12 => {
                let headers = (0..3).map(|_| item(chance).header().clone()).collect();
                let of = Lacking::Headers(headers);
                return Entry::Compare(Comparison { traversal: number, of });
            }
            14 => {
                let of = Lacking::Unseen { most: 3 };
                return Entry::Compare(Comparison { traversal: number, of });
            }
            13 => {
                let of = Lacking::SinceSliced { since: window + 1, most: 2 };
                return Entry::Compare(Comparison { traversal: number, of });
            }
            2 => Ending::Incomplete {
                keep_cursor: chance.below(2) == 0,
                reason: "stopped".to_owned(),
            },
            _ => {
                let items = (0..chance.below(5)).map(|_| item(chance)).collect();
                let mut batch = batch(number, items);
                batch.cursor = batch.cursor.filter(|_| chance.below(4) > 0);
                return Entry::Page(batch);
            }
        };
        let traversal =
            Some(number).filter(|_| matches!(ending, Ending::Complete(_)) || chance.below(4) > 0);
        let memory = SourceMemory::default();
        let closed_at = at(1000 + number.cast_signed());
        Entry::Close(Closing { traversal, closed_at, ending, memory })
    }
}

fn identifier(chance: &mut Chance) -> &'static str {
    ["a", "b", "c", "d", "e"][chance.below(5)]
}

fn hole(chance: &mut Chance) -> Hole {
    let datestamp = (chance.below(2) == 0).then(|| Datestamp::parse("2026-06-01").unwrap());
    Hole { identifier: identifier(chance).to_owned(), datestamp, reason: "status 500".to_owned() }
}

fn item(chance: &mut Chance) -> Item {
    let identifier = identifier(chance);
    let datestamp = ["2026-06-01", "2026-06-02", "2026-06-02T08:00:00Z", ""][chance.below(4)];
    let sets = ["one", "other"];
    let item = match chance.below(8) {
        0..=2 => gone(identifier),
        3 => match live(identifier, "") {
            Item::Record(mut record) => {
                record.payload = None;
                Item::Record(record)
            }
            tombstone => tombstone,
        },
        _ => live(identifier, ["<x/>", "<y/>"][chance.below(2)]),
    };
    let sets = sets[..chance.below(3)].iter().map(|&set| set.to_owned()).collect();
    with_header(dated(item, datestamp), |header| header.sets = sets)
}

/// A small generator of our own: the same seed gives the same entries for ever.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}
