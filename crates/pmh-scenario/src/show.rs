//! A loaded file written out in full: every default in its place, marked as one.

use serde::Serialize;
use toml::{Spanned, Value};

use crate::defaults;
use crate::expand;
use crate::load::{Loaded, Origins};
use crate::model::{Every, Fault, File, Records, Reply, Run, Stamps};
use crate::time::{Duration, Instant};

impl Loaded {
    /// The file in full, as TOML that loads to the same script; a comment marks what it did not say itself.
    #[must_use]
    pub fn show(&self) -> String {
        let mut page = Page { text: String::new(), origins: &self.origins, above: String::new() };
        page.heading(&self.case);
        head(&mut page, &self.file);
        content(&mut page, &self.file);
        for (index, fault) in self.file.fault.iter().enumerate() {
            self::fault(&mut page, fault.get_ref(), index);
        }
        for (index, reply) in self.file.reply.iter().enumerate() {
            self::reply(&mut page, reply.get_ref(), index);
        }
        let client = &self.file.client;
        page.table("client");
        page.or_said("guards-at", client.guards_at.as_ref(), "the harvester's own");
        page.or_said("base-url-query", client.base_url_query.as_ref(), "nothing");
        for (index, run) in self.file.run.iter().enumerate() {
            self::run(&mut page, run.get_ref(), index);
        }
        ends(&mut page, &self.file);
        page.text
    }
}

struct Page<'a> {
    text: String,
    origins: &'a Origins,
    /// Path of the table being written, with a dot behind it.
    above: String,
}

impl Page<'_> {
    /// Which case of the matrix this is.
    fn heading(&mut self, case: &str) {
        if !case.is_empty() {
            self.line(&format!("# [{case}]"));
        }
    }

    fn table(&mut self, name: &str) {
        self.above = format!("{name}.");
        self.line(&format!("\n[{name}]"));
    }

    /// The nth of some tables, from 0.
    fn entry(&mut self, name: &str, index: usize) {
        self.above = format!("{name}.{index}.");
        self.line(&format!("\n[[{name}]]"));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A key as it was written.
    fn written<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) {
        let origin = match self.origins.file(&format!("{}{key}", self.above)) {
            Some(file) => format!(" # from {file}"),
            None => String::new(),
        };
        self.line(&format!("{key} = {}{origin}", inline(value)));
    }

    /// A key that is left out when it was not written, because its absence says all.
    fn optional<T: Serialize>(&mut self, key: &str, value: Option<&T>) {
        if let Some(value) = value {
            self.written(key, value);
        }
    }

    /// A key, or what its absence means.
    fn or_said<T: Serialize>(&mut self, key: &str, value: Option<&T>, absent: &str) {
        match value {
            Some(value) => self.written(key, value),
            None => self.line(&format!("# {key}: {absent} # default")),
        }
    }

    /// A key with its default, marked, when it was not written.
    fn setting<T: Serialize>(&mut self, key: &str, value: Option<&T>, default: &T) {
        match value {
            Some(value) => self.written(key, value),
            None => self.line(&format!("{key} = {} # default", inline(default))),
        }
    }

    fn list<T: Serialize>(&mut self, key: &str, values: &[T]) {
        if values.is_empty() {
            self.line(&format!("{key} = {} # default", inline(values)));
        } else {
            self.written(key, values);
        }
    }
}

/// A value on one line, keys in order of the alphabet.
fn inline<T: Serialize + ?Sized>(value: &T) -> String {
    Value::try_from(value).expect("what was read from TOML can be written as TOML").to_string()
}

fn get<T>(written: &Option<Spanned<T>>) -> Option<&T> {
    written.as_ref().map(Spanned::get_ref)
}

fn head(page: &mut Page<'_>, file: &File) {
    page.written("format", &file.format);
    page.optional("title", file.title.as_ref());
    page.optional("kind", file.kind.as_ref());
    page.list("rules", &file.rules);
    page.list("tags", &file.tags);
    page.optional("origin", file.origin.as_ref());
    page.setting("seed", file.seed.as_ref(), &defaults::SEED);
    page.list("catches", &file.catches);
}

fn content(page: &mut Page<'_>, file: &File) {
    let generate = expand::generate(file);
    if let Some(Records::Literal(records)) = &file.repository.records {
        page.table("repository");
        page.written("records.literal", records);
        return rest_of_content(page, file);
    }
    page.table("repository");
    let count = generate.and_then(|generate| get(&generate.count));
    page.setting("records.generate.count", count, &defaults::RECORDS);
    let deleted = generate.and_then(|generate| get(&generate.deleted));
    page.setting("records.generate.deleted", deleted, &defaults::DELETED_SHARE);
    let stamps = generate.and_then(|generate| get(&generate.stamps));
    match stamps {
        Some(same @ (Stamps::Same | Stamps::Spread(_))) => {
            page.written("records.generate.stamps", same)
        }
        Some(Stamps::Every(every)) => every_stamp(page, file, every),
        None => every_stamp(page, file, &Every::default()),
    }
    if let Some(generate) = generate {
        page.optional("records.generate.body-bytes", generate.body_bytes.as_ref());
    }
    let identifiers = generate.and_then(|generate| generate.identifiers.as_ref());
    page.setting("records.generate.identifiers", identifiers, &Default::default());
    rest_of_content(page, file);
}

fn rest_of_content(page: &mut Page<'_>, file: &File) {
    let formats = Some(&file.repository.formats).filter(|names| !names.is_empty());
    match file.repository.records {
        // They have those that they are written in.
        Some(Records::Literal(_)) => page.optional("formats", formats),
        _ => page.or_said("formats", formats, "[\"oai_dc\"]"),
    }
    page.setting("sets-each", get(&file.repository.sets_each), &defaults::SETS_EACH);
    page.setting("page-size", get(&file.repository.page_size), &defaults::PAGE_SIZE);
    page.setting("order", file.repository.order.as_ref(), &Default::default());
    page.optional("hidden", get(&file.repository.hidden));
    page.list("sets", &file.repository.sets);

    let protocol = &file.protocol;
    page.table("protocol");
    page.setting("granularity", protocol.granularity.as_ref(), &Default::default());
    page.setting("deleted-records", protocol.deleted_records.as_ref(), &Default::default());
    page.setting("token", protocol.token.as_ref(), &Default::default());
    match &protocol.ttl.requests {
        Some(requests) => page.written("ttl.requests", requests),
        None => page.line("# ttl.requests: tokens live for ever # default"),
    }
    page.optional("ttl.time", get(&protocol.ttl.time));
    page.setting("ttl.one-use", get(&protocol.ttl.one_use), &false);
    page.setting("bound", protocol.bound.as_ref(), &Default::default());
    page.setting("advances", protocol.advances.as_ref(), &Default::default());
    page.setting("last-token", protocol.last_token.as_ref(), &Default::default());
    page.setting("list-size", get(&protocol.list_size), &Default::default());
    page.setting("cursor", get(&protocol.cursor), &expand::cursor(protocol));
    page.setting("expiration", get(&protocol.expiration), &Default::default());
    page.setting("list", get(&protocol.list), &Default::default());
    page.setting("overlap", get(&protocol.overlap), &0);
    page.optional("cap", get(&protocol.cap));
    page.setting("datestamps", protocol.datestamps.as_ref(), &Default::default());
    page.setting("response-date", get(&protocol.response_date), &Default::default());
    page.setting("earliest", get(&protocol.earliest), &Default::default());
    page.setting("until-day", protocol.until_day.as_ref(), &Default::default());
    page.list("ignores", &protocol.ignores);
    page.optional("filter-forgotten-after", get(&protocol.filter_forgotten_after));
    page.setting("index-lag", get(&protocol.index_lag), &Duration { seconds: 0 });
    page.optional("identify", get(&protocol.identify));

    page.table("clock");
    page.setting("start", get(&file.clock.start), &Instant(defaults::clock_start()));
    page.setting("tick", get(&file.clock.tick), &Duration { seconds: defaults::TICK_SECONDS });
    let between_runs = Duration { seconds: defaults::BETWEEN_RUNS_SECONDS };
    page.setting("between-runs", get(&file.clock.between_runs), &between_runs);
}

fn every_stamp(page: &mut Page<'_>, file: &File, every: &Every) {
    let (first, step_seconds) = expand::stamps(file);
    page.setting("records.generate.stamps.every.from", every.from.as_ref(), &Instant(first));
    let step = Duration { seconds: step_seconds };
    page.setting("records.generate.stamps.every.step", every.step.as_ref(), &step);
}

fn fault(page: &mut Page<'_>, fault: &Fault, index: usize) {
    page.entry("fault", index);
    page.written("name", &fault.name);
    page.setting("when", get(&fault.when), &Default::default());
    page.written("do", &fault.effect);
    match &fault.times {
        Some(times) => page.written("times", times),
        None => page.line("# times: no limit # default"),
    }
    page.setting("optional", fault.optional.as_ref(), &false);
}

fn reply(page: &mut Page<'_>, reply: &Reply, index: usize) {
    page.entry("reply", index);
    let name = expand::reply_name(reply, index + 1);
    page.setting("name", get(&reply.name), &name);
    page.setting("when", get(&reply.when), &Default::default());
    page.optional("file", reply.file.as_ref());
    page.optional("tape", reply.tape.as_ref());
    page.optional("body", reply.body.as_ref());
    page.optional("xml", reply.xml.as_ref());
    page.optional("status", reply.status.as_ref());
    page.optional("headers", Some(&reply.headers).filter(|headers| !headers.is_empty()));
    page.optional("wire", reply.wire.as_ref());
    page.optional("times", reply.times.as_ref());
    page.setting("optional", reply.optional.as_ref(), &false);
}

fn run(page: &mut Page<'_>, run: &Run, index: usize) {
    page.entry("run", index);
    let name = expand::run_name(run).to_owned();
    page.setting("name", get(&run.name), &name);
    page.written("action", &run.action);
    page.optional("from", run.from.as_ref());
    page.optional("until", run.until.as_ref());
    page.optional("set", run.set.as_ref());
    page.or_said("prefix", run.prefix.as_ref(), "\"oai_dc\"");
    page.setting("full", run.full.as_ref(), &false);
    page.list("switches", &run.switches);
    page.setting("allow-mass-delete", run.allow_mass_delete.as_ref(), &false);
    page.setting("infer-deletions", get(&run.infer_deletions), &false);
    page.setting("strict", run.strict.as_ref(), &false);
    page.list("before", &run.before);
    page.optional("crash", run.crash.as_ref());
    if run.crash.as_ref().is_some_and(|crash| crash.signal.is_none()) {
        page.line("# crash.signal: \"KILL\" # default");
    }
    page.optional("truth", run.truth.as_ref());
    page.written("expect", &run.expect);
}

fn ends(page: &mut Page<'_>, file: &File) {
    if let Some(truth) = &file.truth {
        page.table("truth");
        page.optional("prefix", truth.prefix.as_ref());
        page.optional("present", truth.present.as_ref());
        page.written("deleted", &truth.deleted);
        page.written("absent", &truth.absent);
    }

    page.table("expect");
    page.setting("store", file.expect.store.as_ref(), &expand::store(file));
    page.list("guards", &file.expect.guards);
    page.setting("no-guards", file.expect.no_guards.as_ref(), &false);
    page.list("trace", &file.expect.trace);
    page.setting("idempotent", file.expect.idempotent.as_ref(), &false);

    page.table("budget");
    page.setting("requests", get(&file.budget.requests), &defaults::REQUESTS);
    let wall = Duration { seconds: defaults::WALL_SECONDS };
    page.setting("wall", get(&file.budget.wall), &wall);
}
