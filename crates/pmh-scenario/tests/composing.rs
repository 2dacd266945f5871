//! Scenarios of several files and of several cases, and the files of replies.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use pmh_scenario::{Content, Loaded, Severity, Vocabulary, load_all, render_findings};

const KNOWN: Vocabulary<'_> = Vocabulary {
    specimens: &["never-counts"],
    guards: &["no-progress"],
    outcomes: &["complete", "incomplete", "refused"],
};

const BASE: &str = "\
format = 1
title = \"base\"
[repository]
records.generate = { count = 30, deleted = 0.1 }
page-size = 5
[protocol]
granularity = \"day\"
[[fault]]
name = \"shared\"
when = { page = 2 }
do.token = \"same\"
[[run]]
action = \"harvest\"
";

fn all(text: &str, others: &[(&str, &str)]) -> Result<Vec<Loaded>, String> {
    let others: BTreeMap<&str, &str> = others.iter().copied().collect();
    let read = |path: &str| {
        others.get(path).map(|text| text.as_bytes().to_vec()).ok_or("no such file".to_owned())
    };
    load_all("token/x", text, &KNOWN, &read)
        .map_err(|findings| render_findings("scenarios/token/x.toml", text, &findings, false))
}

fn whole(text: &str) -> String {
    format!("format = 1\ntitle = \"t\"\nextends = [\"../base/b.toml\"]\n{text}")
}

#[test]
fn a_file_is_put_upon_what_it_extends_key_by_key() {
    let text = whole(
        "[repository]\npage-size = 7\n[[fault]]\nname = \"shared\"\ndo.token = \"drop\"\nwhen.page = 1\n\
         [[fault]]\nname = \"own\"\ndo.token = \"same\"\nwhen.page = 2\n",
    );
    let loaded = all(&text, &[("base/b.toml", BASE)]).unwrap();
    let script = loaded[0].script();
    assert_eq!((script.title.as_str(), script.repository.page_size), ("t", 7));
    assert_eq!(script.repository.world.records.len(), 30);
    let faults: Vec<(&str, Option<u32>)> =
        script.faults.iter().map(|fault| (fault.name.as_str(), fault.when.page)).collect();
    assert_eq!(faults, [("shared", Some(1)), ("own", Some(2))], "the same name takes its place");
    assert_eq!(script.faults[1].line, 10, "a line is one of the file that has it");
}

#[test]
fn what_is_shown_says_which_file_it_came_from() {
    let loaded = all(&whole("[repository]\npage-size = 7\n"), &[("base/b.toml", BASE)]).unwrap();
    let shown = loaded[0].show();
    let line = |start: &str| shown.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
    assert_eq!(line("page-size"), "page-size = 7");
    assert_eq!(line("records.generate.count"), "records.generate.count = 30 # from base/b.toml");
    assert_eq!(line("granularity"), "granularity = \"day\" # from base/b.toml");
    assert_eq!(line("do = "), "do = { token = \"same\" } # from base/b.toml");
    assert_eq!(line("tick"), "tick = \"1s\" # default");
}

#[test]
fn another_kind_of_records_replaces_the_former_whole() {
    let base = "format = 1\n[repository]\nrecords.generate = { count = 3, stamps = \"same\" }\n";
    let text = whole(
        "[repository]\nrecords.generate = { stamps.every = { step = \"1m\" } }\n[[run]]\naction = \"harvest\"\n",
    );
    let script = all(&text, &[("base/b.toml", base)]).unwrap()[0].script();
    assert_eq!(script.repository.world.records.len(), 3, "the same kind is merged");
    assert_ne!(
        script.repository.world.records[&1].stamp, script.repository.world.records[&2].stamp,
        "another kind of stamps replaces the former"
    );
}

#[test]
fn a_mistake_is_shown_in_the_file_that_has_it() {
    let base = BASE.replace("page-size", "page-szie");
    let found = all(&whole(""), &[("base/b.toml", &base)]).unwrap_err();
    for part in
        ["error: unknown field `page-szie`", "--> base/b.toml:5:1", "did you mean `page-size`?"]
    {
        assert!(found.contains(part), "{found}");
    }
}

#[test]
fn a_ring_of_files_is_named() {
    let base = "format = 1\nextends = [\"../token/y.toml\"]\n";
    let other = "format = 1\nextends = [\"../base/b.toml\"]\n";
    let others = [("base/b.toml", base), ("token/y.toml", other)];
    assert_snapshot!(all(&whole(""), &others).unwrap_err(), @r#"
    error: files extend each other in a ring: base/b.toml -> token/y.toml -> base/b.toml
     --> token/y.toml:2:12
      |
    2 | extends = ["../base/b.toml"]
      |            ^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    assert_snapshot!(all(&whole(""), &[]).unwrap_err(), @r#"
    error: failed to read `base/b.toml`: no such file
     --> scenarios/token/x.toml:3:12
      |
    3 | extends = ["../base/b.toml"]
      |            ^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn a_row_of_files_has_an_end() {
    let texts: Vec<(String, String)> = (0..20)
        .map(|n| {
            let text = format!("format = 1\nextends = [\"{}.toml\"]\n", n + 1);
            (format!("base/{n}.toml"), text)
        })
        .collect();
    let others: Vec<(&str, &str)> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let text = "format = 1\nextends = [\"../base/0.toml\"]\n";
    let found = all(text, &others).unwrap_err();
    assert!(found.contains("more than 8 files extend each other"), "{found}");
}

#[test]
fn a_matrix_makes_a_case_of_each_combination() {
    let text = "format = 1\ntitle = \"t\"\n[matrix]\n\"repository.page-size\" = [1, 7]\n\
                \"protocol.token\" = [\"stateful\", \"stateless\"]\n[[run]]\naction = \"harvest\"\n";
    let cases = all(text, &[]).unwrap();
    let ids: Vec<String> = cases.iter().map(Loaded::id).collect();
    assert_eq!(
        ids,
        [
            "token/x[token=stateful,page-size=1]",
            "token/x[token=stateful,page-size=7]",
            "token/x[token=stateless,page-size=1]",
            "token/x[token=stateless,page-size=7]",
        ]
    );
    assert_eq!(cases[1].script().repository.page_size, 7);
    assert_eq!(cases[1].script().family, "token/x");
    assert!(cases[1].show().starts_with("# [token=stateful,page-size=7]\n"));
}

#[test]
fn a_matrix_reaches_into_entries_by_their_names() {
    let text = "format = 1\ntitle = \"t\"\n[matrix]\n\"run.one.crash\" = [{ phase = \"before-close\" }, \
                { at = { page = 1 }, phase = \"next-request\" }]\n[[run]]\nname = \"one\"\naction = \"harvest\"\n\
                [[run]]\naction = \"resume\"\n";
    let cases = all(text, &[]).unwrap();
    let ids: Vec<String> = cases.iter().map(Loaded::id).collect();
    assert_eq!(ids[1], "token/x[crash=at-page-1+phase-next-request]");
    assert_eq!(cases[1].script().runs[0].crash.map(|crash| crash.page), Some(1));
    let found = all(&text.replace("run.one", "run.two"), &[]).unwrap_err();
    assert!(found.contains("no `run` is called `two`"), "{found}");
}

#[test]
fn what_is_wrong_in_every_case_is_said_once_and_where_the_value_stands() {
    let text = "format = 1\ntitle = \"t\"\n[matrix]\n\"repository.page-size\" = [0, 7]\n\
                [[run]]\naction = \"harvest\"\nexpect = { guard = \"none\" }\n";
    assert_snapshot!(all(text, &[]).unwrap_err(), @r#"
    error: a page holds 1 to 100000, not 0
     --> scenarios/token/x.toml:4:27
      |
    4 | "repository.page-size" = [0, 7]
      |                           ^ 1 to 100000

    error: no guard is called `none`
     --> scenarios/token/x.toml:7:20
      |
    7 | expect = { guard = "none" }
      |                    ^^^^^^ there are `no-progress`
    "#);
}

#[test]
fn a_matrix_that_is_none_is_explained() {
    for (matrix, message) in [
        ("\"repository.page-size\" = []", "`repository.page-size` takes no values"),
        ("repository.page-size = [1]", "`repository` takes no values"),
        ("\"title.x\" = [1]", "`title` in `title.x` is no table"),
        ("\"a..b\" = [1]", "`a..b` is not the path of a key"),
        ("\"seed\" = [\"x\"]", "expected a whole number, at least 0, found the text \"x\""),
    ] {
        let text = format!(
            "format = 1\ntitle = \"t\"\n[matrix]\n{matrix}\n[[run]]\naction = \"harvest\"\n"
        );
        let found = all(&text, &[]).unwrap_err();
        assert!(found.contains(message), "{matrix}: {found}");
    }
    let numbers: Vec<String> = (1..=17).map(|n| n.to_string()).collect();
    let axis = |key: &str| format!("\"{key}\" = [{}]\n", numbers.join(", "));
    let text = format!("format = 1\n[matrix]\n{}{}", axis("repository.page-size"), axis("seed"));
    let found = all(&text, &[]).unwrap_err();
    assert!(found.contains("the matrix makes more than 256 cases"), "{found}");
}

#[test]
fn a_reply_reads_its_file_beside_the_file_that_names_it() {
    let base = "format = 1\n[[reply]]\nwhen.verb = \"Identify\"\nfile = \"identify.xml\"\n";
    let text = whole(
        "[[reply]]\nwhen = { verb = \"ListRecords\" }\nfile = \"x/page.http\"\n\
         [[run]]\naction = \"harvest\"\n[truth]\npresent = [\"a\"]\n",
    );
    let others = [
        ("base/b.toml", base),
        ("base/identify.xml", "<i/>"),
        ("token/x/page.http", "HTTP/1.1 500 No\r\nA: b\r\n\r\nbody"),
    ];
    let script = all(&text, &others).unwrap()[0].script();
    let reply = &script.replies[0];
    assert_eq!((reply.name.as_str(), reply.status), ("reply 1, identify.xml", 200));
    assert_eq!(reply.content, Content::Body(b"<i/>".as_slice().into()));
    let reply = &script.replies[1];
    assert_eq!((reply.status, &reply.headers[..]), (500, &[("A".into(), "b".into())][..]));
    assert_eq!(reply.content, Content::Body(b"body".as_slice().into()));
    assert!(!script.is_modelled());
}

#[test]
fn a_reply_whose_file_cannot_be_read_is_an_error() {
    let text = |file: &str| {
        format!(
            "format = 1\ntitle = \"t\"\n[[reply]]\nfile = \"{file}\"\n[[run]]\naction = \"harvest\"\n\
             [truth]\npresent = []\n"
        )
    };
    for (file, message) in [
        ("no.xml", "failed to read `token/no.xml`: no such file"),
        ("bad.http", "`token/bad.http` is no HTTP answer: `x` is not a status line"),
        ("/etc/passwd", "a path is relative to the file that names it"),
    ] {
        let found = all(&text(file), &[("token/bad.http", "x\n\n")]).unwrap_err();
        assert!(found.contains(message), "{found}");
    }
}

#[test]
fn warnings_of_a_sound_file_have_their_place_too() {
    let base = BASE.replace("when = { page = 2 }", "when = { page = 99 }");
    let loaded = all(&whole(""), &[("base/b.toml", &base)]).unwrap();
    let warning = &loaded[0].warnings[0];
    assert_eq!((warning.severity, warning.line), (Severity::Warning, 10));
    assert_eq!(warning.file.as_ref().unwrap().path, "base/b.toml");
}

#[test]
fn a_recording_is_played_request_by_request_and_its_last_answer_stays() {
    let line = |number: u32, status: &str, query: &str| {
        format!(
            "{{\"number\":{number},\"url\":\"http://x/oai?mode=a&{query}\",\"status\":{status}}}\n"
        )
    };
    let list = "verb=ListRecords&metadataPrefix=oai_dc";
    let index = line(1, "503", list)
        + &line(2, "null", list)
        + &line(3, "200", list)
        + &line(4, "200", "verb=ListRecords&resumptionToken=a%2Bb");
    let head = "HTTP/1.1 200\ncontent-type: text/xml\nContent-Length: 5\nretry-after: 7\n";
    let mut others = vec![("token/tape/exchanges.jsonl".to_owned(), index)];
    for number in [1, 3, 4] {
        others.push((format!("token/tape/{number:04}-request.txt"), "GET /\n\n".to_owned()));
        others.push((format!("token/tape/{number:04}-response.head"), head.to_owned()));
        others.push((format!("token/tape/{number:04}-response.body"), format!("body {number}")));
    }
    let others: Vec<(&str, &str)> =
        others.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let text = "format = 1\ntitle = \"t\"\n[[reply]]\ntape = \"tape/exchanges.jsonl\"\n\
                [[run]]\naction = \"harvest\"\n[truth]\npresent = []\n";
    let loaded = all(text, &others).unwrap_or_else(|findings| panic!("{findings}"));
    let replies = loaded[0].script().replies;
    let told: Vec<(&str, u16, Option<u32>)> =
        replies.iter().map(|reply| (reply.name.as_str(), reply.status, reply.times)).collect();
    let name = "reply 1, tape/exchanges.jsonl, exchange";
    let names = [1, 3, 4].map(|number| format!("{name} {number}"));
    assert_eq!(
        told,
        [(names[0].as_str(), 503, Some(1)), (&names[1], 200, None), (&names[2], 200, None)]
    );
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(replies[2].when.args, [pair("resumptionToken", "a+b"), pair("verb", "ListRecords")]);
    assert!(replies[2].when.matching.absent.contains(&"metadataPrefix".to_owned()));
    assert!(replies[0].when.matching.absent.contains(&"resumptionToken".to_owned()));
    let fields = [pair("content-type", "text/xml"), pair("retry-after", "7")];
    assert_eq!(replies[0].headers, fields, "what frames a body is said anew");
    let wrong = all(text, &[("token/tape/exchanges.jsonl", "no json")]).unwrap_err();
    assert!(wrong.contains("is no index of a recording: line 1"), "{wrong}");
}

#[test]
fn records_of_saved_answers_are_the_records_of_the_repository() {
    let page = |prefix: &str, records: &str| {
        format!(
            "<OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\"><responseDate>2024-06-01T00:00:00Z</responseDate>\
             <request verb=\"ListRecords\" metadataPrefix=\"{prefix}\">http://x/oai</request>\
             <ListRecords>{records}</ListRecords></OAI-PMH>"
        )
    };
    let record = |id: &str, payload: &str| {
        format!(
            "<record><header><identifier>{id}</identifier><datestamp>2024-05-01</datestamp>\
             <setSpec>maps</setSpec></header><metadata>{payload}</metadata></record>"
        )
    };
    let gone = "<record><header status=\"deleted\"><identifier>b</identifier>\
                <datestamp>2024-05-02</datestamp></header></record>";
    let plain = page("oai_dc", &(record("a", "<dc/>") + gone));
    let marc = page("marc21", &record("a", "<marc/>"));
    let text = "format = 1\ntitle = \"t\"\n[repository]\nrecords.files = [\"1.xml\", \"2.xml\"]\n\
                [[run]]\naction = \"harvest\"\n";
    let loaded = all(text, &[("token/1.xml", plain.as_str()), ("token/2.xml", marc.as_str())])
        .unwrap_or_else(|findings| panic!("{findings}"));
    let world = loaded[0].script().repository.world;
    assert_eq!(world.sets, ["maps"]);
    assert_eq!(world.formats, ["oai_dc", "marc21"]);
    let [a, b] = [&world.records[&1], &world.records[&2]];
    assert_eq!((a.identifier.as_str(), a.deleted, a.sets.len()), ("a", false, 1));
    assert_eq!((b.identifier.as_str(), b.deleted, b.sets.len()), ("b", true, 0));
    assert_eq!(a.xml.keys().collect::<Vec<_>>(), ["marc21", "oai_dc"]);
    let sick = page(
        "oai_dc",
        "<record><header><identifier>c</identifier></header><metadata><dc/></metadata></record>",
    );
    for (content, expected) in [
        (sick.as_str(), "the record `c` has no datestamp"),
        ("<html/>", "`token/1.xml` is no answer of OAI-PMH"),
    ] {
        let wrong =
            all(text, &[("token/1.xml", content), ("token/2.xml", marc.as_str())]).unwrap_err();
        assert!(wrong.contains(expected), "{wrong}");
        assert!(wrong.contains("records.files = ["), "the place is the name of the file: {wrong}");
    }
}
