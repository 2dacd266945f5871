//! Faults of the wire that could be due at one exchange: an answer travels in one way only.

use toml::Spanned;

use crate::finding::Finding;
use crate::model::{Effect, Fault, File, When};

pub(super) fn check(file: &File, findings: &mut Vec<Finding>) {
    let wire: Vec<&Fault> = file
        .fault
        .iter()
        .map(Spanned::get_ref)
        .filter(|fault| matches!(fault.effect, Effect::Wire(_)))
        .collect();
    for (index, later) in wire.iter().enumerate() {
        let rival = wire[..index].iter().find(|earlier| can_coincide(earlier, later));
        if let Some(earlier) = rival {
            let message = "two faults of the wire can be due at one exchange";
            let help = "an answer travels in one way: tell them apart by `run`, `list`, `page`, `token` or `attempt`";
            findings.push(
                Finding::error(later.name.span(), message, "")
                    .related(earlier.name.span(), "the first is here")
                    .help(help),
            );
        }
    }
}

/// Whether there can be a request at which both are due: no key has two different values.
fn can_coincide(one: &Fault, other: &Fault) -> bool {
    let (Some(one), Some(other)) = (&one.when, &other.when) else { return true };
    let (one, other): (&When, &When) = (one.get_ref(), other.get_ref());
    agree(&one.run, &other.run)
        && agree(&one.list, &other.list)
        && agree(&one.page, &other.page)
        && agree(&one.token, &other.token)
        && agree(&one.attempt, &other.attempt)
}

fn agree<T: PartialEq>(one: &Option<Spanned<T>>, other: &Option<Spanned<T>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.get_ref() == other.get_ref(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two faults with these places can be due at one request.
    fn check(one: &str, other: &str, expected: bool) {
        let text = format!(
            "format = 1\n[[fault]]\nname = \"a\"\n{one}\ndo.token = \"same\"\n\
             [[fault]]\nname = \"b\"\n{other}\ndo.token = \"same\"\n"
        );
        let file: File = toml::from_str(&text).expect("the file is sound");
        let [one, other] = &file.fault[..] else { panic!("two faults") };
        assert_eq!(can_coincide(one.get_ref(), other.get_ref()), expected, "{text}");
    }

    #[test]
    fn two_faults_can_meet_unless_a_key_tells_them_apart() {
        check("", "", true);
        check("when.page = 3", "", true);
        check("when.page = 3", "when.attempt = 2", true);
        check("when.page = 3", "when.page = 3", true);
        check("when.page = 3", "when.page = 4", false);
        check("when = { page = 3, run = \"x\" }", "when = { page = 3, run = \"y\" }", false);
        check("when = { page = 3, attempt = 1 }", "when = { page = 3, attempt = 2 }", false);
        check("when.list = 1", "when.list = 2", false);
        check("when.token = 0", "when.token = 1", false);
    }
}
