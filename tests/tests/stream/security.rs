//! How the program logs in, and what it says when it is turned away.

use maysend_tests::{
    Program,
    kafka::{
        Gate, Prefix, Secured,
        acls::{Acl, Kind},
        load,
        secured::{PASSWORD, USER, token},
    },
    maysend,
};
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// So long a refusal may take: much less than what a broker that is away is waited for.
const SOON: Duration = Duration::from_secs(25);

/// How a program is let in.
#[derive(Clone)]
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
            lines: format!("{}mechanism = \"{mechanism}\"\nusername = \"{USER}\"", broker.tls("sasl_ssl")),
            principal: format!("User:{USER}"),
            environment: vec![("MAYSEND_KAFKA_SASL_PASSWORD", PASSWORD.into())],
        }
    }

    fn with_token(user: &str, file: &Path) -> Self {
        let broker = Secured::shared();
        let file = file.display().to_string();
        Self {
            brokers: broker.login(),
            lines: format!("{}mechanism = \"OAUTHBEARER\"\ntoken_file = {file:?}", broker.tls("sasl_ssl")),
            principal: format!("User:{user}"),
            environment: Vec::new(),
        }
    }

    /// A client of its own, which is allowed just this.
    fn allowed(user: &str, acls: &[Acl]) -> Self {
        Secured::shared().issue(user);
        let entry = Self { principal: format!("User:CN={user}"), ..Self::with_certificate(user) };
        Secured::shared().allow(&entry.principal, acls);
        entry
    }

    fn with_certificate(name: &str) -> Self {
        let broker = Secured::shared();
        let file = |end: &str| broker.file(&format!("{name}.{end}")).display().to_string();
        let lines = format!("{}certificate_file = {:?}\nkey_file = {:?}", broker.tls("ssl"), file("pem"), file("key"));
        Self { brokers: broker.mutual(), lines, principal: format!("User:CN={USER}"), environment: Vec::new() }
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
fn an_encrypted_key_works_with_its_password_only() {
    let variable = "MAYSEND_KAFKA_SSL_KEY_PASSWORD";
    let mut entry = Entry::with_certificate("client");
    entry.lines = entry.lines.replace("client.key", "client-encrypted.key");
    let with = |entry: &Entry, environment| Entry { environment, ..entry.clone() };
    for environment in [vec![(variable, format!("not-{PASSWORD}"))], vec![]] {
        let prefix =
            Prefix::new(&Secured::shared().bootstrap(), "locked").program_at(&entry.brokers).kafka(&entry.lines);
        let ran = with(&entry, environment).gate(&prefix).end_within(SOON).exits(2).says(&["`key_file`", variable]);
        assert!(!ran.stderr.contains(PASSWORD), "{}", ran.stderr);
    }
    works("encrypted", &with(&entry, vec![(variable, PASSWORD.into())]));
}

#[test]
fn a_key_store_works_with_its_password_only() {
    let broker = Secured::shared();
    let variable = "MAYSEND_KAFKA_SSL_KEYSTORE_PASSWORD";
    let store = broker.file("client.p12").display().to_string();
    let lines = format!("{}[kafka.options]\n\"ssl.keystore.location\" = {store:?}", broker.tls("ssl"));
    let entry = Entry { lines, ..Entry::with_certificate("client") };
    let with = |environment| Entry { environment, ..entry.clone() };
    for environment in [vec![(variable, format!("not-{PASSWORD}"))], vec![]] {
        let prefix = Prefix::new(&broker.bootstrap(), "locked").program_at(&entry.brokers).kafka(&entry.lines);
        let ran = with(environment).gate(&prefix).end_within(SOON).exits(2).says(&["ssl.keystore", variable]);
        assert!(!ran.stderr.contains(PASSWORD), "{}", ran.stderr);
    }
    works("key-store", &with(vec![(variable, PASSWORD.into())]));
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

#[test]
fn a_token_works_and_is_renewed_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (user, file) = ("token-user", folder.path().join("token"));
    let life = 6;
    fs::write(&file, token(user, life)).unwrap();
    let entry = Entry::with_token(user, &file);
    let prefix = entry.prefix("token");
    Secured::shared().allow(&entry.principal, &documented(&prefix));
    let mut gate = entry.gate(&prefix);
    let mut decided = prefix.decided();
    // The broker ends a session with its token, so what is decided past that was written with a newer one.
    let end = Instant::now() + Duration::from_secs(2 * u64::try_from(life).unwrap());
    let mut written = 0;
    while Instant::now() < end || written == 0 {
        let fresh = folder.path().join("fresh");
        fs::write(&fresh, token(user, life)).unwrap();
        fs::rename(&fresh, &file).unwrap();
        prefix.produce((written..written + 10).map(load::record));
        written += 10;
        decided.wait_for(written, &mut [&mut gate]);
    }
    let last = fs::read_to_string(&file).unwrap();
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
    said_no_secret(&prefix, &[&last]);
}

/// Seconds that a token lasts: longer than a process takes to start and decide a few records on a busy machine.
const LIFE: i64 = 20;

#[test]
fn a_token_that_is_not_renewed_stops_the_stream() {
    let folder = tempfile::tempdir().unwrap();
    let (user, file) = ("stale-user", folder.path().join("token"));
    fs::write(&file, token(user, LIFE)).unwrap();
    let entry = Entry::with_token(user, &file);
    let prefix = entry.prefix("stale");
    Secured::shared().allow(&entry.principal, &documented(&prefix));
    let mut gate = entry.gate(&prefix);
    prefix.produce(load::records(10));
    prefix.wait_for(10, &mut [&mut gate]);
    gate.end_within(2 * SOON).exits(2).says(&["no token to log in with", "expired at", "token_file"]);
    prefix.history().holds().is_complete();
}

#[test]
fn a_token_that_is_refused_later_stops_the_stream() {
    let folder = tempfile::tempdir().unwrap();
    let (user, file) = ("refused-user", folder.path().join("token"));
    fs::write(&file, token(user, LIFE)).unwrap();
    let entry = Entry::with_token(user, &file);
    let prefix = entry.prefix("refused");
    Secured::shared().allow(&entry.principal, &documented(&prefix));
    let mut gate = entry.gate(&prefix);
    prefix.produce(load::records(10));
    prefix.wait_for(10, &mut [&mut gate]);
    // A signed token, and the broker knows nobody who signs.
    let forged = token(user, 3600) + "c2lnbmF0dXJl";
    fs::write(&file, &forged).unwrap();
    gate.end_within(3 * SOON).exits(2).says(&["the brokers refuse the token", "token_file"]);
    prefix.history().holds().is_complete();
    said_no_secret(&prefix, &[&forged]);
}

#[test]
fn a_token_that_cannot_be_read_stops_it_before_anything() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    let entry = Entry::with_token("nobody", &file);
    let prefix = Prefix::new(&entry.brokers, "no-token").kafka(&entry.lines);
    let expired = token("nobody", -60);
    let cases = [
        (None, "cannot read the token in"),
        (Some("\n"), "is empty"),
        (Some("kanarie.kanarie"), "holds no JWT"),
        (Some(&*expired), "expired at"),
    ];
    for (content, said) in cases {
        if let Some(content) = content {
            fs::write(&file, content).unwrap();
        }
        entry.gate(&prefix).end_within(SOON).exits(2).says(&[said, &file.display().to_string()]);
    }
}

#[test]
fn refused_credentials_stop_it_and_are_not_tried_for_ever() {
    let broker = Secured::shared();
    let wrong_password = |mechanism| {
        let mut entry = Entry::with_password(mechanism);
        entry.environment = vec![("MAYSEND_KAFKA_SASL_PASSWORD", format!("not-{PASSWORD}"))];
        entry
    };
    let other_ca = |entry: Entry| Entry { lines: entry.lines.replace("/ca.pem", "/other-ca.pem"), ..entry };
    let at = |brokers: String, entry: Entry| Entry { brokers, ..entry };
    let without_certificate = Entry { lines: broker.tls("ssl"), ..Entry::with_certificate("client") };
    let user = format!("user `{USER}`");
    let no_tls = "do not take each other's certificates";
    let cases: Vec<(&str, Entry, Vec<&str>)> = vec![
        ("wrong password", wrong_password("PLAIN"), vec![&user, "PLAIN", "MAYSEND_KAFKA_SASL_PASSWORD"]),
        ("wrong password", wrong_password("SCRAM-SHA-256"), vec![&user, "SCRAM-SHA-256"]),
        ("wrong password", wrong_password("SCRAM-SHA-512"), vec![&user, "SCRAM-SHA-512", "Authentication failed"]),
        ("another authority", other_ca(Entry::with_password("PLAIN")), vec![no_tls, "ca_file"]),
        (
            "an expired broker",
            at(broker.expired(), Entry::with_certificate("client")),
            vec![no_tls, "until when each certificate is valid"],
        ),
        ("another name", at(broker.login_by_another_name(), Entry::with_password("PLAIN")), vec![no_tls]),
        ("an expired client", Entry::with_certificate("client-expired"), vec![no_tls, "certificate_file"]),
        ("no client certificate", without_certificate, vec![no_tls, "certificate_file"]),
    ];
    let ran = cases.into_iter().map(|(what, entry, said)| {
        let prefix = Prefix::new(&broker.bootstrap(), "turned-away").program_at(&entry.brokers).kafka(&entry.lines);
        (what, entry.gate(&prefix), prefix, said)
    });
    for (what, gate, prefix, said) in ran.collect::<Vec<_>>() {
        eprintln!("{what}");
        let ran = gate.end_within(SOON).exits(2).says(&said);
        assert!(!ran.stderr.contains(PASSWORD), "{}", ran.stderr);
        drop(prefix);
    }
}

#[test]
fn the_wrong_kind_of_connection_is_named() {
    let broker = Secured::shared();
    let entry = Entry::with_password("PLAIN");
    let cases = [
        // TLS where there is none, none where there is, and none who logs in.
        (broker.bootstrap(), &*entry.lines, &entry.environment[..], "under [kafka.security]"),
        (broker.login(), "", &[][..], "under [kafka.security]"),
        (broker.login(), &*broker.tls("ssl"), &[][..], "under [kafka.security]"),
    ];
    let gates: Vec<_> = cases
        .into_iter()
        .map(|(brokers, lines, environment, said)| {
            let prefix = Prefix::new(&brokers, "wrong-kind").impatient().kafka(lines);
            let start = |program: Program, (name, value): &(&str, String)| program.env(name, value);
            (prefix.start(0, environment.iter().fold(prefix.program(0), start)), prefix, said)
        })
        .collect();
    for (gate, prefix, said) in gates {
        gate.end_within(SOON).exits(2).says(&[said]);
        drop(prefix);
    }
}

#[test]
fn secrets_that_cannot_be_had_are_said() {
    let entry = Entry::with_password("PLAIN");
    let prefix = Prefix::new(&entry.brokers, "secrets").kafka(&entry.lines);
    let run = |variables: &[(&str, &str)]| {
        let program = prefix.program(0);
        variables.iter().fold(program, |program, (name, value)| program.env(name, value)).run().exits(2)
    };
    const VARIABLE: &str = "MAYSEND_KAFKA_SASL_PASSWORD";
    const FILE: &str = "MAYSEND_KAFKA_SASL_PASSWORD_FILE";
    run(&[]).says(&["no password for the user `maysend`", VARIABLE, FILE]);
    run(&[(VARIABLE, PASSWORD), (FILE, "/nowhere")]).says(&["both set"]);
    run(&[(FILE, "/nowhere")]).says(&["cannot read /nowhere", FILE]);
    run(&[(VARIABLE, "")]).says(&["is empty"]);
    let key = ("MAYSEND_KAFKA_SSL_KEY_PASSWORD", PASSWORD);
    let plain = Prefix::new(&entry.brokers, "unused");
    let ran = plain.program(0).env(key.0, key.1).run().exits(2).says(&[key.0, "[kafka.security] is plaintext"]);
    assert!(!ran.stderr.contains(PASSWORD));
}

#[test]
fn the_command_for_topics_logs_in_too() {
    let entry = Entry::with_password("SCRAM-SHA-512");
    let prefix = entry.prefix("topics");
    let every_topic = |operation: &str| Acl {
        kind: Kind::Topic,
        name: prefix.input().into(),
        is_prefix: true,
        operation: operation.into(),
    };
    Secured::shared().allow(&entry.principal, &["Describe", "DescribeConfigs"].map(every_topic));
    let topics = |prefix: &Prefix, password: &str| {
        let program = maysend(["topics", "--dev", "--config"]).args([prefix.config(0)]);
        program.env("MAYSEND_KAFKA_SASL_PASSWORD", password).run()
    };
    topics(&prefix, PASSWORD).exits(0);
    let ran = topics(&prefix, &format!("not-{PASSWORD}")).exits(2).says(&["the brokers refuse the user `maysend`"]);
    assert!(!ran.stderr.contains(PASSWORD));

    // Its library hands no token to an administrator, so it says what to do in place of waiting for ever.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, token("administrator", 3600)).unwrap();
    // Nobody answers there: it does not even try.
    let with_token = prefix.program_at("127.0.0.1:9").only_kafka(&Entry::with_token("administrator", &file).lines);
    let program = maysend(["topics", "--dev", "--config"]).args([with_token.config(0)]);
    program.run().exits(2).says(&["logged in with a token", "`maysend topics --print kafka-topics`"]);
}

#[test]
fn exactly_the_documented_access_is_needed() {
    let prefix = Prefix::new(&Secured::shared().bootstrap(), "acls").impatient().partitions(1).create();
    let acls = documented(&prefix);
    prefix.produce(load::records(40));
    let mut prefix = prefix;
    // That one is asked for only when usage contradicts the register.
    let is_asked_for = |acl: &&Acl| acl.operation != "Write" || !acl.name.ends_with(".contradictions");
    for (i, missing) in acls.iter().filter(is_asked_for).enumerate() {
        let user = format!("{}-{i}", prefix.group());
        let rest: Vec<Acl> = acls.iter().filter(|acl| *acl != missing).cloned().collect();
        let entry = Entry::allowed(&user, &rest);
        prefix = prefix.program_at(&entry.brokers).only_kafka(&entry.lines);
        let name = if missing.is_prefix { format!("{}0", missing.name) } else { missing.name.clone() };
        let operations: &[&str] = match missing.operation.as_str() {
            // Without it the topic may not even be seen.
            "Read" | "Write" if missing.kind == Kind::Topic => &["Read on", "Write on", "Describe on"],
            operation => &[operation],
        };
        eprintln!("without {missing:?}");
        let said = match missing.operation.as_str() {
            "DescribeConfigs" => format!("{name} may not be seen"),
            _ => format!("`{name}`"),
        };
        let ran = prefix.gate(0).end_within(SOON).exits(2).says(&["allow", &said]);
        assert!(operations.iter().any(|operation| ran.stderr.contains(operation)), "{}", ran.stderr);
    }
    let entry = Entry::allowed(&format!("{}-all", prefix.group()), &acls);
    let prefix = prefix.program_at(&entry.brokers).only_kafka(&entry.lines);
    // Some of those that lacked only what comes later may have decided the first.
    prefix.produce((40..60).map(load::record));
    let mut gate = prefix.gate(0);
    prefix.wait_for(60, &mut [&mut gate]);
    gate.stop().exits(0);
    prefix.history().holds().is_complete();
}

#[test]
fn access_that_may_see_a_topic_and_not_use_it_is_told_apart() {
    let prefix = Prefix::new(&Secured::shared().bootstrap(), "seen").impatient().partitions(1).create();
    let acls = documented(&prefix);
    prefix.produce(load::records(40));
    let mut prefix = prefix;
    // A ruleset is written once, and a contradiction only when there is one.
    let is_kept = |acl: &Acl| acl.name.ends_with(".rulesets") || acl.name.ends_with(".contradictions");
    let is_use = |acl: &&Acl| {
        acl.kind == Kind::Topic
            && (acl.operation == "Read" || acl.operation == "Write")
            && !(acl.operation == "Write" && is_kept(acl))
    };
    let topics = acls.iter().filter(is_use).enumerate();
    for (i, missing) in topics {
        let user = format!("{}-{i}", prefix.group());
        let operation = |acl: &Acl| if acl == missing { "Describe".into() } else { acl.operation.clone() };
        let rest: Vec<Acl> = acls.iter().map(|acl| Acl { operation: operation(acl), ..acl.clone() }).collect();
        let entry = Entry::allowed(&user, &rest);
        prefix = prefix.program_at(&entry.brokers).only_kafka(&entry.lines);
        eprintln!("{} may only be seen", missing.name);
        let said = format!("{} on the topic `{}`", missing.operation, missing.name);
        prefix.gate(0).end_within(SOON).exits(2).says(&["do not allow this client", &said]);
    }
}
