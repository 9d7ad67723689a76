//! Apache Kafka's jars, from Maven, copied once into `target/kafka/`.

use std::{
    env,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

/// The version in `kafka/pom.xml`.
const VERSION: &str = "4.1.1";

/// What says which jars there are.
const POM: &str = include_str!("../../kafka/pom.xml");

/// The folder with the jars; fetched by the first test that asks, while others wait.
pub(super) fn folder() -> PathBuf {
    let root = target().join("kafka").join(VERSION);
    fs::create_dir_all(&root).expect("a folder for Apache Kafka");
    let lock = File::create(root.join("lock")).expect("a lock file");
    lock.lock().expect("the lock");
    // Another pom has other jars.
    let mut hasher = DefaultHasher::new();
    POM.hash(&mut hasher);
    let jars = root.join(format!("lib-{:016x}", hasher.finish()));
    if !jars.is_dir() {
        fetch(&root, &jars);
    }
    jars
}

/// Copies into a folder beside it and renames that, so that the folder is there only when it is whole.
fn fetch(root: &Path, jars: &Path) {
    let part = root.join("lib.part");
    let _ = fs::remove_dir_all(&part);
    let pom = Path::new(env!("CARGO_MANIFEST_DIR")).join("kafka/pom.xml");
    let mut maven = Command::new("mvn");
    maven.args(["-q", "-B", "dependency:copy-dependencies", "-f"]).arg(pom);
    maven.arg(format!("-DoutputDirectory={}", part.display()));
    let output = maven.output().unwrap_or_else(|error| {
        panic!("the tests of the stream fetch Apache Kafka with Maven, and `mvn` cannot be started: {error}; install Maven and a Java runtime of version 17 or later")
    });
    assert!(
        output.status.success(),
        "Maven could not fetch Apache Kafka {VERSION}:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    fs::rename(&part, jars).expect("the jars are put in place");
}

/// Cargo's target folder: tests are at target/PROFILE/deps/TEST.
fn target() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own executable");
    test.ancestors().nth(3).expect("target/PROFILE/deps/TEST").into()
}
