//! An answer on its way back, and what can be done to it.

use pmh_protocol::{
    Headers, HttpPage, HttpRequest, Method, decode_arguments, encode_arguments, escape_text,
};
use pmh_repository::Repository;

use super::support::answer;

pub(crate) struct Passing<'a> {
    pub(crate) request: &'a HttpRequest,
    pub(crate) arguments: Vec<(String, String)>,
    pub(crate) page: HttpPage,
    repository: &'a mut Repository,
    /// What was remembered of earlier exchanges.
    pub(crate) memory: &'a mut Vec<String>,
}

const ARGUMENTS: [&str; 7] =
    ["verb", "identifier", "metadataPrefix", "from", "until", "set", "resumptionToken"];

impl<'a> Passing<'a> {
    pub(crate) fn new(
        request: &'a HttpRequest,
        page: HttpPage,
        repository: &'a mut Repository,
        memory: &'a mut Vec<String>,
    ) -> Self {
        let mut passing = Self { request, arguments: Vec::new(), page, repository, memory };
        passing.arguments = decode_arguments(passing.query());
        passing
    }

    /// Query or form, not decoded.
    pub(crate) fn query(&self) -> &'a str {
        match self.request.method {
            Method::Get => self.request.url.split_once('?').map_or("", |(_, query)| query),
            Method::Post => self.request.body.as_deref().unwrap_or_default(),
        }
    }

    pub(crate) fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn has(&self, name: &str, value: &str) -> bool {
        self.argument(name) == Some(value)
    }

    pub(crate) fn asks(&self, verb: &str) -> bool {
        self.has("verb", verb)
    }

    /// Whether it asks for a list of records or headers, any page of it.
    pub(crate) fn is_list(&self) -> bool {
        self.asks("ListRecords") || self.asks("ListIdentifiers")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.page.body.clone()).expect("the repository writes UTF-8")
    }

    pub(crate) fn says(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    pub(crate) fn edit(&mut self, edit: impl FnOnce(String) -> String) {
        self.page.body = edit(self.text()).into_bytes();
    }

    pub(crate) fn replace(&mut self, from: &str, to: &str) {
        self.edit(|text| text.replace(from, to));
    }

    /// Takes out the lines that hold a text: each entry stands on a line.
    pub(crate) fn without(&mut self, mark: &str) {
        self.edit_lines(|line| if line.contains(mark) { String::new() } else { line });
    }

    /// Edits line by line.
    pub(crate) fn edit_lines(&mut self, edit: impl Fn(String) -> String) {
        self.edit(|text| text.split_inclusive('\n').map(|line| edit(line.to_owned())).collect());
    }

    pub(crate) fn set_header(&mut self, name: &str, value: &str) {
        self.page.headers = self.page.headers.without(name);
        self.page.headers.push(name, value);
    }

    /// A page of HTML with this status.
    pub(crate) fn html(&mut self, status: u16) {
        let mut headers = Headers::default();
        headers.push("Content-Type", "text/html");
        let body = b"<!DOCTYPE html><html><body>Sorry</body></html>".to_vec();
        self.page = HttpPage { status, headers, body };
    }

    /// The answer to other arguments, which repeats those that were sent.
    pub(crate) fn instead(&mut self, arguments: &[(&str, &str)]) {
        let asked = HttpRequest::get("http://repository.example/oai", &encode_arguments(arguments));
        self.page = answer(self.repository, &asked).0;
        self.repeat();
    }

    /// The answer to the arguments but those of these names.
    pub(crate) fn instead_without(&mut self, names: &[&str]) {
        let kept: Vec<(String, String)> = self.arguments.clone();
        let kept: Vec<(&str, &str)> = kept
            .iter()
            .filter(|(name, _)| !names.contains(&name.as_str()))
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        self.instead(&kept);
    }

    /// The answer to the arguments with another value for one.
    pub(crate) fn instead_with(&mut self, name: &str, value: &str) {
        let changed: Vec<(String, String)> = self.arguments.clone();
        let changed: Vec<(&str, &str)> = changed
            .iter()
            .map(|(each, old)| (each.as_str(), if each == name { value } else { old.as_str() }))
            .collect();
        self.instead(&changed);
    }

    /// An error of this code.
    pub(crate) fn error(&mut self, code: &str) {
        let attributes = if matches!(code, "badVerb" | "badArgument") {
            String::new()
        } else {
            self.attributes()
        };
        self.edit(|text| {
            let start = text.find("<request").expect("a request");
            format!(
                "{}<request{attributes}>http://repository.example/oai</request>\n<error code=\"{code}\">no</error>\n</OAI-PMH>\n",
                &text[..start]
            )
        });
    }

    /// Makes the answer repeat the arguments that were sent, unless it says that they were wrong.
    fn repeat(&mut self) {
        if self.says("code=\"badVerb\"") || self.says("code=\"badArgument\"") {
            return;
        }
        let attributes = self.attributes();
        self.edit(|text| {
            let start = text.find("<request").expect("a request");
            let end = start + text[start..].find('>').expect("its end");
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
