//! What belongs at a place, as the schema has it.

use serde_json::Value;

use super::place::Step;

/// Alternatives that are named; the schema has them all.
const NAMED_MAX: usize = 5;
/// Examples go no deeper.
const DEPTH_MAX: usize = 4;

/// What belongs at this path, with an example, for a sentence that begins with "expected"; nothing where the schema does
/// not say.
pub(super) fn at(root: &Value, path: &[Step]) -> Option<String> {
    let mut schema = root;
    for step in path {
        schema = inner(root, schema, step)?;
    }
    words(root, schema)
}

/// The schema that a reference leads to; of something and null, the something.
fn plain<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEPTH_MAX {
        if let Some(path) = schema["$ref"].as_str().and_then(|name| name.strip_prefix('#')) {
            schema = root.pointer(path).unwrap_or(schema);
            continue;
        }
        let Some([first, second]) = schema["anyOf"].as_array().map(Vec::as_slice) else { break };
        match second["type"] == "null" {
            true => schema = first,
            false => break,
        }
    }
    schema
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten()
}

fn inner<'a>(root: &'a Value, schema: &'a Value, step: &Step) -> Option<&'a Value> {
    let schema = plain(root, schema);
    let here = match step {
        Step::Entry(_) => schema.get("items"),
        Step::Key(key) => {
            let any = schema.get("additionalProperties").filter(|any| any.is_object());
            schema["properties"].get(key).or(any)
        }
    };
    here.or_else(|| alternatives(schema).find_map(|one| inner(root, one, step)))
}

fn is_of(schema: &Value, name: &str) -> bool {
    let mut types = schema["type"].as_array().into_iter().flatten().chain([&schema["type"]]);
    types.any(|found| found == name)
}

fn words(root: &Value, schema: &Value) -> Option<String> {
    let schema = plain(root, schema);
    if let Some(example) = given(schema) {
        return Some(format!("something such as `{example}`"));
    }
    let examples: Vec<String> =
        alternatives(schema).map(|one| format!("`{}`", example(root, one, 0))).collect();
    if !examples.is_empty() {
        let more = if examples.len() > NAMED_MAX { " and so on" } else { "" };
        let named: Vec<String> = examples.into_iter().take(NAMED_MAX).collect();
        return Some(format!("one of {}{more}", named.join(", ")));
    }
    let example = example(root, schema, 0);
    Some(match () {
        () if is_of(schema, "integer") => {
            let least = schema["minimum"].as_u64().unwrap_or(0);
            let most = schema["maximum"].as_u64();
            // The schema names the width and leaves out what follows from it.
            match most.or((schema["format"] == "uint32").then_some(u64::from(u32::MAX))) {
                Some(most) => format!("a whole number, {least} to {most}"),
                None => format!("a whole number, at least {least}"),
            }
        }
        () if is_of(schema, "number") => format!("a number, such as {example}"),
        () if is_of(schema, "boolean") => "`true` or `false`".to_owned(),
        () if is_of(schema, "string") => "text between quotation marks".to_owned(),
        () if is_of(schema, "array") => format!("a list, such as `{example}`"),
        () if is_of(schema, "object") => format!("a table, such as `{example}`"),
        () => return None,
    })
}

/// The example that the schema itself gives.
fn given(schema: &Value) -> Option<String> {
    let value = toml::Value::try_from(schema["examples"].get(0)?).ok()?;
    Some(value.to_string())
}

/// A value of this schema, as it is written.
fn example(root: &Value, schema: &Value, depth: usize) -> String {
    let schema = plain(root, schema);
    if let Some(example) = given(schema) {
        return example;
    }
    if let Some(word) = schema["const"].as_str() {
        return format!("{word:?}");
    }
    if depth >= DEPTH_MAX {
        return "…".to_owned();
    }
    if let Some(first) = alternatives(schema).next() {
        return example(root, first, depth + 1);
    }
    match () {
        () if is_of(schema, "integer") => {
            schema["minimum"].as_u64().unwrap_or(0).max(1).to_string()
        }
        () if is_of(schema, "number") => "0.5".to_owned(),
        () if is_of(schema, "boolean") => "true".to_owned(),
        () if is_of(schema, "string") => "\"…\"".to_owned(),
        () if is_of(schema, "array") => {
            format!("[{}]", example(root, &schema["items"], depth + 1))
        }
        () => {
            let Some(properties) = schema["properties"].as_object() else {
                return "{ … }".to_owned();
            };
            let required: Vec<&str> = schema["required"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let first = properties.keys().map(String::as_str).take(1);
            let keys = if required.is_empty() { first.collect() } else { required };
            let keys: Vec<String> = keys
                .into_iter()
                .map(|key| format!("{key} = {}", example(root, &properties[key], depth + 1)))
                .collect();
            format!("{{ {} }}", keys.join(", "))
        }
    }
}

/// What serde calls a type, in words of people; nothing where it speaks as people do.
pub(super) fn of_the_machine(expected: &str) -> Option<&'static str> {
    Some(match expected {
        "" | "string or table" => "text or a table",
        "u8" | "u16" | "u32" | "u64" | "i64" | "usize" => "a whole number",
        "f64" => "a number",
        "a string" | "a borrowed string" => "text between quotation marks",
        "a boolean" => "`true` or `false`",
        "a sequence" => "a list in brackets",
        "a map" => "a table",
        other if other.starts_with("struct ") => "a table",
        other if other.starts_with("enum ") || other.starts_with("variant") => "one of its words",
        _ => return None,
    })
}
