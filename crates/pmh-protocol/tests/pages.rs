//! Pages written by hand, one per quirk, and what is read from each.
//!
//! They are the statement of the protocol that is independent of the renderer: none was made by it.

use pmh_protocol::{
    BODY_BYTES_MAX, Body, Document, Headers, HttpPage, Identify, Item, ParseError, Parsed,
    ResumptionToken, parse_document, read_document,
};

macro_rules! page {
    ($name:literal) => {
        include_bytes!(concat!("pages/", $name, ".xml"))
    };
}

/// Reads a page and compares the account of it, line by line.
fn check(page: &[u8], expected: &[&str]) {
    check_account(parse_document(page), expected);
    // What is in UTF-8 is the same page when it comes by HTTP and nothing else is said.
    check_answer("text/xml", page, expected);
}

/// Reads a page in an answer with this Content-Type.
fn check_answer(content_type: &str, page: &[u8], expected: &[&str]) {
    let mut headers = Headers::default();
    headers.push("Content-Type", content_type);
    let answer = HttpPage { status: 200, headers, body: page.to_vec() };
    check_account(read_document(&answer, BODY_BYTES_MAX), expected);
}

fn check_account(parsed: Result<Parsed, ParseError>, expected: &[&str]) {
    let account = match parsed {
        Ok(parsed) => account_of(&parsed),
        Err(error) => vec![error.to_string()],
    };
    // Joined, because what is quoted may span lines.
    assert_eq!(account.join("\n"), expected.join("\n"), "\nread: {account:#?}");
}

/// The answer first, then each entry, then the token, then the complaints (without places).
fn account_of(parsed: &Parsed) -> Vec<String> {
    let Document { response_date, request, body } = &parsed.document;
    let mut lines = Vec::new();
    // Most pages have the same date and address; those that are about them look at them themselves.
    assert!(request.base_url.is_empty() || request.base_url.starts_with("http://example.org/oai"));
    if response_date.is_none_or(|stamp| stamp.to_string() != "2024-06-01T10:00:00Z") {
        lines.push(format!("response date {response_date:?}"));
    }
    match body {
        Body::Errors(errors) => {
            lines.extend(
                errors.iter().map(|error| format!("error `{}`: `{}`", error.code, error.text)),
            );
        }
        Body::Identify(identify) => account_of_identify(&mut lines, identify),
        Body::Formats(formats) => lines.extend(formats.iter().map(|format| {
            format!("format `{}` `{}` `{}`", format.prefix, format.schema, format.namespace)
        })),
        Body::Sets { sets, token } => {
            lines
                .extend(sets.iter().map(|set| {
                    format!("set `{}` `{}` {:?}", set.spec, set.name, set.descriptions)
                }));
            lines.extend(token.as_ref().map(account_of_token));
        }
        Body::List(page) => {
            lines.push(page.verb.to_string());
            page.items.iter().for_each(|item| account_of_item(&mut lines, item));
            lines.extend(page.token.as_ref().map(account_of_token));
        }
        Body::Record(item) => account_of_item(&mut lines, item),
    }
    if parsed.unreadable > 0 {
        lines.push(format!("unreadable {}", parsed.unreadable));
    }
    let complaints = parsed.complaints.iter();
    lines.extend(complaints.map(|each| format!("! {} `{}`", each.kind.as_str(), each.found)));
    lines
}

fn account_of_identify(lines: &mut Vec<String>, identify: &Identify) {
    let earliest = identify.earliest_datestamp.map_or("none".to_owned(), |each| each.to_string());
    lines.push(format!(
        "`{}` `{}` `{}` {:?}",
        identify.repository_name,
        identify.base_url,
        identify.protocol_version,
        identify.admin_emails,
    ));
    lines.push(format!(
        "earliest {earliest} deleted {:?} granularity {:?} compressions {:?}",
        identify.deleted_records, identify.granularity, identify.compressions,
    ));
    lines.extend(identify.descriptions.iter().map(|each| format!("description {each}")));
}

fn account_of_token(token: &ResumptionToken) -> String {
    let mut line = format!("token `{}`", token.value);
    if let Some(offset) = token.announced_offset {
        line += &format!(" offset {offset}");
    }
    if let Some(size) = token.announced_size {
        line += &format!(" size {size}");
    }
    if let Some(expires) = token.expires {
        line += &format!(" expires {expires}");
    }
    line
}

fn account_of_item(lines: &mut Vec<String>, item: &Item) {
    let header = item.header();
    let sign = if matches!(item, Item::Record(_)) { '+' } else { '-' };
    let datestamp = header.datestamp.map_or("undated".to_owned(), |each| each.to_string());
    let sets: String = header.sets.iter().map(|set| format!(" in {set}")).collect();
    lines.push(format!("{sign} `{}` {datestamp}{sets}", header.identifier));
    if let Item::Record(record) = item {
        lines.extend(record.payload.iter().map(|payload| format!("  {payload}")));
        lines.extend(record.abouts.iter().map(|about| format!("  about {about}")));
    }
}

const M: &str = "  <m xmlns=\"urn:m\"/>";

#[test]
fn an_ordinary_list_is_read_whole() {
    check(
        page!("ordinary-list"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01 in maps in maps:old",
            "  <d:dc xmlns:d=\"http://www.openarchives.org/OAI/2.0/oai_dc/\"",
            "              xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>Ål &amp; Elv</dc:title><!-- kept --></d:dc>",
            "+ `oai:example.org:2` 2024-05-02",
            "  <map xmlns=\"http://example.org/map\" scale='1:2\"3'/>",
            "token `next/2` offset 0 size 5 expires 2024-06-01T11:00:00Z",
        ],
    );
    let parsed = parse_document(page!("ordinary-list")).unwrap();
    let arguments: Vec<(&str, &str)> = parsed
        .document
        .request
        .arguments
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(arguments, [("verb", "ListRecords"), ("metadataPrefix", "oai_dc"), ("set", "maps")]);
}

#[test]
fn a_list_ends_with_an_empty_a_blank_or_no_token() {
    let entry = ["ListRecords", "+ `oai:example.org:5` 2024-05-05", M];
    check(page!("last-page-empty-token"), &[&entry[..], &["token `` offset 4 size 5"]].concat());
    check(page!("last-page-blank-token"), &[&entry[..], &["token ``"]].concat());
    check(page!("last-page-without-token"), &entry);
    for page in [
        &page!("last-page-empty-token")[..],
        page!("last-page-blank-token"),
        page!("last-page-without-token"),
    ] {
        let Body::List(page) = parse_document(page).unwrap().document.body else {
            panic!("not a list")
        };
        assert_eq!(page.next_token(), None);
    }
}

#[test]
fn the_last_token_counts_wherever_it_stands() {
    check(
        page!("token-among-entries"),
        &[
            "ListIdentifiers",
            "+ `oai:example.org:1` 2024-05-01",
            "+ `oai:example.org:2` 2024-05-02",
            "token `second`",
            "! several-tokens `first and second`",
        ],
    );
}

#[test]
fn the_envelope_is_told_by_namespace_not_by_prefix() {
    check(
        page!("prefixed-envelope"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <map xmlns=\"http://example.org/map\"><scale>7</scale></map>",
            "- `oai:example.org:2` 2024-05-02",
            "token `t`",
        ],
    );
}

#[test]
fn a_payload_takes_along_the_declarations_it_uses_and_no_others() {
    check(
        page!("namespaces-on-ancestors"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            concat!(
                "  <d:dc xmlns:d=\"http://www.openarchives.org/OAI/2.0/oai_dc/\"",
                " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"",
                " xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:t='urn:terms?a&amp;b\"'",
                " xsi:schemaLocation=\"a b\"><dc:title>One</dc:title>",
                "<dc:date xsi:type=\"t:year\">2024</dc:date></d:dc>",
            ),
            "+ `oai:example.org:2` 2024-05-02",
            "  <x:a xmlns:x=\"urn:inner\"><x:b/><dc:c xmlns:dc=\"urn:own\"/></x:a>",
            "+ `oai:example.org:3` 2024-05-03",
            "  <x:a xmlns=\"http://www.openarchives.org/OAI/2.0/\" xmlns:x=\"urn:x\"><plain xml:lang=\"en\" x:type=\"nobody:knows\"/></x:a>",
            "+ `oai:example.org:4` 2024-05-04",
            concat!(
                "  <x:a xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:x=\"urn:x\">",
                "<dc:b xmlns:dc=\"urn:own\"/><dc:b/></x:a>",
            ),
        ],
    );
}

#[test]
fn a_prefix_that_nobody_declares_is_complained_of_once() {
    check(
        page!("undeclared-prefix"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <dc:title>One</dc:title>",
            "! undeclared-prefix `dc`",
        ],
    );
}

#[test]
fn cdata_is_text_in_the_envelope_and_left_alone_in_a_payload() {
    check(
        page!("cdata"),
        &[
            "ListRecords",
            "+ `oai:example.org:a&b` 2024-05-01",
            "  <m xmlns=\"urn:m\"><![CDATA[</metadata> & </m>]]></m>",
            "token `x<y&amp;z&1`",
        ],
    );
}

#[test]
fn every_about_container_with_an_element_is_kept() {
    check(
        page!("abouts"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            M,
            "  about <r:rights xmlns:r=\"urn:rights\">free</r:rights>",
            "  about <p xmlns=\"urn:provenance\"><q/></p>",
            "! payload `<about> without an element`",
        ],
    );
}

#[test]
fn only_the_status_deleted_makes_a_tombstone() {
    check(
        page!("deleted-records"),
        &[
            "ListRecords",
            "- `oai:example.org:1` 2024-05-01 in maps",
            "- `oai:example.org:2` 2024-05-02",
            "+ `oai:example.org:3` 2024-05-03",
            M,
            "+ `oai:example.org:4` 2024-05-04",
            "- `oai:example.org:5` 2024-05-05",
            "! deleted-with-metadata `oai:example.org:2`",
            "! status `withdrawn`",
            "! payload `oai:example.org:4: no metadata`",
            "! status `Deleted`",
        ],
    );
}

#[test]
fn references_are_resolved_once_and_only_white_space_of_xml_is_trimmed() {
    check(
        page!("references"),
        &[
            "ListIdentifiers",
            "+ `http://example.org/?a=1&b=<2>é` 2024-05-01 in maps",
            "token `a+b/c=&%20€\"'\u{A0}`",
        ],
    );
    let request = parse_document(page!("references")).unwrap().document.request;
    assert_eq!(request.base_url, "http://example.org/oai?x=1&y=2");
    assert_eq!(request.arguments[2], ("set".to_owned(), "a&b/c".to_owned()));
}

#[test]
fn a_byte_order_mark_is_survived() {
    check(page!("byte-order-mark"), &["error `noSetHierarchy`: ``", "! byte-order-mark `U+FEFF`"]);
}

#[test]
fn junk_before_between_and_after_is_survived() {
    check(
        page!("junk-around"),
        &[
            "error `noRecordsMatch`: `none`",
            concat!(
                "! junk-around `\n<br />\n<b>Notice</b>:  Undefined index: from in <b>/srv/oai.php</b>",
                " on line <b>7</b><br />\n`",
            ),
            "! junk-around `Deprecated: implode()`",
            "! junk-around `<p>generated in 0.3 s & cached`",
        ],
    );
    check(
        page!("white-space-before-declaration"),
        &["error `noRecordsMatch`: ``", "! junk-around `\n\n`"],
    );
}

#[test]
fn something_else_than_a_document_is_named() {
    let html = "expected an OAI-PMH document, found an HTML page";
    check(page!("html-with-200"), &[html]);
    check(page!("xhtml-with-declaration"), &[html]);
    check(page!("another-document"), &["expected the root element `OAI-PMH`, found `rss`"]);
    check(
        page!("plain-text"),
        &[
            "the document is not well-formed at byte 0: expected `<`, found `Service temporarily unavailable.",
            "`",
        ],
    );
}

#[test]
fn every_error_element_is_read_also_with_a_code_of_its_own() {
    check(
        page!("several-errors"),
        &[
            "error `badArgument`: `from is no date`",
            "error `badArgument`: `until is no date`",
            "error `badGranularity`: `too fine`",
            "error ``: `no code`",
        ],
    );
}

#[test]
fn identify_is_read_whole() {
    check(
        page!("identify"),
        &[
            "`Maps & Plans` `http://example.org/oai` `2.0` [\"one@example.org\", \"two@example.org\"]",
            concat!(
                "earliest 2001-02-03T04:05:06Z deleted Some(Transient) granularity Some(Second)",
                " compressions [\"gzip\", \"deflate\"]",
            ),
            "description <id xmlns=\"urn:id\"><scheme>oai</scheme></id>",
            "description <b:brand xmlns:b=\"urn:brand\"/>",
        ],
    );
}

#[test]
fn identify_is_read_as_far_as_it_goes() {
    check(
        page!("identify-incomplete"),
        &[
            "`Maps` `http://example.org/oai` `2.0` []",
            "earliest none deleted Some(Persistent) granularity Some(Second) compressions []",
            "! identify `no adminEmail`",
            "! identify `no earliestDatestamp`",
            "! identify `2001`",
            "! identify `Persistent`",
            "! identify `YYYY-MM-DDTHH:MM:SSZ`",
            "! unknown-element `colour`",
        ],
    );
}

#[test]
fn formats_are_read() {
    check(
        page!("formats"),
        &[
            concat!(
                "format `oai_dc` `http://www.openarchives.org/OAI/2.0/oai_dc.xsd`",
                " `http://www.openarchives.org/OAI/2.0/oai_dc/`",
            ),
            "unreadable 1",
            "! missing-identifier `a format without prefix`",
        ],
    );
}

#[test]
fn a_page_of_sets_is_read() {
    check(
        page!("sets"),
        &[
            "set `maps` `Maps` []",
            "set `maps:old` `Old <maps>` [\"<s xmlns=\\\"urn:s\\\">before 1900</s>\"]",
            "token `sets-2` offset 0",
            "unreadable 1",
            "! missing-identifier `a set without setSpec`",
        ],
    );
}

#[test]
fn headers_alone_are_read() {
    check(
        page!("identifiers"),
        &[
            "ListIdentifiers",
            "+ `oai:example.org:1` 2024-05-01T00:00:00Z in maps",
            "- `oai:example.org:2` 2024-05-02T00:00:00Z",
        ],
    );
}

#[test]
fn headers_in_records_are_headers_and_headers_in_place_of_records_are_entries() {
    check(
        page!("headers-in-records"),
        &[
            "ListIdentifiers",
            "+ `oai:example.org:1` 2024-05-01",
            "- `oai:example.org:2` 2024-05-02",
            "unreadable 1",
            "! unknown-element `record`",
            "! unknown-element `dateStamp`",
            "! unknown-element `record`",
            "! unknown-element `record`",
        ],
    );
    check(
        page!("headers-in-place-of-records"),
        &[
            "ListRecords",
            "- `oai:example.org:2` 2024-05-02",
            "unreadable 1",
            "! unknown-element `header`",
        ],
    );
}

#[test]
fn of_an_element_that_may_stand_once_the_first_counts() {
    check(
        page!("repeated-elements"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            M,
            "! unknown-element `identifier`",
            "! unknown-element `datestamp`",
            "! unknown-element `header`",
            "! unknown-element `metadata`",
        ],
    );
    check(
        page!("two-records-for-one"),
        &["+ `oai:example.org:1` 2024-05-01", M, "! unknown-element `record`"],
    );
}

#[test]
fn a_single_record_is_read() {
    check(page!("single-record"), &["+ `oai:example.org:1` 2024-05-01", M]);
}

#[test]
fn announcements_that_cannot_be_read_are_not_made() {
    check(
        page!("announcements-that-are-none"),
        &[
            "ListIdentifiers",
            "+ `oai:example.org:1` 2024-05-01",
            "token `t`",
            "! token-attribute `cursor=-1`",
            "! token-attribute `completeListSize=0`",
            "! token-attribute `expirationDate=tomorrow`",
        ],
    );
}

#[test]
fn an_entry_without_identifier_costs_that_entry() {
    check(
        page!("missing-identifiers"),
        &[
            "ListRecords",
            "+ `oai:example.org:4` 2024-05-01",
            M,
            "unreadable 3",
            "! missing-identifier `a header without identifier`",
            "! missing-identifier `a header without identifier`",
            "! missing-identifier `a record without header`",
        ],
    );
}

#[test]
fn a_payload_that_is_none_costs_the_payload() {
    check(
        page!("payloads-that-are-none"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "+ `oai:example.org:2` 2024-05-01",
            "+ `oai:example.org:3` 2024-05-01",
            M,
            "+ `oai:example.org:4` 2024-05-01",
            "  <m/>",
            "! payload `oai:example.org:1: <metadata> with 2 elements`",
            "! payload `oai:example.org:2: <metadata> without an element`",
            "! payload `oai:example.org:3: text `",
            "! wrapped-payload `<m/>`",
        ],
    );
}

#[test]
fn an_ampersand_alone_and_an_entity_of_html_are_read_as_what_they_mean() {
    let record = "+ `oai:example.org:1` 2024-05-01";
    check(
        page!("lone-ampersand"),
        &[
            "ListRecords",
            record,
            "  <m xmlns=\"urn:m\">Salt &amp; pepper</m>",
            "! stray-ampersand `1, the first & after etadata><m xmlns=\"urn:m\">Salt `",
        ],
    );
    check(
        page!("named-entity"),
        &[
            "ListRecords",
            record,
            "  <m xmlns=\"urn:m\">a\u{A0}b</m>",
            "! entity `1, the first &nbsp; after >\n<metadata><m xmlns=\"urn:m\">a`",
        ],
    );
}

#[test]
fn entities_are_refused() {
    check(
        page!("doctype-bomb"),
        &[concat!(
            "the document declares or uses an entity at byte 39: `<!DOCTYPE OAI-PMH",
            " [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>`",
        )],
    );
}

#[test]
fn an_envelope_that_contradicts_itself_costs_the_page() {
    let inside = "an error element stands inside the answer";
    for (page, detail) in [
        (&page!("error-inside-list")[..], inside),
        (page!("error-inside-record"), inside),
        (page!("error-inside-identify"), inside),
        (page!("error-beside-list"), "`ListRecords` stands beside the error `badResumptionToken`"),
        (page!("no-answer"), "there is neither an answer nor an error"),
        (page!("two-answers"), "`ListIdentifiers` is a second answer"),
        (page!("no-record"), "GetRecord holds no record"),
        (page!("record-without-identifier"), "the record has no identifier"),
        (page!("token-outside-list"), "the resumptionToken stands outside of the list"),
    ] {
        match parse_document(page) {
            Err(ParseError::Envelope { detail: found, .. }) => assert_eq!(found, detail),
            other => panic!("{other:?}, not {detail}"),
        }
    }
}

#[test]
fn a_document_that_is_cut_says_where() {
    let page = page!("truncated");
    let expected = ParseError::Truncated { offset: page.len(), inside: "title".to_owned() };
    assert_eq!(parse_document(page), Err(expected));
}

#[test]
fn a_document_that_is_not_well_formed_says_where() {
    let page = page!("mismatched-end");
    let place = page.windows(9).position(|window| window == b"</record>").unwrap();
    match parse_document(page) {
        Err(ParseError::Malformed { offset, detail }) => {
            assert_eq!(offset, place, "{detail}");
            assert!(detail.starts_with("ill-formed"), "{detail}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn another_charset_is_refused_where_there_is_no_answer_to_say_which() {
    let page = page!("latin-1");
    let offset = page.iter().position(|byte| *byte == 0xFC).unwrap();
    assert_eq!(parse_document(page), Err(ParseError::NotUtf8 { offset }));
}

/// The account of a page of one record with this title.
fn titled(title: &str, complaint: &str) -> Vec<String> {
    let mut lines = vec![
        "ListRecords".to_owned(),
        "+ `oai:example.org:1` 2024-05-01".to_owned(),
        format!("  <m xmlns=\"urn:m\">{title}</m>"),
    ];
    if !complaint.is_empty() {
        lines.push(complaint.to_owned());
    }
    lines
}

fn check_title(content_type: &str, page: &[u8], title: &str, complaint: &str) {
    let lines = titled(title, complaint);
    check_answer(content_type, page, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn utf_16_is_read_in_either_order_with_or_without_its_mark() {
    let expected = |complaint| {
        [
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m xmlns=\"urn:m\">Zürich – Łódź 😀</m>",
            "token `ü`",
            complaint,
        ]
    };
    let little = "! charset `declared UTF-16, read as UTF-16LE`";
    check_answer("text/xml", page!("utf-16-le"), &expected(little));
    let big = "! charset `declared utf-16, Content-Type UTF-16, read as UTF-16BE`";
    check_answer("text/xml; charset=UTF-16", page!("utf-16-be"), &expected(big));
    let unmarked = "! charset-conflict `declared UTF-16LE, Content-Type utf-8, read as UTF-16LE`";
    check_answer("text/xml; charset=utf-8", page!("utf-16-without-mark"), &expected(unmarked));
}

#[test]
fn half_a_pair_of_utf_16_costs_a_character() {
    check_answer(
        "text/xml",
        page!("utf-16-half-a-pair"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m xmlns=\"urn:m\">half \u{FFFD} a pair</m>",
            "! charset `declared UTF-16, read as UTF-16LE`",
            "! bad-bytes `1, the first in UTF-16LE, of oai:example.org:1`",
        ],
    );
}

#[test]
fn a_charset_that_is_labelled_is_read() {
    let error = "error `noRecordsMatch`: `nichts für Sie`";
    let complaint = "! charset `declared ISO-8859-1, read as windows-1252`";
    check_answer("text/xml", page!("latin-1"), &[error, complaint]);
    check_title(
        "text/xml; charset=\"Windows-1252\"",
        page!("windows-1252"),
        "“Miller’s” œuvre – 5 €",
        "! charset `declared windows-1252, Content-Type Windows-1252, read as windows-1252`",
    );
    check_title(
        "text/xml",
        page!("windows-1252-declared-latin-1"),
        "Miller’s café",
        "! charset `declared ISO-8859-1, read as windows-1252`",
    );
    check_title(
        "text/xml",
        page!("windows-1251"),
        "Карта",
        "! charset `declared windows-1251, read as windows-1251`",
    );
}

#[test]
fn where_labels_and_bytes_disagree_the_bytes_are_believed() {
    // The header says Latin-1 by default, and nobody means it.
    check_answer(
        "application/xml;charset=iso-8859-1",
        page!("replacement-character-meant"),
        &[
            "ListRecords",
            "+ `oai:example.org:1\u{FFFD}` 2024-05-01",
            "  <m xmlns=\"urn:m\">plain</m>",
            "token `\u{FFFD}`",
            "! charset-conflict `declared UTF-8, Content-Type iso-8859-1, read as UTF-8`",
        ],
    );
    check_title(
        "text/html",
        page!("utf-8-declared-latin-1"),
        "Zürich – Łódź",
        "! charset-conflict `declared ISO-8859-1, read as UTF-8`",
    );
    check_title(
        "text/xml; charset=utf-8",
        page!("utf-8-declared-utf-16"),
        "Zürich",
        "! charset-conflict `declared utf-16, Content-Type utf-8, read as UTF-8`",
    );
    check_answer(
        "text/xml; charset=utf-8",
        page!("latin-1"),
        &[
            "error `noRecordsMatch`: `nichts für Sie`",
            "! charset-conflict `declared ISO-8859-1, Content-Type utf-8, read as windows-1252`",
        ],
    );
    check_title(
        "text/xml",
        page!("unknown-charset"),
        "Zürich",
        "! charset `declared utf-8-mb4, read as UTF-8`",
    );
}

#[test]
fn bytes_that_are_no_characters_are_read_as_what_they_once_were() {
    check_answer(
        "text/xml",
        page!("bad-bytes"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m xmlns=\"urn:m\">Zürich – Łódź</m>",
            "+ `oai:example.org:2` 2024-05-02",
            "  <m xmlns=\"urn:m\">Café</m>",
            "+ `oai:example.org:3` 2024-05-03",
            "  <m xmlns=\"urn:m\">miller’s and \u{FFFD}</m>",
            "+ `oai:example.org:4` 2024-05-04",
            "  <m xmlns=\"urn:m\">cut in a dash \u{FFFD}</m>",
            "token `t`",
            "! bad-bytes `5, the first in <m xmlns=\"urn:m\">Caf\\xE9, of oai:example.org:2`",
        ],
    );
    // One bad byte does not make the rest Latin-1, whatever the label.
    check_answer(
        "text/xml",
        page!("bad-bytes-declared-latin-1"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m xmlns=\"urn:m\">Zürich – Łódź</m>",
            "+ `oai:example.org:2` 2024-05-02",
            "  <m xmlns=\"urn:m\">Café</m>",
            "! charset-conflict `declared ISO-8859-1, read as UTF-8`",
            "! bad-bytes `1, the first in <m xmlns=\"urn:m\">Caf\\xE9, of oai:example.org:2`",
        ],
    );
    check_answer(
        "text/xml",
        page!("bad-bytes-without-a-word"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m xmlns=\"urn:m\">plain</m>",
            "+ `oai:example.org:2` 2024-05-02",
            "  <m xmlns=\"urn:m\">café à Zürich</m>",
            "! bad-bytes `3, the first in <m xmlns=\"urn:m\">caf\\xE9, of oai:example.org:2`",
        ],
    );
}

#[test]
fn characters_that_xml_forbids_cost_themselves_and_nothing_behind_them() {
    check(
        page!("control-character"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m xmlns=\"urn:m\">form feed: \u{FFFD}</m>",
            "! control-character `1, the first U+000C after a><m xmlns=\"urn:m\">form feed: , of oai:example.org:1`",
        ],
    );
    check(
        page!("control-references"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m xmlns=\"urn:m\">plain</m>",
            "+ `oai:example.org:2` 2024-05-02",
            concat!(
                "  <m xmlns=\"urn:m\" a=\"\u{FFFD}\">A map of the old\u{FFFD}harbour, ",
                "bell\u{FFFD}tower\u{FFFD} \u{FFFD}<![CDATA[&#7;\u{FFFD}]]><!-- &#7; --></m>",
            ),
            "+ `oai:example.org:3` 2024-05-03",
            "  <m xmlns=\"urn:m\">plain</m>",
            "token `t4` offset 0 size 4",
            "! control-character `6, the first &#x1F; after <metadata><m xmlns=\"urn:m\" a=\", of oai:example.org:2`",
        ],
    );
}

#[test]
fn an_identifier_is_not_guessed_and_neither_is_a_token() {
    check(
        page!("control-character-in-identifier"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m xmlns=\"urn:m\">plain</m>",
            "unreadable 2",
            "! missing-identifier `oai:example.org:2\u{FFFD}`",
            "! control-character `2, the first &#1; after ><identifier>oai:example.org:2`",
            "! missing-identifier `oai:example.org:3\u{FFFD}`",
        ],
    );
    match parse_document(page!("control-character-in-token")) {
        Err(ParseError::Envelope { detail, .. }) => {
            assert_eq!(detail, "the resumptionToken holds a character that had to be replaced");
        }
        other => panic!("{other:?}"),
    }
    // What stands there as it is was not replaced by us.
    check(
        page!("replacement-character-meant"),
        &[
            "ListRecords",
            "+ `oai:example.org:1\u{FFFD}` 2024-05-01",
            "  <m xmlns=\"urn:m\">plain</m>",
            "token `\u{FFFD}`",
        ],
    );
}

#[test]
fn an_empty_token_beside_another_does_not_end_the_list() {
    for (page, found) in [
        (&page!("empty-token-before-another")[..], " and t"),
        (page!("empty-token-after-another"), "t and "),
    ] {
        check(
            page,
            &[
                "ListRecords",
                "+ `oai:example.org:1` 2024-05-01",
                "  <m xmlns=\"urn:m\">x</m>",
                "token `t` size 2",
                &format!("! several-tokens `{found}`"),
            ],
        );
    }
    check(
        page!("sets-with-two-tokens"),
        &["set `maps` `Maps` []", "token `t`", "! several-tokens `t and `"],
    );
}

#[test]
fn dates_are_read_leniently_with_a_complaint() {
    check(
        page!("datestamps"),
        &[
            "ListIdentifiers",
            "+ `oai:example.org:1` 2024-05-01T08:00:00Z",
            "+ `oai:example.org:2` 2024-05-01T08:00:00Z",
            "+ `oai:example.org:3` 2024-05-01",
            "+ `oai:example.org:4` 2024-05-01T08:00:00Z",
            "+ `oai:example.org:5` undated",
            "+ `oai:example.org:6` undated",
            "! response-date `2024-06-01T12:00:00.000+02:00`",
            "! datestamp `2024-05-01T08:00:00.123Z`",
            "! datestamp `2024-05-01T10:00:00+02:00`",
            "! datestamp `2024-05-01T08:00:00`",
            "! datestamp `May 2024`",
            "! datestamp `oai:example.org:6: no datestamp`",
        ],
    );
}

#[test]
fn a_wrong_namespace_is_survived() {
    check(
        page!("wrong-namespace"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            M,
            "token `t`",
            "! wrong-namespace `https://www.openarchives.org/OAI/2.0/`",
        ],
    );
    check(
        page!("namespace-undeclared-half-way"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m>no namespace</m>",
            "! wrong-namespace `record`",
            "! unknown-element `x:record`",
        ],
    );
}

#[test]
fn a_wrong_namespace_is_complained_of_once_and_its_right_parts_are_read() {
    check(
        page!("mixed-namespaces"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            M,
            "+ `oai:example.org:2` 2024-05-02",
            M,
            "! wrong-namespace `http://www.openarchives.org/OAI/2.0`",
        ],
    );
    // Attributes of other namespaces are no arguments.
    let request = parse_document(page!("mixed-namespaces")).unwrap().document.request;
    assert_eq!(request.arguments, [("verb".to_owned(), "ListRecords".to_owned())]);
}

#[test]
fn missing_formalities_are_survived() {
    check(
        page!("nothing-but-an-answer"),
        &[
            "response date None",
            "ListIdentifiers",
            "+ `oai:example.org:1` 2024-05-01",
            "! response-date `responseDate is missing`",
            "! request `request is missing`",
        ],
    );
}

#[test]
fn line_ends_are_normalised_in_the_envelope_only() {
    check(
        page!("line-ends"),
        &[
            "ListRecords",
            "+ `oai:example.org:1` 2024-05-01",
            "  <m xmlns=\"urn:m\">a\r",
            "b</m>",
            "token `a",
            "b`",
        ],
    );
}

#[test]
fn every_file_of_the_corpus_is_read_by_a_test() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pages");
    for entry in std::fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let stem = name.strip_suffix(".xml").expect("a page is an .xml file");
        assert!(
            include_str!("pages.rs").contains(&format!("page!(\"{stem}\")")),
            "no test reads {name}"
        );
    }
}
