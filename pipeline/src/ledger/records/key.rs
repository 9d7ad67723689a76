//! Keys that sign records, in files that OpenSSL's own tools read and write.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use openssl::{
    error::ErrorStack,
    pkey::{HasPublic, Id, PKey, Private, Public},
    sign::{Signer, Verifier},
};
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

/// A key that signs. Prints its id only.
pub struct SigningKey {
    key: PKey<Private>,
    id: String,
}

/// Keys that signatures are checked with, by id.
#[derive(Clone, Debug, Default)]
pub struct PublicKeys(BTreeMap<String, PKey<Public>>);

/// Why a key cannot be had. Holds nothing of it.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}; `maysend ledger key --out FILE` makes a key", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {error}; a key never takes the place of another file", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Others than the owner have access to a private key.
    #[error("{} has mode {mode:04o}: others have access to the key; chmod 600 it, or make another", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The file holds no such key.
    #[error("{} holds no {what}", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        what: &'static str,
    },
    /// OpenSSL cannot make or use a key.
    #[error("OpenSSL cannot sign: {0}")]
    Openssl(#[from] ErrorStack),
}

const PRIVATE: &str =
    "private Ed25519 key in PEM, as `maysend ledger key` or `openssl genpkey -algorithm ed25519` makes";
const PUBLIC: &str = "public Ed25519 key in PEM, as `maysend ledger key` or `openssl pkey -pubout` makes";

impl SigningKey {
    /// A new key.
    ///
    /// # Errors
    /// OpenSSL has no randomness.
    pub fn generate() -> Result<Self, KeyFileError> {
        Ok(Self::of(PKey::generate_ed25519()?)?)
    }

    /// Reads a private key, PKCS#8 in PEM, from a file that only its owner may read.
    ///
    /// # Errors
    /// The file cannot be read, is open to others, or holds no such key.
    pub fn read(path: &Path) -> Result<Self, KeyFileError> {
        let unreadable = |error| KeyFileError::Unreadable { path: path.into(), error };
        let mut file = File::open(path).map_err(unreadable)?;
        let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(KeyFileError::Exposed { path: path.into(), mode });
        }
        let mut pem = Vec::new();
        file.read_to_end(&mut pem).map_err(unreadable)?;
        // A passphrase is never asked for: nobody may be there to type it.
        let key = PKey::private_key_from_pem_callback(&pem, |_| Ok(0)).ok().filter(|key| key.id() == Id::ED25519);
        pem.fill(0);
        let key = key.ok_or(KeyFileError::NoKey { path: path.into(), what: PRIVATE })?;
        Ok(Self::of(key)?)
    }

    /// Writes the key to a new file for its owner only (0600), and the public one beside it with `.pub` after its name.
    /// Says where that is.
    ///
    /// # Errors
    /// A file is there already, or cannot be written.
    pub fn write(&self, path: &Path) -> Result<PathBuf, KeyFileError> {
        let mut name = path.as_os_str().to_owned();
        name.push(".pub");
        let public = PathBuf::from(name);
        for (path, mode, pem) in
            [(path, 0o600, self.key.private_key_to_pem_pkcs8()?), (&public, 0o644, self.key.public_key_to_pem()?)]
        {
            let unwritable = |error| KeyFileError::Unwritable { path: path.into(), error };
            let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path).map_err(unwritable)?;
            file.write_all(&pem).and_then(|()| file.sync_all()).map_err(unwritable)?;
        }
        Ok(public)
    }

    fn of(key: PKey<Private>) -> Result<Self, ErrorStack> {
        Ok(Self { id: id(&key)?, key })
    }

    /// The id by which records name it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The public key alone.
    ///
    /// # Errors
    /// OpenSSL refuses it.
    pub fn public(&self) -> Result<PublicKeys, KeyFileError> {
        let public = PKey::public_key_from_raw_bytes(&self.key.raw_public_key()?, Id::ED25519)?;
        Ok(PublicKeys(BTreeMap::from([(self.id.clone(), public)])))
    }

    /// The signature, in base64.
    pub(super) fn sign(&self, bytes: &[u8]) -> Result<String, KeyFileError> {
        Ok(STANDARD.encode(Signer::new_without_digest(&self.key)?.sign_oneshot_to_vec(bytes)?))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.id)
    }
}

impl PublicKeys {
    /// Reads public keys, in PEM, one a file.
    ///
    /// # Errors
    /// A file cannot be read or holds no such key.
    pub fn read<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<Self, KeyFileError> {
        let mut keys = BTreeMap::new();
        for path in paths {
            let pem = fs::read(path).map_err(|error| KeyFileError::Unreadable { path: path.into(), error })?;
            let key = PKey::public_key_from_pem(&pem).ok().filter(|key| key.id() == Id::ED25519);
            let key = key.ok_or(KeyFileError::NoKey { path: path.into(), what: PUBLIC })?;
            keys.insert(id(&key)?, key);
        }
        Ok(Self(keys))
    }

    /// Takes in others.
    pub fn add(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Their ids.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether the key of this id made the signature; `None` if it is not among these.
    pub(super) fn verify(&self, id: &str, bytes: &[u8], signature: &str) -> Option<bool> {
        let key = self.0.get(id)?;
        let verify = || {
            let signature = STANDARD.decode(signature).ok()?;
            Verifier::new_without_digest(key).ok()?.verify_oneshot(&signature, bytes).ok()
        };
        Some(verify().unwrap_or(false))
    }
}

/// `ed25519:` and the first 16 bytes of the SHA-256 of the public key, in hexadecimal.
fn id<K: HasPublic>(key: &PKey<K>) -> Result<String, ErrorStack> {
    let hash = crate::hex(&Sha256::digest(key.raw_public_key()?));
    Ok(format!("ed25519:{}", hash.get(..32).unwrap_or(&hash)))
}
