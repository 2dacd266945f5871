//! The forms that values must have.

use pmh_protocol::{Datestamp, Granularity, Stamp};
use url::Url;

/// Whether `text` has the syntax of an absolute URI (rule 3); if not, why.
pub(crate) fn uri_fault(text: &str) -> Option<&'static str> {
    let Some((scheme, rest)) = text.split_once(':') else { return Some("it has no scheme") };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|each| each.is_ascii_alphanumeric() || "+-.".contains(each));
    if !is_scheme {
        return Some("what stands before the first colon is no scheme");
    }
    if rest.is_empty() {
        return Some("nothing follows the scheme");
    }
    if text.chars().any(|each| each.is_whitespace() || each.is_control()) {
        return Some("white space or a control character stands in it");
    }
    if rest.chars().any(|each| "<>\"{}|\\^`".contains(each)) {
        return Some("a character stands in it that must be escaped");
    }
    let mut escapes = rest.split('%');
    let _ = escapes.next();
    let is_escape = |after: &str| {
        after.as_bytes().get(..2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit))
    };
    if !escapes.all(is_escape) {
        return Some("a percent sign begins no escape");
    }
    None
}

/// What a registered scheme asks for beyond the syntax of URIs (rule 4); unknown schemes ask for nothing.
pub(crate) fn scheme_fault(text: &str) -> Option<&'static str> {
    let (scheme, rest) = text.split_once(':')?;
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => {
            let has_host = Url::parse(text).is_ok_and(|url| url.has_host());
            (!has_host || !rest.starts_with("//")).then_some("an http URI names a host after `//`")
        }
        "urn" => {
            let is_urn = rest.split_once(':').is_some_and(|(space, name)| {
                (2..=32).contains(&space.len())
                    && space.chars().all(|each| each.is_ascii_alphanumeric() || each == '-')
                    && !space.starts_with('-')
                    && !name.is_empty()
            });
            (!is_urn).then_some("a urn has a namespace and a name after it")
        }
        "info" => {
            let is_info = rest
                .split_once('/')
                .is_some_and(|(space, name)| !space.is_empty() && !name.is_empty());
            (!is_info).then_some("an info URI has a namespace, `/`, and a name")
        }
        _ => None,
    }
}

/// The parts of an identifier of the scheme oai: namespace and local part.
pub(crate) fn oai_parts(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("oai:")?.split_once(':')
}

/// What is wrong with an identifier of the scheme oai (rule 250).
pub(crate) fn oai_fault(text: &str) -> Option<&'static str> {
    let Some((domain, local)) = oai_parts(text) else {
        return Some("it is not `oai:`, a domain name, `:` and a local part");
    };
    let is_label = |label: &str| {
        label.starts_with(|first: char| first.is_ascii_alphabetic())
            && label.chars().all(|each| each.is_ascii_alphanumeric() || each == '-')
    };
    if !domain.contains('.') {
        return Some("its namespace is no domain name: it has one label only");
    }
    if !domain.split('.').all(is_label) {
        return Some(
            "a label of its domain name does not begin with a letter, or holds other characters",
        );
    }
    if local.is_empty() { Some("its local part is empty") } else { None }
}

/// Whether `text` is made of the unreserved characters that prefixes and set names consist of (rules 32 and 122).
pub(crate) fn is_unreserved(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|each| each.is_ascii_alphanumeric() || "_.!~*'()-".contains(each))
}

/// Whether `text` is a setSpec (rule 32).
pub(crate) fn is_set_spec(text: &str) -> bool {
    text.split(':').all(is_unreserved)
}

/// Whether `spec` is `set` or one of its descendants.
pub(crate) fn is_within(set: &str, spec: &str) -> bool {
    spec.strip_prefix(set).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// What is wrong with an address (rule 195). Plus signs, apostrophes and one-letter names are right.
pub(crate) fn email_fault(text: &str) -> Option<&'static str> {
    if text.to_ascii_lowercase().starts_with("mailto:") {
        return Some("an address, not a mailto: URI, is asked for");
    }
    if text.chars().any(char::is_whitespace) {
        return Some("white space stands in it");
    }
    let Some((name, domain)) = text.rsplit_once('@') else { return Some("it has no `@`") };
    let labels: Vec<&str> = domain.split('.').collect();
    if name.is_empty() || labels.len() < 2 || labels.iter().any(|label| label.is_empty()) {
        return Some("what follows the `@` is no domain name, or nothing stands before it");
    }
    None
}

/// Whether two URLs differ only in scheme, case of the host, default port or a slash at the end.
pub(crate) fn is_nearly(one: &str, other: &str) -> bool {
    let plain = |text: &str| {
        Url::parse(text).ok().map(|url| {
            let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
            let path = url.path().trim_end_matches('/').to_owned();
            (host, url.port(), path, url.query().map(str::to_owned))
        })
    };
    plain(one).is_some() && plain(one) == plain(other)
}

/// A date so many units of its granularity away.
pub(crate) fn moved(date: Datestamp, units: i64) -> Datestamp {
    let unit = if date.granularity == Granularity::Day { 86_400 } else { 1 };
    Datestamp::new(date.stamp.plus_seconds(units * unit), date.granularity)
}

/// A stamp in the form of a day.
pub(crate) fn day(stamp: Stamp) -> String {
    Granularity::Day.format(stamp)
}

/// Whether a datestamp lies in a range; ends in the form of a day cover the day.
pub(crate) fn lies_within(
    date: Datestamp,
    from: Option<Datestamp>,
    until: Option<Datestamp>,
) -> bool {
    let after = from.is_none_or(|from| date.stamp >= from.stamp);
    let before = until.is_none_or(|until| match until.granularity {
        Granularity::Day => date.stamp < until.stamp.plus_seconds(86_400),
        Granularity::Second => date.stamp <= until.stamp,
    });
    after && before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_uris_or_are_not() {
        for good in ["oai:x.org:1", "http://x/1", "doi:10.1/a", "urn:nbn:de:1", "oai:x.org:a%20b"] {
            assert_eq!(uri_fault(good), None, "{good}");
            assert_eq!(scheme_fault(good), None, "{good}");
        }
        for bad in ["1", "/a/b", "1a:b", "oai:", "oai:x y", "oai:x%2", "oai:<x>", ":x"] {
            assert!(uri_fault(bad).is_some(), "{bad}");
        }
        for bad in ["http:x", "urn:x", "info:x"] {
            assert!(scheme_fault(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn oai_identifiers_name_a_domain_and_something_in_it() {
        for good in ["oai:arXiv.org:1", "oai:a.b:c:d", "oai:x-1.y.z:%3C"] {
            assert_eq!(oai_fault(good), None, "{good}");
        }
        for bad in ["oai:arXiv:1", "oai:x.org:", "oai:x.org", "oai:1x.org:1", "oai:x_y.org:1"] {
            assert!(oai_fault(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn addresses_with_odd_names_are_addresses() {
        for good in ["a+b@x.org", "o'brien@x.de", "a@x.y", "ü@xn--bcher-kva.example"] {
            assert_eq!(email_fault(good), None, "{good}");
        }
        for bad in ["mailto:a@x.org", "a", "a@x", "a b@x.org", "@x.org", "a@x..org", "a@x.org "] {
            assert!(email_fault(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn base_urls_are_nearly_equal_over_scheme_case_port_and_slash() {
        assert!(is_nearly("http://X.org:80/oai/", "https://x.org/oai"));
        assert!(!is_nearly("http://x.org:8080/oai", "http://x.org/oai"));
        assert!(!is_nearly("http://x.org/oai", "http://x.org/oai2"));
    }
}
