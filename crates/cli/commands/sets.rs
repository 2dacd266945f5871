//! `pmh sets`: the sets of a repository, all pages of them.

use std::collections::BTreeSet;

use pmh_client::AskError;
use pmh_protocol::{Body, ErrorCode, Request, Set};
use serde_json::json;

use crate::args::AskArguments;
use crate::asking::Asking;
use crate::exit::Exit;
use crate::output::{self, plain};

/// Some repositories have a set for each of their hundred thousand collections.
const PAGES_MAX: u32 = 10_000;

pub(crate) fn run(arguments: &AskArguments) -> anyhow::Result<Exit> {
    let asking = Asking::of(&arguments.base_url, &arguments.source)?;
    let mut seen = BTreeSet::new();
    let visit = |body| {
        let Body::Sets { sets, .. } = body else {
            return 0;
        };
        let before = seen.len();
        for set in &sets {
            if seen.insert(set.spec.clone()) {
                show(set, arguments.json);
            }
        }
        (seen.len() - before) as u64
    };
    let list = asking.transport.ask_list(&asking.plan, Request::ListSets, PAGES_MAX, visit);
    match asking.runtime.block_on(list) {
        Err(error) if has_none(&error) => {
            output::note("the repository has no sets");
            Ok(Exit::Done)
        }
        listed => Ok(listed.map(|()| Exit::Done)?),
    }
}

fn has_none(error: &AskError) -> bool {
    matches!(error.code(), Some(ErrorCode::NoSetHierarchy | ErrorCode::NoRecordsMatch))
}

fn show(set: &Set, as_json: bool) {
    output::line(if as_json {
        json!({ "spec": set.spec, "name": set.name, "descriptions": set.descriptions }).to_string()
    } else {
        format!("{:24}  {}", plain(&set.spec), plain(&set.name))
    });
}
