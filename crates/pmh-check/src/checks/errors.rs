//! Error conditions: which code answers which fault, and how errors are written.

use pmh_protocol::{Method, Verb};

use super::probe::{BAD_ARGUMENT, BAD_VERB, Codes, expect_error, expect_errors};
use crate::ask::Ask;
use crate::bench::{Bench, Stop};
use crate::check::Check;
use crate::finding::Found;
use crate::syntax::moved;

pub(super) const CHECKS: &[Check] = &[
    Check::must(
        "errors.bad-verb-missing",
        "A request without a verb is answered with badVerb",
        &[63, 165],
        |bench| expect_errors(bench, [Ask::raw(""), Ask::raw("foo=bar")], BAD_VERB),
    ),
    Check::must(
        "errors.bad-verb-unknown",
        "A verb that does not exist, or is empty, is answered with badVerb",
        &[165],
        |bench| expect_errors(bench, [Ask::raw("verb=NoSuchVerb"), Ask::raw("verb=")], BAD_VERB),
    ),
    Check::must(
        "errors.bad-verb-case",
        "A verb in other letters is answered with badVerb",
        &[165],
        |bench| expect_errors(bench, [Ask::raw("verb=identify")], BAD_VERB),
    ),
    Check::must(
        "errors.bad-verb-repeated",
        "A verb that is there twice is answered with badVerb",
        &[165],
        |bench| {
            let asks = ["verb=Identify&verb=Identify", "verb=Identify&verb=ListSets"];
            expect_errors(bench, asks.map(Ask::raw), BAD_VERB)
        },
    ),
    Check::must(
        "errors.unknown-argument",
        "An argument that the protocol does not know is answered with badArgument, under each verb",
        &[64, 166, 188],
        unknown_argument,
    ),
    Check::must(
        "errors.foreign-argument",
        "An argument that belongs to other verbs is answered with badArgument",
        &[170, 205, 213],
        foreign_argument,
    ),
    Check::must(
        "errors.missing-argument",
        "A required argument that is missing is answered with badArgument",
        &[167, 179, 182, 201, 210],
        missing_argument,
    ),
    Check::must(
        "errors.repeated-argument",
        "An argument that is there twice is answered with badArgument",
        &[168],
        repeated_argument,
    ),
    Check::must(
        "errors.cannot-disseminate",
        "A format that the repository does not have is answered with cannotDisseminateFormat",
        &[172],
        cannot_disseminate,
    ),
    Check::should(
        "errors.known-format-empty-selection",
        "A known format without records in the selection is answered with noRecordsMatch",
        &[173],
        known_format_empty_selection,
    ),
    Check::must(
        "errors.id-unknown",
        "An identifier that names nothing is answered with idDoesNotExist",
        &[174, 209],
        id_unknown,
    ),
    Check::must(
        "errors.id-malformed",
        "An identifier that is no URI is answered with badArgument or idDoesNotExist",
        &[169, 174],
        id_malformed,
    ),
    Check::must(
        "errors.no-records-match",
        "An empty selection is answered with noRecordsMatch",
        &[57, 176],
        no_records_match,
    ),
    Check::info(
        "errors.no-metadata-formats",
        "What is answered when a deleted item is asked for its formats",
        &[175],
        no_metadata_formats,
    ),
    Check::must(
        "errors.code-known",
        "Each error has one of the eight codes",
        &[162, 163],
        code_known,
    )
    .last(),
    Check::must(
        "errors.code-fits-verb",
        "No error has a code that its verb cannot have",
        &[163],
        code_fits_verb,
    )
    .last(),
    Check::guideline("errors.text", "Each error says in words what is wrong", &[164, 233], text)
        .last(),
    Check::guideline(
        "errors.multiple",
        "Two faults in one request are both reported",
        &[161, 233],
        multiple,
    ),
];

fn unknown_argument(bench: &Bench<'_>) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let identifier = identifier(bench)?;
    let unknown = ("foo", "bar");
    let asks = [
        Ask::of(&[("verb", "Identify"), unknown]),
        Ask::of(&[("verb", "ListMetadataFormats"), unknown]),
        Ask::of(&[("verb", "ListSets"), unknown]),
        Ask::list(Verb::ListIdentifiers, prefix, &[unknown]),
        Ask::list(Verb::ListRecords, prefix, &[unknown]),
        Ask::of(&[
            ("verb", "GetRecord"),
            ("identifier", &identifier),
            ("metadataPrefix", prefix),
            unknown,
        ]),
    ];
    expect_errors(bench, asks, BAD_ARGUMENT)
}

fn foreign_argument(bench: &Bench<'_>) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let identifier = identifier(bench)?;
    let asks = [
        Ask::of(&[("verb", "Identify"), ("identifier", &identifier)]),
        Ask::of(&[("verb", "ListSets"), ("metadataPrefix", prefix)]),
        Ask::of(&[("verb", "ListMetadataFormats"), ("metadataPrefix", prefix)]),
        Ask::of(&[
            ("verb", "GetRecord"),
            ("identifier", &identifier),
            ("metadataPrefix", prefix),
            ("from", "2001-01-01"),
        ]),
    ];
    expect_errors(bench, asks, BAD_ARGUMENT)
}

fn missing_argument(bench: &Bench<'_>) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let identifier = identifier(bench)?;
    let asks = [
        Ask::of(&[("verb", "GetRecord"), ("metadataPrefix", prefix)]),
        Ask::of(&[("verb", "GetRecord"), ("identifier", &identifier)]),
        Ask::of(&[("verb", "GetRecord")]),
        Ask::of(&[("verb", "ListIdentifiers")]),
        Ask::of(&[("verb", "ListRecords")]),
    ];
    expect_errors(bench, asks, BAD_ARGUMENT)
}

fn repeated_argument(bench: &Bench<'_>) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let identifier = identifier(bench)?;
    let date = ("from", "2001-01-01");
    let asks = [
        Ask::list(Verb::ListRecords, prefix, &[("metadataPrefix", prefix)]),
        Ask::list(Verb::ListIdentifiers, prefix, &[date, date]),
        Ask::of(&[
            ("verb", "GetRecord"),
            ("identifier", &identifier),
            ("identifier", &identifier),
            ("metadataPrefix", prefix),
        ]),
    ];
    expect_errors(bench, asks, BAD_ARGUMENT)
}

fn cannot_disseminate(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut asks = vec![
        Ask::list(Verb::ListIdentifiers, NO_PREFIX, &[]),
        Ask::list(Verb::ListRecords, NO_PREFIX, &[]),
    ];
    match bench.live() {
        Ok(live) => asks.push(Ask::record(live.identifier(), NO_PREFIX)),
        Err(wait @ Stop::Wait(_)) => return Err(wait),
        Err(_) => {}
    }
    expect_errors(bench, asks, Codes::only(&["cannotDisseminateFormat"]))
}

/// A prefix that is well-formed and that nobody has.
const NO_PREFIX: &str = "no_such_prefix";

fn known_format_empty_selection(bench: &Bench<'_>) -> Result<Found, Stop> {
    let (_, formats) = bench.formats()?;
    let until = moved(bench.earliest()?, -400).to_string();
    let mut found = Found::default();
    for format in formats.iter().take(5) {
        let exchange =
            bench.get(Ask::list(Verb::ListIdentifiers, format.prefix, &[("until", &until)]))?;
        found.look();
        if exchange.has_error("cannotDisseminateFormat") {
            let expected =
                format!("noRecordsMatch: `{}` is a format of the repository", format.prefix);
            found.fail(exchange, exchange.container(), expected, exchange.describe());
        }
    }
    Ok(found)
}

/// An identifier of the repository's own kind that names nothing.
pub(super) fn unknown_identifier(bench: &Bench<'_>) -> Result<String, Stop> {
    Ok(format!("{}-no-such-item", identifier(bench)?))
}

/// A live identifier, or one that looks like it where there is none.
fn identifier(bench: &Bench<'_>) -> Result<String, Stop> {
    match bench.live() {
        Ok(live) => Ok(live.identifier().to_owned()),
        Err(wait @ Stop::Wait(_)) => Err(wait),
        Err(_) => Ok("oai:repository.example:1".to_owned()),
    }
}

fn id_unknown(bench: &Bench<'_>) -> Result<Found, Stop> {
    let unknown = unknown_identifier(bench)?;
    let asks = [
        Ask::record(&unknown, bench.prefix()?),
        Ask::of(&[("verb", "ListMetadataFormats"), ("identifier", &unknown)]),
    ];
    expect_errors(bench, asks, Codes::only(&["idDoesNotExist"]))
}

fn id_malformed(bench: &Bench<'_>) -> Result<Found, Stop> {
    let asks = [
        Ask::record("no uri at all", bench.prefix()?),
        Ask::of(&[("verb", "ListMetadataFormats"), ("identifier", "no uri at all")]),
    ];
    expect_errors(bench, asks, Codes::only(&["badArgument", "idDoesNotExist"]))
}

fn no_records_match(bench: &Bench<'_>) -> Result<Found, Stop> {
    let prefix = bench.prefix()?;
    let until = moved(bench.earliest()?, -1);
    if until.stamp.seconds() < -60_000_000_000 {
        return crate::bench::skip("nothing can be earlier than earliestDatestamp");
    }
    let until = until.to_string();
    let ask = |verb| Ask::list(verb, prefix, &[("until", &until)]);
    let asks = [ask(Verb::ListIdentifiers), ask(Verb::ListRecords)];
    expect_errors(bench, asks, Codes::only(&["noRecordsMatch"]))
}

fn no_metadata_formats(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let (_, gone) = bench.tombstones()?[0];
    let exchange = bench
        .get(Ask::of(&[("verb", "ListMetadataFormats"), ("identifier", gone.identifier())]))?;
    found.look();
    found.note(exchange, None, "formats, or an error", exchange.describe());
    Ok(found)
}

/// The codes, and the verbs that can have them; badArgument and badVerb are apart.
const CODES: &[(&str, &[Verb])] = &[
    ("badArgument", &Verb::ALL),
    ("badVerb", &[]),
    ("badResumptionToken", &[Verb::ListSets, Verb::ListIdentifiers, Verb::ListRecords]),
    ("cannotDisseminateFormat", &[Verb::GetRecord, Verb::ListIdentifiers, Verb::ListRecords]),
    ("idDoesNotExist", &[Verb::GetRecord, Verb::ListMetadataFormats]),
    ("noMetadataFormats", &[Verb::ListMetadataFormats]),
    ("noRecordsMatch", &[Verb::ListIdentifiers, Verb::ListRecords]),
    ("noSetHierarchy", &[Verb::ListSets, Verb::ListIdentifiers, Verb::ListRecords]),
];

fn code_known(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        for (error, code) in exchange.errors() {
            found.look();
            if !CODES.iter().any(|(known, _)| *known == code) {
                let expected = "one of the eight codes, in their letters";
                found.fail(exchange, Some(error), expected, format!("the code `{code}`"));
            }
        }
    }
    Ok(found)
}

fn code_fits_verb(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        // A body that is not read is told by a check of its own.
        let asked = exchange.ask.verb_asked().filter(|_| exchange.ask.method == Method::Get);
        for (error, code) in exchange.errors() {
            let Some((_, verbs)) = CODES.iter().find(|(known, _)| *known == code) else {
                continue;
            };
            found.look();
            if let Some(verb) = asked.filter(|verb| !verbs.contains(verb)) {
                let expected = format!("an error that {verb} can have");
                found.fail(exchange, Some(error), expected, format!("the code `{code}`"));
            }
        }
    }
    Ok(found)
}

fn text(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    for (exchange, _) in bench.documents() {
        for (error, code) in exchange.errors() {
            found.look();
            if error.trimmed().is_empty() {
                let expected = "a few words that help whoever reads them";
                found.note(exchange, Some(error), expected, format!("{code} without text"));
            }
        }
    }
    Ok(found)
}

fn multiple(bench: &Bench<'_>) -> Result<Found, Stop> {
    let mut found = Found::default();
    let ask = Ask::of(&[("verb", "ListRecords"), ("foo", "bar")]);
    expect_error(bench, &mut found, ask.clone(), BAD_ARGUMENT)?;
    let exchange = bench.get(ask)?;
    if exchange.errors().len() == 1 {
        let expected = "two errors: the argument `foo`, and the missing metadataPrefix";
        found.note(exchange, exchange.errors().first().map(|each| each.0), expected, "one");
    }
    Ok(found)
}
