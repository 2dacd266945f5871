//! The file format as a JSON Schema, for editors.

use schemars::schema_for;

use crate::model::File;

/// The JSON Schema (draft 2020-12) of a scenario file. A file names it in its first line: `#:schema PATH`.
#[must_use]
pub fn json_schema() -> String {
    let mut text =
        serde_json::to_string_pretty(&schema_for!(File)).expect("a schema is plain data");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Paths of keys and variants without a text to show.
    fn silent(path: &str, schema: &Value, found: &mut Vec<String>) {
        if let Some(properties) = schema["properties"].as_object() {
            for (name, property) in properties {
                let path = format!("{path}.{name}");
                // A variant has its text on the object around its only key.
                if property["description"].is_null() && schema["description"].is_null() {
                    found.push(path.clone());
                }
                silent(&path, property, found);
            }
        }
        for (index, variant) in schema["oneOf"].as_array().into_iter().flatten().enumerate() {
            let path = format!("{path}/{index}");
            if variant["description"].is_null() {
                found.push(path.clone());
            }
            silent(&path, variant, found);
        }
    }

    #[test]
    fn every_key_and_every_word_has_a_text_to_show() {
        let schema: Value = serde_json::from_str(&json_schema()).unwrap();
        let mut found = Vec::new();
        silent("", &schema, &mut found);
        let definitions = schema["$defs"].as_object().unwrap();
        for (name, definition) in definitions {
            silent(name, definition, &mut found);
        }
        assert!(definitions.len() > 15, "{} definitions", definitions.len());
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn unknown_keys_are_refused_by_editors_too() {
        let schema: Value = serde_json::from_str(&json_schema()).unwrap();
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["$defs"]["When"]["additionalProperties"], false);
        assert_eq!(schema["required"], serde_json::json!(["format"]));
    }
}
