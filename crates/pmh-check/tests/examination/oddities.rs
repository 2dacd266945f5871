//! What is odd and legal is never faulted.

use std::time::Duration;

use pmh_check::{Examined, Verdict};
use pmh_protocol::{Headers, HttpPage};

use pmh_repository::Passing;

use super::support::{REPOSITORY, answer, examine, examine_with, ids, options, report, repository};

#[track_caller]
fn check(name: &str, examined: &Examined) {
    for verdict in [Verdict::Fail, Verdict::Warn, Verdict::Inconclusive] {
        assert!(ids(examined, verdict).is_empty(), "{name}: {}", report(examined));
    }
    assert_eq!(examined.conformance(), "conformant, as far as it was tested", "{name}");
}

/// A name, and what is done to each answer.
type Oddity = (&'static str, fn(&mut Passing<'_>));

/// Other ways of writing the same.
const WRITTEN: &[Oddity] = &[
    ("a prefix on the namespace of OAI-PMH", |p| {
        p.edit(|text| {
            // Elements of the envelope have no prefix, those of payloads have one.
            let mut out = String::new();
            let mut rest = text.as_str();
            while let Some(at) = rest.find('<') {
                out.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
                let slash = rest.starts_with('/');
                let name = &rest[usize::from(slash)..];
                let end = name.find(|each: char| " />".contains(each)).unwrap_or(0);
                let is_foreign = name[..end].contains(':') || name.starts_with(['?', '!']);
                let is_described = [
                    "oai-identifier",
                    "scheme",
                    "repositoryIdentifier",
                    "delimiter",
                    "sampleIdentifier",
                ];
                if slash {
                    out.push('/');
                }
                if !is_foreign && !is_described.contains(&&name[..end]) {
                    out.push_str("o:");
                }
                rest = name;
            }
            out.push_str(rest);
            out.replace("<o:OAI-PMH xmlns=", "<o:OAI-PMH xmlns:o=")
        });
    }),
    ("comments and processing instructions anywhere", |p| {
        p.replace("?>\n<OAI-PMH", "?>\n<?xml-stylesheet href=\"a.xsl\"?><!-- hello -->\n<OAI-PMH");
        p.replace("<responseDate>", "<!-- now --><responseDate>");
        p.replace("<header><identifier>", "<header><!-- a --><?b c?><identifier>");
        p.replace("</OAI-PMH>\n", "</OAI-PMH>\n<!-- bye -->\n");
    }),
    ("attributes in another order", |p| {
        p.edit(|text| {
            let Some(at) = text.find("<request ") else { return text };
            let end = at + text[at..].find('>').expect("its end");
            // All but the last have lost their closing quote.
            let mut attributes: Vec<String> =
                text[at + 9..end - 1].split("\" ").map(|each| format!("{each}\"")).collect();
            attributes.reverse();
            let joined = attributes;
            format!("{}<request {}{}", &text[..at], joined.join(" "), &text[end..])
        });
    }),
    ("an address with a plus sign and a short domain", |p| {
        p.edit(|text| match (text.find("<adminEmail>"), text.find("</adminEmail>")) {
            (Some(start), Some(end)) => {
                format!("{}<adminEmail>o'brien+oai@x.y{}", &text[..start], &text[end..])
            }
            _ => text,
        });
    }),
    ("an XML declaration in single quotes and small letters", |p| {
        p.replace("version=\"1.0\" encoding=\"UTF-8\"", "version='1.0' encoding='utf-8'");
    }),
    ("no charset in Content-Type", |p| p.set_header("Content-Type", "text/xml")),
    ("Content-Encoding identity", |p| p.set_header("Content-Encoding", "identity")),
    ("a superfluous namespace declaration", |p| {
        p.replace("<header><identifier>", "<header xmlns:dc=\"urn:x\"><identifier>");
    }),
    ("a descriptive status line and unknown fields", |p| p.set_header("X-Anything", "goes")),
];

#[test]
fn other_ways_of_writing_the_same_are_not_faulted() {
    for (name, rewrite) in WRITTEN {
        check(name, &examine(options(), repository(REPOSITORY), *rewrite));
    }
}

#[test]
fn what_a_repository_may_choose_is_not_faulted() {
    for (name, change) in [
        ("no sets", ("repository.sets = [\"art\", \"art:paint\", \"maps\"]\n", "")),
        ("no deleted records", ("deleted = 0.15, ", "")),
        ("deletions not kept", ("granularity = \"second\"", "deleted-records = \"no\"")),
        ("transient deletions", ("granularity = \"second\"", "deleted-records = \"transient\"")),
        ("a single page", ("page-size = 5", "page-size = 100")),
        ("a page for each record", ("page-size = 5", "page-size = 1")),
        ("days", ("granularity = \"second\"", "granularity = \"day\"")),
        (
            "tokens that the repository remembers",
            ("granularity = \"second\"", "token = \"stateful\""),
        ),
        ("no sizes", ("granularity = \"second\"", "list-size = \"absent\"")),
        ("one record", ("count = 20, deleted = 0.15, stamps.every.step = \"7h\"", "count = 1")),
        (
            "no records at all",
            ("count = 20, deleted = 0.15, stamps.every.step = \"7h\"", "count = 0"),
        ),
        ("all of one date", ("stamps.every.step = \"7h\"", "stamps = \"same\"")),
    ] {
        let text = REPOSITORY.replace(change.0, change.1);
        assert_ne!(text, REPOSITORY, "{name}");
        check(name, &examine(options(), repository(&text), |_| {}));
    }
}

#[test]
fn a_list_that_lives_in_a_session_is_found_out() {
    let text = REPOSITORY.replace("granularity = \"second\"", "token = \"session\"");
    let examined = examine(options(), repository(&text), |_| {});
    assert!(
        ids(&examined, Verdict::Fail).contains(&"paging.reissue-same"),
        "{}",
        report(&examined)
    );
}

#[test]
fn an_empty_token_on_a_list_of_one_page_is_told() {
    let text = REPOSITORY.replace("page-size = 5", "page-size = 100");
    let examined = examine(options(), repository(&text), |p| {
        if p.is_list() && !p.says("<error") {
            let verb = p.argument("verb").expect("a verb").to_owned();
            p.replace(&format!("</{verb}>"), &format!("<resumptionToken/></{verb}>"));
        }
    });
    assert_eq!(
        ids(&examined, Verdict::Warn),
        ["paging.none-when-complete"],
        "{}",
        report(&examined)
    );
    assert!(ids(&examined, Verdict::Fail).is_empty(), "{}", report(&examined));
}

#[test]
fn https_and_a_base_url_with_a_query_are_not_faulted() {
    for base_url in ["https://repository.example/oai", "http://repository.example/oai?db=1"] {
        let mut repository = repository(REPOSITORY);
        let mut options = options();
        options.base_url = base_url.to_owned();
        let examined = examine_with(options, |request| {
            let mut asked = request.clone();
            asked.url = asked.url.replace("db=1&", "").replace("?db=1", "");
            let (mut page, at) = answer(&mut repository, &asked);
            let text = String::from_utf8(page.body).expect("UTF-8");
            page.body = text.replace("http://repository.example/oai", base_url).into_bytes();
            (Ok(page), at)
        });
        check(base_url, &examined);
    }
}

#[test]
fn one_token_for_both_lists_is_not_faulted() {
    let mut repository = repository(REPOSITORY);
    let examined = examine_with(options(), |request| {
        let mut asked = request.clone();
        // The repository knows from the verb which list is meant.
        for verb in ["ListRecords", "ListIdentifiers"] {
            let anonymous = format!("verb={verb}&resumptionToken=Any%7C");
            let named = format!("verb={verb}&resumptionToken={verb}%7C");
            asked.url = asked.url.replace(&anonymous, &named);
        }
        let (mut page, at) = answer(&mut repository, &asked);
        let mut text = String::from_utf8(page.body).expect("UTF-8");
        for verb in ["ListRecords", "ListIdentifiers"] {
            text = text.replace(&format!("{verb}|oai_dc"), "Any|oai_dc");
        }
        // Lists are numbered too.
        let numbered = |text: String| match text.find("Any|oai_dc||||") {
            Some(at) => {
                let number = at + "Any|oai_dc||||".len();
                let end = number + text[number..].find('|').expect("a number");
                format!("{}1{}", &text[..number], &text[end..])
            }
            None => text,
        };
        page.body = numbered(text).into_bytes();
        (Ok(page), at)
    });
    assert!(!ids(&examined, Verdict::Fail).contains(&"paging.cross-verb"), "{}", report(&examined));
    assert!(ids(&examined, Verdict::Pass).contains(&"paging.next-page"), "{}", report(&examined));
}

fn plain(status: u16, field: (&str, &str)) -> HttpPage {
    let mut headers = Headers::default();
    headers.push(field.0, field.1);
    HttpPage { status, headers, body: Vec::new() }
}

#[test]
fn a_redirect_and_a_busy_hour_are_not_faulted() {
    let mut repository = repository(REPOSITORY);
    let mut requests = 0;
    let mut waited = Duration::ZERO;
    let mut examination = pmh_check::Examination::new(options());
    let examined = loop {
        match examination.step() {
            pmh_check::Step::Finish => break examination.finish(),
            pmh_check::Step::Wait(time) => waited += time,
            pmh_check::Step::Change => panic!("nobody said that it can be changed"),
            pmh_check::Step::Fetch(request) => {
                requests += 1;
                let (page, at) = answer(&mut repository, &request);
                let page = match requests {
                    1 => plain(302, ("Location", "/oai?verb=Identify")),
                    3 => plain(503, ("Retry-After", "20")),
                    _ => page,
                };
                examination.fetched(Ok(page), at, Duration::from_millis(1));
            }
        }
    };
    check("a redirect and a 503", &examined);
    assert!(waited >= Duration::from_secs(20), "the named time is waited for");
    assert!(ids(&examined, Verdict::Note).contains(&"transport.redirect"));
    assert!(ids(&examined, Verdict::Pass).contains(&"transport.retry-after"));
}

#[test]
fn a_widely_used_schema_beside_a_namespace_of_something_else_is_told() {
    let of_marc = |namespace: &str| -> String {
        format!(
            "<metadataFormat><metadataPrefix>marc</metadataPrefix>\
             <schema>http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd</schema>\
             <metadataNamespace>{namespace}</metadataNamespace></metadataFormat></ListMetadataFormats>"
        )
    };
    for (namespace, verdict) in
        [("http://www.loc.gov/MARC21/slim", Verdict::Pass), ("urn:marc", Verdict::Note)]
    {
        let mut options = options();
        options.select = vec!["formats.schema-target".to_owned()];
        let mut repository = repository(REPOSITORY);
        let examined = examine_with(options, |request| {
            let (mut page, at) = answer(&mut repository, request);
            let text = String::from_utf8(page.body).expect("UTF-8");
            page.body = text.replace("</ListMetadataFormats>", &of_marc(namespace)).into_bytes();
            (Ok(page), at)
        });
        assert_eq!(examined.outcomes[0].verdict, verdict, "{}", report(&examined));
    }
}

#[test]
fn an_empty_answer_to_an_identifier_with_quotes_in_it_is_well_formed() {
    let examined = examine(options(), repository(REPOSITORY), |p| {
        if p.asks("GetRecord") && p.says("<error") && p.has("metadataPrefix", "oai_dc") {
            p.instead_of_error("<GetRecord></GetRecord>");
        }
    });
    let failed = ids(&examined, Verdict::Fail);
    assert!(failed.contains(&"errors.id-unknown"), "{}", report(&examined));
    assert!(!failed.contains(&"transport.hostile-values"), "{}", report(&examined));
}
