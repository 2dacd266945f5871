//! The kinds of failure that scenarios cite, by number and in our own words.

/// What each kind is seen as, from F001 on.
const NAMES: [&str; 175] = [
    "a token expires between two pages",
    "an empty token element closes the list",
    "a repository refuses the token it has just given",
    "a token holds characters that must be percent-encoded",
    "a list ends early although more exists",
    "a refused token comes with an HTTP error status",
    "the last page has no token element",
    "a page carries the token it was asked for with",
    "a token leads beyond a list of full pages",
    "empty pages with fresh tokens, without end",
    "cursor counts pages, or from one",
    "no size is announced",
    "the announced size changes between pages",
    "one constant token for a whole list",
    "an empty page in the middle of a list",
    "the selection is forgotten after the first page",
    "white space around a token",
    "the text of a token is percent-encoded already",
    "other arguments are sent beside a token",
    "a token works once",
    "the announced size is that of the whole repository",
    "attributes of a token are empty or no numbers",
    "fresh tokens, the same content",
    "tokens go on beyond the announced size",
    "tokens form a ring",
    "a token works only on one node or with its cookie",
    "the announced size counts what is left",
    "a token of several kilobytes",
    "asking a session again skips a page",
    "cursor stands still, falls or wraps around",
    "a repository wants metadataPrefix beside its token",
    "an unknown token begins the list again",
    "a token is missing now and there the next time",
    "the next token stands only in the request element",
    "a client reads meaning into a token",
    "one bad record makes its page fail for ever",
    "paging ends at a limit of the search engine",
    "a paged ListSets is read by half",
    "a live record without metadata",
    "a repository without sets",
    "a deletion shifts the offset past a record",
    "pages overlap",
    "one record in several sets",
    "source and copy drift apart slowly",
    "a record changes while it is listed",
    "set names with blanks, signs or other alphabets",
    "equal datestamps across the edge of a page",
    "ListIdentifiers and ListRecords disagree",
    "an index is half built",
    "no fixed order: doubles and holes with a right count",
    "ListSets is huge or slow",
    "a set that is gone looks like no news",
    "a wrong path or set brings everything",
    "an offset is wrong by a constant",
    "a set without its descendants",
    "records without the format are counted and left out",
    "records share an identifier, or bodies",
    "identifiers differ by case, or hold blanks",
    "ListIdentifiers wraps its headers",
    "earliestDatestamp is later than records",
    "seconds are sent to a repository of days",
    "until a day means its first second",
    "a record appears late under an old date",
    "datestamps with fractions of a second",
    "wide windows fail and narrow ones work",
    "local time is marked as UTC",
    "earliestDatestamp is missing or empty",
    "pages are not in order of date",
    "later changes of the same day are lost",
    "the checkpoint comes from the wrong clock",
    "a repository of seconds refuses days",
    "records outside the window",
    "declared and used granularity differ",
    "datestamps stay although records change",
    "granularities are mixed",
    "responseDate cannot be used",
    "until empties the list or kills its token",
    "every datestamp is the time of the request",
    "earliestDatestamp lies before all time",
    "a list is frozen, or lives",
    "a client sends a malformed date",
    "without dates the list is empty",
    "from lies ahead of the repository's clock",
    "a record is dated in the future",
    "deleted records vanish",
    "deletions are promised and not listed",
    "no tombstone in a list of one set",
    "withdrawn or embargoed records drop out",
    "GetRecord does not know a deleted record",
    "thousands are marked deleted by accident",
    "a source has lost its content",
    "deleted in one set and alive in another",
    "tombstones in a first harvest",
    "deletions are denied and listed all the same",
    "a deletion stands in the metadata only",
    "a record comes back after its deletion",
    "a copy keeps what was deleted",
    "a tombstone keeps its old date",
    "odd words of status, bare tombstones",
    "a deleted header with metadata",
    "now and then a 500, 502, 503 or 504",
    "no records match, with an HTTP error status",
    "the wrong error code",
    "a client takes no records for a failure",
    "HTML with status 200",
    "bad arguments are answered with HTML and an error status",
    "a run reports success while records were lost",
    "a listed record does not exist",
    "status 200 and no body",
    "an error code that is made up, empty or missing",
    "an error in the middle of a list",
    "no records match, in answer to a token",
    "a server is busy for good",
    "restricted records are taken out after paging",
    "an error beside data or a token",
    "several errors in one answer",
    "a redirect to https or another host",
    "the first byte takes a minute or more",
    "the connection is reset in the middle of a body",
    "a busy server names a time",
    "one huge page",
    "a certificate that cannot be verified",
    "Content-Type is not XML",
    "robots are turned away with 403",
    "the User-Agent of a library is refused",
    "heavy pages time out at a proxy",
    "robots are turned away with 200",
    "a body ends early and the connection cleanly",
    "a redirect loses the query",
    "406 because of Accept",
    "compression and header disagree",
    "a busy server names no time",
    "scheme or port are handled wrongly",
    "only listed addresses are let in",
    "a POST is redirected",
    "413 or 414 as a limit of the application",
    "Retry-After in every form",
    "redirects in a ring, or to a login",
    "an address that does not answer",
    "only GET works, or only POST",
    "characters that XML does not allow",
    "a document ends inside a record",
    "the charset is taken from the defaults of HTTP",
    "bytes that are not UTF-8",
    "bare ampersands and angle brackets",
    "prefixes are declared on ancestors",
    "an XML declaration inside metadata",
    "a prefix on OAI elements, or another namespace",
    "entities of HTML",
    "a header without a datestamp",
    "text before or behind the document",
    "a lenient parser drops the rest",
    "no declaration, and not UTF-8",
    "characters that are no characters",
    "elements that do not belong there",
    "two documents in one body",
    "a namespace with a slip of the pen",
    "DOCTYPE and bombs of entities",
    "an attribute twice",
    "a schema on a dead host",
    "byte order marks and UTF-16",
    "metadata as escaped text",
    "a base URL with a query",
    "all identifiers change",
    "formats that are offered and not served",
    "an endpoint moves or is gone",
    "identifiers that must be encoded",
    "Identify names another base URL",
    "a client adds a set by itself",
    "one checkpoint for several keys",
    "Identify is broken and the rest works",
    "a request URL is given as the base URL",
    "robots.txt forbids the endpoint",
    "another version of the protocol, or a static repository",
    "a slash at the end of the path decides",
];

/// How many kinds there are.
pub const KINDS: u32 = NAMES.len() as u32;

/// What is seen where this kind, such as `F008`, is met; `None` for anything else.
#[must_use]
pub fn kind_name(kind: &str) -> Option<&'static str> {
    let is_digits = |text: &&str| text.len() == 3 && text.bytes().all(|b| b.is_ascii_digit());
    let digits = kind.strip_prefix('F').filter(is_digits)?;
    let number: usize = digits.parse().ok()?;
    NAMES.get(number.checked_sub(1)?).copied()
}

/// All kinds in order, each with what is seen.
pub fn kinds() -> impl Iterator<Item = (String, &'static str)> {
    NAMES.iter().zip(1..).map(|(name, number)| (format!("F{number:03}"), *name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = NAMES.into_iter().collect();
        assert_eq!(names.len(), NAMES.len());
        assert_eq!(kind_name("F001"), Some("a token expires between two pages"));
        assert_eq!(kind_name("F175"), Some("a slash at the end of the path decides"));
        for other in ["F000", "F176", "F1", "008", "F0008", "F+08", ""] {
            assert_eq!(kind_name(other), None, "`{other}`");
        }
    }

    #[test]
    fn kinds_are_listed_in_order() {
        let all: Vec<String> = kinds().map(|(kind, _)| kind).collect();
        assert_eq!((all.len(), all[7].as_str()), (KINDS as usize, "F008"));
    }
}
