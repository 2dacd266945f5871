//! JSON: every verdict, and why each record that is missing is missing.

use serde_json::{Value, json};

use super::super::{Cell, Results, Row, Standing};

/// Version of this format; it grows by new members only.
const FORMAT: u32 = 1;

pub(super) fn json(results: &Results) -> String {
    let summary: serde_json::Map<String, Value> = results
        .harvesters
        .iter()
        .map(|name| {
            let counts = results.counts(name).into_iter();
            (name.clone(), counts.map(|(number, word)| (word.to_owned(), json!(number))).collect())
        })
        .collect();
    let cells: Vec<Value> = results.cells().map(|(row, cell)| of_cell(row, cell)).collect();
    let whole = json!({
        "format": FORMAT,
        "program": concat!("pmh ", env!("CARGO_PKG_VERSION")),
        "seconds": results.took.as_secs_f64(),
        "harvesters": results.harvesters,
        "summary": summary,
        "results": cells,
    });
    format!("{whole:#}\n")
}

fn of_cell(row: &Row, cell: &Cell) -> Value {
    let reason = match &cell.standing {
        Standing::KnownFailure { reason } | Standing::UnexpectedPass { reason } => {
            Some(reason.as_str())
        }
        Standing::LeftOut => Some(cell.text.trim()),
        _ => None,
    };
    json!({
        "scenario": row.id,
        "title": row.title,
        "kind": row.kind,
        "rules": row.rules,
        "seed": row.seed,
        "file": row.file,
        "harvester": cell.harvester,
        "standing": cell.standing.word(),
        "reason": reason,
        "failed": cell.failed,
        "verdict": cell.text,
        "why": cell.whys.iter().map(|why| json!({
            "run": why.run,
            "wrong": why.wrong,
            "identifiers": why.identifiers,
            "places": why.places.iter()
                .map(|(opened, page)| json!({"list_opened_by": opened, "page": page}))
                .collect::<Vec<_>>(),
            "exchanges": why.told.iter().map(|told| json!({
                "n": told.n,
                "run": told.run,
                "page": told.page,
                "attempt": told.attempt,
                "answer": told.answer,
                "made_by": told.made_by.iter()
                    .map(|(name, line)| json!({"name": name, "line": line}))
                    .collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "conclusion": why.conclusion,
        })).collect::<Vec<_>>(),
        "seconds": cell.took.as_secs_f64(),
        "again": cell.again,
    })
}
