//! Certificates for one test run.

use openssl::{
    asn1::Asn1Time,
    bn::{BigNum, MsbOption},
    ec::{EcGroup, EcKey},
    error::ErrorStack,
    hash::MessageDigest,
    nid::Nid,
    pkcs12::Pkcs12,
    pkey::{PKey, Private},
    symm::Cipher,
    x509::{
        X509, X509Builder, X509NameBuilder, X509Ref,
        extension::{BasicConstraints, KeyUsage, SubjectAlternativeName},
    },
};

/// Who signs certificates.
pub struct Authority {
    certificate: X509,
    key: PKey<Private>,
}

/// A certificate and its key, in PEM.
pub struct Issued {
    /// The certificate.
    pub certificate: String,
    /// The key, in PKCS#8.
    pub key: String,
}

impl Issued {
    /// The key encrypted with a password, in PKCS#8.
    pub fn encrypted_key(&self, password: &str) -> String {
        let pem = self.key().private_key_to_pem_pkcs8_passphrase(Cipher::aes_256_cbc(), password.as_bytes());
        String::from_utf8(pem.expect("a key")).expect("PEM is text")
    }

    /// Both in one file, PKCS#12.
    pub fn key_store(&self, password: &str) -> Vec<u8> {
        let certificate = X509::from_pem(self.certificate.as_bytes()).expect("a certificate");
        let store = Pkcs12::builder().name("client").pkey(&self.key()).cert(&certificate).build2(password);
        store.and_then(|store| store.to_der()).expect("a key store")
    }

    fn key(&self) -> PKey<Private> {
        PKey::private_key_from_pem(self.key.as_bytes()).expect("a key")
    }
}

/// Seconds from now, for `valid`.
pub const DAY: i64 = 24 * 60 * 60;

impl Authority {
    /// A new one of this name.
    pub fn new(name: &str) -> Self {
        let make = || -> Result<Self, ErrorStack> {
            let key = new_key()?;
            let mut builder = begin(name, &key, None, (-DAY, 30 * DAY))?;
            builder.append_extension(BasicConstraints::new().critical().ca().build()?)?;
            builder.append_extension(KeyUsage::new().critical().key_cert_sign().crl_sign().build()?)?;
            builder.sign(&key, MessageDigest::sha256())?;
            Ok(Self { certificate: builder.build(), key })
        };
        make().expect("a certificate")
    }

    /// Its certificate, in PEM.
    pub fn pem(&self) -> String {
        pem(&self.certificate)
    }

    /// A certificate for this name and for 127.0.0.1, valid between these seconds from now.
    pub fn issue(&self, name: &str, valid: (i64, i64)) -> Issued {
        let make = || -> Result<Issued, ErrorStack> {
            let key = new_key()?;
            let mut builder = begin(name, &key, Some(&self.certificate), valid)?;
            let names = SubjectAlternativeName::new()
                .ip("127.0.0.1")
                .build(&builder.x509v3_context(Some(&self.certificate), None))?;
            builder.append_extension(names)?;
            builder.sign(&self.key, MessageDigest::sha256())?;
            let key = String::from_utf8(key.private_key_to_pem_pkcs8()?).expect("PEM is text");
            Ok(Issued { certificate: pem(&builder.build()), key })
        };
        make().expect("a certificate")
    }
}

fn new_key() -> Result<PKey<Private>, ErrorStack> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1)?;
    PKey::from_ec_key(EcKey::generate(&group)?)
}

fn begin(
    name: &str,
    key: &PKey<Private>,
    issuer: Option<&X509Ref>,
    (from, until): (i64, i64),
) -> Result<X509Builder, ErrorStack> {
    let mut subject = X509NameBuilder::new()?;
    subject.append_entry_by_nid(Nid::COMMONNAME, name)?;
    let subject = subject.build();
    let mut serial = BigNum::new()?;
    serial.rand(127, MsbOption::MAYBE_ZERO, false)?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs();
    let now = i64::try_from(now).expect("a time");
    let mut builder = X509Builder::new()?;
    builder.set_version(2)?;
    builder.set_serial_number(serial.to_asn1_integer()?.as_ref())?;
    builder.set_subject_name(&subject)?;
    builder.set_issuer_name(issuer.map_or(&*subject, |issuer| issuer.subject_name()))?;
    builder.set_pubkey(key)?;
    builder.set_not_before(Asn1Time::from_unix(now + from)?.as_ref())?;
    builder.set_not_after(Asn1Time::from_unix(now + until)?.as_ref())?;
    Ok(builder)
}

fn pem(certificate: &X509Ref) -> String {
    String::from_utf8(certificate.to_pem().expect("a certificate")).expect("PEM is text")
}
