//! The same run writes the same bytes.

use super::*;

// 8. Same input, program, ruleset, mode, key and --as-of: same output bytes.

#[test]
fn the_same_run_writes_the_same_bytes_on_any_number_of_cores() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("input.jsonl");
    // Enough for several batches.
    let mut input = mixture();
    input.extend(Day::new(3, date(), 4_500, Style::Normal).map(|made| made.to_json()));
    fs::write(&file, text_of(&input)).unwrap();
    let outs = ["--threads=1", "--threads=2", "--threads=5", "--quiet"].map(|option| {
        let out = folder.path().join(format!("out{option}"));
        scan(&out).args([option]).args([&file]).run().exits(0);
        outputs::FILES.map(|name| fs::read(out.join(name)).unwrap())
    });
    assert!(outs.iter().all(|out| *out == outs[0]));
    assert!(outs[0].iter().all(|bytes| !bytes.is_empty()));
}

#[test]
fn identifiers_are_hashed_by_the_key_and_left_out_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let address = "jan@example.nl";
    let hash = |name: &str, key: &dyn Fn(Program) -> Program| {
        let out = folder.path().join(name);
        let line = transcript("t-1").with("customer_key", json!(address)).customer("Hello.").line() + "\n";
        key(maysend(["scan", "--as-of", AS_OF, "--out"]).args([&out])).input(line).run().exits(0);
        let outputs = Outputs::of(&out);
        assert!(!outputs.text("held.jsonl").contains(address));
        outputs.held[0]["customer_key"].as_str().unwrap().to_owned()
    };
    let other: String = maysend_tests::KEY.chars().rev().collect();
    let one = hash("one", &Program::with_key);
    assert_eq!(one, hash("again", &Program::with_key));
    assert_ne!(one, hash("other", &|program| program.env("MAYSEND_KEY", &other)));
    assert_eq!(hash("none", &|program| program), "withheld");
}
