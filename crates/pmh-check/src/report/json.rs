//! For programs. The form has a number, which changes when a field changes its meaning or goes.

use serde_json::{Value, json};

use crate::exchange::Exchange;
use crate::finding::{Finding, Severity};
use crate::outcome::{Examined, Outcome, Verdict};
use crate::rules::rule;

/// Number of the form.
const FORMAT: u32 = 1;

/// The report as one JSON object.
#[must_use]
pub fn json(examined: &Examined) -> String {
    let outcomes: Vec<Value> = examined.outcomes.iter().map(of_outcome).collect();
    let exchanges: Vec<Value> = examined.exchanges.iter().map(of_exchange).collect();
    let counts: serde_json::Map<String, Value> = Verdict::ALL
        .into_iter()
        .map(|verdict| (verdict.as_str().to_owned(), examined.total(verdict).into()))
        .collect();
    let report = json!({
        "format": FORMAT,
        "base_url": examined.options.base_url,
        "profile": examined.options.profile.as_str(),
        "conformance": examined.conformance(),
        "counts": counts,
        "checks": outcomes,
        "exchanges": exchanges,
    });
    format!("{report:#}\n")
}

fn of_outcome(outcome: &Outcome) -> Value {
    let check = outcome.check;
    let rules: Vec<Value> = check
        .rules
        .iter()
        .filter_map(|number| rule(*number))
        .map(|rule| {
            json!({
                "number": rule.number, "level": rule.level, "sentence": rule.sentence,
                "url": rule.url(),
            })
        })
        .collect();
    json!({
        "id": check.id,
        "title": check.title,
        "level": check.level.as_str(),
        "verdict": outcome.verdict.as_str(),
        "expected": outcome.is_expected,
        "reason": outcome.reason,
        "looked_at": outcome.looked_at,
        "findings": outcome.findings.iter().map(of_finding).collect::<Vec<_>>(),
        "more": outcome.more,
        "rules": rules,
    })
}

fn of_finding(finding: &Finding) -> Value {
    let severity = match finding.severity {
        Severity::Note => "note",
        Severity::Warn => "warn",
        Severity::Fail => "fail",
    };
    json!({
        "severity": severity,
        "expected": finding.expected,
        "found": finding.found,
        "exchange": finding.exchange,
        "line": finding.place.as_ref().map(|place| place.line),
        "column": finding.place.as_ref().map(|place| place.column),
        "excerpt": finding.place.as_ref().map(|place| place.excerpt.as_str()),
    })
}

fn of_exchange(exchange: &Exchange) -> Value {
    json!({
        "number": exchange.number,
        "method": exchange.request.method.as_str(),
        "url": exchange.request.url,
        "body": exchange.request.body,
        "curl": exchange.curl(),
        "time": exchange.at.to_string(),
        "millis": exchange.millis,
        "status": exchange.status(),
        "bytes": exchange.page().map(|page| page.body.len()),
        "answer": exchange.describe(),
    })
}
