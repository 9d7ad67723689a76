//! Prints how often each entity blocks text without personal data, and what becomes of its own valid forms when nothing
//! names them.
//!
//! ```sh
//! cargo run --release -p maysend-benches --bin rates [CLEAN DOCUMENTS] [FORMS OF EACH ENTITY]
//! ```

use maysend::ruleset::{Ruleset, policy::Tier};
use maysend_benches::rates::{self, CLEAN};
use std::{env, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut number = |usual| arguments.next().map_or(Ok(usual), |argument| argument.parse::<u64>());
    let (documents, forms) = (number(140_000)?, number(200)?);
    let ruleset = Ruleset::builtin()?;
    let catalogue = ruleset.detector.catalogue();
    let mut packs: Vec<String> =
        catalogue.entities.iter().filter_map(|entity| entity.country).map(str::to_owned).collect();
    packs.sort_unstable();
    packs.dedup();

    let alarms = rates::alarms(&ruleset, &packs, documents);
    println!("# Clean documents, every pack on\n\n| kind | documents | blocked | in 10,000 |\n|---|--:|--:|--:|");
    let row = |kind: &str, (made, blocked): (u64, u64)| {
        println!("| {kind} | {made} | {blocked} | {:.2} |", blocked as f64 * 10_000.0 / made.max(1) as f64);
    };
    CLEAN.iter().zip(&alarms.by_kind).for_each(|(kind, counts)| row(kind, *counts));
    let all = alarms.by_kind.iter().fold((0, 0), |sum, (made, blocked)| (sum.0 + made, sum.1 + blocked));
    row("all", all);
    println!("\n| entity | blocked |\n|---|--:|");
    alarms.by_entity.iter().for_each(|(entity, blocked)| println!("| {entity} | {blocked} |"));

    println!("\n# Valid forms without a label, the country's pack on\n");
    println!("| entity | tier | forms | redacted | blocked |\n|---|--:|--:|--:|--:|");
    let (mut entities, mut reached) = (0, 0);
    for entity in catalogue.entities.iter().filter(|entity| !entity.found_by_fields) {
        let rule = ruleset.rules.policy.rule(entity.id.as_str());
        if rule.tier != Tier::One {
            continue;
        }
        let bare = rates::bare(&ruleset, entity, forms);
        if bare.made == 0 {
            continue;
        }
        let share = |count: u64| count as f64 * 100.0 / bare.made.max(1) as f64;
        println!(
            "| {} | {} | {} | {:.0} % | {:.0} % |",
            entity.id,
            rule.tier.number(),
            bare.made,
            share(bare.redacted),
            share(bare.blocked)
        );
        entities += 1;
        reached += u64::from(share(bare.redacted) >= 95.0);
    }
    println!(
        "\n{reached} of {entities} tier-1 entities that can be written bare are redacted in at least 95 % of their valid forms."
    );
    Ok(())
}
