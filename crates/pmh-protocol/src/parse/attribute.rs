//! The attributes of one start tag.
//!
//! The reader underneath takes a tag to be whatever stands between `<` and `>`; what is inside is judged
//! here, strictly, because payloads are handed on as they are and must be well-formed for others.

use memchr::memchr;

use super::text::{after_white, name_length, starts_name};

/// How many attributes one element may have.
pub(super) const ATTRIBUTES_MAX: usize = 256;

#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    /// The value as written, with its quotes.
    pub(super) quoted: &'a str,
}

impl<'a> Attribute<'a> {
    /// The value as written, references unresolved.
    pub(super) fn raw(&self) -> &'a str {
        &self.quoted[1..self.quoted.len() - 1]
    }

    /// The prefix that it declares (empty: the default namespace), when it is a namespace declaration.
    pub(super) fn declares(&self) -> Option<&'a str> {
        match self.name.strip_prefix("xmlns") {
            Some("") => Some(""),
            Some(rest) => rest.strip_prefix(':'),
            None => None,
        }
    }
}

/// Why the inside of a tag is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BadTag {
    TooManyAttributes,
    Malformed(String),
}

/// Reads what stands in a start tag after the element's name.
pub(super) fn read_attributes<'a>(
    inside: &'a str,
    attributes: &mut Vec<Attribute<'a>>,
) -> Result<(), BadTag> {
    let malformed = |detail: String| Err(BadTag::Malformed(detail));
    attributes.clear();
    let mut rest = inside;
    loop {
        let from_name = after_white(rest);
        if from_name.is_empty() {
            return Ok(());
        }
        let (name, after_name) = from_name.split_at(name_length(from_name));
        if from_name.len() == rest.len() || !starts_name(name) {
            return malformed("a tag holds something that is no attribute".to_owned());
        }
        if attributes.iter().any(|earlier| earlier.name == name) {
            return malformed(format!("the attribute `{name}` is repeated"));
        }
        let Some(value) = after_white(after_name).strip_prefix('=') else {
            return malformed(format!("the attribute `{name}` has no value"));
        };
        let value = after_white(value);
        let quote = value.bytes().next().filter(|quote| matches!(quote, b'"' | b'\''));
        let Some(end) = quote.and_then(|quote| memchr(quote, &value.as_bytes()[1..])) else {
            return malformed(format!("the value of the attribute `{name}` is not quoted"));
        };
        let (quoted, after_value) = value.split_at(end + 2);
        if memchr(b'<', quoted.as_bytes()).is_some() {
            return malformed(format!("the value of the attribute `{name}` contains `<`"));
        }
        if attributes.len() == ATTRIBUTES_MAX {
            return Err(BadTag::TooManyAttributes);
        }
        attributes.push(Attribute { name, quoted });
        rest = after_value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(inside: &str, expected: Option<&[(&str, &str)]>) {
        let mut attributes = Vec::new();
        let read = read_attributes(inside, &mut attributes);
        let pairs: Vec<_> = attributes.iter().map(|each| (each.name, each.raw())).collect();
        assert_eq!(read.is_ok().then_some(pairs.as_slice()), expected, "of `{inside}`: {read:?}");
    }

    #[test]
    fn well_formed_attributes_are_read_as_written() {
        check("", Some(&[]));
        check("  ", Some(&[]));
        check(" a='1' b:c = \"x'&lt;>\"\n", Some(&[("a", "1"), ("b:c", "x'&lt;>")]));
    }

    #[test]
    fn anything_else_is_refused() {
        for inside in [
            " a",
            " a=1",
            " a='1",
            " a='1'b='2'",
            " a='1' a='2'",
            " a='<'",
            " /",
            " 1='1'",
            "a='1'",
            " ='1'",
        ] {
            check(inside, None);
        }
    }

    #[test]
    fn the_number_of_attributes_is_bounded() {
        let many = |count| (0..count).map(|number| format!(" a{number}=''")).collect::<String>();
        assert_eq!(read_attributes(&many(ATTRIBUTES_MAX), &mut Vec::new()), Ok(()));
        let beyond = read_attributes(&many(ATTRIBUTES_MAX + 1), &mut Vec::new());
        assert_eq!(beyond, Err(BadTag::TooManyAttributes));
    }
}
