//! Loading a detector: its files read, its automata compiled, its own examples run.

use crate::{
    detector::Detector,
    document::{Role, Turn},
    engine::{Candidate, Engine, Expression, PrefilteredEngine},
    evidence::{self, Labels},
    finding::Verdict,
    pattern::{self, Catalogue, Example, Pattern},
    reference::{self, Reference, References},
    source::{InvalidSources, Mistake, Mistakes, SourceFile},
    view::{ByteView, Corrections},
};

/// The file with the weights of evidence.
pub const EVIDENCE: &str = "evidence.toml";
/// The file with the reference formats.
pub const REFERENCES: &str = "references.toml";

/// Loads a detector from its files: [`EVIDENCE`], [`REFERENCES`], and one file of entities for each family.
///
/// The error holds every mistake in every file. Beside what the readers refuse: an example that its pattern does not
/// match, a counterexample that it does, a reference whose examples it does not match or that covers an entity's own
/// form. Cost: some milliseconds; the automata are lazy and are filled by reading.
pub fn load(files: &[SourceFile]) -> Result<Detector, InvalidSources> {
    let mistakes = Mistakes::default();
    match load_into(files, &mistakes) {
        Some(detector) if mistakes.count() == 0 => Ok(detector),
        _ => Err(InvalidSources(mistakes.into_sorted())),
    }
}

/// As [`load`], reporting to a list of mistakes that other files share. What could be read is returned even when
/// there were mistakes, so that files which refer to it can be checked too; it is not to be used then.
pub fn load_into(files: &[SourceFile], mistakes: &Mistakes) -> Option<Detector> {
    let find = |name: &str| {
        let file = files.iter().find(|file| file.name == name);
        if file.is_none() {
            mistakes.report(Mistake {
                file: name.into(),
                line: 1,
                key: String::new(),
                wrong: "the ruleset has no such file".into(),
                right: "add it; CONTRIBUTING.md says what it holds".into(),
            });
        }
        file
    };
    let families: Vec<SourceFile> =
        files.iter().filter(|file| file.name != EVIDENCE && file.name != REFERENCES).cloned().collect();
    let catalogue = pattern::load(&families, mistakes);
    let weights = find(EVIDENCE).and_then(|file| evidence::load(file, mistakes));
    let formats = find(REFERENCES).map(|file| reference::load(file, &catalogue, mistakes))?;

    let expressions: Vec<Expression> = catalogue.patterns.iter().map(Expression::from).collect();
    let refuse = |file: &str, wrong: String| {
        mistakes.report(Mistake {
            file: file.into(),
            line: 1,
            key: String::new(),
            wrong,
            right: "shorten the bounds of the longest patterns".into(),
        });
    };
    let engine = PrefilteredEngine::new(&expressions).map_err(|error| refuse("patterns", error.to_string())).ok()?;
    let references = References::new(formats).map_err(|error| refuse(REFERENCES, error.to_string())).ok()?;
    let weights = weights?;
    let labels = Labels::new(&catalogue, &weights).map_err(|error| refuse("patterns", error.to_string())).ok()?;
    let corrections = Corrections::new(weights.corrections.iter().map(|correction| correction.words.as_str()))
        .map_err(|error| refuse(EVIDENCE, error.to_string()))
        .ok()?;
    let detector = Detector { catalogue, weights, references, labels, corrections, engine };
    Examples { detector: &detector, files: &families, mistakes }.run();
    Some(detector)
}

/// Runs the examples of a ruleset.
struct Examples<'d> {
    detector: &'d Detector,
    files: &'d [SourceFile],
    mistakes: &'d Mistakes,
}

impl Examples<'_> {
    fn run(&self) {
        let catalogue = &self.detector.catalogue;
        for (i, pattern) in catalogue.patterns.iter().enumerate() {
            for example in &pattern.examples {
                if self.passing(i, &example.text).is_empty() {
                    let wrong = format!("`{}` does not find its example", pattern.id);
                    self.report(self.file_of(catalogue, pattern), example, wrong, "an example that matches and passes");
                }
            }
            for example in &pattern.counterexamples {
                if !self.passing(i, &example.text).is_empty() {
                    let wrong = format!("`{}` finds its counterexample", pattern.id);
                    self.report(self.file_of(catalogue, pattern), example, wrong, "a text that it must not find");
                }
            }
        }
        for (i, reference) in self.detector.references.formats.iter().enumerate() {
            self.run_reference(i, reference);
        }
    }

    fn run_reference(&self, index: usize, reference: &Reference) {
        for example in &reference.examples {
            if !self.is_reference(index, &example.text) {
                let wrong = format!("`{}` does not match its example", reference.id);
                self.report(REFERENCES, example, wrong, "a string that is such a reference as a whole");
            }
        }
        for example in &reference.neighbours {
            if self.is_reference(index, &example.text) {
                let wrong = format!("`{}` matches its neighbour", reference.id);
                self.report(REFERENCES, example, wrong, "a format anchored to the whole token, or another neighbour");
            }
        }
        for (i, pattern) in self.detector.catalogue.patterns.iter().enumerate() {
            // What a reference may not hide it may look like: an advertising identifier is a UUID.
            if reference.is_own() || !reference.may_hide(&self.detector.catalogue.entity_of(pattern).id) {
                continue;
            }
            for example in &pattern.examples {
                for own in self.passing(i, &example.text) {
                    if example.text.get(own.start..own.end).is_some_and(|own| self.is_reference(index, own)) {
                        let wrong = format!("`{}` covers the form of `{}`", reference.id, pattern.id);
                        let at = reference.examples.first().cloned().unwrap_or(Example {
                            text: String::new(),
                            line: 1,
                            key: String::new(),
                        });
                        self.report(
                            REFERENCES,
                            &at,
                            wrong,
                            "a format that no personal data has, such as with a prefix",
                        );
                    }
                }
            }
        }
    }

    /// The candidates of a pattern in a text whose check did not fail.
    fn passing(&self, pattern: usize, text: &str) -> Vec<Candidate> {
        let mut view = ByteView::default();
        view.fill(&[Turn { role: Role::Other, text }]);
        let mut candidates = Vec::new();
        self.detector.engine.candidates(&view, &mut candidates);
        candidates.retain(|candidate| candidate.pattern == pattern && candidate.verdict != Verdict::Invalid);
        candidates
    }

    fn is_reference(&self, index: usize, text: &str) -> bool {
        let mut view = ByteView::default();
        view.fill(&[Turn { role: Role::Other, text }]);
        let whole = |token: &reference::Token| token.reference == index;
        self.detector.references.find(&view).iter().any(whole)
    }

    /// The file that a pattern's entity stands in.
    fn file_of(&self, catalogue: &Catalogue, pattern: &Pattern) -> &str {
        let id = format!("\"{}\"", catalogue.entity_of(pattern).id);
        self.files.iter().find(|file| file.text.contains(&id)).map_or("patterns", |file| file.name.as_str())
    }

    fn report(&self, file: &str, example: &Example, wrong: String, right: &str) {
        self.mistakes.report(Mistake {
            file: file.into(),
            line: example.line,
            key: example.key.clone(),
            wrong,
            right: right.into(),
        });
    }
}
