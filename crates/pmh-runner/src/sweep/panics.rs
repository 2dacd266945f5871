//! A panic in one world is a failure of that world, and no reason to leave the others out.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use pmh_oracle::Property;

use super::accused::{Wrong, skeleton};

thread_local! {
    /// What the panic said that this thread is about to catch; `None` while it catches nothing.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Plays something that may panic; what the panic said, with its place in the source.
pub(super) fn caught<T>(play: impl FnOnce() -> T) -> Result<T, Wrong> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_caught = SAID.with_borrow_mut(|said| {
                if let Some(said) = said {
                    let place = info.location().map_or_else(String::new, ToString::to_string);
                    let payload = info.payload();
                    let message = payload
                        .downcast_ref::<&str>()
                        .copied()
                        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
                    let message = skeleton(message.unwrap_or("no message"));
                    *said = format!("panicked at {place}: {message}");
                    return true;
                }
                false
            });
            if !is_caught {
                usual(info);
            }
        }));
    });
    SAID.set(Some(String::new()));
    // What the panic left half done is never looked at.
    let result = panic::catch_unwind(AssertUnwindSafe(play));
    let said = SAID.take();
    result.map_err(|_| Wrong {
        property: Property::AsExpected,
        how: said.unwrap_or_else(|| "panicked".to_owned()),
        end: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_with_its_line_and_what_comes_after_it_is_played() {
        let wrong = caught(|| panic!("page 7 of `a`")).expect_err("it panics");
        let (place, message) = wrong.how.rsplit_once(": ").expect("a place and a message");
        assert!(place.starts_with("panicked at crates/pmh-runner/src/sweep/panics.rs:"), "{place}");
        assert_eq!(message, "page # of …");
        assert_eq!(caught(|| 7), Ok(7));
    }
}
