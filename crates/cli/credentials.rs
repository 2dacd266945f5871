//! The fields that let us in, from what was typed, from files and from the environment.

use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use pmh_protocol::Headers;

use crate::args::SourceArguments;
use crate::base_url::{BaseUrl, Login};
use crate::exit::Ended;
use crate::secret::Secret;

const PASSWORD_VARIABLE: &str = "OAI_BASIC_PASSWORD";
const TOKEN_VARIABLE: &str = "OAI_BEARER_TOKEN";

/// Fields that the program or its transport writes, and that would stand twice.
const OURS: &[&str] = &[
    "Accept",
    "Accept-Encoding",
    "Connection",
    "Content-Length",
    "Content-Type",
    "Cookie",
    "From",
    "Host",
    "Proxy-Authorization",
    "Te",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "User-Agent",
];

/// The credentials that a command sends to the repository at `base_url`, and to nobody else.
pub(crate) fn credentials(
    arguments: &SourceArguments,
    base_url: &BaseUrl,
) -> anyhow::Result<Headers> {
    let mut headers = Headers::default();
    for header in &arguments.headers {
        let (name, value) = header_of(header)?;
        headers.push_secret(name, value.reveal());
    }
    let mut ways: Vec<&str> = Vec::new();
    if headers.get("authorization").is_some() {
        ways.push("`--header Authorization`");
    }
    if let Some(login) = base_url.login() {
        ways.push("user and password in the base URL");
        headers.push_secret("Authorization", basic(login)?);
    }
    if let Some(user) = &arguments.basic {
        ways.push("`--basic`");
        let password = password(arguments.password_file.as_deref())?;
        headers.push_secret("Authorization", basic(&Login { user: user.clone(), password })?);
    }
    if let Some(path) = &arguments.bearer_file {
        ways.push("`--bearer-file`");
        headers.push_secret("Authorization", bearer(&Secret::from_file(path)?)?);
    }
    if let [first, second, ..] = ways.as_slice() {
        return Err(Ended::usage(format!("{first} and {second} exclude each other: choose one")));
    }
    // What is typed wins over what lies in the environment.
    if ways.is_empty()
        && let Some(token) = Secret::from_environment(TOKEN_VARIABLE)?
    {
        headers.push_secret("Authorization", bearer(&token)?);
    }
    Ok(headers)
}

/// Name and value of `Name: value`, where the value may be a place to take it from.
fn header_of(header: &Secret) -> anyhow::Result<(String, Secret)> {
    // A name that is none may be half a secret: it is not shown.
    let expected = "`--header`: expected `Name: value`, `Name: env:VARIABLE` or `Name: file:PATH`";
    let (name, value) = header.reveal().split_once(':').ok_or_else(|| Ended::usage(expected))?;
    if !is_field_name(name) {
        return Err(Ended::usage(format!(
            "{expected}; a name consists of letters, digits and hyphens"
        )));
    }
    if OURS.iter().any(|ours| ours.eq_ignore_ascii_case(name)) {
        let instead = if name.eq_ignore_ascii_case("from") { ": `--contact` sets it" } else { "" };
        return Err(Ended::usage(format!(
            "`--header`: `{name}` is written by pmh itself{instead}"
        )));
    }
    let value = value.trim_matches([' ', '\t']);
    let value = if let Some(variable) = value.strip_prefix("env:") {
        Secret::from_environment(variable)?.ok_or_else(|| {
            Ended::usage(format!("`--header {name}`: the variable `{variable}` is not set"))
        })?
    } else if let Some(path) = value.strip_prefix("file:") {
        Secret::from_file(Path::new(path))?
    } else {
        Secret::new(value)
    };
    if !is_field_value(value.reveal()) {
        return Err(Ended::usage(format!(
            "`--header {name}`: the value is empty or holds characters outside of printable ASCII"
        )));
    }
    Ok((name.to_owned(), value))
}

/// A token of RFC 9110.
fn is_field_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Whether a value can be sent, and is something.
pub(crate) fn is_field_value(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
}

fn password(file: Option<&Path>) -> anyhow::Result<Secret> {
    match file {
        Some(path) => Secret::from_file(path),
        None => Secret::from_environment(PASSWORD_VARIABLE)?.ok_or_else(|| {
            Ended::usage(format!(
                "`--basic` needs a password: write it into a file and name that with \
                 `--password-file`, or set {PASSWORD_VARIABLE}"
            ))
        }),
    }
}

/// Basic of RFC 7617, in UTF-8.
fn basic(login: &Login) -> anyhow::Result<String> {
    let Login { user, password } = login;
    if user.contains(':') || user.chars().any(char::is_control) {
        return Err(Ended::usage("a user's name holds neither colons nor control characters"));
    }
    if password.reveal().chars().any(char::is_control) {
        return Err(Ended::usage("the password holds control characters"));
    }
    let login = format!("{user}:{}", password.reveal());
    Ok(format!("Basic {}", BASE64_STANDARD.encode(login)))
}

fn bearer(token: &Secret) -> anyhow::Result<String> {
    if !is_field_value(token.reveal()) || token.reveal().contains([' ', '\t']) {
        return Err(Ended::usage("the bearer token must be one word of printable ASCII"));
    }
    Ok(format!("Bearer {}", token.reveal()))
}
