//! The fixed workload: oai_dc records of some 1,700 bytes on the wire, one in twenty deleted, the same on every run.

use std::fmt::Write as _;

use pmh_protocol::{Body, Item, parse_document};

/// What the harvester is told the repository is.
pub(crate) const PREFIX: &str = "oai_dc";
/// The moment of every answer.
const RESPONSE_DATE: &str = "2024-06-01T00:00:00Z";
/// One record in so many is a tombstone.
const DELETED_EVERY: u64 = 20;
/// Words of one description; they give a record its size.
const DESCRIPTION_WORDS: u64 = 115;

const WORDS: [&str; 40] = [
    "archive",
    "northern",
    "river",
    "survey",
    "letters",
    "measurement",
    "coastal",
    "history",
    "on",
    "the",
    "of",
    "and",
    "climate",
    "manuscript",
    "edition",
    "collected",
    "notes",
    "field",
    "observations",
    "volume",
    "sediment",
    "dialect",
    "phonology",
    "in",
    "a",
    "with",
    "supplement",
    "early",
    "modern",
    "trade",
    "routes",
    "between",
    "harbour",
    "towns",
    "botanical",
    "drawings",
    "from",
    "second",
    "expedition",
    "papers",
];

/// Which edition of the records: another one has other content under the same identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edition {
    First,
    Second,
}

/// A list of `records` records in pages of `page_size`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corpus {
    pub(crate) records: u64,
    pub(crate) page_size: u64,
}

impl Corpus {
    pub(crate) const fn pages(&self) -> u64 {
        self.records.div_ceil(self.page_size)
    }

    /// Page `number`, from 1, as a whole document.
    pub(crate) fn page(&self, number: u64, edition: Edition) -> String {
        let first = (number - 1) * self.page_size;
        let end = (first + self.page_size).min(self.records);
        let mut page = envelope("ListRecords");
        page.push_str("<ListRecords>\n");
        for record in first..end {
            push_record(&mut page, record, edition);
        }
        let token = if number < self.pages() { token(number + 1) } else { String::new() };
        let size = self.records;
        writeln!(
            page,
            "<resumptionToken completeListSize=\"{size}\" cursor=\"{first}\">{token}</resumptionToken>",
        )
        .expect("a string takes every text");
        page.push_str("</ListRecords>\n</OAI-PMH>\n");
        page
    }

    /// The entries of page `number` as the reader gives them.
    pub(crate) fn items(&self, number: u64, edition: Edition) -> Vec<Item> {
        let parsed = parse_document(self.page(number, edition).as_bytes());
        match parsed.expect("the corpus is well-formed").document.body {
            Body::List(page) => page.items,
            other => unreachable!("expected a list, found {other:?}"),
        }
    }
}

/// The token that asks for page `number`.
pub(crate) fn token(number: u64) -> String {
    format!("page-{number}")
}

pub(crate) fn identify(base_url: &str) -> String {
    let mut page = envelope("Identify");
    write!(
        page,
        "<Identify><repositoryName>Bench</repositoryName><baseURL>{base_url}</baseURL>\
         <protocolVersion>2.0</protocolVersion><adminEmail>bench@repository.example</adminEmail>\
         <earliestDatestamp>2020-01-01T00:00:00Z</earliestDatestamp>\
         <deletedRecord>persistent</deletedRecord>\
         <granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>\n</OAI-PMH>\n",
    )
    .expect("a string takes every text");
    page
}

fn envelope(verb: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/ \
         http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\">\n\
         <responseDate>{RESPONSE_DATE}</responseDate>\n\
         <request verb=\"{verb}\" metadataPrefix=\"{PREFIX}\">http://repository.example/oai</request>\n"
    )
}

fn push_record(page: &mut String, number: u64, edition: Edition) {
    let mut chance = Chance(number);
    let day = 1 + number % 28;
    let header = format!(
        "<identifier>oai:repository.example:{number:09}</identifier>\
         <datestamp>2023-{:02}-{day:02}T12:00:00Z</datestamp><setSpec>set{}</setSpec>",
        1 + number % 12,
        number % 7,
    );
    if number % DELETED_EVERY == DELETED_EVERY - 1 {
        page.push_str("<record><header status=\"deleted\">");
        page.push_str(&header);
        page.push_str("</header></record>\n");
        return;
    }
    page.push_str("<record><header>");
    page.push_str(&header);
    page.push_str("</header>\n<metadata><oai_dc:dc ");
    page.push_str("xmlns:oai_dc=\"http://www.openarchives.org/OAI/2.0/oai_dc/\" ");
    page.push_str("xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xsi:schemaLocation=\"");
    page.push_str("http://www.openarchives.org/OAI/2.0/oai_dc/ ");
    page.push_str("http://www.openarchives.org/OAI/2.0/oai_dc.xsd\">\n");
    let edition = match edition {
        Edition::First => "1",
        Edition::Second => "2",
    };
    let title = chance.words(9);
    push_element(page, "title", &title);
    for _ in 0..3 {
        push_element(page, "creator", &chance.words(2));
    }
    push_element(page, "subject", &chance.words(3));
    push_element(page, "description", &chance.words(DESCRIPTION_WORDS));
    push_element(page, "publisher", "Repository &amp; Example");
    push_element(page, "date", &format!("{}", 1900 + number % 120));
    push_element(page, "type", "info:eu-repo/semantics/article");
    push_element(page, "identifier", &format!("https://repository.example/{number}/{edition}"));
    push_element(page, "language", "eng");
    page.push_str("</oai_dc:dc></metadata></record>\n");
}

fn push_element(page: &mut String, name: &str, text: &str) {
    writeln!(page, "<dc:{name}>{text}</dc:{name}>").expect("a string takes every text");
}

/// The next number of a sequence that is the same everywhere (SplitMix64).
struct Chance(u64);

impl Chance {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn words(&mut self, count: u64) -> String {
        let mut text = String::new();
        for place in 0..count {
            if place > 0 {
                text.push(' ');
            }
            let word = usize::try_from(self.next() % WORDS.len() as u64).unwrap_or_default();
            text.push_str(WORDS[word]);
        }
        text
    }
}
