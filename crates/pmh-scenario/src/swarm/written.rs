//! A table as the text of a scenario file, in the order and the forms that people write.

use toml::{Table, Value};

/// Keys of a file in the order they are written; others follow.
const ORDER: [&str; 17] = [
    "format",
    "title",
    "kind",
    "rules",
    "tags",
    "origin",
    "seed",
    "catches",
    "repository",
    "protocol",
    "clock",
    "client",
    "fault",
    "reply",
    "run",
    "expect",
    "budget",
];

/// The file as text: tables of one or two keys as dotted keys, faults and runs as tables of their own.
#[must_use]
pub fn written(file: &Table) -> String {
    let place = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
    let mut keys: Vec<&String> = file.keys().collect();
    keys.sort_by_key(|key| (is_block(&file[key.as_str()]), place(key)));
    let mut text = String::new();
    for key in keys {
        match &file[key.as_str()] {
            Value::Array(entries) if entries.iter().any(Value::is_table) => {
                for entry in entries.iter().filter_map(Value::as_table) {
                    text.push_str(&format!("\n[[{key}]]\n"));
                    let mut keys: Vec<&String> = entry.keys().collect();
                    keys.sort_by_key(|key| place_in_entry(key));
                    for key in keys {
                        line(&mut text, key, &entry[key.as_str()]);
                    }
                }
            }
            Value::Table(table) if table.is_empty() => {}
            value => line(&mut text, key, value),
        }
    }
    text
}

fn is_block(value: &Value) -> bool {
    value.as_array().is_some_and(|entries| entries.iter().any(Value::is_table))
}

fn place_in_entry(key: &str) -> usize {
    const ORDER: [&str; 9] =
        ["name", "action", "when", "do", "times", "optional", "before", "crash", "expect"];
    ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len())
}

/// A value on a line; a table is one line for each of its leaves, with a dotted key.
fn line(text: &mut String, key: &str, value: &Value) {
    match value {
        Value::Table(table)
            if (1..=2).contains(&table.len()) && table.keys().all(|key| is_bare(key)) =>
        {
            for (below, value) in table {
                line(text, &format!("{key}.{below}"), value);
            }
        }
        value => text.push_str(&format!("{key} = {value}\n")),
    }
}

/// Whether a key needs no quotes.
fn is_bare(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_as_the_same_table() {
        let text = "format = 1\n[repository]\npage-size = 2\nrecords.generate = { count = 6, deleted = 0.1 }\n\
                    [[fault]]\nname = \"x\"\nwhen = { page = 2 }\ndo.token = \"same\"\n[[run]]\naction = \"harvest\"\n";
        let table: Table = text.parse().unwrap();
        let written = written(&table);
        assert_eq!(written.parse::<Table>().unwrap(), table, "{written}");
        assert_eq!(
            written,
            "format = 1\nrepository.page-size = 2\nrepository.records.generate.count = 6\n\
             repository.records.generate.deleted = 0.1\n\n[[fault]]\nname = \"x\"\nwhen.page = 2\n\
             do.token = \"same\"\n\n[[run]]\naction = \"harvest\"\n"
        );
    }
}
