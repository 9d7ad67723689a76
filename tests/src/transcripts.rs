//! Transcripts as the support platform publishes them.

use serde_json::{Map, Value, json};

/// A transcript that is being written.
#[derive(Clone)]
pub struct Transcript(Map<String, Value>);

/// A transcript of tenant `acme` for `summaries-eu`, with a customer key, and no turns yet.
pub fn transcript(id: &str) -> Transcript {
    let members = json!({
        "schema": 1, "id": id, "tenant": "acme", "tenant_region": "EU", "customer_key": "ck_5f0c2b",
        "destination": "summaries-eu", "fields": {}, "turns": [],
    });
    match members {
        Value::Object(members) => Transcript(members),
        _ => unreachable!("an object was written"),
    }
}

impl Transcript {
    /// The customer says something.
    pub fn customer(self, text: &str) -> Self {
        self.turn("customer", text)
    }

    /// The agent says something.
    pub fn agent(self, text: &str) -> Self {
        self.turn("agent", text)
    }

    /// The platform says something.
    pub fn bot(self, text: &str) -> Self {
        self.turn("bot", text)
    }

    /// Somebody says something, each a minute after the one before.
    pub fn turn(mut self, speaker: &str, text: &str) -> Self {
        if let Some(Value::Array(turns)) = self.0.get_mut("turns") {
            let at = format!("2026-03-02T09:{:02}:03Z", turns.len());
            turns.push(json!({"speaker": speaker, "at": at, "text": text}));
        }
        self
    }

    /// A structured field.
    pub fn field(mut self, name: &str, value: &str) -> Self {
        if let Some(Value::Object(fields)) = self.0.get_mut("fields") {
            fields.insert(name.into(), value.into());
        }
        self
    }

    /// For another destination.
    pub fn to(self, destination: &str) -> Self {
        self.with("destination", json!(destination))
    }

    /// Sets a member, whatever it was.
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.0.insert(name.into(), value);
        self
    }

    /// Leaves a member out.
    pub fn without(mut self, name: &str) -> Self {
        self.0.shift_remove(name);
        self
    }

    /// Its line, without the line end.
    pub fn line(&self) -> String {
        Value::Object(self.0.clone()).to_string()
    }
}

/// A file of these transcripts.
pub fn lines<'t>(transcripts: impl IntoIterator<Item = &'t Transcript>) -> String {
    transcripts.into_iter().map(|transcript| transcript.line() + "\n").collect()
}
