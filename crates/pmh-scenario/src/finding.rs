//! What is wrong with a file: each finding with its place, and rendered as compilers do it.

use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::load::{SourceFile, Sources};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The scenario cannot be played.
    Error,
    /// It can be played, but probably not as it was meant.
    Warning,
}

/// Something wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// The file it is in; `None` is the scenario's own.
    pub file: Option<Arc<SourceFile>>,
    /// Where, in bytes of that file's text.
    pub span: Range<usize>,
    /// What to say at that place; may be empty.
    pub label: String,
    /// A second place that explains the first, and what to say there.
    pub related: Option<(Range<usize>, String)>,
    /// The file that the second place is in; `None` is the scenario's own.
    pub related_file: Option<Arc<SourceFile>>,
    /// What to write instead.
    pub help: Option<String>,
    /// Line of the place, from 1.
    pub line: usize,
    /// Column of the place in characters, from 1.
    pub column: usize,
}

impl Finding {
    /// Something that cannot be used, at these bytes of the text. `label` is said at the place, and may be empty.
    #[must_use]
    pub fn error(span: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            file: None,
            span,
            label: label.into(),
            related: None,
            related_file: None,
            help: None,
            line: 0,
            column: 0,
        }
    }

    /// Something that was probably not meant.
    #[must_use]
    pub fn warning(
        span: Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message, label) }
    }

    pub(crate) fn related(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.related = Some((span, label.into()));
        self
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// "did you mean", where there is something to mean.
    pub(crate) fn suggest(self, name: Option<&str>) -> Self {
        match name {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    /// Fills in file, line and column; a place outside its text moves to its end.
    pub(crate) fn located(mut self, sources: &Sources) -> Self {
        let (index, start, file) = sources.at(self.span.start);
        self.file = (index > 0).then(|| Arc::clone(file));
        self.span = within(&self.span, start, &file.text);
        (self.line, self.column) = place(&file.text, self.span.start);
        if let Some((span, _)) = &mut self.related {
            let (index, start, file) = sources.at(span.start);
            self.related_file = (index > 0).then(|| Arc::clone(file));
            *span = within(span, start, &file.text);
        }
        self
    }
}

/// A span of all files as one of the file that begins at `start`.
fn within(span: &Range<usize>, start: usize, text: &str) -> Range<usize> {
    let first = boundary(text, span.start - start);
    first..boundary(text, span.end.saturating_sub(start)).max(first)
}

/// Line and column, both from 1, of a byte of the text.
pub(crate) fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..boundary(text, offset)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

fn boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The findings as text for a terminal. `path` is what the file is called there.
#[must_use]
pub fn render_findings<'a>(
    path: &'a str,
    text: &'a str,
    findings: &'a [Finding],
    coloured: bool,
) -> String {
    let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let mut rendered = String::new();
    for finding in findings {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        // What is in another file than the scenario's own is shown there.
        let shown = |file: &'a Option<Arc<SourceFile>>| {
            let (path, text) =
                file.as_deref().map_or((path, text), |file| (&file.path, &file.text));
            Snippet::source(text).path(path)
        };
        let primary = AnnotationKind::Primary.span(finding.span.clone()).label(&finding.label);
        let title = level.primary_title(&finding.message);
        let mut report = match &finding.related {
            Some((span, label)) => {
                let context = AnnotationKind::Context.span(span.clone()).label(label);
                if finding.related_file == finding.file {
                    let snippet = shown(&finding.file).annotation(primary).annotation(context);
                    vec![title.element(snippet)]
                } else {
                    let related = shown(&finding.related_file).annotation(context);
                    vec![title.element(shown(&finding.file).annotation(primary)).element(related)]
                }
            }
            None => vec![title.element(shown(&finding.file).annotation(primary))],
        };
        if let Some(help) = &finding.help {
            report.push(Group::with_title(Level::HELP.secondary_title(help)));
        }
        if !rendered.is_empty() {
            rendered.push_str("\n\n");
        }
        rendered.push_str(&renderer.render(&report));
    }
    if !rendered.is_empty() {
        rendered.push('\n');
    }
    rendered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let text = "a\nbü = 1\n";
        assert_eq!(place(text, 0), (1, 1));
        assert_eq!(place(text, text.find('=').unwrap()), (2, 4));
        assert_eq!(place(text, 4), (2, 2), "in the middle of a character");
        assert_eq!(place(text, 999), (3, 1));
    }
}
