//! JUnit XML: a suite per harvester, a case per scenario, the reason first.

use std::fmt::Write as _;

use super::super::{Cell, Results, Standing};
use super::escaped;

pub(super) fn junit(results: &Results) -> String {
    let bad = results.cells().filter(|(_, cell)| cell.standing.is_bad()).count();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        text,
        "<testsuites name=\"pmh prove\" tests=\"{}\" failures=\"{bad}\" errors=\"0\" time=\"{:.3}\">",
        results.cells().count(),
        results.took.as_secs_f64()
    );
    for harvester in &results.harvesters {
        let cells = || results.cells().filter(|(_, cell)| cell.harvester == *harvester);
        let _ = writeln!(
            text,
            "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
            escaped(harvester),
            cells().count(),
            cells().filter(|(_, cell)| cell.standing.is_bad()).count(),
            cells().filter(|(_, cell)| skipped(cell).is_some()).count(),
            cells().map(|(_, cell)| cell.took.as_secs_f64()).sum::<f64>()
        );
        for (row, cell) in cells() {
            let _ = writeln!(
                text,
                "<testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"><properties>\
                 <property name=\"title\" value=\"{}\"/><property name=\"kind\" value=\"{}\"/>\
                 <property name=\"seed\" value=\"{}\"/><property name=\"again\" value=\"{}\"/></properties>",
                escaped(&match row.id.rsplit_once('/') {
                    Some((folder, _)) => format!("{harvester}.{folder}"),
                    None => harvester.clone(),
                }),
                escaped(&row.id),
                cell.took.as_secs_f64(),
                escaped(&row.title),
                row.kind.as_deref().unwrap_or_default(),
                row.seed,
                escaped(&cell.again)
            );
            if cell.standing.is_bad() {
                let _ = writeln!(
                    text,
                    "<failure type=\"{}\" message=\"{}\">{}</failure>",
                    cell.standing.word(),
                    escaped(&cell.headline()),
                    escaped(&cell.story())
                );
            } else if let Some(why) = skipped(cell) {
                let _ = writeln!(text, "<skipped message=\"{}\"/>", escaped(&why));
            }
            text.push_str("</testcase>\n");
        }
        text.push_str("</testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn skipped(cell: &Cell) -> Option<String> {
    let why = match &cell.standing {
        Standing::KnownFailure { reason } => reason.as_str(),
        Standing::LeftOut => cell.text.trim(),
        Standing::Vacuous => "what was to go wrong did not happen",
        _ => return None,
    };
    Some(format!("{}: {why}", cell.standing.word()))
}
