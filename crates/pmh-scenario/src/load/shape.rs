//! What the TOML reader or serde did not understand, in words for people.

use crate::finding::Finding;
use crate::suggest::nearest;

/// What the TOML reader or serde did not understand. Both put the offending word and what they expected between
/// backticks, and name types as Rust does; only wording and suggestion depend on that, so that a change there costs
/// a hint and no more.
pub(super) fn shape_finding(error: &toml::de::Error) -> Finding {
    let message = error.message().trim_end();
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let suggestion = match quoted.split_first() {
        Some((word, names)) if message.starts_with("unknown") => {
            nearest(word, names.iter().copied())
        }
        _ => None,
    };
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    let plain = match first.rsplit_once(", expected ") {
        Some((what, "u8" | "u16" | "u32" | "u64")) => format!("{what}, expected a whole number"),
        Some((what, "f64")) => format!("{what}, expected a number"),
        Some(("invalid type: unit variant", "newtype variant")) => {
            "this needs a value: write it as a key, such as `{ wrap-to = 1 }`".to_owned()
        }
        Some(("string values must be quoted", _)) => {
            "expected a value; text stands between quotation marks".to_owned()
        }
        _ if first.starts_with("wanted exactly 1 element") => {
            "a fault does one thing: write one `do`, and another `[[fault]]` for the next"
                .to_owned()
        }
        _ if first == "missing field `format`" => {
            "the file does not say its format: add `format = 1` at its head".to_owned()
        }
        _ => first.to_owned(),
    };
    Finding::error(error.span().unwrap_or(0..0), plain, rest.replace('\n', "; "))
        .suggest(suggestion)
}
