//! The namespace declarations in scope: the innermost last.

/// One `xmlns` attribute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declaration<'a> {
    /// Empty for the default namespace.
    pub(super) prefix: &'a str,
    /// The namespace as written, with its quotes, so that it can be written again anywhere.
    pub(super) quoted: &'a str,
}

impl<'a> Declaration<'a> {
    /// Bytes that writing it again takes.
    pub(super) const fn length(&self) -> usize {
        " xmlns:=".len() + self.prefix.len() + self.quoted.len()
    }

    /// The namespace as written, references unresolved: enough to compare with the protocol's.
    pub(super) fn namespace(&self) -> &'a str {
        &self.quoted[1..self.quoted.len() - 1]
    }
}

#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    declarations: Vec<Declaration<'a>>,
}

impl<'a> Scope<'a> {
    pub(super) fn len(&self) -> usize {
        self.declarations.len()
    }

    pub(super) fn declare(&mut self, declaration: Declaration<'a>) {
        self.declarations.push(declaration);
    }

    /// Forgets all but the `len` outermost: their elements have ended.
    pub(super) fn leave(&mut self, len: usize) {
        self.declarations.truncate(len);
    }

    /// The declaration that `prefix` means here, with its place counted from the outermost.
    pub(super) fn find(&self, prefix: &str) -> Option<(usize, Declaration<'a>)> {
        // By hand: of two or three bytes a call costs more than they do.
        let is_same = |declaration: &Declaration<'_>| {
            declaration.prefix.len() == prefix.len()
                && declaration.prefix.bytes().eq(prefix.bytes())
        };
        let at = self.declarations.iter().rposition(is_same)?;
        Some((at, self.declarations[at]))
    }

    /// The declaration at a place that [`Self::find`] named, still in scope.
    pub(super) fn at(&self, place: usize) -> Declaration<'a> {
        self.declarations[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_declaration_of_a_prefix_counts_until_it_is_left() {
        let mut scope = Scope::default();
        scope.declare(Declaration { prefix: "a", quoted: "'outer'" });
        let outside = scope.len();
        scope.declare(Declaration { prefix: "a", quoted: "\"inner\"" });
        assert_eq!(scope.find("a").unwrap().1.namespace(), "inner");
        scope.leave(outside);
        assert_eq!(scope.find("a").unwrap().1.namespace(), "outer");
        assert!(scope.find("b").is_none());
    }
}
