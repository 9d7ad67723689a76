//! What `maysend topics --print` prints, held in files so that a change of it is seen.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const CONFIG: &str = "[kafka]\nbrokers = \"kafka-0:9093,kafka-1:9093\"\ntopic_prefix = \"Support_EU.transcripts\"\n\
                      [kafka.security]\nprotocol = \"ssl\"\n";

#[track_caller]
fn printed(form: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("maysend.toml");
    fs::write(&config, CONFIG).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_maysend"));
    command.args(["topics", "--print", form, "--config"]).arg(config).args(more).env_clear();
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

/// Compares with a file of `tests/golden`, or writes it where `MAYSEND_TEST_WRITE_GOLDEN` is set.
#[track_caller]
fn is_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("MAYSEND_TEST_WRITE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(golden, text, "{name} differs; if that is meant, run this test with MAYSEND_TEST_WRITE_GOLDEN=1");
}

#[test]
fn for_strimzi() {
    is_golden("topics-strimzi.yaml", &printed("strimzi", &["--strimzi-cluster", "support"]));
}

#[test]
fn for_kafkas_own_tools() {
    is_golden("topics-kafka.sh", &printed("kafka-topics", &["--partitions", "24", "--replicas", "5"]));
}

#[test]
fn names_are_ones_that_kubernetes_takes() {
    let yaml = printed("strimzi", &[]);
    let names: Vec<&str> = yaml.lines().filter_map(|line| line.strip_prefix("  name: ")).collect();
    let topics: Vec<&str> = yaml.lines().filter_map(|line| line.strip_prefix("  topicName: ")).collect();
    assert_eq!(names.len(), topics.len());
    for name in names {
        let name: &str = serde_json::from_str(name).unwrap();
        let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.chars().all(is_valid) && !name.starts_with('-') && !name.ends_with('-'), "{name}");
    }
    assert!(topics.contains(&"\"Support_EU.transcripts.dead-letter\""), "{topics:?}");
}
