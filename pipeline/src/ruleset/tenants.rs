//! `tenants.toml`: where each tenant is, and which countries its customers come from.
//!
//! A tenant's region is reviewed configuration, because the gate must not believe a record's own word for it. Packs
//! only ever raise the evidence of findings; nothing in this file can lower a decision.

use super::{id, region::Region};
use maysend_detector::{
    countries::is_country,
    source::{Mistakes, SourceFile},
};
use std::collections::{BTreeMap, BTreeSet};

/// The file's name in a ruleset.
pub const FILE: &str = "tenants.toml";

/// One tenant of the platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// The id that records carry.
    pub id: String,
    /// The region whose law governs the export of its customers' data.
    pub region: Region,
    /// Country packs, ISO 3166-1 alpha-2, in the order of the file: whose identifiers its customers are likely to write.
    pub packs: Vec<String>,
}

/// Every tenant, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tenants {
    pub(crate) by_id: BTreeMap<String, Tenant>,
}

impl Tenants {
    /// The tenant with this id.
    pub fn get(&self, id: &str) -> Option<&Tenant> {
        self.by_id.get(id)
    }

    /// All tenants, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Tenant> {
        self.by_id.values()
    }

    /// Reads the file. What has a mistake is reported and left out.
    pub fn read(file: &SourceFile, mistakes: &Mistakes) -> Self {
        let mut tenants = Self::default();
        let Some(mut root) = file.read(mistakes) else { return tenants };
        for mut table in root.tables("tenant") {
            let id = id(&mut table, "id");
            let region = Region::read(&mut table, "region");
            let mut packs = Vec::new();
            let mut seen = BTreeSet::new();
            for pack in table.strings("packs") {
                if !is_country(&pack.value) {
                    let wrong = format!("unknown country `{}`", pack.value.escape_debug());
                    table.mistake_at(&pack, wrong, "a country code of ISO 3166-1 alpha-2, such as NL");
                } else if !seen.insert(pack.value.clone()) {
                    table.mistake_at(&pack, format!("`{}` is listed twice", pack.value), "list it once");
                } else {
                    packs.push(pack.value);
                }
            }
            if let Some(id) = &id
                && tenants.by_id.contains_key(id)
            {
                table.mistake("id", format!("a second tenant `{id}`"), "one table for each tenant");
            }
            if let (Some(id), Some(region)) = (id, region) {
                tenants.by_id.entry(id.clone()).or_insert(Tenant { id, region, packs });
            }
            table.finish();
        }
        root.finish();
        tenants
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ruleset::testing::{mistakes_in, read_clean};

    #[test]
    fn tenants_are_found_by_id() {
        let text = "[[tenant]]\nid = \"acme\"\nregion = \"EU\"\npacks = [\"NL\", \"DE\"]\n\n[[tenant]]\nid = \"b\"\nregion = \"US\"\n";
        let tenants = read_clean(FILE, text, Tenants::read);
        let acme = tenants.get("acme").unwrap();
        assert_eq!((acme.region, acme.packs.as_slice()), (Region::EU, &["NL".to_owned(), "DE".to_owned()][..]));
        assert!(tenants.get("b").unwrap().packs.is_empty());
        assert!(tenants.get("ACME").is_none());
        assert_eq!(tenants.iter().count(), 2);
    }

    #[test]
    fn every_mistake_is_reported_at_once() {
        let text = "[[tenant]]\nid = \"a/b\"\nregion = \"NL\"\npacks = [\"NL\", \"XX\", \"NL\", \"nl\"]\n\n[[tenant]]\nid = \"a\"\nregion = \"EU\"\nexempt = true\n\n[[tenant]]\nid = \"a\"\n";
        let lines = mistakes_in(FILE, text, Tenants::read);
        let expected = [
            "tenants.toml:2: tenant[0].id: `a/b` is not an id; 1 to 64 of the characters a-z, A-Z, 0-9, `.`, `_`, `-`",
            "tenants.toml:3: tenant[0].region: unknown region `NL`; NL is in the European Economic Area, which is one region: write EU",
            "tenants.toml:4: tenant[0].packs[1]: unknown country `XX`; a country code of ISO 3166-1 alpha-2, such as NL",
            "tenants.toml:4: tenant[0].packs[2]: `NL` is listed twice; list it once",
            "tenants.toml:4: tenant[0].packs[3]: unknown country `nl`; a country code of ISO 3166-1 alpha-2, such as NL",
            "tenants.toml:9: tenant[1].exempt: unknown key; known here: id, region, packs",
            "tenants.toml:11: tenant[2].region: missing; it takes a string",
            "tenants.toml:12: tenant[2].id: a second tenant `a`; one table for each tenant",
        ];
        assert_eq!(lines, expected);
    }
}
