//! The properties by name.

/// What must be true of every harvest, whatever the repository does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// What the scenario itself says must come of it.
    AsExpected,
    /// Every row is a version that the repository really had.
    NothingInvented,
    /// A run that says it is complete holds every live record, in its newest version.
    NothingLost,
    /// No identifier has two rows.
    NoDoubles,
    /// What was withdrawn is held as withdrawn.
    Tombstones,
    /// The watermark never passes something unseen.
    Watermark,
    /// A run that stopped early says so: nothing moves, and the window stays open.
    OpenWindow,
    /// After a crash, going on reaches the same store as never crashing.
    Resumption,
    /// A resumptionToken stands alone beside the verb.
    TokenSoleArgument,
    /// A resumptionToken is sent exactly as it was delivered.
    TokenVerbatim,
    /// Nothing is asked for beyond the end of a list.
    StopsAfterEmptyToken,
    /// No request before its Retry-After has passed.
    HonoursRetryAfter,
    /// Every run ends by itself within the budget, and is silent afterwards.
    Terminates,
    /// Everything that was to go wrong did.
    FaultsFired,
}

impl Property {
    /// All of them, in the order they are judged and printed.
    pub const ALL: [Self; 14] = [
        Self::AsExpected,
        Self::NothingInvented,
        Self::NothingLost,
        Self::NoDoubles,
        Self::Tombstones,
        Self::Watermark,
        Self::OpenWindow,
        Self::Resumption,
        Self::TokenSoleArgument,
        Self::TokenVerbatim,
        Self::StopsAfterEmptyToken,
        Self::HonoursRetryAfter,
        Self::Terminates,
        Self::FaultsFired,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AsExpected => "as-expected",
            Self::NothingInvented => "nothing-invented",
            Self::NothingLost => "nothing-lost",
            Self::NoDoubles => "no-doubles",
            Self::Tombstones => "tombstones",
            Self::Watermark => "watermark",
            Self::OpenWindow => "open-window",
            Self::Resumption => "resumption",
            Self::TokenSoleArgument => "token-sole-argument",
            Self::TokenVerbatim => "token-verbatim",
            Self::StopsAfterEmptyToken => "stops-after-empty-token",
            Self::HonoursRetryAfter => "honours-retry-after",
            Self::Terminates => "terminates",
            Self::FaultsFired => "faults-fired",
        }
    }

    /// Whether there is nothing to judge without the rows of a store.
    #[must_use]
    pub const fn reads_store(self) -> bool {
        matches!(
            self,
            Self::NothingInvented
                | Self::NothingLost
                | Self::NoDoubles
                | Self::Tombstones
                | Self::Watermark
                | Self::Resumption
        )
    }

    /// The number of the protocol's rule that it watches, where there is one.
    #[must_use]
    pub const fn rule(self) -> Option<u32> {
        match self {
            Self::TokenSoleArgument => Some(181),
            Self::TokenVerbatim => Some(136),
            Self::StopsAfterEmptyToken => Some(137),
            Self::HonoursRetryAfter => Some(78),
            _ => None,
        }
    }

    /// What a harvester that fails it should do instead. Nothing where the evidence or the story of each record says so
    /// better.
    #[must_use]
    pub const fn advice(self) -> Option<&'static str> {
        Some(match self {
            Self::AsExpected | Self::NothingLost | Self::FaultsFired => return None,
            Self::NothingInvented => {
                "keep of an answer only what it says of a record, under the identifier of its header, of two deliveries \
                 the one with the later datestamp, and of a set only what names it in its setSpec"
            }
            Self::NoDoubles => {
                "make the identifier the key of the store: a record that comes again replaces the one that is there"
            }
            Self::Tombstones => {
                "a header with status=\"deleted\" is no record without content: keep it as withdrawn, or remove what is \
                 held under its identifier (rule 26)"
            }
            Self::Watermark | Self::OpenWindow => {
                "keep the date from which the next run asks only when a list has come to its end, and take it from the \
                 responseDate of the answer that opened the list (rule 237)"
            }
            Self::Resumption => {
                "store a page and the place after it in one transaction, and go on at that place, or begin the list anew"
            }
            Self::TokenSoleArgument => {
                "send a resumptionToken with the verb and with nothing else: all other arguments are in it (rule 181)"
            }
            Self::TokenVerbatim => {
                "send the text of the resumptionToken as the XML parser gives it, percent-encoded once as the value of a \
                 query argument (rule 136)"
            }
            Self::StopsAfterEmptyToken => {
                "an empty resumptionToken, also one of nothing but white space, is the end of the list: ask for nothing \
                 more (rule 137)"
            }
            Self::HonoursRetryAfter => {
                "wait for as long as Retry-After says, in seconds or until a date, before any other request (rule 78)"
            }
            Self::Terminates => {
                "remember every token and the records of every page: a token that came before, or page after page without \
                 a new record, leads nowhere, and the run ends with an exit code that says that the harvest is incomplete"
            }
        })
    }

    /// What is counted when it holds.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Self::AsExpected => "expectation",
            Self::NothingInvented | Self::NoDoubles => "row",
            Self::NothingLost | Self::Watermark => "record",
            Self::Tombstones => "withdrawn record",
            Self::OpenWindow | Self::Terminates => "run",
            Self::Resumption => "crash",
            Self::TokenSoleArgument | Self::TokenVerbatim => "token request",
            Self::StopsAfterEmptyToken => "list end",
            Self::HonoursRetryAfter => "wait",
            Self::FaultsFired => "fault",
        }
    }
}
