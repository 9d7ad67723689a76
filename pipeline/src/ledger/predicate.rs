//! The rule that says who owes a cleanup: one constant, installed as the two views by which erasing and its replay ask.
//!
//! A provider is owed a handoff for a customer when any request to one of its destinations was reserved, or any was used.
//! What was begun, abandoned or failed counts like what was completed; what was refused before anything was reserved does
//! not. The rule looks at numbers, never at whether there is a row.

use super::store::{Engine, StoreError, Transaction};

/// The rule. `work` is a row of what was reserved, used or decided.
pub const POSSIBLY_SENT: &str = "work.reserved_requests > 0 OR work.requests_used > 0";

/// The rule that stood here before: any row of usage or of a decision, whatever it says. It asked providers to clean up
/// what they never received, and forgot what was reserved and never reported. It is kept so that the migration away from
/// it can be taken back.
pub const LEGACY: &str = "work.usage_rows > 0 OR work.decision_rows > 0";

/// A view by which it is asked who owes a cleanup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// For an erasure: by customer.
    Erase,
    /// For the replay of an erasure after a restore: by customer, or by sender where a row has no customer key.
    Replay,
}

impl View {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Erase, Self::Replay];

    /// Its name in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Erase => "owed_erase",
            Self::Replay => "owed_replay",
        }
    }

    /// The columns that it has beside those of the other.
    fn more(self) -> &'static str {
        match self {
            Self::Erase => "",
            Self::Replay => "work.sender, ",
        }
    }

    /// The query of the view under a rule, as it is installed on both stores.
    pub fn query(self, rule: &str) -> String {
        include_str!("sql/owed.sql").trim_end().replace("{more}", self.more()).replace("{rule}", rule)
    }

    fn create(self, rule: &str) -> String {
        format!("CREATE VIEW {} AS {}", self.name(), self.query(rule))
    }
}

/// Why a rule cannot be put in the place of another.
#[derive(Debug, thiserror::Error)]
pub enum PredicateError {
    /// The text does not hold the rule once.
    #[error("the statement of {view} holds the rule {count} times, and must hold it exactly once; nothing was changed")]
    Count {
        /// The view.
        view: &'static str,
        /// How often.
        count: usize,
    },
    /// What is installed is something else.
    #[error(
        "{0} is not as a migration has installed it; somebody has changed it. Nothing was changed: put it back by hand, then run this again"
    )]
    Other(&'static str),
    /// The store does not go along.
    #[error("{0}")]
    Store(Box<StoreError>),
}

impl From<StoreError> for PredicateError {
    fn from(error: StoreError) -> Self {
        Self::Store(Box::new(error))
    }
}

/// Installs both views under a rule.
///
/// # Errors
/// The store does not go along.
pub fn install(transaction: &mut Transaction<'_>, rule: &str) -> Result<(), StoreError> {
    View::ALL.into_iter().try_for_each(|view| transaction.define(&view.create(rule)))
}

/// Takes both views away.
///
/// # Errors
/// The store does not go along.
pub fn remove(transaction: &mut Transaction<'_>) -> Result<(), StoreError> {
    View::ALL.into_iter().try_for_each(|view| transaction.define(&format!("DROP VIEW {}", view.name())))
}

/// Puts a rule in the place of another in both views, and touches nothing else: neither rows, nor owner and grants. What is
/// installed must be what a migration has installed, and hold the old rule exactly once.
///
/// # Errors
/// It is not, or does not; nothing was changed then.
pub fn replace(transaction: &mut Transaction<'_>, old: &str, new: &str) -> Result<(), PredicateError> {
    for view in View::ALL {
        if !is_installed(transaction, view, old)? {
            return Err(PredicateError::Other(view.name()));
        }
        let query = substitute(view, &view.query(old), old, new)?;
        let name = view.name();
        match transaction.engine() {
            // Keeps the owner, and what was granted to whom.
            Engine::Postgres => transaction.define(&format!("CREATE OR REPLACE VIEW {name} AS {query}"))?,
            // Has neither.
            Engine::Sqlite => transaction.define(&format!("DROP VIEW {name}; CREATE VIEW {name} AS {query}"))?,
        }
    }
    Ok(())
}

fn substitute(view: View, statement: &str, old: &str, new: &str) -> Result<String, PredicateError> {
    match statement.matches(old).count() {
        1 => Ok(statement.replacen(old, new, 1)),
        count => Err(PredicateError::Count { view: view.name(), count }),
    }
}

/// Whether a view is installed under exactly this rule. SQLite keeps the statement as it was written; PostgreSQL keeps what
/// it has understood, so there it is compared with what it understands of the statement now.
///
/// # Errors
/// The store does not go along.
pub fn is_installed(transaction: &mut Transaction<'_>, view: View, rule: &str) -> Result<bool, StoreError> {
    let name = view.name();
    match transaction.engine() {
        Engine::Sqlite => {
            let statement = "SELECT sql FROM sqlite_master WHERE type = 'view' AND name = $1";
            let found = transaction.query(statement, &[name.into()])?;
            found.first().map_or(Ok(false), |found| Ok(found.text(0)? == view.create(rule)))
        }
        Engine::Postgres => {
            let known = "SELECT pg_get_viewdef(CAST(to_regclass($1) AS oid))";
            let installed = transaction.query(known, &[name.into()])?;
            transaction.define(&format!("CREATE TEMPORARY VIEW compared AS {}", view.query(rule)))?;
            let compared = transaction.query(known, &["pg_temp.compared".into()])?;
            transaction.define("DROP VIEW pg_temp.compared")?;
            Ok(installed.first().is_some_and(|found| found.opt_text(0).is_ok_and(|text| text.is_some()))
                && installed == compared)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_statement_holds_its_rule_exactly_once() {
        for view in View::ALL {
            for rule in [POSSIBLY_SENT, LEGACY] {
                assert_eq!(view.query(rule).matches(rule).count(), 1);
            }
            assert_eq!(view.query(LEGACY).matches(POSSIBLY_SENT).count(), 0);
            assert_eq!(
                substitute(view, &view.query(LEGACY), LEGACY, POSSIBLY_SENT).unwrap(),
                view.query(POSSIBLY_SENT)
            );
        }
    }

    #[test]
    fn a_statement_that_holds_the_rule_twice_or_not_at_all_is_not_changed() {
        let view = View::Erase;
        for (statement, times) in [(String::new(), 0), (format!("{LEGACY} AND {LEGACY}"), 2)] {
            match substitute(view, &statement, LEGACY, POSSIBLY_SENT) {
                Err(PredicateError::Count { count, .. }) => assert_eq!(count, times),
                other => panic!("{other:?}"),
            }
        }
    }
}
