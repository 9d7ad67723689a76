//! Shadow mode: everything goes on byte for byte, and everything is recorded.

use maysend_tests::kafka::{Broker, Prefix, Witness, history::RESERVATION, load};
use std::collections::BTreeSet;

fn in_shadow_mode(name: &str) -> Prefix {
    let prefix = Prefix::new(&Broker::shared().bootstrap(), name).partitions(2);
    let mode = "mode = \"shadow\"\nshadow_until = 2199-12-31\napprover = \"privacy officer\"\n";
    prefix.patterns().append("policy.toml", &format!("[mode.destination.summaries-eu]\n{mode}"));
    prefix.create()
}

#[test]
fn shadow_mode_forwards_byte_for_byte_with_a_reservation() {
    let prefix = in_shadow_mode("shadow");
    prefix.produce(load::records(60));
    let witness = Witness::of(&prefix);
    let mut gate = prefix.gate(0);
    prefix.wait_for(60, &mut [&mut gate]);
    gate.stop().exits(0);
    let history = witness.testify(prefix.history());
    history.holds().is_complete();

    let input: BTreeSet<_> = history.input.iter().filter_map(|record| record.value.clone()).collect();
    let cleared = history.of("cleared");
    assert!(cleared.iter().all(|record| input.contains(record.value.as_ref().unwrap())));
    let ids: BTreeSet<_> = cleared.iter().map(|record| record.header(RESERVATION).unwrap()).collect();
    assert_eq!(ids.len(), cleared.len());
    let blocked =
        cleared.iter().filter(|record| String::from_utf8_lossy(record.value.as_ref().unwrap()).contains("BSN"));
    let copies = history.of("review").iter().filter(|record| record.json()["shadow"] == true);
    let (blocked, copies) = (blocked.count(), copies.count());
    assert!(blocked > 0 && blocked == copies, "{blocked} would have been blocked, {copies} have a copy");
}

#[test]
fn shadow_and_enforce_decide_the_same() {
    let decided = |prefix: &Prefix| {
        prefix.produce((0..60).map(|n| load::record(n).to(0)));
        let mut gate = prefix.gate(0);
        prefix.wait_for(60, &mut [&mut gate]);
        gate.stop().exits(0);
        let history = prefix.history();
        history.holds().is_complete();
        let what = |record: &maysend_tests::kafka::Record| {
            let json = record.json();
            ["transcript_id", "verdict", "reasons", "entities"].map(|member| json[member].to_string())
        };
        let cleared = history.of("cleared").len();
        // Their keys differ by the attempt, so they lie in other partitions.
        (history.of("decisions").iter().map(what).collect::<BTreeSet<_>>(), cleared)
    };
    let (shadow, all) = decided(&in_shadow_mode("observed"));
    let (enforced, some) = decided(&in_shadow_mode("enforced").stream("enforce = true"));
    assert_eq!(shadow, enforced);
    assert!(some < all);
}
