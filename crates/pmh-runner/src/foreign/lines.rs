//! Rows as JSON objects, one a line.

use pmh_oracle::HeldRow;
use pmh_scenario::payload_digest;
use serde_json::Value;

use super::reader::Read;

/// The rows of these lines; as a log, the later of two with one identifier counts.
pub(super) fn read(text: &str, is_log: bool) -> Read {
    let mut rows: Vec<HeldRow> = Vec::new();
    let mut bad = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match row_of(line) {
            Some(row) => rows.push(row),
            // Whoever is killed in the middle of a line leaves half of one.
            None if index + 1 == text.lines().count() && !text.ends_with('\n') => {}
            None => bad.push(index + 1),
        }
    }
    if is_log {
        keep_latest(&mut rows);
    }
    let passed_over = bad
        .iter()
        .map(|line| format!("line {line} of its store: no JSON object with an `identifier`"))
        .collect();
    Read { rows, passed_over }
}

/// Of rows with one identifier only the last stays.
pub(super) fn keep_latest(rows: &mut Vec<HeldRow>) {
    let mut latest = std::collections::BTreeMap::new();
    for row in rows.drain(..) {
        latest.insert(row.identifier.clone(), row);
    }
    rows.extend(latest.into_values());
}

/// Whether a word says that a record was withdrawn: whatever does not say that it was not.
pub(super) fn is_deleted(word: &str) -> bool {
    let word = word.trim().to_ascii_lowercase();
    !matches!(word.as_str(), "" | "0" | "false" | "f" | "no" | "n" | "live" | "active")
}

fn row_of(line: &str) -> Option<HeldRow> {
    let value: Value = serde_json::from_str(line).ok()?;
    let identifier = value.get("identifier")?.as_str()?.to_owned();
    let deleted = match value.get("deleted") {
        Some(Value::Bool(deleted)) => *deleted,
        Some(Value::Number(number)) => number.as_i64() != Some(0),
        Some(Value::String(word)) => is_deleted(word),
        _ => false,
    };
    let metadata = value.get("metadata").filter(|metadata| !metadata.is_null());
    Some(HeldRow {
        identifier,
        datestamp: value.get("datestamp").and_then(Value::as_str).map(str::to_owned),
        deleted,
        digest: metadata.and_then(Value::as_str).and_then(digest_of),
    })
}

/// What is known of a payload: that there is none. Other tools write the same XML in other bytes, so one that is there
/// is not compared.
pub(super) fn digest_of(metadata: &str) -> Option<String> {
    metadata.trim().is_empty().then(|| payload_digest(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_counts_the_latest_line_of_each_record_and_passes_over_what_is_torn() {
        for (word, deleted) in [("deleted", true), ("1", true), ("No", false), (" ", false)] {
            assert_eq!(is_deleted(word), deleted, "{word}");
        }
        let text = "{\"identifier\":\"a\",\"datestamp\":\"2024-01-01\",\"metadata\":\"<x/>\"}\n\n\
                    nonsense\n{\"identifier\":\"a\",\"deleted\":true}\n{\"identifier\":\"b\",\"metadata\":\"\"}\n\
                    {\"identifier\":\"c\",\"data";
        let found = read(text, true);
        let rows: Vec<_> =
            found.rows.iter().map(|row| (row.identifier.as_str(), row.deleted)).collect();
        assert_eq!(rows, [("a", true), ("b", false)]);
        assert_eq!(found.rows[1].digest, Some(payload_digest("")));
        assert_eq!(found.passed_over, ["line 3 of its store: no JSON object with an `identifier`"]);
        assert_eq!(read(text, false).rows.len(), 3);
    }
}
