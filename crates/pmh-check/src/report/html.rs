//! One page that stands alone: verdicts, evidence, and every exchange to look into.

use std::fmt::Write as _;

use super::{counts, escape, groups, place, sentence};
use crate::exchange::Exchange;
use crate::outcome::{Examined, Outcome, Verdict};
use crate::rules::rule;

/// How much of an answer the page shows.
const SHOWN_BYTES: usize = 32 << 10;
/// Where a link leads, the exchange opens: browsers that do not know how show it closed.
const STYLE: &str = "\
:root{color-scheme:light dark;--bad:#b11;--poor:#950;--good:#172;--dim:#666}\
@media(prefers-color-scheme:dark){:root{--bad:#f77;--poor:#fb4;--good:#6d8;--dim:#999}}\
body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}\
code,pre{font:13px/1.4 ui-monospace,monospace}\
pre{white-space:pre-wrap;overflow:auto;max-height:30rem;padding:.6rem;border:1px solid #8886}\
details{margin:.3rem 0}summary{cursor:pointer;padding-left:8rem;text-indent:-8rem}.v{display:inline-block;min-width:6.5rem;text-indent:0;font-weight:600}\
.fail{color:var(--bad)}.warn,.inconclusive{color:var(--poor)}.pass{color:var(--good)}.skip,.note,.where{color:var(--dim)}\
li{margin:.4rem 0}.told{list-style:none;padding:0}.told li{padding-left:6.5rem;text-indent:-6.5rem}\
:target{outline:2px solid var(--poor)}details:target::details-content{content-visibility:visible;block-size:auto}";

/// The report as HTML. Nothing in it is loaded from elsewhere, and nothing that a repository said is markup.
#[must_use]
pub fn html(examined: &Examined) -> String {
    let base_url = escape(&examined.options.base_url);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>OAI-PMH: {base_url}</title><style>{STYLE}</style></head><body>\n\
         <h1>{base_url}</h1>\n<p><strong>{}</strong> · {} · {} requests</p>\n",
        examined.conformance(),
        escape(&counts(examined).join(" · ")),
        examined.exchanges.len(),
    );
    write_told(&mut out, examined);
    for (group, outcomes) in groups(examined) {
        let _ = writeln!(out, "<h2>{group}</h2>");
        for outcome in outcomes {
            write_outcome(&mut out, outcome);
        }
    }
    out.push_str("<h2>Exchanges</h2>\n");
    for exchange in &examined.exchanges {
        write_exchange(&mut out, exchange);
    }
    out.push_str("</body></html>\n");
    out
}

/// What is not as it should be, before the pages of what is.
fn write_told(out: &mut String, examined: &Examined) {
    let is_told = |outcome: &&Outcome| {
        matches!(outcome.verdict, Verdict::Fail | Verdict::Warn | Verdict::Inconclusive)
    };
    let mut told: Vec<&Outcome> = examined.outcomes.iter().filter(is_told).collect();
    told.sort_by_key(|outcome| (outcome.is_expected, outcome.verdict != Verdict::Fail));
    if told.is_empty() {
        return;
    }
    out.push_str("<ul class=\"told\">");
    for outcome in told {
        let (verdict, id) = (outcome.verdict.as_str(), outcome.check.id);
        let _ = write!(
            out,
            "<li><span class=\"v {verdict}\">{verdict}</span> <a href=\"#{id}\"><code>{id}</code></a> {} <span class=\"where\">{}{}</span></li>",
            escape(outcome.check.title),
            outcome.check.level.as_str(),
            if outcome.is_expected { ", expected" } else { "" },
        );
    }
    out.push_str("</ul>\n");
}

fn write_outcome(out: &mut String, outcome: &Outcome) {
    let check = outcome.check;
    let verdict = outcome.verdict.as_str();
    let is_open = matches!(verdict, "fail" | "warn") && !outcome.is_expected;
    let _ = write!(
        out,
        "<details id=\"{}\"{}><summary><span class=\"v {verdict}\">{verdict}{}</span> <code>{}</code> {} <span class=\"where\">{}</span></summary><ul>",
        check.id,
        if is_open { " open" } else { "" },
        if outcome.is_expected { ", expected" } else { "" },
        check.id,
        escape(check.title),
        check.level.as_str(),
    );
    if let Some(reason) = &outcome.reason {
        let _ = write!(out, "<li>{}</li>", escape(reason));
    }
    for finding in &outcome.findings {
        let _ = write!(out, "<li>{}", escape(&sentence(finding)));
        if let Some(number) = finding.exchange {
            let _ = write!(out, " <a href=\"#x{number}\">{}</a>", escape(&place(finding)));
        }
        if let Some(place) = &finding.place {
            let _ = write!(out, "<pre>{}</pre>", escape(&place.excerpt));
        }
        out.push_str("</li>");
    }
    if outcome.more > 0 {
        let _ = write!(out, "<li>and {} more</li>", outcome.more);
    }
    for rule in check.rules.iter().filter_map(|number| rule(*number)) {
        let _ = write!(
            out,
            "<li>rule {} ({}): {} <a href=\"{}\" rel=\"noreferrer\">specification</a></li>",
            rule.number,
            rule.level,
            escape(rule.sentence),
            escape(&rule.url())
        );
    }
    out.push_str("</ul></details>\n");
}

fn write_exchange(out: &mut String, exchange: &Exchange) {
    let number = exchange.number;
    let _ = write!(
        out,
        "<details id=\"x{number}\"><summary>{number} <code>{} {}</code> <span class=\"where\">{} · {} ms</span></summary><pre>{}</pre>",
        exchange.request.method.as_str(),
        escape(if exchange.ask.query.is_empty() { "(no arguments)" } else { &exchange.ask.query }),
        escape(&exchange.describe()),
        exchange.millis,
        escape(&exchange.curl()),
    );
    if let Some(page) = exchange.page() {
        let fields: String =
            page.headers.shown().map(|(name, value)| format!("{name}: {value}\n")).collect();
        let _ = write!(out, "<pre>HTTP {}\n{}</pre>", page.status, lines(&fields));
        let body = match exchange.text() {
            Some(text) => text.to_owned(),
            None => String::from_utf8_lossy(&page.body).into_owned(),
        };
        let end = (0..=SHOWN_BYTES.min(body.len())).rev().find(|at| body.is_char_boundary(*at));
        let shown = &body[..end.unwrap_or(0)];
        let rest = body.len() - shown.len();
        let more = if rest > 0 { format!("\n… {rest} bytes more") } else { String::new() };
        let _ = write!(out, "<pre>{}{more}</pre>", lines(shown));
    }
    out.push_str("</details>\n");
}

/// Escaped, with its lines kept.
fn lines(text: &str) -> String {
    text.lines().map(escape).collect::<Vec<_>>().join("\n")
}
