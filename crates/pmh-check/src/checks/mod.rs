//! All checks, a file for each family.

mod abouts; // what is in about
mod changes; // what a change on purpose shows
mod dates; // ranges
mod deleted; // deletions
mod descriptions; // what a repository says beside Identify
mod dublin_core; // what is in oai_dc
mod envelope; // root, responseDate, request
mod errors; // codes
mod formats; // ListMetadataFormats
mod identifiers; // how items are named
mod identify; // Identify
mod later; // what two runs show
mod paging; // lists of several pages
mod payloads; // what is in metadata
mod probe; // a question with a fault in it
mod records; // headers and records
mod reissue; // tokens that are sent again
mod sets; // ListSets, and lists of a set
mod static_repository; // a file that a gateway serves
mod tokens; // what a token element announces
mod transport; // HTTP
mod wire; // HTTP, as seen in every answer
mod xml; // how every document is written

use crate::check::Check;

/// Every check there is, in the order of reports.
pub fn all_checks() -> impl Iterator<Item = &'static Check> {
    [
        transport::CHECKS,
        wire::CHECKS,
        xml::CHECKS,
        envelope::CHECKS,
        identify::CHECKS,
        descriptions::CHECKS,
        formats::CHECKS,
        sets::CHECKS,
        identifiers::CHECKS,
        records::CHECKS,
        payloads::CHECKS,
        dublin_core::CHECKS,
        abouts::CHECKS,
        deleted::CHECKS,
        dates::CHECKS,
        paging::CHECKS,
        tokens::CHECKS,
        reissue::CHECKS,
        errors::CHECKS,
        later::CHECKS,
        changes::CHECKS,
        static_repository::CHECKS,
    ]
    .into_iter()
    .flatten()
}

/// The check of this id.
#[must_use]
pub fn find_check(id: &str) -> Option<&'static Check> {
    all_checks().find(|check| check.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rules::rule;

    #[test]
    fn ids_are_unique_and_cite_rules_that_are_explained() {
        let mut ids = BTreeSet::new();
        for check in all_checks() {
            assert!(ids.insert(check.id), "{} is there twice", check.id);
            assert!(!check.title.ends_with('.'), "{}", check.id);
            for number in check.rules {
                assert!(rule(*number).is_some(), "{} cites rule {number}", check.id);
            }
        }
        for need in all_checks().flat_map(|check| check.needs) {
            assert!(ids.contains(need), "`{need}` is needed and no check");
        }
    }
}
