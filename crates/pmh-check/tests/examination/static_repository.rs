//! The file of a static repository.

use pmh_check::{Examination, Examined, Verdict};
use pmh_protocol::{Headers, HttpPage, HttpRequest, Method, Stamp};

use super::support::{ids, options, report};

const FILE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<Repository xmlns="http://www.openarchives.org/OAI/2.0/static-repository" xmlns:oai="http://www.openarchives.org/OAI/2.0/">
<Identify><oai:repositoryName>Small</oai:repositoryName><oai:baseURL>http://gateway.example/oai/an.example%3A8080/file.xml</oai:baseURL><oai:protocolVersion>2.0</oai:protocolVersion><oai:adminEmail>a@an.example</oai:adminEmail><oai:earliestDatestamp>2024-01-01</oai:earliestDatestamp><oai:deletedRecord>no</oai:deletedRecord><oai:granularity>YYYY-MM-DD</oai:granularity></Identify>
<ListMetadataFormats><oai:metadataFormat><oai:metadataPrefix>oai_dc</oai:metadataPrefix></oai:metadataFormat></ListMetadataFormats>
<ListRecords metadataPrefix="oai_dc"><oai:record><oai:header><oai:identifier>oai:an.example:1</oai:identifier><oai:datestamp>2024-01-01</oai:datestamp></oai:header><oai:metadata><dc xmlns="urn:x"/></oai:metadata></oai:record></ListRecords>
</Repository>
"#;

fn examine(url: &str, text: &str) -> Examined {
    let mut headers = Headers::default();
    headers.push("Content-Type", "text/xml");
    let page = HttpPage { status: 200, headers, body: text.as_bytes().to_vec() };
    let at = Stamp::from_seconds(1_735_689_600);
    let request = HttpRequest {
        method: Method::Get,
        url: url.to_owned(),
        headers: Headers::default(),
        body: None,
    };
    Examination::of_file(options(), request, Ok(page), at)
}

const URL: &str = "http://an.example:8080/file.xml";

#[track_caller]
fn check(from: &str, to: &str, failed: &[&str]) {
    let text = FILE.replace(from, to);
    assert!(text != FILE || from == to, "nothing was changed");
    let examined = examine("file.xml", &text);
    assert_eq!(ids(&examined, Verdict::Fail), failed, "{}", report(&examined));
}

#[test]
fn a_static_repository_that_keeps_the_rules_passes() {
    check("", "", &[]);
    let examined = examine(URL, FILE);
    assert_eq!(ids(&examined, Verdict::Pass).len(), 5, "{}", report(&examined));
    assert_eq!(examined.outcomes.len(), 5, "and nothing else is judged");
    let examined = examine(&format!("{URL}?a=1"), FILE);
    assert_eq!(ids(&examined, Verdict::Fail), ["static.base-url", "static.url"]);
}

#[test]
fn what_a_static_repository_must_not_have_is_told() {
    check("<Repository", "<Repositories", &["static.schema"]);
    check(">http://gateway.example", ">gateway.example", &["static.base-url"]);
    check("<oai:adminEmail>a@an.example</oai:adminEmail>", "", &["static.schema"]);
    for (from, to) in [
        (">no<", ">persistent<"),
        ("YYYY-MM-DD<", "YYYY-MM-DDThh:mm:ssZ<"),
        ("</oai:datestamp>", "T00:00:00Z</oai:datestamp>"),
        ("</oai:datestamp>", "</oai:datestamp><oai:setSpec>a</oai:setSpec>"),
        ("<oai:header>", "<oai:header status=\"deleted\">"),
        ("</ListRecords>", "<oai:resumptionToken/></ListRecords>"),
        ("<ListRecords metadataPrefix=\"oai_dc\">", "<ListRecords metadataPrefix=\"marc\">"),
    ] {
        let examined = examine("file.xml", &FILE.replace(from, to));
        let failed = ids(&examined, Verdict::Fail);
        assert!(failed.contains(&"static.restrictions"), "{from}: {}", report(&examined));
    }
}
