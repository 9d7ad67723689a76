//! That a customer was erased: a record of `erasures`, and a line of the file that commands on files take.

use super::{
    kept::{Kept, Schema, not_empty, time},
    schema::Time,
};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// That nothing older than a time may be sent of a customer. A later record for the same customer moves the time
/// forward; nothing moves it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Erasure {
    /// Version of the wire form.
    pub schema: Schema,
    /// The tenant.
    #[serde(deserialize_with = "not_empty")]
    pub tenant: String,
    /// The customer's opaque key at that tenant.
    #[serde(deserialize_with = "not_empty")]
    pub customer_key: String,
    /// Transcripts up to this time are not sent.
    #[serde(with = "time")]
    #[schemars(with = "Time")]
    pub erased_at: Timestamp,
    /// The request that it answers, as its keeper names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Kept for Erasure {
    const FORM: &'static str =
        "an erasure: {\"schema\": 1, \"tenant\": …, \"customer_key\": …, \"erased_at\": \"2026-03-02T09:14:03Z\"}";
}

#[cfg(test)]
mod tests {
    use super::{
        super::kept::{KeptError, read},
        *,
    };

    #[test]
    fn an_erasure_is_read_and_written() {
        let text =
            r#"{"schema":1,"tenant":"acme","customer_key":"ck","erased_at":"2026-03-02T09:14:03Z","request_id":"r-7"}"#;
        let erasure: Erasure = read(Some(text.as_bytes())).unwrap();
        assert_eq!(serde_json::to_string(&erasure).unwrap(), text);
        let short = text.replace(r#","request_id":"r-7""#, "");
        assert_eq!(read::<Erasure>(Some(short.as_bytes())).unwrap().request_id, None);
    }

    #[test]
    fn what_is_no_erasure_is_refused_without_a_word_of_it() {
        let good = r#"{"schema":1,"tenant":"acme","customer_key":"canary","erased_at":"2026-03-02T09:14:03Z"}"#;
        let form = KeptError::Form(Erasure::FORM);
        for (bad, why) in [
            (good.replace("\"schema\":1", "\"schema\":2,\"more\":0"), KeptError::UnknownSchema),
            (good.replace("\"schema\":1,", ""), form),
            (good.replace("canary", ""), form),
            (good.replace("2026-03-02T09:14:03Z", "2026-03-02"), form),
            (good.replace("\"acme\"", "7"), form),
            (good.replace("}", ",\"until\":\"x\"}"), form),
            (good.replace("}", ",\"tenant\":\"other\"}"), form),
            (good.replace("}", ""), form),
            (String::new(), form),
        ] {
            let error = read::<Erasure>(Some(bad.as_bytes())).unwrap_err();
            assert_eq!(error, why, "{bad}");
            assert!(!format!("{error} {error:?}").contains("canary"));
        }
        assert_eq!(read::<Erasure>(None), Err(KeptError::Tombstone));
    }
}
