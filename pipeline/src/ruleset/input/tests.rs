//! Reading `input.toml`: what it comes to, and every mistake in it.

use super::*;
use crate::ruleset::{destinations, tenants, testing::mistakes_in};

const REGISTERS: (&str, &str) = (
    "[[tenant]]\nid = \"acme\"\nregion = \"EU\"\n",
    "[[destination]]\nid = \"summaries-eu\"\nprovider = \"p\"\naccount = \"a\"\n[[destination.terms]]\neffective = 2026-02-11\nplan = \"x\"\nendpoint = \"https://x.example/\"\n",
);

fn read_with(file: &SourceFile, mistakes: &Mistakes) -> Option<Mapping> {
    let (tenants, register) = REGISTERS;
    let none = Mistakes::default();
    let tenants = Tenants::read(&SourceFile::new(tenants::FILE, tenants), &none);
    let register = Destinations::read(&SourceFile::new(destinations::FILE, register), &none);
    assert_eq!(none.count(), 0, "the registers are sound");
    Mapping::read(file, Some(&tenants), Some(&register), mistakes)
}

fn mapping(text: &str) -> Mapping {
    let mistakes = Mistakes::default();
    let mapping = read_with(&SourceFile::new(FILE, text), &mistakes);
    let lines: Vec<String> = mistakes.into_sorted().iter().map(ToString::to_string).collect();
    mapping.unwrap_or_else(|| panic!("{lines:#?}"))
}

fn mistakes(text: &str) -> Vec<String> {
    mistakes_in(FILE, text, read_with)
}

fn pointer(text: &str) -> Pointer {
    Pointer::parse(text).unwrap()
}

const TICKET: &str = r#"
[transcript]
id = "/ticket/id"
tenant = { constant = "acme" }
tenant_region = { constant = "EU" }
customer_key = "/ticket/requester/key"
destination = { constant = "summaries-eu" }
fields = { account_email = "/ticket/requester/email", custom = "/ticket/custom" }

[[turns]]
one = "/ticket"
text = "/description"

[[turns]]
each = "/comments"
text = "/body"
speaker = "/author/role"
at = "/created"
time = "epoch_seconds"
skip_without_text = true

[roles]
end-user = "customer"
"Bot 7" = "bot"
"#;

#[test]
fn a_whole_file() {
    let mapping = mapping(TICKET);
    assert_eq!((&mapping.id, &mapping.tenant), (&pointer("/ticket/id"), &Given::Constant("acme".into())));
    let fields = [("account_email", "/ticket/requester/email"), ("custom", "/ticket/custom")];
    assert_eq!(mapping.fields, fields.map(|(name, at)| (name.to_owned(), pointer(at))));
    let [first, second] = mapping.turns() else { panic!("two tables") };
    assert_eq!((&first.place, first.time), (&Place::One(pointer("/ticket")), TimeForm::Rfc3339));
    assert_eq!((&second.place, second.time), (&Place::Each(pointer("/comments")), TimeForm::EpochSeconds));
    assert!(second.skip_without_text && !first.skip_without_text);
    let roles = ["end-user", "Bot 7", "AGENT", "End-User", "x"].map(|speaker| mapping.role(speaker));
    assert_eq!(roles, [Role::Customer, Role::Bot, Role::Agent, Role::Other, Role::Other]);
    let names = ["author", "body", "comments", "created", "custom", "description", "email", "id", "key", "maysend"];
    assert_eq!(mapping.names, [&names[..], &["requester", "role", "ticket"]].concat());
}

#[test]
fn one_text_stands_in_place_of_turns() {
    let mapping = mapping("[transcript]\nid = \"/a\"\ntenant = \"/b\"\ndestination = \"/c\"\ntext = \"/d/e\"\n");
    assert_eq!(mapping.said, Said::Text(pointer("/d/e")));
    assert!(mapping.turns().is_empty());
}

#[test]
fn every_mistake_is_reported_at_once() {
    let lines = mistakes(
        r#"[transcript]
id = { constant = "x" }
tenant = { constant = "amce" }
tenant_region = { constant = "NL" }
customer_key = "ticket/user"
destination = { constant = "elsewhere" }
fields = { a = "/a", b = "/~2" }
regoin = "/x"

[[turns]]
each = "/turns"
one = "/turns"
text = "/text"

[[turns]]
each = "/comments"
text = "/text"
time = "epoch"

[roles]
x = "customer"
y = "client"
"#,
    );
    let expected = [
        "input.toml:2: transcript.id: a constant; the pointer of a member: it is another for each transcript",
        "input.toml:3: transcript.tenant.constant: unknown tenant `amce`; did you mean `acme`?",
        "input.toml:4: transcript.tenant_region.constant: unknown tenant_region `NL`; a region, such as EU",
        "input.toml:5: transcript.customer_key: `ticket/user` is no JSON Pointer; a pointer begins with `/`, such as `/ticket/id`",
        "input.toml:6: transcript.destination.constant: unknown destination `elsewhere`; an id of destinations.toml",
        "input.toml:7: transcript.fields.b: `/~2` is no JSON Pointer; in a pointer `~` is written `~0`, and `/` in a name `~1`",
        "input.toml:8: transcript.regoin: unknown key; known here: id, tenant, tenant_region, customer_key, destination, fields",
        "input.toml:10: turns[0]: not one place for the turns; `each`, the pointer of an array of turns, or `one`, the pointer of one turn",
        "input.toml:18: turns[1].time: unknown value `epoch`; one of rfc3339, epoch_seconds, epoch_milliseconds",
        "input.toml:20: roles: they are of speakers, and there is no `speaker`; give the pointer of who speaks as `speaker` of a table `[[turns]]`",
        "input.toml:22: roles.y: unknown value `client`; one of customer, agent, bot, other",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn what_was_said_must_stand_in_one_place() {
    let head = "[transcript]\nid = \"/a\"\ntenant = \"/b\"\ndestination = \"/c\"\n";
    assert_eq!(
        mistakes(head),
        [
            "input.toml:1: transcript: nothing says where a record has what was said; `text`, the pointer of one text, or a table `[[turns]]`"
        ]
    );
    assert_eq!(
        mistakes(&format!("{head}text = \"/d\"\n[[turns]]\neach = \"/e\"\ntext = \"\"\n")),
        ["input.toml:5: transcript.text: a record has one text or turns, not both; leave one of the two out"]
    );
}

#[test]
fn no_two_pointers_overlap() {
    let right = "name the members that are meant one by one, each once: no pointer may lead to or through another";
    let base = |id: &str, fields: &str, turns: &str| {
        format!(
            "[transcript]\nid = \"{id}\"\ntenant = \"/b\"\ndestination = \"/c\"\nfields = {{ {fields} }}\n\n[[turns]]\n{turns}\n"
        )
    };
    let each = "each = \"/d\"\ntext = \"/t\"";
    for (text, line, wrong) in [
        (base("/b", "", each), "3: transcript.tenant", "`/b` is transcript.id already"),
        (base("/b/x", "", each), "3: transcript.tenant", "`/b` holds `/b/x`, which is transcript.id"),
        (
            base("/a", "x = \"/e\", y = \"/e/f\"", each),
            "5: transcript.fields.y",
            "`/e/f` is part of `/e`, which is transcript.fields.x",
        ),
        (base("/d/0/id", "", each), "8: turns[0].each", "`/d` holds `/d/0/id`, which is transcript.id"),
        (
            base("/a", "x = \"/s\"", "one = \"/s\"\ntext = \"/t\""),
            "9: turns[0].text",
            "`/s/t` is part of `/s`, which is transcript.fields.x",
        ),
        (
            base("/maysend/id", "", each),
            "2: transcript.id",
            "`/maysend/id` is part of `/maysend`, which is the place of the gate's own members",
        ),
    ] {
        assert_eq!(mistakes(&text), [format!("input.toml:{line}: {wrong}; {right}")], "{text}");
    }
    assert_eq!(
        mistakes(&base("/a", "", "each = \"/d\"\ntext = \"/t\"\nspeaker = \"/t/s\"")),
        [
            "input.toml:10: turns[0].speaker: `/t/s` overlaps `/t`, which is text of the same turn; each member of a turn has a pointer of its own"
        ]
    );
    assert_eq!(
        mistakes(&base("", "", each)),
        ["input.toml:2: transcript.id: the empty pointer is the whole record; the pointer of one member of it"]
    );
}

#[test]
fn what_is_read_is_not_carried() {
    let mapping = mapping(TICKET);
    let refused = |carried: &[&str]| -> Vec<String> {
        let list: Vec<String> = carried.iter().map(|pointer| format!("{pointer:?}")).collect();
        let text = format!("version = 1\ndated = 2026-02-11\n[intake]\ncarry = [{}]\n", list.join(", "));
        mistakes_in("policy.toml", &text, |file, mistakes| {
            crate::ruleset::policy::Policy::read(file, &Default::default(), None, Some(&mapping), mistakes)
        })
    };
    assert_eq!(refused(&["/ticket/subject", "tags", "/source", "/ticket/via/channel"]), [""; 0]);
    let right = "name the members that are meant one by one, each once: no pointer may lead to or through another";
    for (carried, wrong) in [
        ("ticket", "`/ticket` holds `/ticket/id`, which is transcript.id"),
        ("/ticket/description", "`/ticket/description` is turns[0].text already"),
        ("/comments", "`/comments` is turns[1].each already"),
        ("/comments/0", "`/comments/0` is part of `/comments`, which is turns[1].each"),
        ("/ticket/custom/x", "`/ticket/custom/x` is part of `/ticket/custom`, which is transcript.fields.custom"),
        ("/maysend", "`/maysend` is the place of the gate's own members already"),
    ] {
        assert_eq!(refused(&[carried]), [format!("policy.toml:4: intake.carry[0]: {wrong}; {right}")]);
    }
    assert_eq!(
        refused(&["source"]),
        [
            "policy.toml:4: intake.carry[0]: `source` is the name of a member of the gate's own records; write its pointer, `/source`"
        ]
    );
    assert_eq!(
        refused(&["/a/b", "/a"]),
        [format!("policy.toml:4: intake.carry[1]: `/a` holds `/a/b`, which is carried; {right}")]
    );
}
