//! The forms of a store: a list that is approved here, what is there in each, and the way back.

use crate::support::{reservation, usage};
use maysend::ledger::{
    inventory::{Object, inventory},
    migrations::MIGRATIONS,
    store::{Engine, StoreError, Value},
};
use maysend_tests::maysend;

/// A migration that was released is never changed; a new one is added to this list when it is reviewed.
const APPROVED: [&str; 6] =
    ["tables", "owed_views", "roles", "owed_by_what_was_possibly_sent", "authorised_deletions", "noted_deletions"];

/// Everything that is in a store.
const TABLES: [&str; 9] =
    ["customers", "decisions", "deletions", "migrations", "positions", "reservations", "rulesets", "unread", "usage"];
/// What only PostgreSQL has, with its roles.
const AUTHORISATIONS: (&str, &str) = ("authorisations", "refuse_unauthorised_deletion");
const VIEWS: [&str; 2] = ["owed_erase", "owed_replay"];

fn names(objects: &[Object], kind: &str) -> Vec<String> {
    objects.iter().filter(|object| object.kind == kind).map(|object| object.name.clone()).collect()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_migrations_are_those_that_were_approved() {
    let names: Vec<&str> = MIGRATIONS.iter().map(|migration| migration.name).collect();
    assert_eq!(names, APPROVED);
}

on_both! {
    fn nothing_is_in_a_store_that_is_not_listed_here(ledger) {
        let objects = ledger.store().read(inventory).unwrap();
        let is_postgres = ledger.database().is_some();
        let tables: Vec<&str> = is_postgres.then_some(AUTHORISATIONS.0).into_iter().chain(TABLES).collect();
        let functions: Vec<&str> = is_postgres.then_some(AUTHORISATIONS.1).into_iter().collect();
        assert_eq!((names(&objects, "table"), names(&objects, "view")), (owned(&tables), owned(&VIEWS)));
        assert_eq!((names(&objects, "function"), names(&objects, "sequence")), (owned(&functions), vec![]));
        let owner = ledger.database().map(|_| "postgres".to_owned());
        assert!(objects.iter().all(|object| object.kind == "column" || object.owner == owner), "{objects:#?}");
    }

    fn the_rule_is_taken_back_and_put_in_place_again_without_touching_anything_else(ledger) {
        ledger.import(&[reservation("r-1", "ck_1"), usage("r-2", "ck_2", 1, "failed")]);
        if let Some(database) = ledger.database() {
            // As an operator may have set them.
            let statements = "CREATE ROLE auditor_of_views; GRANT SELECT ON owed_erase, owed_replay TO auditor_of_views;
                CREATE ROLE owner_of_views; GRANT CREATE ON SCHEMA public TO owner_of_views;
                ALTER VIEW owed_erase OWNER TO owner_of_views";
            database.client().batch_execute(statements).unwrap();
        }
        let state = || (ledger.rows(), ledger.store().read(inventory).unwrap());
        let today = state();
        ledger.migrate(&["--to", "4"]).exits(0);
        let before = state();
        ledger.migrate(&["--to", "3"]).exits(0).says(&["4 owed_by_what_was_possibly_sent taken back"]);
        assert_eq!(state(), before);
        ledger.command("handoffs").args(["--tenant", "acme", "ck_1"]).run().exits(2).says(&["at migration 3", "needs 6"]);
        ledger.migrate(&["--to", "4"]).exits(0).says(&["4 owed_by_what_was_possibly_sent applied"]);
        assert_eq!(state(), before);
        ledger.migrate(&[]).exits(0);
        assert_eq!(state(), today);
        ledger.migrate(&[]).exits(0).says(&["nothing to do"]);
    }

    fn a_rule_that_somebody_has_changed_is_not_replaced(ledger) {
        let change = match ledger.store().engine() {
            Engine::Sqlite => "DROP VIEW owed_replay; CREATE VIEW owed_replay AS SELECT 1 AS one",
            Engine::Postgres => "DROP VIEW owed_replay; CREATE VIEW owed_replay AS SELECT 1 AS one",
        };
        ledger.store().write::<_, StoreError>(|transaction| transaction.define(change)).unwrap();
        ledger.migrate(&["--to", "4"]).exits(0);
        ledger.migrate(&["--to", "3"]).exits(2).says(&["owed_replay is not as a migration has installed it"]);
        // Nothing of the step holds, also not for the other view.
        let list = ledger.migrate(&["--list"]).exits(0);
        assert!(list.text().lines().take(4).all(|line| !line.ends_with("not applied")), "{}", list.text());
    }

    fn the_way_back_never_drops_rows(ledger) {
        ledger.import(&[reservation("r-1", "ck_1")]);
        ledger.migrate(&["--to", "0"]).exits(2).says(&["reservations holds rows", "evidence"]);
        assert_eq!(ledger.rows()[0].1.len(), 1);
        let empty = ledger.another();
        empty.migrate(&["--to", "0"]).exits(0);
        let left = empty.store().read(inventory).unwrap();
        assert_eq!(names(&left, "table"), ["migrations"]);
        empty.migrate(&[]).exits(0);
        empty.import(&[reservation("r-1", "ck_1")]);
        empty.migrate(&["--to", "9"]).exits(2).says(&["there is no migration 9"]);
        let noted = ledger.another();
        // Also where nothing but the notes of deletions is left: no record may state them yet.
        let note = "INSERT INTO deletions (request, id, place, tenant, request_id, row_count, deleted_at) VALUES ($1, 'a', 'store:usage', 'acme', 'R-1', 1, 0)";
        noted.store().write::<_, StoreError>(|transaction| transaction.execute(note, &[Value::Bytes(vec![7])])).unwrap();
        noted.migrate(&["--to", "0"]).exits(2).says(&["deletions holds rows", "evidence"]);
    }
}

#[test]
fn a_new_file_is_made_by_the_first_command_that_writes_and_only_its_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ledger.db");
    let import = maysend(["ledger", "import", "-", "--store"]).args([&file]);
    import.input(reservation("r-1", "ck").to_string()).run().exits(0);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(maysend_tests::names_in(folder.path()), ["ledger.db"], "no journal is left beside it");
}

#[test]
fn another_programs_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("other.db");
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(other);
    for command in ["migrate", "import"] {
        let run = maysend(["ledger", command, "--store"]).args([&file]);
        let run = if command == "import" { run.args(["-"]) } else { run };
        run.run().exits(2).says(&["other.db is no ledger"]);
    }
}
