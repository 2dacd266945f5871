//! Work side by side, shown in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Does `work` on all items, so many at a time, and hands each result to `show` in the order of the items. The first
/// error ends it: what has begun is finished and not shown.
pub(crate) fn in_order<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    work: impl Fn(&T) -> anyhow::Result<R> + Sync,
    mut show: impl FnMut(&T, R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let is_over = AtomicBool::new(false);
    let (done, results) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let (done, next, is_over, work) = (done.clone(), &next, &is_over, &work);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    if done.send((index, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        let mut early = BTreeMap::new();
        let mut shown = 0;
        let mut first_error = Ok(());
        for (index, result) in results {
            early.insert(index, result);
            while let Some(result) = early.remove(&shown) {
                let outcome = result.and_then(|result| show(&items[shown], result));
                shown += 1;
                if first_error.is_ok() && outcome.is_err() {
                    is_over.store(true, Ordering::Relaxed);
                    first_error = outcome;
                }
            }
        }
        first_error
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_whoever_is_ready_first() {
        let items: Vec<u64> = (0..20).collect();
        let mut seen = Vec::new();
        let work = |item: &u64| {
            std::thread::sleep(std::time::Duration::from_millis((20 - item) % 5));
            Ok(item * 2)
        };
        in_order(4, &items, work, |_, result| {
            seen.push(result);
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_error_ends_it() {
        let items: Vec<u64> = (0..1_000).collect();
        let work = |item: &u64| if *item == 3 { anyhow::bail!("three") } else { Ok(*item) };
        let mut seen = 0;
        let error = in_order(1, &items, work, |_, _| {
            seen += 1;
            Ok(())
        });
        assert_eq!(error.unwrap_err().to_string(), "three");
        assert!(seen < 1_000);
    }
}
