//! How the program logs in, and what it says when it is turned away.

use maysend_tests::{
    Program,
    kafka::{
        Gate, Prefix, Secured,
        acls::{Acl, Kind},
        load,
        secured::{PASSWORD, USER, token},
    },
};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// So long a refusal may take: much less than what a broker that is away is waited for.
const SOON: Duration = Duration::from_secs(25);

/// How a program is let in.
struct Entry {
    /// Where the brokers are.
    brokers: String,
    /// Lines of the configuration.
    lines: String,
    /// As whom the brokers know it.
    principal: String,
    /// Variables of its environment.
    environment: Vec<(&'static str, String)>,
}

impl Entry {
    fn with_password(mechanism: &str) -> Self {
        let broker = Secured::shared();
        Self {
            brokers: broker.login(),
            lines: format!("{}[kafka.sasl]\nmechanism = \"{mechanism}\"\nusername = \"{USER}\"", broker.tls()),
            principal: format!("User:{USER}"),
            environment: vec![("MAYSEND_KAFKA_SASL_PASSWORD", PASSWORD.into())],
        }
    }

    fn with_token(user: &str, file: &Path) -> Self {
        let broker = Secured::shared();
        let file = file.display().to_string();
        Self {
            brokers: broker.login(),
            lines: format!("{}[kafka.sasl]\nmechanism = \"OAUTHBEARER\"\ntoken_file = {file:?}", broker.tls()),
            principal: format!("User:{user}"),
            environment: Vec::new(),
        }
    }

    fn with_certificate(name: &str) -> Self {
        let broker = Secured::shared();
        let file = |end: &str| broker.file(&format!("{name}.{end}")).display().to_string();
        let lines = format!("{}certificate_file = {:?}\nkey_file = {:?}", broker.tls(), file("pem"), file("key"));
        Self {
            brokers: broker.mutual(),
            lines,
            principal: format!("User:CN={USER}"),
            environment: Vec::new(),
        }
    }

    /// Topics of a test, made from outside, that the program comes to this way.
    fn prefix(&self, name: &str) -> Prefix {
        let prefix = Prefix::new(&Secured::shared().bootstrap(), name).impatient().partitions(1).create();
        prefix.program_at(&self.brokers).kafka(&self.lines)
    }

    fn program(&self, prefix: &Prefix, ordinal: u32) -> Program {
        self.environment.iter().fold(prefix.program(ordinal), |program, (name, value)| program.env(name, value))
    }

    fn gate(&self, prefix: &Prefix) -> Gate {
        prefix.start(0, self.program(prefix, 0))
    }
}

/// The rows of the page's table of access rules, for the names of this test.
fn documented(prefix: &Prefix) -> Vec<Acl> {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/security.md")).expect("the page");
    let (_, table) = page.split_once("<!-- acls -->").expect("a table");
    let (table, _) = table.split_once("<!-- /acls -->").expect("its end");
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(2);
    let acls: Vec<Acl> = rows
        .flat_map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let [kind, name, operations, _why] = cells.as_slice() else { panic!("four columns: {row}") };
            let kind = match *kind {
                "topic" => Kind::Topic,
                "group" => Kind::Group,
                "transactional id" => Kind::TransactionalId,
                other => panic!("{other}"),
            };
            let name = name.trim_matches('`');
            let is_prefix = name.ends_with('*');
            let name = name.trim_end_matches('*').replace("transcripts", prefix.input());
            let name = name.replace("maysend", prefix.group());
            let of = move |operation: &str| Acl { kind, name: name.clone(), is_prefix, operation: operation.into() };
            operations.split(',').map(|operation| of(operation.trim().trim_matches('`'))).collect::<Vec<_>>()
        })
        .collect();
    assert!(acls.len() > 5);
    acls
}

fn token_file(prefix: &Prefix, name: &str, token: &str) -> PathBuf {
    let path = prefix.folder().join(name);
    fs::write(&path, token).expect("a token");
    path
}

/// What the program said in all its runs holds no secret.
fn said_no_secret(prefix: &Prefix, secrets: &[&str]) {
    let history = prefix.history();
    assert!(!history.said.is_empty());
    for (name, said) in &history.said {
        for secret in secrets {
            assert!(!said.contains(secret), "{name} holds a secret:\n{said}");
        }
    }
}

/// A whole run that may do what the page says, and nothing else.
fn works(name: &str, entry: &Entry) {
    let prefix = entry.prefix(name);
    Secured::shared().allow(&entry.principal, &documented(&prefix));
    prefix.produce(load::records(40));
    let mut gate = entry.gate(&prefix);
    prefix.wait_for(40, &mut [&mut gate]);
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
    said_no_secret(&prefix, &[PASSWORD]);
}

#[test]
fn a_password_by_each_mechanism_works() {
    for mechanism in ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] {
        works("password", &Entry::with_password(mechanism));
    }
}

#[test]
fn a_client_certificate_works() {
    works("certificate", &Entry::with_certificate("client"));
}

#[test]
fn a_password_in_a_file_works() {
    let mut entry = Entry::with_password("SCRAM-SHA-512");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("password");
    fs::write(&path, format!("{PASSWORD}\n")).unwrap();
    entry.environment = vec![("MAYSEND_KAFKA_SASL_PASSWORD_FILE", path.display().to_string())];
    works("password-file", &entry);
}
