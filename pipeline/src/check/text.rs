//! The report for a terminal.

use super::{AttributeReport, DestinationReport, EntityReport, PatternReport, ReferenceReport, Report, ShareReport};
use anstyle::{AnsiColor, Style};
use std::fmt::{self, Write as _};

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// What a person should see to.
    Warnings,
    /// A line for each entity, reference and destination.
    Summary,
    /// Every pattern and every attribute too.
    Everything,
}

const HEADING: Style = Style::new().bold().underline();
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const SOON: Style = AnsiColor::Yellow.on_default();

impl Report {
    /// The report for a person, with colours.
    pub fn text(&self, detail: Detail) -> String {
        let mut out = String::new();
        self.write(&mut out, detail).expect("a string takes all");
        out
    }

    fn write(&self, out: &mut String, detail: Detail) -> fmt::Result {
        if detail > Detail::Warnings {
            self.head(out)?;
            self.entities(out, detail)?;
            self.policy(out)?;
            self.references(out)?;
            self.destinations(out, detail)?;
            self.modes(out)?;
            self.input(out)?;
            writeln!(out, "\n{HEADING}templates{HEADING:#}")?;
            self.templates.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
            if !self.warnings.is_empty() {
                writeln!(out, "\n{HEADING}warnings{HEADING:#}")?;
            }
        }
        self.warnings.iter().try_for_each(|warning| writeln!(out, "{SOON}  {warning}{SOON:#}"))?;
        if detail > Detail::Warnings {
            writeln!(out, "\n{GOOD}{BOLD}sound{BOLD:#}{GOOD:#}: no mistakes, {} warnings", self.warnings.len())?;
        }
        Ok(())
    }

    fn head(&self, out: &mut String) -> fmt::Result {
        let totals = &self.totals;
        writeln!(out, "ruleset {BOLD}{}{BOLD:#}, as of {}", self.ruleset, self.as_of)?;
        writeln!(
            out,
            "{} entities, {} patterns, {} references, {} destinations, {} tenants",
            totals.entities, totals.patterns, totals.references, totals.destinations, totals.tenants
        )?;
        writeln!(
            out,
            "run: {} examples found, {} counterexamples not found, {} strings of references told apart",
            totals.examples, totals.counterexamples, totals.reference_examples
        )
    }

    fn entities(&self, out: &mut String, detail: Detail) -> fmt::Result {
        writeln!(out, "\n{HEADING}entities{HEADING:#}")?;
        let width = self.entities.iter().map(|entity| entity.entity.len()).max().unwrap_or(0).max(6);
        let head = ("entity", "tier", "action", "redact", "block", "form", "rule", "found by");
        let (entity, tier, action, redact, block, form, rule, found) = head;
        writeln!(
            out,
            "  {DIM}{entity:width$}  {tier}  {action:6}  {redact}  {block:5}  {form:14}  {rule:7}  {found}{DIM:#}"
        )?;
        for entity in &self.entities {
            let rule = &entity.rule;
            let tier = if rule.tier == 1 { BAD } else { Style::new() };
            writeln!(
                out,
                "  {BOLD}{:width$}{BOLD:#}  {tier}{:<4}{tier:#}  {:6}  {:6}  {:5}  {:14}  {:7}  {}",
                entity.entity,
                rule.tier,
                rule.action,
                rule.redact_at,
                rule.block_at,
                rule.form,
                rule.from,
                found_by(entity),
            )?;
            if detail == Detail::Everything {
                entity.patterns.iter().try_for_each(|p| pattern(out, p))?;
            }
        }
        let forgotten = self.entities.iter().filter(|entity| entity.rule.from == "default");
        let forgotten: Vec<&str> = forgotten.map(|entity| entity.entity.as_str()).collect();
        match forgotten.is_empty() {
            true => writeln!(out, "  {DIM}every entity has a rule{DIM:#}"),
            false => writeln!(out, "  without a rule, so tier 1 and redacted: {}", forgotten.join(", ")),
        }
    }

    fn policy(&self, out: &mut String) -> fmt::Result {
        let policy = &self.policy;
        writeln!(out, "\n{HEADING}policy{HEADING:#}  version {} of {}", policy.version, policy.dated)?;
        let carried = if policy.carry.is_empty() { "nothing".into() } else { policy.carry.join(", ") };
        writeln!(out, "  carried beside the turns: {carried}; records of up to {} bytes", policy.max_record_bytes)?;
        policy.combinations.iter().try_for_each(|combination| writeln!(out, "  {combination}"))
    }

    fn input(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "\n{HEADING}input{HEADING:#}")?;
        match self.input.as_slice() {
            [] => writeln!(out, "  records of the wire form"),
            lines => lines.iter().try_for_each(|line| writeln!(out, "  {line}")),
        }
    }

    fn references(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "\n{HEADING}references{HEADING:#}  {DIM}what each may hide, of how many of its strings{DIM:#}")?;
        self.references.iter().try_for_each(|known| reference(out, known))
    }

    fn destinations(&self, out: &mut String, detail: Detail) -> fmt::Result {
        writeln!(out, "\n{HEADING}destinations{HEADING:#}")?;
        self.destinations.iter().try_for_each(|known| destination(out, known, detail))
    }

    fn modes(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "\n{HEADING}modes{HEADING:#}")?;
        if self.modes.is_empty() {
            return writeln!(out, "  every destination is enforced");
        }
        for mode in &self.modes {
            let (style, overdue) = if mode.overdue { (SOON, ", overdue") } else { (BAD, "") };
            writeln!(
                out,
                "  {BOLD}{}{BOLD:#}  {style}{}{style:#}, shadow until {}{overdue}, approved by {}",
                mode.destination, mode.mode, mode.shadow_until, mode.approver
            )?;
        }
        writeln!(out, "  every other destination is enforced")
    }
}

/// How an entity is found, in a few words.
fn found_by(entity: &EntityReport) -> String {
    if entity.found_by_fields {
        return "fields of the platform".into();
    }
    let named = entity.patterns.iter().filter_map(|pattern| pattern.validator.as_deref());
    // The regions of a check are shown with its pattern.
    let mut checks: Vec<&str> = named.map(|check| check.split_once(" for ").map_or(check, |(name, _)| name)).collect();
    checks.sort_unstable();
    checks.dedup();
    let only_labelled = entity.patterns.iter().all(|pattern| pattern.needs_label);
    let mut text = match entity.patterns.len() {
        1 => "1 pattern".into(),
        number => format!("{number} patterns"),
    };
    if !checks.is_empty() {
        let _ = write!(text, ", check {}", checks.join(", "));
    }
    if only_labelled {
        text.push_str(", beside a label only");
    }
    text
}

fn pattern(out: &mut String, pattern: &PatternReport) -> fmt::Result {
    let length = pattern.longest.map_or_else(|| "token run".into(), |bytes| format!("up to {bytes} bytes"));
    let label = if pattern.needs_label { "; only beside a label" } else { "" };
    let boundary = &pattern.boundary;
    writeln!(out, "      {}  {DIM}boundary{DIM:#} {boundary}; {length}{label}", pattern.pattern)?;
    let mut line = format!("points {}", pattern.shape);
    if let (Some(validator), Some(standard)) = (&pattern.validator, pattern.standard) {
        line = format!("{line}, {:+} or {} by {validator} ({standard})", pattern.valid, pattern.invalid);
    }
    if !pattern.groupings.is_empty() {
        line = format!("{line}; grouped {}", pattern.groupings.join(", "));
    }
    writeln!(out, "        {DIM}{line}; {} examples run{DIM:#}", pattern.examples_run)
}

fn reference(out: &mut String, reference: &ReferenceReport) -> fmt::Result {
    let ReferenceReport { id, name: _, format, owner, dated, expires, expired, hides } = reference;
    write!(out, "  {BOLD}{id}{BOLD:#}  {format}  {DIM}{owner}, since {dated}{DIM:#}")?;
    match expires {
        Some(day) if *expired => writeln!(out, "  {BAD}ended on {day}: hides nothing{BAD:#}")?,
        Some(day) => writeln!(out, "  until {day}")?,
        None => writeln!(out)?,
    }
    let width = hides.iter().map(|hidden| hidden.entity.len()).max().unwrap_or(0);
    for hidden in hides {
        let share = hidden.share.as_ref().map_or_else(|| "any: it has no check".into(), share);
        writeln!(out, "      {:width$}  {share}", hidden.entity)?;
    }
    Ok(())
}

fn share(share: &ShareReport) -> String {
    let ShareReport { passing, of, exact, percent, interval: [low, high] } = share;
    match exact {
        _ if *of <= 1 => format!("{percent:>6.2} %  {DIM}none seen in a few strings{DIM:#}"),
        true => format!("{percent:>6.2} %  {DIM}exactly {passing} of {of}{DIM:#}"),
        false => format!("{percent:>6.2} %  {DIM}{low:.2} to {high:.2} %, of {of} sampled{DIM:#}"),
    }
}

fn destination(out: &mut String, destination: &DestinationReport, detail: Detail) -> fmt::Result {
    let DestinationReport {
        id,
        provider,
        account,
        suspended,
        terms,
        versions,
        retains,
        training_eligible,
        region,
        admits,
        attributes,
    } = destination;
    write!(out, "  {BOLD}{id}{BOLD:#}  {DIM}{provider}, account {account}{DIM:#}")?;
    writeln!(out, "{}", if *suspended { format!("  {BAD}suspended{BAD:#}") } else { String::new() })?;
    match terms {
        Some(terms) => writeln!(out, "      {DIM}terms {terms}, of {versions}{DIM:#}")?,
        None => writeln!(out, "      {BAD}no terms apply yet{BAD:#}")?,
    }
    let told = |bad: bool, yes: &str, no: &str| {
        let (style, text) = if bad { (BAD, yes) } else { (GOOD, no) };
        format!("{style}{text}{style:#}")
    };
    let region = region.map_or_else(|| format!("{BAD}region unknown{BAD:#}"), |region| format!("region {region}"));
    let admits = if admits.is_empty() { String::new() } else { format!(", also from {}", admits.join(", ")) };
    writeln!(
        out,
        "      {}; {}; {region}{admits}",
        told(*retains, "keeps copies", "keeps nothing"),
        told(*training_eligible, "may train on inputs", "trains on nothing"),
    )?;
    let shown = attributes.iter().filter(|a| detail == Detail::Everything || a.standing != "in_force" || a.ends_soon);
    for AttributeReport { attribute, claimed, counts, standing, day, evidence, ends_soon } in shown {
        let day = day.as_deref().unwrap_or_default();
        let (style, why) = match *standing {
            "in_force" if *ends_soon => (SOON, format!("ends soon, on {day}")),
            "in_force" => (GOOD, format!("in force until {day}")),
            "expired" => (BAD, format!("at its worst: evidence ended on {day}")),
            "not_yet" => (BAD, format!("at its worst: evidence counts from {day}")),
            _ => (BAD, "at its worst: no evidence".into()),
        };
        let claimed = claimed.as_deref().filter(|claimed| claimed != counts);
        let claimed = claimed.map_or_else(String::new, |claimed| format!(" (claimed: {claimed})"));
        let evidence = evidence.as_deref().map_or_else(String::new, |evidence| format!(", {evidence}"));
        writeln!(out, "        {attribute:42}  {counts}{claimed}  {style}{why}{style:#}{DIM}{evidence}{DIM:#}")?;
    }
    Ok(())
}
