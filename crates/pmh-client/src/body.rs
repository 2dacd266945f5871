//! A body while it arrives: in memory, or beside it once it is large.
//!
//! A page is read from memory when it is whole, because its records stand in memory afterwards anyway. Until then it
//! may take an hour to arrive, and that hour is what the file is for; it also spares the copies of a buffer that grows.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};

/// Bodies beyond this lie in a file until they are whole.
const MEMORY_BYTES_MAX: usize = 16 << 20;
/// Memory that a body gets because it is announced, before any of it has come.
const BYTES_AHEAD: u64 = 4 << 20;

/// What has arrived of a body.
pub(crate) struct ArrivingBody {
    memory: Vec<u8>,
    /// Everything, once it is too much for `memory`; the file has no name, so that nothing is left behind by a kill.
    file: Option<File>,
    received: u64,
}

impl ArrivingBody {
    /// Nothing yet, of a body that is announced to be so long.
    pub(crate) fn new(announced: Option<u64>) -> Self {
        let ahead = announced.unwrap_or(0).min(BYTES_AHEAD);
        let memory = Vec::with_capacity(usize::try_from(ahead).unwrap_or(0));
        Self { memory, file: None, received: 0 }
    }

    /// Bytes so far.
    pub(crate) const fn received(&self) -> u64 {
        self.received
    }

    /// Puts a piece behind the others.
    ///
    /// # Errors
    /// When there is no room for it.
    pub(crate) fn push(&mut self, chunk: &[u8]) -> io::Result<()> {
        if self.file.is_none() && self.memory.len() + chunk.len() > MEMORY_BYTES_MAX {
            let mut file = tempfile::tempfile()?;
            file.write_all(&std::mem::take(&mut self.memory))?;
            self.file = Some(file);
        }
        match &mut self.file {
            Some(file) => file.write_all(chunk)?,
            None => self.memory.extend_from_slice(chunk),
        }
        self.received += chunk.len() as u64;
        Ok(())
    }

    /// The whole body.
    ///
    /// # Errors
    /// When it cannot be read back.
    pub(crate) fn finish(self) -> io::Result<Vec<u8>> {
        let Some(mut file) = self.file else {
            return Ok(self.memory);
        };
        file.rewind()?;
        let mut body = Vec::with_capacity(usize::try_from(self.received).unwrap_or(0));
        file.read_to_end(&mut body)?;
        Ok(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_comes_back_as_it_arrived_on_both_sides_of_the_bound() {
        let piece: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
        for (pieces, in_file) in [(0, false), (1, false), (16, false), (17, true), (40, true)] {
            let mut arriving = ArrivingBody::new(Some(pieces << 20));
            for _ in 0..pieces {
                arriving.push(&piece).expect("there is room");
            }
            assert_eq!((arriving.received(), arriving.file.is_some()), (pieces << 20, in_file));
            assert!(arriving.memory.len() <= MEMORY_BYTES_MAX);
            let body = arriving.finish().expect("it can be read");
            assert_eq!(body.len() as u64, pieces << 20);
            assert!(body.chunks(1 << 20).all(|chunk| chunk == piece));
        }
    }
}
