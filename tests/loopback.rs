//! Every scenario with real processes, sockets and SQLite files: a different verdict than in the pure arm is a bug
//! of the simulation or of the rim.

use std::sync::Mutex;

use pmh_oracle::judge;
use pmh_runner::{Loopback, simulate};

use crate::support::{program, scripts};

/// Scenarios played side by side.
const PLAYERS: usize = 4;

#[test]
fn both_arms_give_one_verdict_and_one_journal() {
    let scripts = scripts();
    let next = Mutex::new(scripts.iter());
    std::thread::scope(|scope| {
        for _ in 0..PLAYERS {
            scope.spawn(|| {
                let take = || next.lock().expect("no player panicked here").next();
                while let Some(script) = take() {
                    let pure = simulate(script);
                    let real =
                        Loopback::new(program()).play(script).expect("the arm can be set up");
                    assert_eq!(
                        judge(script, &pure).to_text(),
                        judge(script, &real).to_text(),
                        "{}",
                        script.id
                    );
                    assert_eq!(
                        pure.journal.deterministic().to_ndjson(),
                        real.journal.deterministic().to_ndjson(),
                        "{}",
                        script.id
                    );
                }
            });
        }
    });
}
