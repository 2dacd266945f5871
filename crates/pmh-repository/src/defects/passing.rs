//! An answer on its way back, and what can be done to it.

use pmh_protocol::{Method, encode_arguments, escape_text};

use crate::reply::{AskedRequest, Reply};
use crate::repository::{BASE_URL, Repository};

/// An answer, the request it is for, and the repository that gave it.
///
/// Where there is nothing to rewrite, as in an answer that an earlier defect has spoilt, nothing is.
#[derive(Debug)]
pub struct Passing<'a> {
    /// The request.
    pub request: &'a AskedRequest<'a>,
    /// Its arguments, decoded.
    pub arguments: Vec<(String, String)>,
    /// HTTP status of the answer.
    pub status: u16,
    /// Its header fields.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
    /// What was remembered of earlier exchanges.
    pub memory: &'a mut Vec<String>,
    repository: &'a mut Repository,
}

const ARGUMENTS: [&str; 7] =
    ["verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"];

impl<'a> Passing<'a> {
    pub(crate) fn new(
        request: &'a AskedRequest<'a>,
        reply: &mut Reply,
        repository: &'a mut Repository,
        memory: &'a mut Vec<String>,
    ) -> Self {
        let (status, headers, body) =
            (reply.status, std::mem::take(&mut reply.headers), std::mem::take(&mut reply.body));
        let arguments = request.arguments();
        Self { request, arguments, status, headers, body, memory, repository }
    }

    /// Query or form, not decoded.
    #[must_use]
    pub fn query(&self) -> &'a str {
        self.request.query()
    }

    /// Whether it came by this method.
    #[must_use]
    pub fn is_by(&self, method: Method) -> bool {
        self.request.method == method
    }

    /// The value of the argument of this name.
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }

    /// Whether an argument has this value.
    #[must_use]
    pub fn has(&self, name: &str, value: &str) -> bool {
        self.argument(name) == Some(value)
    }

    /// Whether it asks for this verb.
    #[must_use]
    pub fn asks(&self, verb: &str) -> bool {
        self.has("verb", verb)
    }

    /// The verb it names, or nothing.
    #[must_use]
    pub fn verb(&self) -> String {
        self.argument("verb").unwrap_or_default().to_owned()
    }

    /// Whether it asks for a list of records or headers, any page of it.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.asks("ListRecords") || self.asks("ListIdentifiers")
    }

    /// The body as text; nothing where it is none.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap_or_default()
    }

    /// Whether the body has this in it.
    #[must_use]
    pub fn says(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// The body becomes another, if it is text.
    pub fn edit(&mut self, edit: impl FnOnce(String) -> String) {
        if let Ok(text) = String::from_utf8(self.body.clone()) {
            self.body = edit(text).into_bytes();
        }
    }

    /// All of this becomes that.
    pub fn replace(&mut self, from: &str, to: &str) {
        self.edit(|text| text.replace(from, to));
    }

    /// Takes out the lines that hold a text: each entry stands on a line.
    pub fn without(&mut self, mark: &str) {
        self.edit_lines(|line| if line.contains(mark) { String::new() } else { line });
    }

    /// Edits line by line.
    pub fn edit_lines(&mut self, edit: impl Fn(String) -> String) {
        self.edit(|text| text.split_inclusive('\n').map(|line| edit(line.to_owned())).collect());
    }

    /// A header field becomes another.
    pub fn set_header(&mut self, name: &str, value: &str) {
        self.headers.retain(|(each, _)| !each.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
    }

    /// A page of HTML with this status.
    pub fn html(&mut self, status: u16) {
        self.status = status;
        self.headers = vec![("content-type".to_owned(), "text/html".to_owned())];
        self.body = b"<!DOCTYPE html><html><body>Sorry</body></html>".to_vec();
    }

    /// The answer to other arguments, which repeats those that were sent.
    pub fn instead(&mut self, arguments: &[(&str, &str)]) {
        let query = encode_arguments(arguments);
        let reply = self.repository.answer_aside(&AskedRequest::get(&query));
        (self.status, self.headers, self.body) = (reply.status, reply.headers, reply.body);
        self.repeat();
    }

    /// The answer to the arguments but those of these names.
    pub fn instead_without(&mut self, names: &[&str]) {
        let kept: Vec<(String, String)> = self.arguments.clone();
        let kept: Vec<(&str, &str)> = kept
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()))
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        self.instead(&kept);
    }

    /// The answer to the arguments with another value for one.
    pub fn instead_with(&mut self, name: &str, value: &str) {
        let changed: Vec<(String, String)> = self.arguments.clone();
        let changed: Vec<(&str, &str)> = changed
            .iter()
            .map(|(each, old)| (each.as_str(), if each == name { value } else { old.as_str() }))
            .collect();
        self.instead(&changed);
    }

    /// An error of this code.
    pub fn error(&mut self, code: &str) {
        let attributes = if matches!(code, "badVerb" | "badArgument") {
            String::new()
        } else {
            self.attributes()
        };
        self.edit(|text| {
            let Some(start) = text.find("<request") else { return text };
            format!(
                "{}<request{attributes}>{BASE_URL}</request>\n<error code=\"{code}\">no</error>\n</OAI-PMH>\n",
                &text[..start]
            )
        });
    }

    /// What the answer brings becomes this; everything around it stays.
    pub fn instead_of_error(&mut self, content: &str) {
        self.edit(|text| match text.find("<error") {
            Some(start) => format!("{}{content}</OAI-PMH>", &text[..start]),
            None => text,
        });
    }

    /// Makes the answer repeat the arguments that were sent, unless it says that they were wrong.
    fn repeat(&mut self) {
        if self.says("code=\"badVerb\"") || self.says("code=\"badArgument\"") {
            return;
        }
        let attributes = self.attributes();
        self.edit(|text| {
            let Some(start) = text.find("<request") else { return text };
            let Some(end) = text[start..].find('>').map(|at| start + at) else { return text };
            format!("{}<request{attributes}{}", &text[..start], &text[end..])
        });
    }

    fn attributes(&self) -> String {
        let mut seen: Vec<&str> = Vec::new();
        let mut attributes = String::new();
        for (name, value) in &self.arguments {
            if ARGUMENTS.contains(&name.as_str()) && !seen.contains(&name.as_str()) {
                seen.push(name);
                attributes += &format!(" {name}=\"{}\"", escape_text(value));
            }
        }
        attributes
    }
}
