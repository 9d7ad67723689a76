//! MiB/s of every stage and of the whole, on one core. Stages before the view and after it are measured against the bytes
//! of the records, those of the detector against the bytes of the stripped texts, which they read.
//!
//! `places` are those where a label can be near; `engine` finds the matches of a document there, and beside it `engine_plain`,
//! the reference. `evidence` is the score of every candidate, wherever it stands; `detect` is the detector as a whole, with
//! view, labels, places, engine, references, evidence and overlaps; `process` is all stages as a driver runs them.

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use maysend::{
    redact::{Redaction, redact},
    stages::{Coordinates, PROGRAM, Stages},
    wire::{Body, Cleared, Header, Source, decode, encode},
};
use maysend_benches::{Corpus, Prepared, stages};
use maysend_detector::{
    Options, Turn,
    engine::{Candidate, Engine, Expression, Match, Places, PlainEngine},
    evidence::{LabelHits, Labels, Surroundings, labelled, score},
    view::ByteView,
};
use std::{hint::black_box, time::Duration};

/// Bytes of records of each style.
const BYTES: u64 = 2 << 20;

fn all(criterion: &mut Criterion) {
    let stages = stages();
    for corpus in Corpus::all(&stages, BYTES) {
        println!("\n{}: {}", corpus.name, corpus.density);
        let mut group = criterion.benchmark_group(corpus.name);
        group.sampling_mode(SamplingMode::Flat);
        group.throughput(Throughput::Bytes(corpus.record_bytes));
        intake(&mut group, &corpus, &stages);
        group.throughput(Throughput::Bytes(corpus.text_bytes));
        detector(&mut group, &corpus, &stages);
        group.throughput(Throughput::Bytes(corpus.record_bytes));
        output(&mut group, &corpus, &stages);
        whole(&mut group, &corpus, &stages);
        group.finish();
    }
}

fn intake(group: &mut BenchmarkGroup<'_, WallTime>, corpus: &Corpus, stages: &Stages) {
    let ruleset = stages.ruleset();
    group.bench_function("decode", |bencher| {
        bencher.iter(|| {
            for record in &corpus.records {
                let _ =
                    black_box(decode(black_box(record), &ruleset.rules.policy.intake, ruleset.rules.mapping.as_ref()));
            }
        });
    });
    group.bench_function("strip_and_look_up", |bencher| {
        bencher.iter(|| corpus.prepared.iter().map(|one| one.strip_and_look_up(ruleset)).sum::<usize>());
    });
}

fn detector(group: &mut BenchmarkGroup<'_, WallTime>, corpus: &Corpus, stages: &Stages) {
    let detector = &stages.ruleset().detector;
    let documents: Vec<_> = corpus.prepared.iter().map(Prepared::document).collect();
    group.bench_function("view", |bencher| {
        let mut view = ByteView::default();
        bencher.iter(|| documents.iter().for_each(|document| black_box(&mut view).fill(document)));
    });
    let labels = Labels::new(detector.catalogue(), detector.weights()).expect("labels that were compiled before");
    group.bench_function("labels", |bencher| {
        bencher.iter(|| corpus.prepared.iter().for_each(|one| drop(black_box(labels.find(&one.view)))));
    });
    let hits: Vec<LabelHits> = corpus.prepared.iter().map(|one| labels.find(&one.view)).collect();
    let each = || corpus.prepared.iter().zip(&documents).zip(&hits);
    let places = |((one, turns), hits): ((&Prepared, &Vec<Turn<'_>>), &LabelHits)| {
        labels.places(hits, &one.view, turns, detector.weights())
    };
    group.bench_function("places", |bencher| bencher.iter(|| each().for_each(|one| drop(black_box(places(one))))));
    let places: Vec<Places> = each().map(places).collect();
    let expressions: Vec<Expression> = detector.catalogue().patterns.iter().map(Expression::from).collect();
    let plain = PlainEngine::new(&expressions).expect("patterns that were compiled before");
    let engines: [(&str, &dyn Engine); 2] = [("engine", detector.engine()), ("engine_plain", &plain)];
    for (name, engine) in engines {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for (one, places) in corpus.prepared.iter().zip(&places) {
                    engine.matches(&one.view, Some(places), &mut |found| {
                        black_box(found);
                    });
                }
            });
        });
    }
    group.bench_function("references", |bencher| {
        bencher.iter(|| {
            corpus.prepared.iter().for_each(|one| drop(black_box(detector.references().find(&one.view))));
        });
    });
    group.bench_function("evidence", |bencher| {
        bencher.iter(|| {
            for ((one, turns), labels) in each() {
                let around = Surroundings { view: &one.view, turns, labels, packs: &[], explain: false };
                for candidate in &one.candidates {
                    let Candidate { start, end, pattern, .. } = *candidate;
                    let (catalogue, weights) = (detector.catalogue(), detector.weights());
                    let labelled = labelled(&Match { start, end, pattern }, catalogue, weights, &around);
                    black_box(score(candidate, &labelled, catalogue, weights, &around));
                }
            }
        });
    });
    group.bench_function("detect", |bencher| {
        let options = Options::default();
        bencher.iter(|| documents.iter().for_each(|document| drop(black_box(detector.detect(document, &options)))));
    });
}

fn output(group: &mut BenchmarkGroup<'_, WallTime>, corpus: &Corpus, stages: &Stages) {
    let ruleset = stages.ruleset();
    group.bench_function("gate", |bencher| {
        bencher.iter(|| {
            corpus.prepared.iter().for_each(|one| drop(black_box(one.decide(ruleset, stages.as_of()))));
        });
    });
    group.bench_function("redact", |bencher| {
        bencher.iter(|| {
            for one in &corpus.prepared {
                let redactions: Vec<Redaction<'_>> = one
                    .decision
                    .redactions
                    .iter()
                    .map(|redaction| {
                        let rule = ruleset.rules.policy.rule(redaction.entity.as_str());
                        let (form, label) = (rule.form, &*rule.label);
                        Redaction { span: redaction.span, entity: &redaction.entity, form, label, whole: None }
                    })
                    .collect();
                let _ = black_box(redact(&one.texts, &redactions, None));
            }
        });
    });
    let source = Source::File { file: "bench".into(), line: 1 };
    group.bench_function("encode", |bencher| {
        bencher.iter(|| {
            for one in &corpus.prepared {
                let transcript = &one.transcript;
                let header = Header::new(
                    "0-0011223344556677",
                    ruleset.rules.policy.mode(&transcript.destination, stages.as_of()),
                    &ruleset.digest,
                    PROGRAM,
                    &source,
                );
                let body = Body {
                    transcript,
                    id: &transcript.id,
                    tenant_region: None,
                    texts: &one.texts,
                    carried: &[],
                    speakers: false,
                };
                let _ = black_box(encode(&Cleared { header, body, reservation_id: "0011223344556677" }));
            }
        });
    });
}

fn whole(group: &mut BenchmarkGroup<'_, WallTime>, corpus: &Corpus, stages: &Stages) {
    let source = Source::File { file: "bench".into(), line: 1 };
    group.bench_function("process", |bencher| {
        bencher.iter(|| {
            for (line, record) in (1..).zip(&corpus.records) {
                black_box(stages.process(record, &source, &Coordinates::of_line("bench", line)));
            }
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .without_plots();
    targets = all
}
criterion_main!(benches);
