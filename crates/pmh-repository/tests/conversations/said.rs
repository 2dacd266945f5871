//! What a document is made to say.

use pmh_protocol::{Body, parse_document};
use pmh_repository::{AskedRequest, Reply};
use pmh_scenario::{
    Change, DocumentOf, Effect, ErrorPlace, Fault, OaiEffect, OaiErrors, Script, When,
};

use crate::support::{repository, text};

/// The opening page of three records, the second of them deleted, with this effect.
fn said(verb: &str, effect: OaiEffect) -> Reply {
    let mut script = Script::plain(3, 9, 1);
    script.runs[0].before = vec![Change::Delete(vec![3])];
    script.faults = vec![Fault {
        name: "it".into(),
        when: When::default(),
        effect: Effect::Oai(effect),
        times: None,
        optional: false,
        line: 1,
    }];
    let query = format!("verb={verb}&metadataPrefix=oai_dc&from=2024-01-02T01:00:00Z");
    repository(script).answer(&AskedRequest::get(&query))
}

fn errors(codes: &[&str], place: ErrorPlace, status: u16) -> OaiEffect {
    OaiEffect::Errors(OaiErrors {
        codes: codes.iter().map(|code| (*code).to_owned()).collect(),
        text: "a < b".into(),
        place,
        status,
    })
}

#[test]
fn errors_stand_in_place_of_the_answer_with_any_code_and_status() {
    let effect = errors(&["badArgument", "madeUp"], ErrorPlace::Instead, 422);
    let reply = said("ListRecords", effect);
    assert_eq!((reply.status, reply.exchange.answer.error.as_deref()), (422, Some("badArgument")));
    let Body::Errors(errors) = parse_document(&reply.body).unwrap().document.body else {
        panic!("expected errors");
    };
    let found: Vec<(&str, &str)> =
        errors.iter().map(|error| (error.code.as_str(), error.text.as_str())).collect();
    assert_eq!(found, [("badArgument", "a < b"), ("madeUp", "a < b")]);
}

#[test]
fn errors_can_stand_inside_the_answer() {
    let text = text(said("ListRecords", errors(&["noRecordsMatch"], ErrorPlace::Inside, 200)));
    let expected = "<ListRecords>\n<error code=\"noRecordsMatch\">a &lt; b</error>\n<record>";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn the_document_can_be_that_of_another_verb() {
    for (of, expected) in [
        (DocumentOf::Identify, "<Identify>"),
        (DocumentOf::ListMetadataFormats, "<ListMetadataFormats>"),
        (DocumentOf::ListSets, "<ListSets>"),
        (DocumentOf::ListIdentifiers, "<ListIdentifiers>\n<header>"),
        (DocumentOf::ListRecords, "<ListRecords>\n<record>"),
    ] {
        let text = text(said("ListRecords", OaiEffect::Document(of)));
        assert!(text.contains(expected), "{of:?}: {text}");
    }
}

/// Whether the effect is played on a page of this verb, and how often these stand in it.
fn counts(verb: &str, effect: OaiEffect, expected: Option<[usize; 3]>) {
    let reply = said(verb, effect.clone());
    let fired = !reply.exchange.faults.is_empty();
    let text = text(reply);
    let found = ["<header", "<identifier>", "<oai_dc:dc"].map(|tag| text.matches(tag).count());
    assert_eq!(fired.then_some(found), expected, "{effect:?}: {text}");
}

#[test]
fn entries_can_lack_or_have_too_much_of_something() {
    // Two entries: a live record, then a deleted one.
    let records = "ListRecords";
    counts(records, OaiEffect::Repeat(1), Some([3, 3, 2]));
    counts(records, OaiEffect::Repeat(2), Some([4, 4, 2]));
    counts(records, OaiEffect::Repeat(3), None);
    counts(records, OaiEffect::NoHeader(1), Some([1, 1, 1]));
    counts(records, OaiEffect::NoIdentifier(2), Some([2, 1, 1]));
    counts(records, OaiEffect::NoMetadata(1), Some([2, 2, 0]));
    counts(records, OaiEffect::NoMetadata(2), None);
    counts(records, OaiEffect::TwoMetadata(1), Some([2, 2, 2]));
    counts(records, OaiEffect::Outsider, Some([3, 3, 2]));
    counts("ListIdentifiers", OaiEffect::NoIdentifier(1), Some([2, 1, 0]));
    counts("ListIdentifiers", OaiEffect::NoHeader(1), None);
    counts("ListIdentifiers", OaiEffect::WrappedHeaders, Some([2, 2, 0]));
    counts(records, OaiEffect::WrappedHeaders, None);
}

#[test]
fn an_outsider_is_the_first_record_that_was_not_selected() {
    let text = text(said("ListIdentifiers", OaiEffect::Outsider));
    assert!(text.contains("000001</identifier>"), "{text}");
}

#[test]
fn wrapped_headers_stand_in_records_and_call_their_datestamp_something_else() {
    let text = text(said("ListIdentifiers", OaiEffect::WrappedHeaders));
    assert_eq!(text.matches("<record><header").count(), 2, "{text}");
    assert_eq!(text.matches("</header></record>").count(), 2, "{text}");
    assert!(text.contains("<dateStamp>") && !text.contains("datestamp>"), "{text}");
}
