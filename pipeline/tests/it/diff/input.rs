//! What changes of the mapping are classed as, and their opposites.

use super::{Row, changes, check, find};
use crate::rulesets::{base, edit, ruleset};
use maysend::diff::Class::{DecidesMore, DetectsDifferently, MayDecideLess, NoDecision};

const FILE: &str = "input.toml";

const INPUT: &str = r#"[transcript]
id = "/id"
tenant = { constant = "acme" }
customer_key = "/user"
destination = "/to"
fields = { account_email = "/email", customer_name = "/name" }

[[turns]]
one = "/first"
text = "/body"

[[turns]]
each = "/more"
text = "/body"
speaker = "/who"
at = "/at"

[roles]
staff = "agent"
"#;

#[test]
fn another_shape_is_another_reading() {
    let base = base();
    let mut files = base.files.clone();
    edit(&mut files, FILE, "", INPUT);
    let mapped = ruleset(files);
    for (old, new) in [(&base, &mapped), (&mapped, &base)] {
        assert_eq!(find(&changes(old, new), FILE, "shape").class, MayDecideLess);
    }
    assert_ne!(base.digest, mapped.digest);
}

#[test]
fn what_is_read_elsewhere_or_no_more_may_decide_less() {
    let mut files = base().files.clone();
    edit(&mut files, FILE, "", INPUT);
    let base = ruleset(files);
    let more = "\n[[turns]]\neach = \"/later\"\ntext = \"/x\"\n\n[roles]";
    let rows: [Row; 15] = [
        (FILE, "\"/id\"", "\"/number\"", "transcript.id", MayDecideLess, MayDecideLess),
        (FILE, "{ constant = \"acme\" }", "\"/tenant\"", "transcript.tenant", MayDecideLess, MayDecideLess),
        (FILE, "\"/to\"", "{ constant = \"summaries-eu\" }", "transcript.destination", MayDecideLess, MayDecideLess),
        (FILE, "customer_key = \"/user\"\n", "", "transcript.customer_key", MayDecideLess, DecidesMore),
        (FILE, "\"/user\"", "\"/customer\"", "transcript.customer_key", MayDecideLess, MayDecideLess),
        (
            FILE,
            "\"/to\"\n",
            "\"/to\"\ntenant_region = \"/region\"\n",
            "transcript.tenant_region",
            DecidesMore,
            MayDecideLess,
        ),
        (FILE, ", customer_name = \"/name\"", "", "transcript.fields.customer_name", MayDecideLess, DetectsDifferently),
        (FILE, "one = \"/first\"", "one = \"/start\"", "turns[0].place", MayDecideLess, MayDecideLess),
        (FILE, "text = \"/body\"\nspeaker", "text = \"/html\"\nspeaker", "turns[1].text", MayDecideLess, MayDecideLess),
        (FILE, "\"/who\"", "\"/from\"", "turns[1].speaker", DetectsDifferently, DetectsDifferently),
        (FILE, "at = \"/at\"\n", "", "turns[1].at", MayDecideLess, MayDecideLess),
        (FILE, "\"/at\"\n", "\"/at\"\ntime = \"epoch_seconds\"\n", "turns[1].time", MayDecideLess, MayDecideLess),
        (
            FILE,
            "\"/at\"\n",
            "\"/at\"\nskip_without_text = true\n",
            "turns[1].skip_without_text",
            MayDecideLess,
            DecidesMore,
        ),
        (FILE, "\n[roles]", more, "turns[2]", MayDecideLess, MayDecideLess),
        (FILE, "staff = \"agent\"", "staff = \"bot\"", "roles", DetectsDifferently, DetectsDifferently),
    ];
    check(&base, &rows);
    let same: [Row; 1] = [(FILE, "[transcript]\n", "# Our desk.\n[transcript]\n", "", NoDecision, NoDecision)];
    check(&base, &same);
}
