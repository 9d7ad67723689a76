//! The officer's desk: topics, a ledger and a key, for what erases.

use crate::support::Ledger;
use maysend_tests::{
    Program, Ran, Transcript,
    kafka::{Broker, New, Prefix, Record},
    maysend, transcript,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A gate that has decided transcripts, a ledger that has taken them in, and a key that signs.
pub struct Desk<'l> {
    pub ledger: &'l Ledger,
    pub prefix: Prefix,
}

impl<'l> Desk<'l> {
    /// Of `ck_gone` two were sent and one waits for review; of `ck_here` one of each.
    pub fn new(ledger: &'l Ledger, name: &str) -> Self {
        let said = |id: &str, customer: &str, text: &str| of(customer, id).customer(text);
        Self::with(
            ledger,
            name,
            &[
                said("g-1", "ck_gone", "Where is my parcel?"),
                said("g-2", "ck_gone", "And when will it come?"),
                said("g-3", "ck_gone", "BSN 111222333"),
                said("h-1", "ck_here", "Where is my parcel?"),
                said("h-2", "ck_here", "BSN 111222333"),
            ],
        )
    }

    /// Of these transcripts.
    pub fn with(ledger: &'l Ledger, name: &str, transcripts: &[Transcript]) -> Self {
        let prefix = Prefix::new(&Broker::shared().bootstrap(), name).partitions(2).create();
        Self::on(ledger, prefix).decide(transcripts)
    }

    /// On these topics.
    pub fn on(ledger: &'l Ledger, prefix: Prefix) -> Self {
        let desk = Self { ledger, prefix };
        desk.follow();
        let made = maysend(["ledger", "key", "--out"]).args([desk.key()]).run().exits(0);
        assert!(made.text().starts_with("ed25519:"));
        desk
    }

    /// Has the gate decide transcripts, and takes in what comes of it.
    pub fn decide(self, transcripts: &[Transcript]) -> Self {
        self.prefix.produce(transcripts.iter().map(|transcript| New::value(transcript.line())));
        let mut gate = self.prefix.gate(0);
        self.prefix.wait_for(transcripts.len(), &mut [&mut gate]);
        gate.stop().exits(0);
        self.follow();
        self
    }

    /// The file of the signing key.
    pub fn key(&self) -> PathBuf {
        self.ledger.folder().join("erasure.key")
    }

    /// The file of its public key.
    pub fn public(&self) -> PathBuf {
        self.ledger.folder().join("erasure.key.pub")
    }

    /// Takes in what the topics hold now.
    #[track_caller]
    pub fn follow(&self) {
        self.ledger.command("run").args(["--once", "--config"]).args([self.prefix.config(0)]).run().exits(0);
    }

    /// A command that signs.
    pub fn signing(&self, name: &str) -> Program {
        let command = self.ledger.command(name).with_key().args(["--config"]).args([self.prefix.config(0)]);
        command.args(["--signing-key"]).args([self.key()])
    }

    /// Erases `ck_gone`.
    pub fn erase(&self, request: &str, more: &[&str]) -> Ran {
        self.erasing("ck_gone", request).args(more).run()
    }

    /// Reads everything again after `ck_gone` was erased, once the ledger has taken in what the erasure has written.
    #[track_caller]
    pub fn confirm(&self, request: &str, more: &[&str]) -> Ran {
        self.follow();
        self.erase(request, &[&["--confirm"], more].concat())
    }

    /// Erases a customer of `acme`; not yet run.
    pub fn erasing(&self, customer: &str, request: &str) -> Program {
        let of = ["--tenant", "acme", customer, "--request", request, "--received", "2026-11-02"];
        self.signing("erase").args(of)
    }

    /// A command that reads the officer's topics.
    pub fn reading(&self, name: &str) -> Program {
        maysend(["ledger", name, "--config"]).args([self.prefix.config(0)])
    }

    /// The signed records.
    #[track_caller]
    pub fn records(&self) -> Vec<Value> {
        self.reading("export").run().exits(0).json()
    }

    /// The kinds of the signed records.
    #[track_caller]
    pub fn kinds(&self) -> Vec<String> {
        self.records().iter().map(|r| r["statement"]["kind"].as_str().expect("a kind").to_owned()).collect()
    }

    /// Verifies exported records.
    pub fn verify(&self, records: &Path, more: &[&str]) -> Ran {
        let verify = maysend(["ledger", "verify", "--public-key"]).args([self.public()]);
        verify.args(["--records"]).args([records]).args(more).run()
    }

    /// The transcripts of an output that have no tombstone.
    pub fn live(&self, output: &str) -> Vec<String> {
        let mut live: BTreeMap<(i32, Vec<u8>), Record> = BTreeMap::new();
        for record in self.prefix.committed(output) {
            let place = (record.partition, record.key.clone().expect("a key"));
            match record.value {
                Some(_) => drop(live.insert(place, record)),
                None => drop(live.remove(&place).expect("a tombstone stands in the partition of its record")),
            }
        }
        let mut ids: Vec<String> =
            live.values().map(|r| r.json()["transcript_id"].as_str().expect("an id").to_owned()).collect();
        ids.sort();
        ids
    }
}

/// A transcript of a customer.
pub fn of(customer: &str, id: &str) -> Transcript {
    transcript(id).with("customer_key", json!(customer))
}
