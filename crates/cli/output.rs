//! How things look: colours and bars on a terminal, plain lines in a pipe.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use owo_colors::OwoColorize as _;
use pmh_client::AskError;
use pmh_protocol::Complaint;
use pmh_store::StoreError;
use unicode_general_category::{GeneralCategory, get_general_category};

use crate::exit::is_closed_pipe;

/// Whether something could not be written to standard output.
static WRITE_FAILED: AtomicBool = AtomicBool::new(false);

/// Prints a line to standard output.
pub(crate) fn line(text: impl AsRef<str>) {
    written(writeln!(anstream::stdout().lock(), "{}", text.as_ref()));
}

/// Prints text to standard output as it is.
pub(crate) fn text(text: impl AsRef<str>) {
    written(write!(anstream::stdout().lock(), "{}", text.as_ref()));
}

/// A reader that went away is no failure of ours; anything else is remembered for the exit code.
fn written(result: io::Result<()>) {
    if let Err(error) = result
        && !is_closed_pipe(&error)
        && !WRITE_FAILED.swap(true, Ordering::Relaxed)
    {
        note(format!("{} failed to write to standard output: {error}", "error:".red().bold()));
    }
}

/// Whether everything that was printed was also written.
pub(crate) fn is_whole() -> bool {
    written(io::stdout().flush());
    !WRITE_FAILED.load(Ordering::Relaxed)
}

/// Prints a line to standard error: what a person wants to know and a program does not.
pub(crate) fn note(text: impl AsRef<str>) {
    drop(writeln!(anstream::stderr().lock(), "{}", text.as_ref()));
}

/// Prints an error and its causes.
pub(crate) fn error(error: &anyhow::Error) {
    let asked = error.downcast_ref::<AskError>();
    // Findings in scenario files have several lines; what a repository said has one.
    let shown = |text: String| if asked.is_some() { plain(&text) } else { text };
    let mut last = shown(error.to_string());
    note(format!("{} {last}", "error:".red().bold()));
    for cause in error.chain().skip(1) {
        let text = shown(cause.to_string());
        // Some layers repeat what they wrap.
        if !last.ends_with(&text) {
            note(format!("  caused by: {text}"));
        }
        last = text;
    }
    let of_store = error.downcast_ref::<StoreError>().and_then(StoreError::hint);
    let hint = of_store.or_else(|| asked.and_then(AskError::hint));
    if let Some(hint) = hint {
        note(format!("{} {hint}", "hint:".cyan().bold()));
    }
}

/// Text of a repository as a terminal may have it: on one line, and without what steers instead of being seen. Control
/// characters become blanks; what turns the direction of writing or hides becomes the replacement character, so that a
/// name cannot pass for another one.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(harmless).collect()
}

fn harmless(character: char) -> char {
    match (character, get_general_category(character)) {
        // Persian, the languages of India and emoji are spelled with the two joiners.
        ('\u{200C}' | '\u{200D}', _) => character,
        (
            _,
            GeneralCategory::Control
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator,
        ) => ' ',
        (_, GeneralCategory::Format) => char::REPLACEMENT_CHARACTER,
        _ => character,
    }
}

/// Prints what was wrong with a document and survived.
pub(crate) fn complaints(complaints: &[Complaint]) {
    for complaint in complaints {
        note(format!("complaint: {} ({})", complaint.kind.as_str(), plain(&complaint.to_string())));
    }
}

/// Whether standard error shows colours.
pub(crate) fn is_coloured() -> bool {
    anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

/// A bar for `length` steps on a terminal, and nothing in a pipe. A length of `None` is not known yet.
pub(crate) fn bar(length: Option<u64>, noun: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
    bar.set_style(style(length.is_some(), noun));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// The look of a bar; one of unknown length has a spinner.
pub(crate) fn style(has_length: bool, noun: &str) -> ProgressStyle {
    let template = if has_length {
        format!("  {{bar:32.green/dim}} {{human_pos}} of {{human_len}} {noun} {{msg}} {{elapsed}}")
    } else {
        format!("  {{spinner}} {{human_pos}} {noun} {{msg}} {{elapsed}}")
    };
    ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A number with its noun, in the plural where it must be.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_or_hides_is_neutralised_and_letters_stay() {
        for (text, shown) in [
            ("31m\r\nsecond\u{1B}[31m", "31m  second [31m"),
            ("a\u{85}b\u{2028}c", "a b c"),
            ("gpj\u{202E}exe.", "gpj\u{FFFD}exe."),
            ("oai:x\u{2066}\u{200B}\u{FEFF}\u{E0041}1", "oai:x\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}1"),
            ("می\u{200C}خواهم, naïve, 日本, שלום", "می\u{200C}خواهم, naïve, 日本, שלום"),
        ] {
            assert_eq!(plain(text), shown);
        }
    }
}
