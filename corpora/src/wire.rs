//! A transcript as the support platform publishes it, and the labels that say what is in it.

use serde::Serialize;

/// Who speaks in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The person who asks for support.
    Customer,
    /// The person who gives it.
    Agent,
    /// The platform itself.
    Bot,
}

/// One turn of the conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// Who speaks.
    pub speaker: Speaker,
    /// When, in RFC 3339 and UTC; later in every turn than in the one before.
    pub at: String,
    /// What is said. Labels point into the bytes of this text.
    pub text: String,
}

/// The structured columns that the platform sends beside the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fields {
    /// The e-mail address of the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_email: Option<String>,
    /// Where invoices go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billing_address: Option<String>,
    /// The customer's full name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer_name: Option<String>,
}

/// One support conversation. Members are published in the order in which they stand here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Transcript {
    /// The version of the wire form: 1.
    pub schema: u32,
    /// Unique over all days; the same in every corpus of the same days, whatever the seed.
    pub id: String,
    /// Whose customer it is.
    pub tenant: &'static str,
    /// Where the tenant is, as the record claims.
    pub tenant_region: &'static str,
    /// The customer's opaque key; absent in an anonymous chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer_key: Option<String>,
    /// Where the transcript is to be sent.
    pub destination: &'static str,
    /// Structured columns; empty in an anonymous chat.
    pub fields: Fields,
    /// The conversation.
    pub turns: Vec<Turn>,
}

/// Where a piece of personal data stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// The turn, counted from 0.
    pub turn: usize,
    /// Where the value begins: a byte offset into the turn's text.
    pub start: usize,
    /// Where it ends, exclusive. The word that names the value is outside the span.
    pub end: usize,
    /// What it is.
    pub entity: &'static str,
    /// Whether it is tier-1 data, which no destination that retains may receive.
    pub tier1: bool,
    /// Whether it stands in a header line that the platform rendered.
    pub templated: bool,
}

/// A transcript with the truth about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// What is published.
    pub transcript: Transcript,
    /// The personal data in its turns, in the order of the text.
    pub labels: Vec<Label>,
}

/// A line of the labels file.
#[derive(Serialize)]
struct LabelsLine<'a> {
    schema: u32,
    id: &'a str,
    labels: &'a [Label],
}

impl Transcript {
    /// The transcript on one line of JSON, without the line end.
    pub fn to_json(&self) -> String {
        to_string(self)
    }
}

impl Labelled {
    /// The transcript on one line of JSON, without the line end.
    pub fn to_json(&self) -> String {
        self.transcript.to_json()
    }

    /// The labels on one line of JSON, `{"schema":1,"id":…,"labels":[…]}`, without the line end.
    pub fn labels_to_json(&self) -> String {
        to_string(&self.labels_line())
    }

    /// Appends the transcript's line, with its line end, to a buffer.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        write(&self.transcript, out);
    }

    /// Appends the line of labels, with its line end, to a buffer.
    pub fn write_labels(&self, out: &mut Vec<u8>) {
        write(&self.labels_line(), out);
    }

    /// Whether any label is tier-1 data.
    pub fn holds_tier1(&self) -> bool {
        self.labels.iter().any(|label| label.tier1)
    }

    /// The text that a label points at.
    pub fn value(&self, label: &Label) -> &str {
        &self.transcript.turns[label.turn].text[label.start..label.end]
    }

    fn labels_line(&self) -> LabelsLine<'_> {
        LabelsLine { schema: 1, id: &self.transcript.id, labels: &self.labels }
    }
}

/// Serialising these structures cannot fail: their keys are strings and they are written to memory.
fn to_string(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn write(value: &impl Serialize, out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(&mut *out, value);
    out.push(b'\n');
}
