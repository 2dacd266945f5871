//! What more than one test file needs.

mod program;
mod script_server;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pmh_runner::vocabulary;
use pmh_scenario::{Script, load, render_findings};

pub(crate) use self::program::{Mock, Ran, pmh, pmh_in};
pub(crate) use self::script_server::{ScriptServer, document};

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program under test.
pub(crate) fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_pmh"))
}

/// Every file below `folder` with this ending, in order.
pub(crate) fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be listed") {
            let path = entry.expect("the folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The scenario in this file.
pub(crate) fn script(path: &Path) -> Arc<Script> {
    let scenarios = root().join("scenarios");
    let id = path.strip_prefix(&scenarios).unwrap_or(path).with_extension("");
    let id = id.to_string_lossy().replace('\\', "/");
    let text = fs::read_to_string(path).expect("a scenario is text");
    match load(&id, &text, &vocabulary()) {
        Ok(loaded) => {
            assert!(
                loaded.warnings.is_empty(),
                "{}",
                render_findings(&id, &text, &loaded.warnings, false)
            );
            Arc::new(loaded.script())
        }
        Err(findings) => panic!("{}", render_findings(&id, &text, &findings, false)),
    }
}

/// Every shipped scenario.
pub(crate) fn scripts() -> Vec<Arc<Script>> {
    let paths = files_below(&root().join("scenarios"), "toml");
    assert!(!paths.is_empty(), "there are no scenarios");
    paths.iter().map(|path| script(path)).collect()
}
