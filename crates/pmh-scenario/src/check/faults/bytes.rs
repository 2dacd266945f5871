//! Effects on documents and on their way: numbers that mean something.

use std::ops::Range;

use toml::Spanned;

use crate::finding::Finding;
use crate::script::{Position, WireEffect, XmlEffect};

/// More pieces prove nothing that these do not, and take a second each.
const PIECES_MAX: u32 = 600;
/// The largest text node, and the deepest payload.
const NODE_BYTES_MAX: u32 = 100 << 20;
const DEPTH_MAX: u32 = 1_000_000;

pub(in crate::check) fn check_wire(effect: &Spanned<WireEffect>, findings: &mut Vec<Finding>) {
    match effect.get_ref() {
        WireEffect::CutAt(at) | WireEffect::ResetAt(at) | WireEffect::StallAt(at) => {
            check_position(*at, effect.span(), findings);
        }
        WireEffect::Dribble(pieces) => {
            check_range(*pieces, 1, PIECES_MAX, "pieces", effect.span(), findings);
        }
        _ => {}
    }
}

pub(super) fn check_xml(effect: &Spanned<XmlEffect>, findings: &mut Vec<Finding>) {
    match effect.get_ref() {
        XmlEffect::Truncate(at) => check_position(*at, effect.span(), findings),
        XmlEffect::HugeNode(bytes) => {
            check_range(*bytes, 1, NODE_BYTES_MAX, "bytes", effect.span(), findings);
        }
        XmlEffect::Deep(depth) => {
            check_range(*depth, 1, DEPTH_MAX, "levels", effect.span(), findings);
        }
        other if other.record() == Some(0) => no_record(effect.span(), findings),
        _ => {}
    }
}

fn check_position(position: Position, span: Range<usize>, findings: &mut Vec<Finding>) {
    match position {
        Position::InsideRecord(0) => no_record(span, findings),
        Position::Share(share) if !(0.0..1.0).contains(&share) => {
            let message = format!("there is no place after a share of {share}");
            findings.push(Finding::error(span, message, "expected 0 or more, and less than 1"));
        }
        _ => {}
    }
}

fn no_record(span: Range<usize>, findings: &mut Vec<Finding>) {
    findings.push(Finding::error(span, "there is no record 0", "counted from 1"));
}

fn check_range(
    number: u32,
    min: u32,
    max: u32,
    what: &str,
    span: Range<usize>,
    findings: &mut Vec<Finding>,
) {
    if !(min..=max).contains(&number) {
        let message = format!("there cannot be {number} {what}");
        findings.push(Finding::error(span, message, format!("from {min} to {max}")));
    }
}
