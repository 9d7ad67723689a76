//! Where a store is: what `--store` says.

use crate::stream::client::connection::{Secret, SecretError};
use postgres::config::{Config, Host, SslMode};
use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

/// The variable for the password of a PostgreSQL store; with `_FILE` after it, a file that holds it.
pub const PASSWORD: &str = "MAYSEND_STORE_PASSWORD";

/// Why `--store` cannot be used. Holds no secret.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// It is no address of a database.
    #[error("--store is no address of a PostgreSQL database: {0}; write postgres://USER@HOST/DATABASE")]
    Form(String),
    /// The password stands where every process can read it.
    #[error(
        "--store holds a password, which other processes can read; put it into {PASSWORD}, or into the file that {PASSWORD}_FILE names"
    )]
    Password,
    /// The password cannot be had.
    #[error("{0}")]
    Secret(#[from] SecretError),
    /// No database is named.
    #[error("--store names no {0}; write postgres://USER@HOST/DATABASE")]
    Missing(&'static str),
    /// It says that it is something else.
    #[error("--store is neither a file nor postgres://USER@HOST/DATABASE")]
    Scheme,
}

/// Where a store is. Prints no secret.
#[derive(Clone)]
pub enum Address {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres(Box<Database>),
}

/// A PostgreSQL database, and how to log in.
#[derive(Clone)]
pub struct Database {
    pub(super) config: Config,
    name: String,
}

impl Address {
    /// The file of a SQLite store.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }
}

/// A path, or `postgres://USER@HOST/DATABASE` with the password from the environment. To another machine the connection
/// is encrypted, and the server's certificate checked, unless the address says `sslmode=disable`.
impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return match text.is_empty() || text.contains("://") {
                true => Err(AddressError::Scheme),
                false => Ok(Self::Sqlite(text.into())),
            };
        }
        // The library's own messages name keys, and a value only where it is a number.
        let mut config = Config::from_str(text).map_err(|error| {
            let cause = std::error::Error::source(&error).map_or_else(|| "unknown form".into(), ToString::to_string);
            AddressError::Form(cause)
        })?;
        if config.get_password().is_some() {
            return Err(AddressError::Password);
        }
        let database = config.get_dbname().ok_or(AddressError::Missing("database"))?.to_owned();
        config.get_user().ok_or(AddressError::Missing("user"))?;
        let host = config.get_hosts().first().ok_or(AddressError::Missing("host"))?.clone();
        if config.get_ssl_mode() == SslMode::Prefer {
            let mode = if is_here(&host) { SslMode::Disable } else { SslMode::Require };
            config.ssl_mode(mode);
        }
        if let Some(secret) = Secret::from_env(PASSWORD)? {
            config.password(secret.expose());
        }
        config.application_name("maysend");
        let name = match host {
            Host::Tcp(host) => format!("postgres://{host}/{database}"),
            Host::Unix(folder) => format!("postgres://{}/{database}", folder.display()),
        };
        Ok(Self::Postgres(Box::new(Database { config, name })))
    }
}

/// Whether it is this machine.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(host) => {
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "{}", path.display()),
            Self::Postgres(database) => f.write_str(&database.name),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_file_or_a_database() {
        assert_eq!("ledger.db".parse::<Address>().unwrap().to_string(), "ledger.db");
        let far = "postgres://writer@db.example/ledger".parse::<Address>().unwrap();
        assert_eq!(far.to_string(), "postgres://db.example/ledger");
        let Address::Postgres(far) = far else { panic!("a database") };
        assert_eq!(far.config.get_ssl_mode(), SslMode::Require, "to another machine it is encrypted");
        let Address::Postgres(near) = "postgres://writer@127.0.0.1/ledger".parse().unwrap() else { panic!() };
        assert_eq!(near.config.get_ssl_mode(), SslMode::Disable);
    }

    #[test]
    fn what_is_no_address_is_refused_and_no_secret_is_repeated() {
        for (wrong, says) in [
            ("", "neither a file"),
            ("mysql://host/db", "neither a file"),
            ("postgres://u:canary@host/db", "holds a password"),
            ("postgres://u@host", "names no database"),
            ("postgres://host/db", "names no user"),
            ("postgres://u@host/db?connect_timeout=canary", "no address"),
        ] {
            let error = wrong.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains(says) && !error.contains("canary"), "{wrong}: {error}");
        }
    }
}
