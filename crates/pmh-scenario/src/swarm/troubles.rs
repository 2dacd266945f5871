//! What may go wrong in a world that nobody has written: only what a harvester can notice, or need not; and only what
//! the journal knows to have arrived or not, which it does not of a document that some readers can repair.

use toml::{Table, Value};

use super::{number, table};

/// One kind of fault.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// What happens, in words.
    pub name: &'static str,
    /// What `do` holds, as TOML on one line.
    effect: &'static str,
    /// The first page where it can show, and be noticed; from 1.
    pub first_page: u64,
    /// Whether only the announced size gives it away.
    pub is_lie: bool,
    /// Whether it is only played a few times: for ever, nobody comes to an end, or the shipped harvester to a wrong one.
    pub is_passing: bool,
    /// Whether the run that meets it once need not be complete: nobody else does in it what he should have done.
    pub is_costly: bool,
}

impl Trouble {
    const fn new(name: &'static str, effect: &'static str) -> Self {
        Self { name, effect, first_page: 1, is_lie: false, is_passing: false, is_costly: false }
    }

    const fn begins_at(self, first_page: u64) -> Self {
        Self { first_page, ..self }
    }

    const fn lie(self) -> Self {
        Self { is_lie: true, ..self }
    }

    const fn passing(self) -> Self {
        Self { is_passing: true, ..self }
    }

    const fn costly(self) -> Self {
        Self { is_costly: true, ..self }
    }

    /// Whether it is about how bytes travel: no two such faults may be due at one exchange.
    #[must_use]
    pub fn is_wire(&self) -> bool {
        self.effect.starts_with("{ wire")
    }

    /// Whether it says when to come again: whoever does not get to read that cannot keep to it.
    #[must_use]
    pub fn asks_for_patience(&self) -> bool {
        self.effect.contains("retry-after")
    }

    /// Whether it writes a token in another way: where a list lives in a session, its one token is all that shows it.
    #[must_use]
    pub fn hides_session(&self) -> bool {
        self.effect.contains("long =") || self.effect.contains("swap-case")
    }

    /// The table of a fault: the `number`th of its file.
    #[must_use]
    pub fn fault(&self, number_in_file: u64, mut when: Table, times: Option<u64>) -> Table {
        if self.is_lie && self.first_page > 1 {
            // Told in answer to an opening request it would be believed, whoever listens.
            let follow_up = table([("query-regex", "resumptionToken=".into())]);
            when.insert("match".to_owned(), follow_up.into());
        }
        let effect: Table =
            format!("do = {}", self.effect).parse().expect("the list below is TOML");
        let name = format!("{number_in_file}: {}", self.name);
        let mut fault = table([("name", name.into()), ("when", when.into())]);
        fault.extend(effect);
        if let Some(times) = times {
            fault.insert("times".to_owned(), number(times));
        }
        fault.insert("optional".to_owned(), Value::Boolean(true));
        fault
    }
}

/// Every kind there is for worlds by number and for the sweep of faults.
#[must_use]
pub fn troubles() -> Vec<Trouble> {
    vec![
        Trouble::new("the body is cut", "{ wire = { cut-at = { share = 0.5 } } }"),
        Trouble::new("the connection is reset", "{ wire = { reset-at = { share = 0.7 } } }"),
        Trouble::new("the body stalls", "{ wire = { stall-at = { share = 0.2 } } }"),
        Trouble::new("the body dribbles", "{ wire = { dribble = 3 } }"),
        Trouble::new("more is announced than sent", "{ wire = { length = { too-big = 50 } } }"),
        Trouble::new("less is announced than sent", "{ wire = { length = { too-small = 50 } } }"),
        Trouble::new("no length is announced", "{ wire = { length = \"absent\" } }"),
        Trouble::new("the last chunk is missing", "{ wire = \"chunked-without-end\" }"),
        Trouble::new("gzip is cut", "{ wire = { gzip = \"cut\" } }"),
        Trouble::new("gzip is declared and is none", "{ wire = { gzip = \"declared-only\" } }"),
        Trouble::new("the connection is refused", "{ wire = \"refuse\" }"),
        Trouble::new("nothing comes", "{ wire = \"silence\" }"),
        Trouble::new("gzip is not declared", "{ wire = { gzip = \"undeclared\" } }"),
        Trouble::new("gzip is twice there", "{ wire = { gzip = \"double\" } }"),
        Trouble::new("something else than HTTP comes", "{ wire = { replace = \"hello\" } }"),
        Trouble::new("the server fails", "{ http = { status = 500 } }"),
        Trouble::new("the server is busy", "{ http = { status = 503, retry-after = \"7s\" } }"),
        Trouble::new("the server is unavailable", "{ http = { status = 503 } }"),
        Trouble::new("too many requests", "{ http = { status = 429, retry-after = \"3s\" } }"),
        Trouble::new(
            "the server is busy until a date",
            "{ http = { status = 503, retry-after-date = \"2m\" } }",
        ),
        Trouble::new(
            "the document has status 500",
            "{ http = { status = 500, body = \"document\" } }",
        ),
        Trouble::new("the type is another", "{ http = { content-type = \"text/html\" } }"),
        Trouble::new(
            "the charset is another",
            "{ http = { content-type = \"text/xml; charset=iso-8859-1\" } }",
        ),
        Trouble::new(
            "a field comes twice",
            "{ http = { headers = [[\"server\", \"a\"], [\"server\", \"b\"]] } }",
        ),
        Trouble::new("nothing is found", "{ http = { status = 404 } }").costly(),
        Trouble::new("access is denied", "{ http = { status = 403 } }").costly(),
        Trouble::new("a page for people comes", "{ http = { body = \"html\" } }"),
        Trouble::new("an empty body comes", "{ http = { body = \"empty\" } }"),
        Trouble::new(
            "the document is accepted only",
            "{ http = { status = 202, body = \"empty\" } }",
        ),
        Trouble::new(
            "the page has moved",
            "{ http = { status = 302, location = \"{base-url}?{query}\" } }",
        ),
        Trouble::new(
            "the page has moved and loses its arguments",
            "{ http = { status = 302, location = \"{base-url}\" } }",
        ),
        Trouble::new("the document ends early", "{ xml = { truncate = { share = 0.6 } } }"),
        Trouble::new("a warning stands before the document", "{ xml = \"junk-before\" }"),
        Trouble::new("a warning stands after the document", "{ xml = \"junk-after\" }"),
        Trouble::new("the document is UTF-16", "{ xml = \"utf16\" }"),
        Trouble::new("a byte order mark comes first", "{ xml = \"bom\" }"),
        Trouble::new("the namespace is wrong", "{ xml = \"wrong-namespace\" }"),
        Trouble::new("the namespace is missing", "{ xml = \"no-namespace\" }"),
        Trouble::new("the envelope has prefixes", "{ xml = \"prefixes\" }"),
        Trouble::new("namespaces stand on the root", "{ xml = \"namespaces-on-root\" }"),
        Trouble::new("the token changes its case", "{ token = \"swap-case\" }"),
        Trouble::new("a character is none of XML", "{ xml = { control-char = 1 } }"),
        Trouble::new("bytes are none of UTF-8", "{ xml = { bad-utf8 = 1 } }"),
        Trouble::new("an entity is not declared", "{ xml = { undefined-entity = 1 } }"),
        Trouble::new("an ampersand stands alone", "{ xml = { bare-ampersand = 1 } }"),
        Trouble::new("metadata is text", "{ xml = { cdata = 1 } }"),
        Trouble::new(
            "a declaration stands in a record",
            "{ xml = { declaration-inside-metadata = 1 } }",
        ),
        Trouble::new("the token has died", "{ token = \"expire\" }").begins_at(2),
        Trouble::new("the token comes again", "{ token = \"same\" }").begins_at(2),
        Trouble::new("the token leads to page 1", "{ token = { rewind-to = 1 } }")
            .begins_at(2)
            .costly(),
        Trouble::new("the token of page 1 comes again", "{ token = { wrap-to = 1 } }")
            .begins_at(2)
            .costly(),
        Trouble::new("two empty pages come first", "{ token = { empty-pages = 2 } }").begins_at(2),
        Trouble::new("the token is missing", "{ token = \"drop\" }").begins_at(2).lie().costly(),
        Trouble::new("a page is left out", "{ token = { skip = 1 } }").lie().costly(),
        Trouble::new("the list goes on after its end", "{ token = { after-end = \"empty\" } }"),
        Trouble::new(
            "an error comes after the end",
            "{ token = { after-end = \"no-records-match\" } }",
        ),
        Trouble::new(
            "a dead token comes at the end",
            "{ token = { after-end = \"bad-resumption-token\" } }",
        ),
        Trouble::new("the token is long", "{ token = { long = 3000 } }"),
        Trouble::new(
            "the token is refused",
            "{ oai = { errors = { codes = [\"badResumptionToken\"] } } }",
        )
        .begins_at(2),
        Trouble::new(
            "the token is refused with status 404",
            "{ oai = { errors = { codes = [\"badResumptionToken\"], status = 404 } } }",
        )
        .begins_at(2),
        Trouble::new(
            "the token is refused beside its page",
            "{ oai = { errors = { codes = [\"badResumptionToken\"], place = \"inside\" } } }",
        )
        .begins_at(2),
        Trouble::new(
            "the request is called bad",
            "{ oai = { errors = { codes = [\"badArgument\"] } } }",
        )
        .costly(),
        Trouble::new(
            "nothing is said to match",
            "{ oai = { errors = { codes = [\"noRecordsMatch\"] } } }",
        )
        .begins_at(2)
        .lie()
        .passing()
        .costly(),
        Trouble::new("another document comes", "{ oai = { document = \"identify\" } }"),
        Trouble::new("an entry stands there twice", "{ oai = { repeat = 1 } }"),
        Trouble::new("an entry has no identifier", "{ oai = { no-identifier = 1 } }")
            .passing()
            .costly(),
        // For ever, it is a list without an end: the repository grows faster than anybody reads.
        Trouble::new("two records are added", "{ repo = { add = 2 } }").passing(),
        Trouble::new("a record is edited", "{ repo = { touch = [1] } }"),
        // Where deletions leave no trace, it makes the list shorter than announced.
        Trouble::new("a record is withdrawn", "{ repo = { delete = [1] } }").costly(),
        Trouble::new("a new program is installed", "{ repo = { deploy = { page-size = 3 } } }"),
        Trouble::new("the answer takes long", "{ time = { delay = \"40s\" } }"),
    ]
}
