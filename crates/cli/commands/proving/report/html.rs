//! One page that needs no network and no script: the matrix, each cell a link to its story.

use std::fmt::Write as _;

use super::super::{Results, Standing};
use super::escaped;

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2rem;max-width:75rem}\
table{border-collapse:collapse}td,th{padding:.15rem .6rem;text-align:left;border-bottom:1px solid #ddd}\
th{position:sticky;top:0;background:#fff}td.sign{text-align:center}a{text-decoration:none}\
.held{color:#176f2c}.failed,.gave-up,.unexpected-pass{color:#b3261e}.vacuous,.known-failure{color:#8a6100}.left-out{color:#777}\
pre{background:#f6f6f6;padding:.8rem;overflow-x:auto;white-space:pre-wrap}summary{cursor:pointer}\
@media print{details{display:block}}";

pub(super) fn html(results: &Results) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>pmh prove</title>\
         <style>{STYLE}</style></head><body>\n<h1>Scenarios and harvesters</h1>\n<ul>\n"
    );
    for harvester in &results.harvesters {
        let _ = writeln!(
            text,
            "<li><b>{}</b>: {}</li>",
            escaped(harvester),
            results.counted(harvester)
        );
    }
    text.push_str("</ul>\n<p>");
    for (sign, word, what) in Standing::ALL_WORDS {
        let _ = write!(text, "<span class=\"{word}\">{sign}</span> <i>{word}</i>: {what}<br>");
    }
    text.push_str("</p>\n<table>\n<tr><th>scenario</th>");
    for harvester in &results.harvesters {
        let _ = write!(text, "<th>{}</th>", escaped(harvester));
    }
    text.push_str("<th>kind</th><th>what happens</th></tr>\n");
    for (number, row) in results.rows.iter().enumerate() {
        let _ = write!(text, "<tr><td>{}</td>", escaped(&row.id));
        for (column, cell) in row.cells.iter().enumerate() {
            let (word, sign) = (cell.standing.word(), cell.standing.sign());
            let _ = write!(
                text,
                "<td class=\"sign\"><a class=\"{word}\" href=\"#c{number}-{column}\" title=\"{word}\">{sign}</a></td>"
            );
        }
        let kind = row.kind.as_deref().unwrap_or_default();
        let _ = writeln!(text, "<td>{kind}</td><td>{}</td></tr>", escaped(&row.title));
    }
    text.push_str("</table>\n");
    for (number, row) in results.rows.iter().enumerate() {
        let _ = writeln!(text, "<h2>{}</h2>\n<p>{}</p>", escaped(&row.id), escaped(&row.title));
        for (column, cell) in row.cells.iter().enumerate() {
            let open = if cell.standing.is_bad() { " open" } else { "" };
            let _ = writeln!(
                text,
                "<details id=\"c{number}-{column}\"{open}><summary class=\"{}\">{} {} · {} · {:.1} s</summary>\
                 <pre>{}</pre></details>",
                cell.standing.word(),
                cell.standing.sign(),
                escaped(&cell.harvester),
                cell.standing.word(),
                cell.took.as_secs_f64(),
                escaped(&cell.story())
            );
        }
    }
    text.push_str("</body></html>\n");
    text
}
