//! The name that somebody probably meant.

/// The candidate nearest to `word`, if it is near enough to be worth mentioning.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// Names as they stand in a message.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_suggested() {
        let names = ["first", "second", "third"];
        assert_eq!(nearest("frist", names), Some("first"));
        assert_eq!(nearest("secnd", names), Some("second"));
        assert_eq!(nearest("fourth", names), None);
        assert_eq!(nearest("", names), None);
    }
}
