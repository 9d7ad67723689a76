//! Where `detect` reads: files, folders, standard input.

use super::Error;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

/// An input with the name that its findings carry.
pub(super) struct Input {
    /// The file, or `-`.
    pub(super) name: String,
    /// Its bytes.
    pub(super) reader: Box<dyn BufRead + Send>,
}

/// Calls back with each input in turn. A folder stands for the files below it that a `.gitignore` does not exclude,
/// in the order of their names; hidden ones are passed over.
pub(super) fn each(files: &[PathBuf], mut read: impl FnMut(Input) -> Result<(), Error>) -> Result<(), Error> {
    if files.is_empty() {
        return read(standard_input());
    }
    for path in files {
        if path.as_os_str() == "-" {
            read(standard_input())?;
        } else if path.is_dir() {
            let entries = ignore::WalkBuilder::new(path).require_git(false).sort_by_file_path(Path::cmp).build();
            for entry in entries {
                let entry = entry.map_err(|error| unreadable(path, io::Error::other(error)))?;
                if entry.file_type().is_some_and(|kind| kind.is_file()) {
                    read(open(entry.path())?)?;
                }
            }
        } else {
            read(open(path)?)?;
        }
    }
    Ok(())
}

fn standard_input() -> Input {
    Input { name: "-".into(), reader: Box::new(BufReader::new(io::stdin())) }
}

fn open(path: &Path) -> Result<Input, Error> {
    let file = File::open(path).map_err(|error| unreadable(path, error))?;
    Ok(Input { name: path.display().to_string(), reader: Box::new(BufReader::with_capacity(1 << 16, file)) })
}

fn unreadable(path: &Path, error: io::Error) -> Error {
    Error::Input { path: path.into(), error }
}

/// The most that is read as one text. A finding that crosses this many bytes is lost, so it is far above any text.
const PIECE: usize = 32 << 20;

/// Reads the next piece of a text: all of it, or up to a line end near [`PIECE`]. Bytes that are not UTF-8 become
/// single spaces, so that every offset stays true. `None` at the end.
pub(super) fn piece(input: &mut Input) -> Result<Option<String>, Error> {
    let fail = |error| unreadable(Path::new(&input.name), error);
    let mut bytes = Vec::new();
    input.reader.by_ref().take(PIECE as u64).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() == PIECE {
        input.reader.read_until(b'\n', &mut bytes).map_err(fail)?;
    }
    Ok((!bytes.is_empty()).then(|| into_text(bytes)))
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let mut text = String::with_capacity(error.as_bytes().len());
        for chunk in error.as_bytes().utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().map(|_| ' '));
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_keep_their_place() {
        assert_eq!(into_text(b"a\xFF\xFEb".to_vec()), "a  b");
        assert_eq!(into_text("é".into()), "é");
    }

    #[test]
    fn a_piece_ends_with_a_line() {
        let text = format!("{}\n", "x".repeat(9)).repeat(PIECE / 10 + 2);
        let mut input = Input { name: "-".into(), reader: Box::new(io::Cursor::new(text.clone().into_bytes())) };
        let first = piece(&mut input).unwrap().unwrap();
        assert!(first.len() >= PIECE && first.ends_with('\n'));
        let second = piece(&mut input).unwrap().unwrap();
        assert_eq!(first.len() + second.len(), text.len());
        assert!(piece(&mut input).unwrap().is_none());
    }
}
