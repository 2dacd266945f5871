//! The catalogue of defects: what is wrong, the name that scenarios use, and the sentence that explains it.

/// Writes the enum, its names and its sentences from one list, so that none of the three can lag behind.
macro_rules! defects {
    ($($variant:ident $name:literal $sentence:literal)*) => {
        /// The one thing that is wrong with a specimen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Defect {
            $(#[doc = $sentence] $variant,)*
        }

        impl Defect {
            /// All of them, the control first.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name, as scenarios write it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The same in a sentence.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$variant => $sentence,)*
                }
            }
        }
    };
}

defects! {
    None "sound"
        "Nothing is wrong: it is the control, and must hold every scenario."

    // Tokens.
    EmptyTokenAsToken "empty-token-as-token"
        "It sends an empty or blank token element back as a token."
    TokenBesideArguments "token-beside-arguments"
        "It repeats metadataPrefix beside the token."
    RawToken "raw-token"
        "It writes a token into the URL without encoding it."
    DecodesToken "decodes-token"
        "It undoes the escapes in a token before it sends it back."
    LowercasesToken "lowercases-token"
        "It puts a token into small letters."
    CutsToken "cuts-token"
        "It keeps 255 characters of a token, as its database column does."
    ForgetsCookies "forgets-cookies"
        "It sends no cookie back."

    // Where a list ends, and what is done when it breaks.
    NeverCounts "never-counts"
        "It has no guard and no count: it goes on as long as tokens come, and believes every end."
    EndsAtEmptyPage "ends-at-empty-page"
        "It takes a page without records for the end of the list."
    EndsAtShortPage "ends-at-short-page"
        "It takes a page with fewer records than the one before for the end of the list."
    EndsAtSeenToken "ends-at-seen-token"
        "It takes any token seen before for a loop, and stops."
    EndsAtAnnouncedSize "ends-at-announced-size"
        "It stops as soon as it has as many records as were announced, whatever token comes with them."
    EndsAtRefusedToken "ends-at-refused-token"
        "It takes badResumptionToken for the end of the list."
    EndsAtAnyError "ends-at-any-error"
        "It takes every other error for the end of the list."
    EndsAtCut "ends-at-cut"
        "It takes an answer that breaks off for the last page."
    AnotherVerbIsTheEnd "another-verb-is-the-end"
        "It takes the document of another verb for the end of the list."
    ErrorAfterAll "error-after-all"
        "It takes an error behind the last record for a failure, though all that was announced is there."
    NeedsLastToken "needs-last-token"
        "It cannot do without a token element on the last page."
    ReopensForEver "reopens-for-ever"
        "It opens the list again as often as its token is refused."
    NeverReopens "never-reopens"
        "It gives up when a token is refused."
    NothingIsAnError "nothing-is-an-error"
        "It takes noRecordsMatch for a failure."

    // What a list announces.
    SizeOfLastPage "size-of-last-page"
        "It knows only the size that its last page announced."
    CountsDeliveries "counts-deliveries"
        "It counts deliveries instead of identifiers."
    SkipsUnreadable "skips-unreadable"
        "It passes over entries that it cannot read."
    NeedsSize "needs-size"
        "It cannot do without a size that is a number."
    SizeMustStand "size-must-stand"
        "It gives up when a page announces another size than the one before."
    CursorMustAddUp "cursor-must-add-up"
        "It gives up when the cursor is not the number of records that came before."
    BelievesExpiry "believes-expiry"
        "It does not use a token that is said to have expired."

    // Status, redirects and patience.
    StatusBeforeDocument "status-before-document"
        "It looks at the status first, and so never sees what a document under 4xx or 5xx says."
    AnyClientErrorIsFatal "any-4xx-is-fatal"
        "It gives up at any status 4xx, 429 among them."
    RetriesNothing "retries-nothing"
        "It asks for nothing twice."
    RetriesForEver "retries-for-ever"
        "It asks for the same page as long as it fails."
    AsksForbiddenAgain "asks-forbidden-again"
        "It asks again when it was told that it may not."
    IgnoresRetryAfter "ignores-retry-after"
        "It comes back when it likes, whatever Retry-After says."
    DiesOfRetryAfterDate "dies-of-retry-after-date"
        "It takes every Retry-After for a number of seconds, and crashes at any other."
    WaitsForAYear "waits-for-a-year"
        "It waits as long as it is asked to, without measure."
    FollowsNoRedirect "follows-no-redirect"
        "It does not follow redirects."
    RedirectLosesArguments "redirect-loses-arguments"
        "It goes where a redirect leads, and does not give back the arguments that it lost."
    RedirectsForEver "redirects-for-ever"
        "It follows redirects for as long as they lead on."
    Impatient "impatient"
        "It gives an answer ten seconds, from the first byte to the last."
    ObeysRobots "obeys-robots"
        "It asks for robots.txt, and stays away where that forbids the repository."
    AddsSlash "adds-slash"
        "It puts a slash behind the base URL."

    // From bytes to records.
    HtmlIsSuccess "html-is-success"
        "It takes a page for people with status 200 for a list without records."
    PassesOverErrors "passes-over-errors"
        "It takes what stands beside an error for the page, and does not see the error."
    EmptyIsSuccess "empty-is-success"
        "It takes an empty body with a status 2xx for a list without records."
    RecoversTruncated "recovers-truncated"
        "It mends a document that breaks off, and takes it for the last page."
    RefusesRepairs "refuses-repairs"
        "It throws a page away for anything that is not as it should be."
    RefusesPageOfBadRecord "refuses-page-of-bad-record"
        "It throws a page away for one entry that it cannot read."
    CharsetFromField "charset-from-field"
        "It believes the charset that Content-Type names, and not the document."
    DropsBadBytes "drops-bad-bytes"
        "It leaves out every byte that is not UTF-8."
    Utf8Only "utf-8-only"
        "It reads nothing but UTF-8."
    EncodingByField "encoding-by-field"
        "It believes Content-Encoding, and not the bytes."
    UnpacksOnce "unpacks-once"
        "It undoes compression once, however often it was done."
    NeedsLength "needs-length"
        "It reads no body whose length nobody has announced."
    RefusesDoubledFields "refuses-doubled-fields"
        "It reads no answer that has a header field twice."
    TypeMustBeXml "type-must-be-xml"
        "It reads nothing that is not called text/xml."
    NamespaceToTheLetter "namespace-to-the-letter"
        "It reads no document without the exact namespace."
    NamesWithoutPrefix "names-without-prefix"
        "It looks for elements by the letters of their tags, and finds none that has a prefix."
    LosesNamespaces "loses-namespaces"
        "It cuts payloads out of the text, without the declarations that stand further out."
    LimitsTexts "limits-texts"
        "It reads no text of more than ten million bytes, as XML libraries do unless they are told to."
    DatestampsToTheLetter "datestamps-to-the-letter"
        "It passes over records whose datestamp is not in the granularity that Identify announces."

    // What is stored, and when.
    NextTokenFirst "next-token-first"
        "It stores the next token before the page that token came with, and loses the page when it dies in between."
    InsertNotUpsert "insert-not-upsert"
        "It fetches everything each time and adds a row for every delivery, also of a record it holds."
    FirstVersionStays "first-version-stays"
        "It passes over every record that it holds already."
    InsertsTombstones "inserts-tombstones"
        "It keeps a deleted record as a live row without payload."
    DropsTombstones "drops-tombstones"
        "It passes over deleted records."
    OneShelf "one-shelf"
        "It keeps the records of all formats under their identifiers alone."
    OneWatermark "one-watermark"
        "It has one watermark for all formats."

    // From when to when.
    WatermarkFromOwnClock "watermark-from-own-clock"
        "It takes the time of its watermark from its own clock."
    WatermarkOfLastAnswer "watermark-of-last-answer"
        "It takes the time of its watermark from the last answer of a list."
    WatermarkOfNewestRecord "watermark-of-newest-record"
        "It takes the newest datestamp that it saw for its watermark."
    WatermarkWithoutEnd "watermark-without-end"
        "It moves its watermark though the list was not read to its end."
    NoOverlap "no-overlap"
        "It asks from its watermark on, and not from a while before."
    SecondsAlways "seconds-always"
        "It asks by the second, whatever granularity was announced."
    SpanAsTyped "span-as-typed"
        "It asks for a span of days as days, where the repository has seconds."
    MixesGranularities "mixes-granularities"
        "It asks from a day until a second."
    BeginsAtEarliest "begins-at-earliest"
        "It asks for a first list from earliestDatestamp on."
}
