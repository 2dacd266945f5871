//! A document about to be written.

use pmh_protocol::{Body, Datestamp, Document, ErrorCode, OaiError, Stamp};
use pmh_scenario::{DatestampForm, ResponseDate};

use crate::answers;
use crate::edit::{Edit, MomentForm, render};

/// A document about to be written: what it says, and what is changed in it where the protocol has no value to say it.
pub(crate) struct Content {
    /// What it says.
    pub(crate) body: Body,
    /// What is changed in it, one after the other.
    pub(crate) edits: Vec<Edit>,
    /// The HTTP status it comes with.
    pub(crate) status: u16,
}

impl Content {
    /// A document as it should be.
    pub(crate) const fn of(body: Body) -> Self {
        Self { body, edits: Vec::new(), status: 200 }
    }

    /// One error.
    pub(crate) fn error(error: OaiError) -> Self {
        Self::of(Body::Errors(vec![error]))
    }

    /// badResumptionToken
    pub(crate) fn bad_token(text: &str) -> Self {
        Self::error(OaiError::new(ErrorCode::BadResumptionToken, text))
    }

    /// The code of an error that stands inside a list.
    pub(crate) fn error_inside(&self) -> Option<String> {
        self.edits.iter().find_map(|edit| match edit {
            Edit::ErrorsInside(errors) => errors.first().map(|(code, _)| code.clone()),
            _ => None,
        })
    }

    /// The same with its headers' datestamps written in this form.
    pub(crate) fn dated(mut self, form: DatestampForm, now: Datestamp) -> Self {
        let form = match form {
            DatestampForm::Now => {
                self.edits.push(Edit::Text("datestamp", now.to_string()));
                return self;
            }
            DatestampForm::Fractions => MomentForm::Fractions,
            DatestampForm::Offset => MomentForm::Offset,
            // These are said by the values.
            DatestampForm::Right | DatestampForm::Day | DatestampForm::Second => return self,
        };
        self.edits.push(Edit::Moment("datestamp", form));
        self
    }

    /// The document as text, in answer to a request with these arguments.
    pub(crate) fn render(
        mut self,
        clock: Stamp,
        date: &ResponseDate,
        arguments: &[(String, String)],
    ) -> String {
        let mut edit = |edit: Edit| self.edits.push(edit);
        match date {
            ResponseDate::Right | ResponseDate::Absent => {}
            ResponseDate::Fractions => edit(Edit::Moment("responseDate", MomentForm::Fractions)),
            ResponseDate::Offset => edit(Edit::Moment("responseDate", MomentForm::Offset)),
            ResponseDate::Text(text) => edit(Edit::Text("responseDate", text.clone())),
        }
        let request = answers::echo(arguments, &self.body);
        let response_date = (*date != ResponseDate::Absent).then_some(clock);
        render(&Document { response_date, request, body: self.body }, &self.edits)
    }
}
