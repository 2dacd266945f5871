//! Scenario files: those inside the binary, and those on disk.

use std::collections::HashSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use crate::exit::Ended;

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// The largest file that is read.
const BYTES_MAX: u64 = 1 << 20;
/// The largest file that a scenario may name.
const BYTES_BESIDE_MAX: u64 = 16 << 20;
/// Folders are searched this deep.
const DEPTH_MAX: usize = 16;

/// A scenario file, read and not yet looked at.
pub(crate) struct ScenarioFile {
    /// Its path below the folder that was named, without its ending: `token/ring`.
    pub(crate) id: String,
    /// What people call it: a path, or the id of a shipped one.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The folder that its id is relative to; `None` is the shipped ones.
    root: Option<PathBuf>,
}

impl ScenarioFile {
    /// What the file names beside itself, by its path below the folder.
    pub(crate) fn read_beside(&self, path: &str) -> Result<Vec<u8>, String> {
        let Some(root) = &self.root else {
            let file = SHIPPED.get_file(path).ok_or("there is no such shipped file")?;
            return Ok(file.contents().to_vec());
        };
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let path = root.join(path);
        let metadata = std::fs::metadata(&path).map_err(|error| error.to_string())?;
        check_file(&metadata, BYTES_BESIDE_MAX)?;
        let real = |path: &Path| std::fs::canonicalize(path).map_err(|error| error.to_string());
        let path = real(&path)?;
        // What a scenario names is served: a scenario of somebody else must not reach for the files of whoever plays it.
        if !path.starts_with(real(root)?) && !path.starts_with(real(Path::new("."))?) {
            return Err(
                "it lies outside of the scenario's folder and of the current one; run pmh in a folder that holds both"
                    .to_owned(),
            );
        }
        std::fs::read(path).map_err(|error| error.to_string())
    }
}

/// The files that `paths` name, on disk or among the shipped ones; without any, all the shipped ones. In the order
/// of their ids.
pub(crate) fn files(paths: &[PathBuf]) -> anyhow::Result<Vec<ScenarioFile>> {
    if paths.is_empty() {
        return Ok(shipped());
    }
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = files.len();
            search(path, path, DEPTH_MAX, &mut files)?;
            if files.len() == before {
                return Err(Ended::usage(format!(
                    "no scenario file (*.toml) below `{}`",
                    path.display()
                )));
            }
        } else if path.exists() {
            files.push(read(path, name_of(path), folder_of(path))?);
        } else {
            files.extend(shipped_as(path)?);
        }
    }
    files.sort_by(|one, other| one.id.cmp(&other.id));
    // Whoever names a file twice means it once.
    let mut seen = HashSet::new();
    files.retain(|file| {
        let path = file.root.as_ref().and_then(|_| std::fs::canonicalize(&file.name).ok());
        seen.insert(path.unwrap_or_else(|| PathBuf::from(&file.name)))
    });
    Ok(files)
}

/// Whether this can be read as a file: if not, what it is instead.
pub(crate) fn check_file(metadata: &Metadata, bytes_max: u64) -> Result<(), String> {
    match metadata.len() {
        _ if metadata.is_dir() => Err("it is a folder, not a file".to_owned()),
        _ if !metadata.is_file() => Err("it is not a plain file".to_owned()),
        bytes if bytes > bytes_max => {
            Err(format!("it has {bytes} bytes, more than the limit of {bytes_max}"))
        }
        _ => Ok(()),
    }
}

/// The one file at `path`, or the shipped scenario of that name.
pub(crate) fn one(path: &Path) -> anyhow::Result<ScenarioFile> {
    if path.exists() {
        return read(path, name_of(path), folder_of(path));
    }
    let mut found = shipped_as(path)?;
    match (found.pop(), found.is_empty()) {
        (Some(file), true) => Ok(file),
        _ => Err(Ended::usage(format!("`{}` is a folder: name one scenario", path.display()))),
    }
}

/// The shipped scenarios of this name, or in this folder.
fn shipped_as(path: &Path) -> anyhow::Result<Vec<ScenarioFile>> {
    let (found, others): (Vec<_>, Vec<_>) = shipped()
        .into_iter()
        .partition(|file| Path::new(&file.id).starts_with(path) && !path.as_os_str().is_empty());
    if !found.is_empty() {
        return Ok(found);
    }
    let wanted = path.display().to_string();
    let near = others
        .iter()
        .map(|file| (strsim::damerau_levenshtein(&wanted, &file.id), &file.id))
        .filter(|(distance, _)| *distance <= 3)
        .min();
    let hint = match near {
        Some((_, id)) => format!("did you mean the shipped `{id}`?"),
        None => "`pmh scenario list` names the shipped ones".to_owned(),
    };
    Err(Ended::usage(format!("there is no file `{wanted}`, and no shipped scenario; {hint}")))
}

fn name_of(path: &Path) -> String {
    let name = path.with_extension("");
    name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

/// A scenario is a small text file; nothing else is read.
fn read(path: &Path, id: String, root: PathBuf) -> anyhow::Result<ScenarioFile> {
    let wrong = |why: String| {
        Ended::usage(format!("failed to read the scenario `{}`: {why}", path.display()))
    };
    let metadata = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    check_file(&metadata, BYTES_MAX).map_err(wrong)?;
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    Ok(ScenarioFile { id, name: path.display().to_string(), text, root: Some(root) })
}

fn shipped() -> Vec<ScenarioFile> {
    let mut files = Vec::new();
    let mut folders = vec![&SHIPPED];
    while let Some(folder) = folders.pop() {
        folders.extend(folder.dirs());
        for file in folder.files() {
            let path = file.path();
            // Files in `base` are no scenarios: others build on them.
            let is_scenario = !path.starts_with("base");
            if is_scenario && path.extension().is_some_and(|ending| ending == "toml") {
                let id = id_of(path);
                let text = file.contents_utf8().unwrap_or_default().to_owned();
                files.push(ScenarioFile { name: id.clone(), id, text, root: None });
            }
        }
    }
    files.sort_by(|one, other| one.id.cmp(&other.id));
    files
}

fn search(
    root: &Path,
    folder: &Path,
    depth: usize,
    files: &mut Vec<ScenarioFile>,
) -> anyhow::Result<()> {
    let wrong = |error: std::io::Error| {
        Ended::usage(format!("failed to list the folder `{}`: {error}", folder.display()))
    };
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        // Files in `base` are no scenarios: others build on them.
        if path.is_dir() && depth > 0 && path != root.join("base") {
            search(root, &path, depth - 1, files)?;
        } else if path.extension().is_some_and(|ending| ending == "toml") {
            let id = id_of(path.strip_prefix(root).unwrap_or(&path));
            files.push(read(&path, id, root.to_owned())?);
        }
    }
    Ok(())
}

/// A path without its ending, with slashes on every system.
fn id_of(path: &Path) -> String {
    let parts: Vec<_> =
        path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    parts.join("/")
}
