//! What is rendered is read back as it was, and without a complaint.
//!
//! A misreading that reader and renderer share passes here; `pages.rs` is what finds it.

mod support;

use pmh_protocol::{
    Body, Datestamp, DeletedRecords, Document, Echo, ErrorCode, Granularity, Header, Identify,
    Item, MetadataFormat, OaiError, Page, Record, ResumptionToken, Set, Stamp, Tombstone, Verb,
    parse_document, render_document,
};
use support::Dice;

/// Draws documents.
struct Draw(Dice);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    fn number(&mut self, bound: usize) -> u64 {
        u64::try_from(self.below(bound)).expect("31 bits fit")
    }

    fn chance(&mut self) -> bool {
        self.below(2) == 0
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.chance().then(|| make(self))
    }

    fn several<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| make(self)).collect()
    }

    /// Text with everything in it that XML gives a meaning, but no white space around it: that is not kept.
    fn text(&mut self) -> String {
        const PIECES: [&str; 16] = [
            "&",
            "<",
            ">",
            "\"",
            "'",
            "]]>",
            "a",
            "ü",
            "😀",
            "\u{A0}",
            "&amp;",
            "&#65;",
            "%20",
            "+",
            "<!--",
            "</request>",
        ];
        const INNER: [&str; 5] = [" ", "\t", "\r", "\n", "\r\n"];
        let mut text = "x".to_owned();
        for _ in 0..self.below(8) {
            if self.chance() {
                text.push_str(INNER[self.below(INNER.len())]);
            }
            text.push_str(PIECES[self.below(PIECES.len())]);
        }
        text
    }

    fn stamp(&mut self) -> Stamp {
        Stamp::from_seconds(i64::try_from(self.below(2_000_000_000)).expect("31 bits fit"))
    }

    fn granularity(&mut self) -> Granularity {
        if self.chance() { Granularity::Day } else { Granularity::Second }
    }

    fn datestamp(&mut self) -> Datestamp {
        Datestamp::new(self.stamp(), self.granularity())
    }

    fn fragment(&mut self) -> String {
        const FRAGMENTS: [&str; 4] = [
            "<m xmlns=\"urn:m\"/>",
            "<a:b xmlns:a='urn:a' a:c=\"&lt;\">\r\n<c xmlns=\"\"><![CDATA[</m>]]></c>&#13;</a:b>",
            "<m xmlns='urn:m'><record><header/></record><resumptionToken>t</resumptionToken></m>",
            "<m xmlns='urn:m' ><!-- - --><?x y?>text</m >",
        ];
        FRAGMENTS[self.below(FRAGMENTS.len())].to_owned()
    }

    fn token(&mut self) -> ResumptionToken {
        ResumptionToken {
            value: self.maybe(Self::text).unwrap_or_default(),
            announced_offset: self.maybe(|draw| draw.number(1000)),
            announced_size: self.maybe(|draw| draw.number(1000) + 1),
            expires: self.maybe(Self::stamp),
        }
    }

    fn item(&mut self, has_payload: bool) -> Item {
        let header = Header {
            identifier: self.text(),
            datestamp: Some(self.datestamp()),
            sets: self.several(3, Self::text),
        };
        if self.below(4) == 0 {
            return Item::Tombstone(Tombstone { header });
        }
        let payload = has_payload.then(|| self.fragment());
        let abouts = if has_payload { self.several(2, Self::fragment) } else { Vec::new() };
        Item::Record(Record { header, payload, abouts })
    }

    fn list(&mut self, verb: Verb) -> Body {
        let items = self.several(5, |draw| draw.item(verb == Verb::ListRecords));
        Body::List(Page { verb, items, token: self.maybe(Self::token) })
    }

    fn body(&mut self) -> Body {
        match self.below(7) {
            0 => {
                let mut errors =
                    self.several(2, |draw| OaiError::new(ErrorCode::BadArgument, draw.text()));
                errors.push(OaiError::new(ErrorCode::BadVerb, ""));
                Body::Errors(errors)
            }
            1 => Body::Identify(Box::new(Identify {
                repository_name: self.text(),
                base_url: self.text(),
                protocol_version: "2.0".into(),
                admin_emails: vec![self.text()],
                earliest_datestamp: Some(self.datestamp()),
                deleted_records: Some(DeletedRecords::Persistent),
                granularity: Some(self.granularity()),
                compressions: self.several(2, Self::text),
                descriptions: self.several(2, Self::fragment),
            })),
            2 => Body::Formats(self.several(3, |draw| MetadataFormat {
                prefix: draw.text(),
                schema: draw.text(),
                namespace: draw.text(),
            })),
            3 => Body::Sets {
                sets: self.several(3, |draw| Set {
                    spec: draw.text(),
                    name: draw.text(),
                    descriptions: draw.several(2, Self::fragment),
                }),
                token: self.maybe(Self::token),
            },
            4 => self.list(Verb::ListIdentifiers),
            5 => self.list(Verb::ListRecords),
            _ => Body::Record(Box::new(self.item(true))),
        }
    }

    fn document(&mut self) -> Document {
        let body = self.body();
        // The renderer repeats no arguments on badVerb and badArgument.
        let arguments = if matches!(body, Body::Errors(_)) {
            Vec::new()
        } else {
            vec![("verb".to_owned(), self.text()), ("resumptionToken".to_owned(), self.text())]
        };
        let request = Echo { base_url: self.text(), arguments };
        Document { response_date: Some(self.stamp()), request, body }
    }
}

#[test]
fn every_document_is_read_back_as_it_was() {
    for seed in 0..2000 {
        let document = Draw(Dice(seed)).document();
        let rendered = render_document(&document);
        let parsed = parse_document(rendered.as_bytes())
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{rendered}"));
        assert_eq!(parsed.document, document, "seed {seed}\n{rendered}");
        assert_eq!(parsed.complaints, [], "seed {seed}\n{rendered}");
        assert_eq!(parsed.unreadable, 0);
        assert_eq!(render_document(&parsed.document), rendered, "seed {seed}");
    }
}
