//! What can be done to a token.

use std::ops::Range;

use crate::finding::Finding;
use crate::model::{File, TokenEffect};
use crate::style::AfterEnd;

/// The longest token: beyond it, it is no question any more whether it fits into a URL.
const TOKEN_BYTES_MAX: u32 = 100_000;

/// `name` is where the fault is named.
pub(super) fn check(
    effect: &TokenEffect,
    name: Range<usize>,
    file: &File,
    findings: &mut Vec<Finding>,
) {
    match effect {
        TokenEffect::Skip(pages) if *pages.get_ref() == 0 => {
            let message = "leaving out no page is no fault";
            findings.push(Finding::error(pages.span(), message, "at least 1"));
        }
        TokenEffect::Long(bytes) if !(1..=TOKEN_BYTES_MAX).contains(bytes.get_ref()) => {
            let message = format!("no token has {} bytes", bytes.get_ref());
            let label = format!("from 1 to {TOKEN_BYTES_MAX}");
            findings.push(Finding::error(bytes.span(), message, label));
        }
        TokenEffect::Raw(text) if text.get_ref().trim().is_empty() => {
            let message = "a token of nothing but white space leads nowhere";
            let help = "a page without a token in mid-list is `do.token = \"drop\"`";
            findings.push(Finding::error(text.span(), message, "").help(help));
        }
        TokenEffect::Raw(text) if text.get_ref().chars().any(char::is_control) => {
            let message = "a document cannot hold control characters";
            findings.push(Finding::error(text.span(), message, ""));
        }
        TokenEffect::AfterEnd(end) => {
            if let AfterEnd::Status(status) = end.get_ref()
                && (!(200..=599).contains(status) || [204, 205, 304].contains(status))
            {
                let message = format!("an answer with a body cannot have the status {status}");
                let label = "200 to 599, but for 204, 205 and 304";
                findings.push(Finding::error(end.span(), message, label));
            }
        }
        TokenEffect::Foreign if file.repository.sets.is_empty() => {
            let message = "there is no other list that a token could belong to";
            let help = "add `repository.sets`: the foreign token is of the list of the first set";
            findings.push(Finding::error(name, message, "").help(help));
        }
        TokenEffect::Expire
        | TokenEffect::Same
        | TokenEffect::Drop
        | TokenEffect::WrapTo(_)
        | TokenEffect::RewindTo(_)
        | TokenEffect::EmptyPages(_)
        | TokenEffect::Skip(_)
        | TokenEffect::Foreign
        | TokenEffect::Raw(_)
        | TokenEffect::Long(_)
        | TokenEffect::SwapCase => {}
    }
}
