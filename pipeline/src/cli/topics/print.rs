//! What creates the topics, and puts them right: commands of Kafka's own tools, and resources for Strimzi.

use super::rules::{Wanted, Wrong};
use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _};

/// Kafka's own tools.
pub(super) struct Tools<'t> {
    pub(super) brokers: &'t str,
    /// Whether they need a file with how to connect.
    pub(super) is_secured: bool,
}

impl Tools<'_> {
    /// A script that creates every topic that is not there.
    pub(super) fn script(&self, wanted: &[Wanted]) -> String {
        let mut out =
            String::from("#!/bin/sh\n# The topics of maysend. What is there already stays as it is.\nset -e\n");
        if self.is_secured {
            out += "# client.properties says how to connect: security.protocol, sasl.jaas.config, ….\n";
        }
        for topic in wanted {
            let _ = writeln!(out, "{}", self.create(topic));
        }
        out
    }

    /// The commands that put a topic right.
    pub(super) fn remedies(&self, wanted: &Wanted, wrong: &[Wrong]) -> Vec<String> {
        let mut commands = Vec::new();
        // A later right value of the same key is the stricter one.
        let mut settings = BTreeMap::new();
        for one in wrong {
            match one {
                Wrong::Missing => commands.push(self.create(wanted)),
                Wrong::Setting { key, right, .. } => {
                    settings.insert(key.as_str(), right.as_str());
                }
                Wrong::Replicas { plan: Some(plan), .. } => commands.push(self.reassign(wanted, plan)),
                Wrong::Replicas { plan: None, .. } => {}
            }
        }
        if !settings.is_empty() {
            commands.push(self.set(wanted, &settings));
        }
        commands
    }

    fn create(&self, topic: &Wanted) -> String {
        let mut command = format!(
            "{} --create --if-not-exists --topic {} --partitions {} --replication-factor {}",
            self.tool("kafka-topics.sh"),
            quoted(&topic.name),
            topic.partitions,
            topic.replicas
        );
        for (key, value) in &topic.settings {
            let _ = write!(command, " --config {}", quoted(&format!("{key}={value}")));
        }
        command
    }

    fn set(&self, topic: &Wanted, settings: &BTreeMap<&str, &str>) -> String {
        // A list stands in brackets there: a comma is what separates settings.
        let setting = |(key, value): (&&str, &&str)| match value.contains(',') {
            true => format!("{key}=[{value}]"),
            false => format!("{key}={value}"),
        };
        let settings: Vec<String> = settings.iter().map(setting).collect();
        format!(
            "{} --alter --entity-type topics --entity-name {} --add-config {}",
            self.tool("kafka-configs.sh"),
            quoted(&topic.name),
            quoted(&settings.join(","))
        )
    }

    fn reassign(&self, topic: &Wanted, plan: &BTreeMap<i32, Vec<i32>>) -> String {
        let partition = |(partition, replicas): (&i32, &Vec<i32>)| serde_json::json!({ "topic": topic.name, "partition": partition, "replicas": replicas });
        let partitions: Vec<_> = plan.iter().map(partition).collect();
        let json = serde_json::json!({ "version": 1, "partitions": partitions }).to_string();
        format!(
            "echo {} > reassign.json && {} --reassignment-json-file reassign.json --execute",
            quoted(&json),
            self.tool("kafka-reassign-partitions.sh"),
        )
    }

    fn tool(&self, name: &str) -> String {
        let config = if self.is_secured { " --command-config client.properties" } else { "" };
        format!("{name} --bootstrap-server {}{config}", quoted(self.brokers))
    }
}

/// A word of a shell's command.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '=' | ':' | ',' | '/');
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")).into(),
    }
}

/// A `KafkaTopic` for each, of the version that Strimzi has since 0.49.
pub(super) fn strimzi(wanted: &[Wanted], cluster: &str) -> String {
    let mut out =
        String::from("# The topics of maysend, for Strimzi 0.49 or later; before that write v1beta2 for v1.\n");
    for topic in wanted {
        let _ = write!(
            out,
            "---\napiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n  name: {}\n  labels:\n    \
             strimzi.io/cluster: {}\nspec:\n  topicName: {}\n  partitions: {}\n  replicas: {}\n  config:\n",
            scalar(&kubernetes_name(&topic.name)),
            scalar(cluster),
            scalar(&topic.name),
            topic.partitions,
            topic.replicas
        );
        for (key, value) in &topic.settings {
            let _ = writeln!(out, "    {key}: {}", scalar(value));
        }
    }
    out
}

/// A string of YAML. JSON's strings are YAML's too.
fn scalar(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A topic's name as one that Kubernetes takes: of the letters a to z, digits and hyphens, and the latter not at its ends.
fn kubernetes_name(topic: &str) -> String {
    let lower = topic.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    match words.is_empty() {
        true => "topic".into(),
        false => words.join("-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_in_kubernetes() {
        for (topic, name) in [
            ("transcripts", "transcripts"),
            ("transcripts.dead-letter", "transcripts-dead-letter"),
            ("Support_EU..transcripts.held", "support-eu-transcripts-held"),
            ("_.cleared", "cleared"),
        ] {
            assert_eq!(kubernetes_name(topic), name);
        }
    }

    #[test]
    fn words_of_commands_are_quoted_where_they_must_be() {
        assert_eq!(quoted("a.b:9092,c:9092"), "a.b:9092,c:9092");
        assert_eq!(quoted("cleanup.policy=[compact,delete]"), "'cleanup.policy=[compact,delete]'");
        assert_eq!(quoted("it's; rm"), r"'it'\''s; rm'");
        assert_eq!(quoted(""), "''");
    }
}
