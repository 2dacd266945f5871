//! Which file a key of a scenario came from, for those that are made of several.

use std::collections::BTreeMap;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::sources::{SourceFile, Sources};

/// The keys that another file than the scenario's own has written, by their paths: `repository.page-size`, and
/// `fault.0.name` for the first fault.
#[derive(Debug, Default)]
pub(crate) struct Origins(BTreeMap<String, Arc<SourceFile>>);

impl Origins {
    pub(crate) fn of(table: &DeTable<'_>, sources: &Sources) -> Self {
        let mut origins = Self::default();
        origins.collect("", table, sources);
        origins
    }

    /// Path of the file that wrote the key, or the first key below it, if that is not the scenario's own.
    pub(crate) fn file(&self, path: &str) -> Option<&str> {
        let below = |key: &str| {
            key.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let mut from = self.0.range(path.to_owned()..).take_while(|(key, _)| key.starts_with(path));
        from.find(|(key, _)| below(key)).map(|(_, file)| file.path.as_str())
    }

    fn collect(&mut self, above: &str, table: &DeTable<'_>, sources: &Sources) {
        for (key, value) in table {
            let path = match above {
                "" => key.get_ref().to_string(),
                above => format!("{above}.{}", key.get_ref()),
            };
            match value.get_ref() {
                DeValue::Table(inner) => self.collect(&path, inner, sources),
                DeValue::Array(entries)
                    if entries.iter().any(|entry| entry.get_ref().is_table()) =>
                {
                    for (index, entry) in entries.iter().enumerate() {
                        if let DeValue::Table(inner) = entry.get_ref() {
                            self.collect(&format!("{path}.{index}"), inner, sources);
                        }
                    }
                }
                _ => {
                    let (index, _, file) = sources.at(value.span().start);
                    if index > 0 {
                        self.0.insert(path, Arc::clone(file));
                    }
                }
            }
        }
    }
}
