//! Records of a platform's own shape: read by a mapping, and cleared in that shape.

use maysend_tests::{AS_OF, Outputs, Patterns, Program, mapped, mapped::shape, maysend, outputs};
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

fn records(name: &str) -> Vec<Value> {
    mapped::records(name).map(|line| serde_json::from_str(&line).unwrap()).collect()
}

/// The reviewed ruleset with an example's mapping.
fn ruleset(name: &str) -> (TempDir, Patterns) {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    mapped::map(&patterns, name);
    (folder, patterns)
}

fn command(name: &str, patterns: &Patterns) -> Program {
    maysend([name, "--as-of", AS_OF, "--patterns", patterns.path()]).with_key()
}

fn scan(folder: &Path, patterns: &Patterns, name: &str, out: &str) -> Outputs {
    let out = folder.join(out);
    let input = mapped::file(name, "records.jsonl");
    command("scan", patterns).args(["--out".as_ref(), out.as_os_str(), input.as_os_str()]).run().exits(0);
    Outputs::of(&out)
}

#[test]
fn tickets_are_cleared_in_their_shape_with_nothing_but_what_was_read() {
    let (folder, patterns) = ruleset("tickets");
    let outputs = scan(folder.path(), &patterns, "tickets", "out");
    assert_eq!(outputs.cleared.len(), 2);
    let expected = json!({"ticket": {
        "id": 884201,
        "requester": {"key": "ck_10a2f4"},
        "comments": [
            {"body": "Hello, I am [NAME_1]. My order ORD-2026-004311 came broken. You can mail me at [EMAIL_1].",
             "author": {"kind": "customer"}, "created_at": "2026-03-02T09:10:00Z"},
            {"body": "Sorry to hear that, [NAME_1]. We refund it today.",
             "author": {"kind": "agent"}, "created_at": "2026-03-02T09:15:30Z"},
        ],
    }});
    assert_eq!(shape(&outputs.cleared[0]), expected);
    let own = &outputs.cleared[0]["maysend"];
    let reservation = outputs::one(&outputs.reservations, "884201");
    assert_eq!(own["reservation_id"], reservation["reservation_id"]);
    for member in ["schema", "attempt", "transcript_id", "tenant", "customer_key", "destination", "terms", "source"] {
        assert_eq!(own[member], reservation[member], "{member}");
    }
    assert_eq!((&own["tenant"], &own["customer_key"]), (&json!("acme"), &json!("ck_10a2f4")));
    assert_eq!(outputs.cleared[1]["ticket"]["comments"][1]["author"]["kind"], "bot");
    assert_eq!(outputs.decision("884201")["stripped"], json!({"account_email": 1, "customer_name": 1}));

    // The agent's question is context: the roles were read.
    assert_eq!(outputs.reasons("884202"), ["tier1_retained"]);
    let review = outputs::one(&outputs.review, "884202");
    assert_eq!(review["turns"][1]["speaker"], "end-user");
    assert_eq!((&review["turns"][1]["role"], &review["numbers"]), (&json!("customer"), &json!(["id"])));
    assert_eq!(outputs.dead_letter[0]["reason"], "empty");
}

#[test]
fn conversations_have_their_first_message_in_another_place() {
    let (folder, patterns) = ruleset("conversations");
    let outputs = scan(folder.path(), &patterns, "conversations", "out");
    let expected = json!({
        "workspace": "acme",
        "data": {
            "id": "cv-7001",
            "contact": {"external_id": "ck_77b001"},
            "opening": {"body": "Hi, [NAME_1] here. I was charged twice.", "from": {"type": "customer"}, "sent_at": 1772442600},
            "parts": [
                {"body": "We see it, [NAME_1]. Is [EMAIL_1] still right?", "from": {"type": "agent"}, "sent_at": 1772442660},
                {"body": "Yes it is, thanks.", "from": {"type": "customer"}, "sent_at": 1772442700},
            ],
        },
    });
    assert_eq!(shape(outputs.cleared.iter().find(|record| record["data"]["id"] == "cv-7001").unwrap()), expected);
    let second = outputs.cleared.iter().find(|record| record["data"]["id"] == "cv-7003").unwrap();
    assert_eq!(second["data"].get("opening"), None, "nothing is made up");
    assert_eq!(outputs.reasons("cv-7002"), ["tier1_retained"]);
    assert_eq!(outputs.dead_letter[0]["reason"], "missing_member");
    let opening = &outputs::one(&outputs.review, "cv-7002")["turns"][0];
    assert_eq!((&opening["at"], opening.get("table")), (&json!("2026-03-02T09:16:40Z"), None));
}

#[test]
fn a_carried_member_goes_on_in_its_place_searched_and_redacted() {
    let (folder, patterns) = ruleset("tickets");
    patterns.edit("policy.toml", "carry = []", "carry = [\"/ticket/tags\", \"/ticket/subject\", \"event\"]");
    let mut record = records("tickets").remove(2);
    record["ticket"]["tags"] = json!([{"canary@example.nl": 4111111111111111_u64}, "mail canary@example.nl", null]);
    let out = folder.path().join("out");
    // A card is of tier 1, so only where nothing is kept it goes out redacted.
    patterns.edit("input.toml", "\"summaries-eu\"", "\"summaries-eu-zdr\"");
    command("scan", &patterns).args(["--out".as_ref(), out.as_os_str()]).input(format!("{record}\n")).run().exits(0);
    let outputs = Outputs::of(&out);
    let cleared = shape(&outputs.cleared[0]);
    assert_eq!(cleared["event"], "ticket.updated");
    assert_eq!(cleared["ticket"]["subject"], "Delivery");
    assert_eq!(cleared["ticket"]["tags"], json!([{"[EMAIL_1]": "[CARD_1]"}, "mail [EMAIL_1]", null]));
    assert!(!outputs.text("cleared.jsonl").contains("canary"));
}

#[test]
fn a_part_of_a_member_of_the_wire_form_is_carried_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = Patterns::copied_to(&folder.path().join("patterns"));
    patterns.edit("policy.toml", "carry = []", "carry = [\"/meta/plan\"]");
    let to = |id: &str, destination: &str| {
        let meta = json!({"plan": {"for": "jan@example.nl"}, "other": "canary"});
        maysend_tests::transcript(id).to(destination).with("meta", meta).customer("Hello.").line() + "\n"
    };
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let input = to("t-1", "summaries-eu") + &to("t-2", "summaries-us");
    command("scan", &patterns).args(["--out".as_ref(), first.as_os_str()]).input(input).run().exits(0);
    let outputs = Outputs::of(&first);
    assert_eq!(outputs.cleared[0]["meta"], json!({"plan": {"for": "[EMAIL_1]"}}));
    assert_eq!(outputs.held[0]["/meta/plan"], json!({"for": "jan@example.nl"}));

    // What is carried no more when it is decided again is left out.
    put_right(&patterns);
    let held = outputs.text("held.jsonl").to_owned();
    command("redecide", &patterns).args(["--out".as_ref(), second.as_os_str()]).input(held.clone()).run().exits(0);
    assert_eq!(Outputs::of(&second).cleared[0]["meta"], json!({"plan": {"for": "[EMAIL_1]"}}));
    patterns.edit("policy.toml", "carry = [\"/meta/plan\"]", "carry = []");
    let third = folder.path().join("third");
    command("redecide", &patterns).args(["--out".as_ref(), third.as_os_str()]).input(held).run().exits(0);
    assert_eq!(Outputs::of(&third).cleared[0].get("meta"), None);
}

/// Lets transcripts of the European Union go to the United States.
fn put_right(patterns: &Patterns) {
    let region = "region = { value = \"US\", evidence = \"us-order\" }";
    let mechanism = "mechanisms = [{ from = \"EU\", kind = \"contract_clauses\", evidence = \"us-order\" }]";
    patterns.edit("destinations.toml", region, &format!("{region}\n{mechanism}"));
}

#[test]
fn what_was_held_is_cleared_in_its_own_shape_when_it_is_decided_again() {
    for (name, ids) in [("tickets", &["884201", "884203"][..]), ("conversations", &["cv-7001", "cv-7003"])] {
        let (folder, patterns) = ruleset(name);
        let at_once = scan(folder.path(), &patterns, name, "at-once");
        patterns.edit("input.toml", "\"summaries-eu\"", "\"summaries-us\"");
        let first = scan(folder.path(), &patterns, name, "first");
        assert!(first.cleared.is_empty());
        put_right(&patterns);
        let second = folder.path().join("second");
        let held = first.text("held.jsonl").to_owned();
        command("redecide", &patterns).args(["--out".as_ref(), second.as_os_str()]).input(held).run().exits(0);
        let second = Outputs::of(&second);
        let shapes = |outputs: &Outputs| outputs.cleared.iter().map(shape).collect::<Vec<_>>();
        assert_eq!(shapes(&second), shapes(&at_once), "the same as if it had never been held");
        let known: Vec<&str> = second.cleared.iter().map(|r| r["maysend"]["transcript_id"].as_str().unwrap()).collect();
        assert_eq!(known, ids);
        for cleared in &second.cleared {
            let own = &cleared["maysend"];
            let id = own["transcript_id"].as_str().unwrap();
            assert_eq!(own["previous_attempt"], first.decision(id)["attempt"]);
        }
        // What only a reviewer may judge is found again, by the roles that were read.
        assert_eq!(second.review.len(), 1);
        assert_eq!(second.review[0]["findings"], at_once.review[0]["findings"]);
    }
}

#[test]
fn in_shadow_mode_a_record_goes_on_byte_for_byte() {
    let (folder, patterns) = ruleset("tickets");
    patterns.append(
        "policy.toml",
        "[mode.destination.summaries-eu]\nmode = \"shadow\"\nshadow_until = 2026-04-01\napprover = \"privacy officer\"\n",
    );
    let outputs = scan(folder.path(), &patterns, "tickets", "out");
    let input = fs::read_to_string(mapped::file("tickets", "records.jsonl")).unwrap();
    assert_eq!(outputs.raw_lines("cleared.jsonl"), input.lines().take(3).collect::<Vec<_>>());
}

#[test]
fn identifiers_of_a_mapped_record_that_are_personal_data_block_it() {
    let (folder, patterns) = ruleset("tickets");
    let mut record = records("tickets").remove(2);
    record["ticket"]["requester"]["key"] = json!("canary@example.nl");
    let out = folder.path().join("out");
    command("scan", &patterns).args(["--out".as_ref(), out.as_os_str()]).input(format!("{record}\n")).run().exits(0);
    let outputs = Outputs::of(&out);
    assert_eq!(outputs.reasons("884203"), ["identifier_not_opaque"]);
    assert!(outputs.held[0]["customer_key"].as_str().unwrap().starts_with("hash:"));
    assert!(!outputs.text("held.jsonl").contains("canary"));
}

#[test]
fn a_mapping_that_could_pass_a_value_twice_is_refused_with_what_would_be_right() {
    let (_folder, patterns) = ruleset("tickets");
    patterns.edit("policy.toml", "carry = []", "carry = [\"/ticket\"]");
    let ran = maysend(["check", "--patterns", patterns.path()]).run().exits(1);
    let said = "intake.carry[0]: `/ticket` holds `/ticket/id`, which is transcript.id; name the members that are meant one by one";
    assert!(ran.text().contains(said), "{}", ran.text());
}

#[test]
fn a_change_of_the_mapping_may_decide_less() {
    let (folder, patterns) = ruleset("tickets");
    let plain = Patterns::copied_to(&folder.path().join("plain"));
    let ran = maysend(["diff", plain.path(), patterns.path()]).run().exits(1);
    assert!(ran.text().contains("shape") && ran.stderr.contains("may decide less"), "{}{}", ran.text(), ran.stderr);
}

// check --sample.

fn sample(patterns: &Patterns, options: &[&str], input: &str) -> maysend_tests::Ran {
    command("check", patterns).args(["--sample", "-"]).args(options).input(input.to_owned()).run()
}

#[test]
fn a_sample_says_what_would_be_read_carried_and_dropped() {
    let (_folder, patterns) = ruleset("conversations");
    patterns.edit("policy.toml", "carry = []", "carry = [\"/topic\", \"/never\"]");
    let input = fs::read_to_string(mapped::file("conversations", "records.jsonl")).unwrap();
    let ran = sample(&patterns, &["--format", "json"], &input).exits(1).says(&["1 of 4 records cannot be read"]);
    let report: Value = serde_json::from_str(ran.text()).unwrap();
    assert_eq!((&report["records"], &report["decoded"], &report["shape"]), (&json!(4), &json!(3), &json!("mapped")));
    let place = |kind: &str, pointer: &str| {
        let all = report[kind].as_array().unwrap();
        all.iter()
            .find(|place| place["pointer"] == pointer)
            .unwrap_or_else(|| panic!("{kind} {pointer}: {report:#}"))
            .clone()
    };
    assert_eq!(place("read", "/data/id"), json!({"pointer": "/data/id", "member": "id", "records": 3, "values": 3}));
    assert_eq!(place("read", "/data/parts/*/body")["values"], 4);
    assert_eq!(place("read", "/data/contact/email")["member"], "fields");
    assert_eq!(place("carried", "/topic")["records"], 4);
    assert_eq!(place("dropped", "/data/parts/*/kind")["values"], 5);
    assert_eq!(place("dropped", "/data/rating/remark")["texts"], 1);
    assert_eq!(report["turns"], json!({"total": 6, "fewest": 1, "most": 3}));
    assert_eq!(report["roles"], json!({"agent": 2, "bot": 1, "customer": 3}));
    assert_eq!(
        report["unread"],
        json!([{"line": 4, "reason": "missing_member", "error": "the member /data/id is missing"}])
    );
    let hints = report["hints"].to_string();
    assert!(
        hints.contains("/data/rating/remark: texts of up to 43 characters in 1 records, which nothing reads"),
        "{hints}"
    );
    assert!(hints.contains("/never: it is to be carried, and no record has it"), "{hints}");

    let ran = sample(&patterns, &[], &input).exits(1);
    for part in ["/data/id", "dropped", "/data/rating/remark", "missing_member", "3 of 4 records can be read"] {
        assert!(ran.text().contains(part), "{part}\n{}", ran.text());
    }
    let whole: String = input.lines().take(3).map(|line| format!("{line}\n")).collect();
    sample(&patterns, &["--quiet"], &whole).exits(0);
    sample(&patterns, &[], "").exits(1).says(&["holds no record"]);
}

#[test]
fn a_sample_shows_no_text_and_no_name_in_which_something_is_found() {
    let (_folder, patterns) = ruleset("tickets");
    let record = json!({
        "ticket": {"id": "canary-id", "requester": {"key": "canary-key", "email": "canary@example.nl"},
            "comments": [{"body": "canary said", "author": {"kind": "canary-speaker"}, "created_at": "2026-03-02T09:10:00Z"}]},
        "by_address": {"canary@example.nl": {"note": "canary wrote a text of some length here"}},
        "cards": {"4111 1111 1111 1111": 1},
        "x".repeat(100): "canary",
    });
    let broken =
        ["canary", "{\"ticket\": {\"id\": [\"canary\"]}}", "{\"ticket\":{\"canary\":1,\"canary\":2}}"].join("\n");
    let input = format!("{record}\n{broken}\n");
    for options in [&[][..], &["--verbose"], &["--format", "json"]] {
        let ran = sample(&patterns, options, &input).exits(1);
        let all = format!("{}{}", ran.text(), ran.stderr);
        assert!(!all.contains("canary") && !all.contains("4111") && !all.contains("xxx"), "{all}");
        assert!(all.contains("/by_address/[EMAIL]/note") && all.contains("[LONG_NAME]"), "{all}");
        assert!(all.contains("turns have a speaker without a role"), "{all}");
    }
    let ran = sample(&patterns, &["--show-text"], &input).exits(1);
    assert!(ran.text().contains("/by_address/canary@example.nl/note") && ran.text().contains("canary-speaker"));
    assert!(!ran.text().contains("canary said"), "names and speakers, but no values");
}

#[test]
fn a_sample_of_the_wire_form_needs_no_mapping() {
    let examples = mapped::file("..", "transcripts.jsonl");
    let ran = maysend(["check", "--as-of", AS_OF, "--sample"]).args([&examples]).run();
    assert!(ran.text().contains("as the wire form"), "{}", ran.text());
    maysend(["check", "--show-text"]).run().exits(2).says(&["--sample"]);
}
