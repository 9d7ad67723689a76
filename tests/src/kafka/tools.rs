//! Apache Kafka's own command line tools, under their own names.

use super::jars;
use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

/// The tools that `maysend topics` names, and the class of each.
const TOOLS: [(&str, &str); 3] = [
    ("kafka-topics.sh", "org.apache.kafka.tools.TopicCommand"),
    ("kafka-configs.sh", "kafka.admin.ConfigCommand"),
    ("kafka-reassign-partitions.sh", "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"),
];

/// Runs lines of a shell in a folder, with the tools on its path.
///
/// # Panics
/// The shell cannot be started.
pub fn shell(lines: &str, folder: &Path) -> Output {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).expect("a folder for the tools");
    for (name, class) in TOOLS {
        let jars = jars::folder();
        let java = "exec java -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1";
        let script = format!("#!/bin/sh\n{java} -cp '{}/*' {class} \"$@\"\n", jars.display());
        let path = bin.join(name);
        fs::write(&path, script).expect("a tool");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a tool");
    }
    let path = env::var("PATH").expect("a path");
    let mut shell = Command::new("sh");
    shell.arg("-ec").arg(lines).current_dir(folder).env("PATH", format!("{}:{path}", bin.display()));
    shell.output().expect("a shell")
}
