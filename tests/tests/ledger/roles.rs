//! Three roles on PostgreSQL, each with what its command needs and no more.

use crate::{
    desk::Desk,
    support::{Ledger, reservation, usage, with},
};
use maysend::ledger::inventory::inventory;
use maysend_tests::{Ran, maysend};

/// A ledger with rows, and a user of each role.
fn ledger() -> Ledger {
    let ledger = Ledger::postgres();
    ledger.import(&[reservation("r-1", "ck_1"), usage("r-1", "ck_1", 1, "completed")]);
    let database = ledger.database().unwrap();
    for role in ["reader", "writer", "eraser"] {
        let user = format!("{}_{role}", database.name());
        let statements = format!("CREATE ROLE {user} LOGIN; GRANT maysend_{role} TO {user}");
        database.client().batch_execute(&statements).unwrap();
    }
    ledger
}

fn user(ledger: &Ledger, role: &str) -> String {
    format!("{}_{role}", ledger.database().unwrap().name())
}

/// A command as somebody else.
fn run_as(ledger: &Ledger, role: &str, args: &[&str], input: &str) -> Ran {
    let address = ledger.database().unwrap().address_of(&user(ledger, role));
    maysend(["ledger"]).args(args).args(["--store", &address]).input(input).run()
}

/// Whether a statement is allowed to somebody.
fn may(ledger: &Ledger, role: &str, statement: &str) -> bool {
    let mut client = ledger.database().unwrap().client_of(&user(ledger, role));
    let mut transaction = client.transaction().unwrap();
    match transaction.batch_execute(statement) {
        Ok(()) => true,
        Err(error) => {
            assert_eq!(error.code().map(|code| code.code()), Some("42501"), "{statement}: {error}");
            false
        }
    }
}

#[test]
fn each_command_runs_as_its_role_on_postgres() {
    let ledger = ledger();
    let import = |role| run_as(&ledger, role, &["import", "-"], &reservation("r-2", "ck_2").to_string());
    let again = with(reservation("r-1", "ck_1"), "reserved_at", "2026-03-09T00:00:00Z").to_string();
    import("writer").exits(0);
    run_as(&ledger, "writer", &["import", "-"], &again).exits(0);
    for role in ["reader", "writer", "eraser"] {
        run_as(&ledger, role, &["handoffs", "--tenant", "acme", "ck_2"], "").exits(0);
        run_as(&ledger, role, &["migrate", "--to", "2"], "").exits(2).says(&["SQLSTATE 42501"]);
    }
    for role in ["reader", "eraser"] {
        let ran = import(role).exits(2).says(&["permission denied"]);
        assert!(!ran.stderr.contains("ck_2"), "{}", ran.stderr);
    }
}

#[test]
fn each_role_may_do_what_it_needs_and_no_more_on_postgres() {
    let ledger = ledger();
    let tables = ["reservations", "usage", "decisions", "customers", "rulesets", "positions", "unread"];
    for table in tables {
        for role in ["reader", "writer", "eraser"] {
            assert!(may(&ledger, role, &format!("SELECT * FROM {table}")));
            assert!(!may(&ledger, role, &format!("TRUNCATE {table}")));
            assert!(!may(&ledger, role, &format!("DROP TABLE {table}")));
        }
        let is_erased = ["reservations", "usage", "decisions", "customers"].contains(&table);
        let delete = format!("{AUTHORISE}; DELETE FROM {table}");
        assert_eq!(may(&ledger, "eraser", &delete), is_erased, "{table}");
        for role in ["reader", "writer"] {
            assert!(!may(&ledger, role, &format!("DELETE FROM {table}")), "{role} {table}");
        }
    }
    for (statement, roles) in [
        ("UPDATE reservations SET reserved_requests = 0", vec![]),
        ("UPDATE reservations SET customer_key = 'x'", vec![]),
        ("UPDATE usage SET requests_used = 0", vec![]),
        ("UPDATE positions SET topic = 'x'", vec![]),
        ("UPDATE reservations SET last_at = last_at", vec!["writer"]),
        ("UPDATE positions SET next_offset = next_offset", vec!["writer"]),
        ("INSERT INTO migrations VALUES (9, 'x', 0)", vec![]),
        ("DELETE FROM migrations", vec![]),
        ("CREATE OR REPLACE VIEW owed_erase AS SELECT 1", vec![]),
        ("CREATE TABLE theirs (x INT)", vec![]),
        (AUTHORISE, vec!["eraser"]),
        ("INSERT INTO authorisations (request_id, authorised_at) VALUES ('R-1', now())", vec![]),
        ("INSERT INTO authorisations (request_id, transaction_id) VALUES ('R-1', pg_current_xact_id())", vec![]),
        ("UPDATE authorisations SET authorised_at = now()", vec![]),
        ("DELETE FROM authorisations", vec![]),
        (NOTE, vec!["eraser"]),
        ("UPDATE deletions SET row_count = 1", vec![]),
        ("DELETE FROM deletions", vec![]),
        ("TRUNCATE deletions", vec![]),
        ("DROP TRIGGER authorised ON reservations", vec![]),
        ("ALTER TABLE reservations DISABLE TRIGGER authorised", vec![]),
    ] {
        for role in ["reader", "writer", "eraser"] {
            assert_eq!(may(&ledger, role, statement), roles.contains(&role), "{role}: {statement}");
        }
    }
}

/// An erasure by somebody else than the eraser ends before anything is closed or signed.
#[test]
fn who_is_no_eraser_erases_nobody_on_postgres() {
    let ledger = ledger();
    let desk = Desk::new(&ledger, "eraser");
    let run = |role: &str, command: &str, more: &[&str]| {
        let address = ledger.database().unwrap().address_of(&user(&ledger, role));
        let command = maysend(["ledger", command, "--store", &address, "--config"]).args([desk.prefix.config(0)]);
        command.with_key().args(["--signing-key"]).args([desk.key()]).args(more).run()
    };
    let of = ["--tenant", "acme", "ck_gone", "--request", "R-1", "--received", "2026-11-02"];
    let backup = ledger.backup();
    for role in ["reader", "writer"] {
        run(role, "erase", &of).exits(2).says(&["may delete no rows", "maysend_eraser"]);
        run(role, "replay", &[]).exits(2).says(&["may delete no rows"]);
    }
    assert_eq!((desk.kinds(), desk.prefix.committed("erasures")), (vec![], vec![]));
    run("eraser", "erase", &of).exits(0);
    assert_eq!(ledger.owed(&["ck_gone"]), [""; 0]);
    desk.follow();
    run("eraser", "erase", &[&of[..], &["--confirm"]].concat()).exits(0);
    ledger.restore(&backup);
    desk.follow();
    let replayed = run("eraser", "replay", &[]).exits(0);
    assert!(replayed.text().contains("request R-1 (record 1): erased again"), "{}", replayed.text());
}

/// How many rows were deleted for a request.
const NOTE: &str = "INSERT INTO deletions (request, id, place, tenant, request_id, row_count, deleted_at)
    VALUES ('r', 'a', 'store:usage', 'acme', 'R-1', 1, 0)";

/// The row without which nobody deletes anything.
const AUTHORISE: &str = "INSERT INTO authorisations (request_id) VALUES ('R-1')";

/// A row of today authorises; one that a restore has brought back does not, also where its transaction had the same id.
#[test]
fn rows_are_deleted_only_where_this_transaction_authorises_it_on_postgres() {
    let ledger = ledger();
    let allows = |user: &str, statements: &[&str]| {
        let mut client = ledger.database().unwrap().client_of(user);
        let mut transaction = client.transaction().unwrap();
        let last = statements.iter().map(|statement| transaction.batch_execute(statement)).last().unwrap();
        last.map_err(|error| error.as_db_error().unwrap().message().to_owned())
    };
    let eraser = user(&ledger, "eraser");
    let delete = "DELETE FROM reservations";
    let refused = Err("rows of reservations_".to_owned());
    let start =
        |result: Result<(), String>| result.map_err(|message| message[.."rows of reservations_".len()].to_owned());
    for user in [eraser.as_str(), "postgres"] {
        assert_eq!(start(allows(user, &[delete])), refused, "{user}");
        assert_eq!(allows(user, &[AUTHORISE, delete]), Ok(()), "{user}");
        let shadow = "CREATE TEMPORARY TABLE authorisations AS SELECT pg_current_xact_id() AS transaction_id, now() AS authorised_at";
        assert_eq!(start(allows(user, &[shadow, delete])), refused, "{user}");
    }
    // Only the owner can make such a row; a restore does.
    let row = |at: &str| format!("INSERT INTO authorisations VALUES ('R-1', pg_current_xact_id(), {at})");
    for (at, counts) in [
        ("transaction_timestamp() - INTERVAL '1 microsecond'", false),
        ("TIMESTAMPTZ '2026-01-01'", false),
        ("transaction_timestamp()", true),
    ] {
        let wanted = if counts { Ok(()) } else { refused.clone() };
        assert_eq!(start(allows("postgres", &[&row(at), delete])), wanted, "{at}");
    }
    let other = "INSERT INTO authorisations VALUES ('R-1', CAST('1' AS XID8), transaction_timestamp())";
    assert_eq!(start(allows("postgres", &[other, delete])), refused, "of another transaction");
}

#[test]
fn what_is_granted_on_postgres_is_what_was_approved() {
    let ledger = ledger();
    let objects = ledger.store().read(inventory).unwrap();
    let granted: Vec<String> = objects
        .iter()
        .filter(|object| object.kind != "index")
        .map(|object| format!("{}: {}", object.name, object.grants.clone().unwrap_or_default()))
        .collect();
    let own = |rights: &str| format!("postgres={rights}/postgres");
    let table = "arwdDxt";
    let (read, write) = ("maysend_reader=r/postgres", "maysend_writer=ar/postgres");
    let kept = format!("maysend_eraser=rd/postgres {read} {write} {}", own(table));
    let other = format!("maysend_eraser=r/postgres {read} {write} {}", own(table));
    let noted = format!("maysend_eraser=ar/postgres {read} maysend_writer=r/postgres {}", own(table));
    let seen = format!("maysend_eraser=r/postgres {read} maysend_writer=r/postgres {}", own(table));
    let mut approved: Vec<String> = ["customers", "decisions", "reservations", "rulesets", "usage"]
        .iter()
        .flat_map(|table| ["first_at", "last_at"].map(|column| format!("{table}.{column}: maysend_writer=w/postgres")))
        .chain(["positions.next_offset: maysend_writer=w/postgres".into()])
        .chain(["authorisations.request_id: maysend_eraser=a/postgres".into()])
        .collect();
    approved.sort();
    // What has no list of grants may be called by everybody; without a row to delete it does nothing.
    approved.push("refuse_unauthorised_deletion: ".into());
    for (name, grants) in [
        ("authorisations", &seen),
        ("customers", &kept),
        ("decisions", &kept),
        ("deletions", &noted),
        ("migrations", &seen),
        ("positions", &other),
        ("reservations", &kept),
        ("rulesets", &other),
        ("unread", &other),
        ("usage", &kept),
        ("owed_erase", &seen),
        ("owed_replay", &seen),
    ] {
        approved.push(format!("{name}: {grants}"));
    }
    // A right that a later PostgreSQL has, to maintain tables, is its owner's only.
    let granted: Vec<String> = granted.iter().map(|grants| grants.replace("arwdDxtm", table)).collect();
    assert_eq!(granted, approved);
    // The way back takes them all away.
    ledger.migrate(&["--to", "2"]).exits(0);
    let left = ledger.store().read(inventory).unwrap();
    assert!(left.iter().all(|object| !object.grants.as_deref().unwrap_or_default().contains("maysend")), "{left:#?}");
}
