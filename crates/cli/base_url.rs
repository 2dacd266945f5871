//! The base URL of a repository as somebody typed it.
//!
//! User and password in it are how a repository is asked, not which one it is: they are cut off here, before anything
//! is named, stored or reported, so that no later place has to remember to hide them. The rest stays byte for byte.

use std::convert::Infallible;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::exit::Ended;
use crate::output::plain;
use crate::secret::Secret;

/// A base URL, and the login that stood in it.
#[derive(Clone, Debug)]
pub(crate) struct BaseUrl {
    text: String,
    login: Option<Login>,
}

/// Who asks, and with which password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: Secret,
}

impl BaseUrl {
    /// The URL without user and password, if it can be the base URL of a repository.
    pub(crate) fn checked(&self) -> anyhow::Result<&str> {
        let url = Url::parse(&self.text);
        let pairs = url.iter().flat_map(Url::query_pairs);
        if let Some((argument, _)) = pairs.into_iter().find(|(name, _)| is_of_protocol(name)) {
            return Err(Ended::usage(format!(
                "expected a base URL without arguments of OAI-PMH, found `{argument}` in it: take it out"
            )));
        }
        let Some(fault) = self.fault(&url) else {
            return Ok(&self.text);
        };
        // Without `//` it cannot be told what is a password: whatever stands before an `@` may be one.
        let found = match self.text.rsplit_once('@') {
            Some((_, rest)) => plain(&format!("…@{rest}")),
            None => plain(&self.text),
        };
        Err(Ended::usage(format!(
            "expected a base URL such as `https://example.org/oai`, found `{found}`: {fault}"
        )))
    }

    /// What keeps it from being a base URL, if anything does.
    fn fault(&self, url: &Result<Url, url::ParseError>) -> Option<String> {
        // Readers of URLs forgive a missing host, and take the next word for it; also missing slashes, blanks, and a
        // colon without port.
        let rest = self.text.split_once("://").map(|(_, rest)| rest);
        let ends = ['/', '\\', '?', '#'];
        let authority = rest.map(|rest| rest.split(ends).next().unwrap_or_default());
        let is_blank = |character: char| character.is_whitespace() || character.is_control();
        match url {
            _ if self.text.is_empty() => Some("it is empty".to_owned()),
            _ if self.text.contains(is_blank) => {
                Some("there is a blank or a control character in it".to_owned())
            }
            Err(url::ParseError::RelativeUrlWithoutBase) => {
                Some("it does not begin with `http://` or `https://`".to_owned())
            }
            Err(error) => Some(error.to_string()),
            Ok(url) if !matches!(url.scheme(), "http" | "https") => {
                Some("it does not begin with `http://` or `https://`".to_owned())
            }
            Ok(_) if rest.is_none() => Some("`//` is missing behind the first colon".to_owned()),
            Ok(_) if authority == Some("") => Some("there is no host in it".to_owned()),
            Ok(_) if authority.is_some_and(|authority| authority.ends_with(':')) => {
                Some("there is no port behind the colon".to_owned())
            }
            Ok(url) if url.port() == Some(0) => Some("nobody listens on port 0".to_owned()),
            Ok(url) if url.fragment().is_some() => {
                Some("servers are not told what stands behind `#`: take it out".to_owned())
            }
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                Some("user and password stand between `//` and the host".to_owned())
            }
            Ok(_) => None,
        }
    }

    /// The URL without user and password, for looking something up.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) const fn login(&self) -> Option<&Login> {
        self.login.as_ref()
    }
}

/// Whether this argument belongs into requests: a verb in a base URL would be sent twice (F163).
fn is_of_protocol(name: &str) -> bool {
    const NAMES: [&str; 7] =
        ["verb", "metadataPrefix", "identifier", "from", "until", "set", "resumptionToken"];
    NAMES.contains(&name)
}

impl FromStr for BaseUrl {
    /// What is wrong is said by [`BaseUrl::checked`]: an error here would be shown beside the text, password and all.
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let without_login = || Self { text: text.to_owned(), login: None };
        let Some(start) = text.find("://").map(|at| at + 3) else {
            return Ok(without_login());
        };
        let rest = &text[start..];
        let authority = &rest[..rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len())];
        let Some(at) = authority.rfind('@') else {
            return Ok(without_login());
        };
        let login = &authority[..at];
        let (user, password) = login.split_once(':').unwrap_or((login, ""));
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let login = Login { user: decoded(user), password: Secret::new(decoded(password)) };
        let without = format!("{}{}", &text[..start], &rest[at + 1..]);
        Ok(Self { text: without, login: Some(login) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base_url(text: &str) -> BaseUrl {
        text.parse().expect("every text is taken")
    }

    #[test]
    fn a_login_is_cut_off_and_the_rest_stays_byte_for_byte() {
        for (text, rest, login) in [
            ("http://x/oai", "http://x/oai", None),
            ("http://u:p@X:80/oai?a=b", "http://X:80/oai?a=b", Some(("u", "p"))),
            ("http://u@x/oai", "http://x/oai", Some(("u", ""))),
            ("http://u:a%40b%3A:c@x", "http://x", Some(("u", "a@b::c"))),
            ("http://u:p@q@x/oai", "http://x/oai", Some(("u", "p@q"))),
            ("http://x/oai?mail=a@b", "http://x/oai?mail=a@b", None),
            ("http://[::1]:80/oai:", "http://[::1]:80/oai:", None),
        ] {
            let found = base_url(text);
            assert_eq!(found.checked().expect("usable"), rest);
            let expected = login.map(|(user, password)| Login {
                user: user.to_owned(),
                password: Secret::new(password),
            });
            assert_eq!(found.login(), expected.as_ref(), "{text}");
        }
    }

    #[test]
    fn an_argument_of_the_protocol_is_refused_and_any_other_stays() {
        let error = base_url("http://x/oai?verb=Identify").checked().expect_err("not usable");
        assert!(error.to_string().contains("found `verb` in it"), "{error}");
        assert!(base_url("http://x/oai?mode=oaipmh&lang=en").checked().is_ok());
    }

    #[test]
    fn what_is_wrong_with_a_base_url_is_said() {
        for (text, said) in [
            ("", "it is empty"),
            ("example.org/oai", "does not begin with `http://`"),
            ("ftp://x/oai", "does not begin with `http://`"),
            ("http://x/oai#frag", "behind `#`: take it out"),
            ("http://x:99999/oai", "invalid port number"),
            ("http:///oai", "no host"),
            ("http://u:p@/log", "no host"),
            ("http://", "empty host"),
            ("http://x:/oai", "no port behind the colon"),
            ("http://x:", "no port behind the colon"),
            ("http://x:0/oai", "port 0"),
            ("http:/x/oai", "`//` is missing"),
            ("https:x/oai", "`//` is missing"),
            (" http://x/oai", "a blank"),
            ("http://x/oai ", "a blank"),
            ("http://x/o\nai", "a blank"),
            ("http://x/oai\u{1B}[31m", "a blank"),
        ] {
            let error = base_url(text).checked().expect_err("not usable").to_string();
            assert!(error.contains(said), "no `{said}` in {error}");
        }
    }

    #[test]
    fn no_error_and_no_debug_output_shows_a_password() {
        for text in ["http:u:s3cret@x/oai", "u:s3cret@x", "ftp://u:s3cret@x/", "http://u:s3cret@/"]
        {
            let error = base_url(text).checked().expect_err("not usable").to_string();
            assert!(error.contains("expected a base URL") && !error.contains("s3cret"), "{error}");
        }
        let debug = format!("{:?}", base_url("http://u:s3cret@x/oai"));
        assert!(debug.contains("http://x/oai") && !debug.contains("s3cret"), "{debug}");
    }
}
