//! Requests that somebody else has written down, judged by the rules on requests.
//!
//! Nothing is known of the repository but what stands there: an access log has no answers, so what a token was when it
//! was delivered is not judged, and the findings say so.

mod access_log; // the combined log format of web servers
mod conversation; // requests as the oracle wants them
mod har; // HTTP archives of browsers and proxies

use pmh_oracle::{Finding, JudgedRule, Observation, RunEnd, RunObservation, Sight, judge};
use pmh_scenario::{Exchange, Script, TraceRule};

use conversation::Conversation;

/// Requests of OAI-PMH from a file.
#[derive(Debug)]
pub struct Traffic {
    exchanges: Vec<Exchange>,
    /// Clients, told apart as well as the file allows, in the order of their first requests.
    pub clients: Vec<String>,
    /// Requests and lines that are none of OAI-PMH.
    pub passed_over: usize,
    /// The first of these that looked like a request and could not be read: where, and why.
    pub unread: Option<String>,
    /// Whether every answer to a list request is there to be read.
    pub has_answers: bool,
    /// Whether the header fields of every answer are known.
    pub has_fields: bool,
}

impl Traffic {
    /// Reads a HAR file or an access log: whichever it is.
    ///
    /// # Errors
    /// When it is neither, or holds no request of OAI-PMH; in words.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        // No line of a log begins so.
        let conversation = match text.trim_start().starts_with(['{', '[']) {
            true => har::read(text)?,
            false => access_log::read(text),
        };
        let Conversation { exchanges, passed_over, unread, has_answers, has_fields, .. } =
            conversation;
        if exchanges.is_empty() {
            if let Some(unread) = unread {
                return Err(format!("none of its requests can be read; {unread}"));
            }
            let places = if passed_over == 1 { "line or entry" } else { "lines or entries" };
            return Err(format!(
                "no request of OAI-PMH (a `verb` among its arguments) in {passed_over} {places}; a HAR file or an \
                 access log in the common or combined format is read"
            ));
        }
        let mut clients: Vec<String> = Vec::new();
        for exchange in &exchanges {
            if !clients.contains(&exchange.run) {
                clients.push(exchange.run.clone());
            }
        }
        Ok(Self { exchanges, clients, passed_over, unread, has_answers, has_fields })
    }

    /// How many requests there are.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.exchanges.len()
    }

    /// What every rule on requests finds. One that cannot be judged from this file says why.
    #[must_use]
    pub fn judge(&self) -> Vec<JudgedRule> {
        let mut script = Script::plain(0, 1, 1);
        script.budget.requests = u32::MAX;
        script.expect.trace = vec![
            TraceRule::TokenSoleArgument,
            TraceRule::TokenEncoded,
            TraceRule::TokenVerbatim,
            TraceRule::StopsAfterEmptyToken,
            TraceRule::HonoursRetryAfter,
            TraceRule::ResendsLastToken,
            TraceRule::RestartFromWindow,
        ];
        let run = |name: &String| RunObservation {
            name: name.clone(),
            end: RunEnd::Crashed,
            rows: Vec::new(),
            watermark: pmh_oracle::Knowledge::Unknown,
            counts: None,
            window_open: pmh_oracle::Knowledge::Unknown,
            complaints: pmh_oracle::Knowledge::Unknown,
            added_by_harness: false,
        };
        let events = self.exchanges.iter().cloned().map(pmh_scenario::Event::Exchange).collect();
        let observation = Observation {
            runs: self.clients.iter().map(run).collect(),
            journal: pmh_scenario::Journal { events },
            sight: Sight { rows: false, tombstones: false },
            unjudged: Vec::new(),
        };
        let rules = judge(&script, &observation).trace;
        rules.into_iter().map(|rule| self.as_far_as_known(rule)).collect()
    }

    fn as_far_as_known(&self, rule: JudgedRule) -> JudgedRule {
        let is_known = match (rule.name, &rule.finding) {
            ("token-sole-argument" | "token-encoded", _) => true,
            ("honours-retry-after", _) => self.has_fields,
            // Of answers that are not known none ends a list: what is found all the same are tokens that were empty.
            ("stops-after-empty-token", Finding::Failed { .. }) => true,
            _ => self.has_answers,
        };
        let finding = match rule.finding {
            Finding::Vacuous { why } => Finding::NotApplicable { why },
            finding => finding,
        };
        let finding = match is_known {
            true => finding,
            false => Finding::NotApplicable {
                why: "the file does not hold what was answered".to_owned(),
            },
        };
        JudgedRule { name: rule.name, finding }
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use super::*;

    fn finding(traffic: &Traffic, name: &str) -> Finding {
        traffic.judge().into_iter().find(|rule| rule.name == name).expect("a rule").finding
    }

    fn line(second: u32, query: &str) -> String {
        format!(
            "127.0.0.1 - - [01/Feb/2024:10:00:{second:02} +0000] \"GET /oai?{query} HTTP/1.1\" 200 99 \"-\" \"a/1\"\n"
        )
    }

    #[test]
    fn a_log_shows_tokens_in_company_and_nothing_of_answers() {
        let log = line(1, "verb=ListRecords&metadataPrefix=oai_dc")
            + "127.0.0.1 - - [x] \"GET /favicon.ico HTTP/1.1\" 404 9\n"
            + &line(2, "verb=ListRecords&metadataPrefix=oai_dc&resumptionToken=a%7Cb");
        let traffic = Traffic::read(&log).expect("a log");
        assert_eq!((traffic.requests(), traffic.passed_over), (2, 1));
        assert_eq!(traffic.clients, ["127.0.0.1 a/1 /oai"]);
        let Finding::Failed { evidence } = finding(&traffic, "token-sole-argument") else {
            panic!("a token in company was not found")
        };
        assert!(evidence[0].starts_with("#2 "), "{evidence:?}");
        assert!(matches!(finding(&traffic, "token-encoded"), Finding::Held { checked: 1 }));
        assert!(matches!(finding(&traffic, "token-verbatim"), Finding::NotApplicable { .. }));
    }

    fn entry(second: u32, url: &str, status: u16, body: &str, retry: Option<&str>) -> String {
        let headers: Vec<_> = retry
            .map(|value| serde_json::json!({"name": "Retry-After", "value": value}))
            .into_iter()
            .collect();
        serde_json::json!({
            "startedDateTime": format!("2024-02-01T10:00:{second:02}.250+01:00"),
            "request": {"method": "GET", "url": format!("https://example.org/oai?{url}")},
            "response": {"status": status, "headers": headers, "content": {"text": body}},
        })
        .to_string()
    }

    fn page(token: &str) -> String {
        format!(
            "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"><responseDate>2024-02-01T09:00:00Z</responseDate>\
             <request>https://example.org/oai</request><ListRecords><record><header><identifier>a</identifier>\
             <datestamp>2024-01-01</datestamp></header><metadata><x xmlns=\"y\"/></metadata></record>\
             <resumptionToken>{token}</resumptionToken></ListRecords></OAI-PMH>"
        )
    }

    #[test]
    fn an_archive_shows_edited_tokens_and_waits_that_were_cut_short() {
        let entries = [
            entry(1, "verb=ListRecords&metadataPrefix=oai_dc", 200, &page("t1"), None),
            entry(2, "verb=ListRecords&resumptionToken=t1", 503, "busy", Some("30")),
            entry(4, "verb=ListRecords&resumptionToken=T1", 200, &page(""), None),
        ];
        let har = format!("{{\"log\": {{\"entries\": [{}]}}}}", entries.join(","));
        let traffic = Traffic::read(&har).expect("an archive");
        assert!(traffic.has_answers);
        let evidence = |name: &str| match finding(&traffic, name) {
            Finding::Failed { evidence } => evidence.join("\n"),
            other => panic!("{name}: {other:?}"),
        };
        assert!(evidence("token-verbatim").contains("#3 sent the token `T1`"));
        assert!(evidence("honours-retry-after").contains("#3 came after 2000 ms"));
        assert!(matches!(finding(&traffic, "token-sole-argument"), Finding::Held { checked: 2 }));
    }

    #[test]
    fn an_archive_out_of_order_packed_and_without_bodies_is_read_for_what_it_holds() {
        let packed = |second: u32, url: &str, body: &str| {
            let mut entry: serde_json::Value =
                serde_json::from_str(&entry(second, url, 200, body, None)).expect("JSON");
            let content = &mut entry["response"]["content"];
            content["encoding"] = "base64".into();
            content["text"] = BASE64_STANDARD.encode(body).into();
            entry.to_string()
        };
        let until = Some("Thu, 01 Feb 2024 09:00:32 GMT");
        let mut busy: serde_json::Value = serde_json::from_str(&entry(
            2,
            "verb=ListRecords&resumptionToken=t1",
            503,
            "busy",
            until,
        ))
        .expect("JSON");
        busy["response"]["content"] = serde_json::json!({});
        let entries = [
            packed(4, "verb=ListRecords&resumptionToken=t1", &page("")),
            busy.to_string(),
            packed(1, "verb=ListRecords&metadataPrefix=oai_dc", &page("t1")),
        ];
        let har = format!("\u{feff}{{\"log\": {{\"entries\": [{}]}}}}", entries.join(","));
        let traffic = Traffic::read(&har).expect("an archive");
        assert!(traffic.has_answers, "a refusal needs no body");
        assert!(matches!(finding(&traffic, "token-verbatim"), Finding::Held { checked: 2 }));
        let Finding::Failed { evidence } = finding(&traffic, "honours-retry-after") else {
            panic!("a wait that was cut short was not found")
        };
        assert_eq!(evidence, ["#2 asked for 30 s of waiting, and #3 came after 2000 ms"]);
    }

    #[test]
    fn an_empty_token_needs_no_answer_and_a_wait_needs_its_field() {
        let log = line(1, "verb=ListRecords&resumptionToken=");
        let traffic = Traffic::read(&log).expect("a log");
        let found = finding(&traffic, "stops-after-empty-token");
        assert!(matches!(found, Finding::Failed { .. }), "{found:?}");
        let found = finding(&traffic, "honours-retry-after");
        assert!(matches!(found, Finding::NotApplicable { .. }), "{found:?}");
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_place() {
        let wrong = |text: &str| Traffic::read(text).expect_err("nothing can be read");
        let undated = line(1, "verb=Identify").replace("01/Feb/2024", "41/Foo/2025");
        let said = wrong(&format!("nothing\n{undated}"));
        assert!(said.contains("line 2: the time is not in the form"), "{said}");
        let whole = undated + &line(2, "verb=Identify");
        let unread = Traffic::read(&whole).expect("one line is left").unread;
        assert!(unread.is_some_and(|unread| unread.starts_with("line 1: ")));
        assert!(wrong("[1,2").contains("no HAR file: no JSON: EOF"), "{}", wrong("[1,2"));
        assert!(wrong("{}").contains("`log.entries`"));
    }

    #[test]
    fn what_holds_no_request_is_told_what_would() {
        for text in ["", "{}", "nothing\n", "{\"log\": {\"entries\": []}}"] {
            let error = Traffic::read(text).expect_err("there is nothing in it");
            assert!(error.contains("HAR file"), "{text}: {error}");
        }
    }
}
