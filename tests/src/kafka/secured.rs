//! A broker that lets in only who may: TLS, passwords, tokens, client certificates and access rules.
//!
//! Tests look at it from outside over its plain listener, where everybody may do everything; the program under test comes
//! in by the others.

use super::{
    Broker,
    acls::{self, Acl},
    broker::{Extra, free_port},
    certificates::{Authority, DAY, Issued},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{SystemTime, UNIX_EPOCH},
};
use tempfile::TempDir;

/// A user that every mechanism with a password knows.
pub const USER: &str = "maysend";

/// Its password; also a canary that must stand nowhere.
pub const PASSWORD: &str = "kanariepiet-Zq7";

static SHARED: LazyLock<Secured> = LazyLock::new(Secured::start);

/// A broker that lets in only who may.
pub struct Secured {
    broker: Broker,
    folder: TempDir,
    authority: Authority,
    login: u16,
    mutual: u16,
    expired: u16,
}

impl Secured {
    /// The one that tests share. It ends with the tests' process.
    pub fn shared() -> &'static Self {
        &SHARED
    }

    fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("maysend-secured-").tempdir().expect("a temporary folder");
        let write = |name: &str, text: String| fs::write(folder.path().join(name), text).expect("a file");
        let (authority, other) = (Authority::new("the brokers' authority"), Authority::new("another authority"));
        let both = |issued: &Issued| format!("{}{}", issued.key, issued.certificate);
        let good = (-DAY, 10 * DAY);
        write("ca.pem", authority.pem());
        write("other-ca.pem", other.pem());
        write("broker.pem", both(&authority.issue("broker", good)));
        write("broker-expired.pem", both(&authority.issue("broker", (-2 * DAY, -DAY))));
        let client = authority.issue(USER, good);
        write("client-encrypted.key", client.encrypted_key(PASSWORD));
        fs::write(folder.path().join("client.p12"), client.key_store(PASSWORD)).expect("a key store");
        write("client.pem", client.certificate);
        write("client.key", client.key);
        let expired = authority.issue(USER, (-2 * DAY, -DAY));
        write("client-expired.pem", expired.certificate);
        write("client-expired.key", expired.key);

        let held = [free_port(), free_port(), free_port()];
        let ports = held.each_ref().map(|held| held.local_addr().expect("an address").port());
        drop(held);
        let [login, mutual, expired] = ports;
        let settings = settings(folder.path());
        let scram = |hash: &str| format!("SCRAM-SHA-{hash}=[name={USER},password={PASSWORD}]");
        let broker = Broker::start_with(Extra {
            settings,
            listeners: vec![("LOGIN", login), ("MUTUAL", mutual), ("EXPIRED", expired)],
            format: ["--add-scram".into(), scram("256"), "--add-scram".into(), scram("512")].into(),
            ..Extra::default()
        });
        Self { broker, folder, authority, login, mutual, expired }
    }

    /// Where everybody may do everything, in clear.
    pub fn bootstrap(&self) -> String {
        self.broker.bootstrap()
    }

    /// Where one logs in over TLS.
    pub fn login(&self) -> String {
        format!("127.0.0.1:{}", self.login)
    }

    /// The same by a name that its certificate does not have.
    pub fn login_by_another_name(&self) -> String {
        format!("localhost:{}", self.login)
    }

    /// Where both sides show a certificate.
    pub fn mutual(&self) -> String {
        format!("127.0.0.1:{}", self.mutual)
    }

    /// Where the broker's certificate has expired.
    pub fn expired(&self) -> String {
        format!("127.0.0.1:{}", self.expired)
    }

    /// A file of the run: `ca.pem`, `other-ca.pem`, `client.pem`, `client.key`, `client-encrypted.key` and `client.p12` (with
    /// [`PASSWORD`]), `client-expired.pem`, ….
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes files for a client of this name: `NAME.pem` and `NAME.key`. The brokers know it as `User:CN=NAME`.
    pub fn issue(&self, name: &str) {
        let issued = self.authority.issue(name, (-DAY, DAY));
        fs::write(self.file(&format!("{name}.pem")), issued.certificate).expect("a certificate");
        fs::write(self.file(&format!("{name}.key")), issued.key).expect("a key");
    }

    /// The beginning of `[kafka.security]`, with TLS and the right authority.
    pub fn tls(&self, protocol: &str) -> String {
        let ca_file = self.file("ca.pem").display().to_string();
        format!("[kafka.security]\nprotocol = \"{protocol}\"\nca_file = {ca_file:?}\n")
    }

    /// Allows a principal, such as `User:maysend`, all of these.
    pub fn allow(&self, principal: &str, acls: &[Acl]) {
        acls::allow(&self.bootstrap(), principal, acls);
    }
}

/// A token for this user that expires so many seconds from now, as a broker that believes unsigned ones takes it.
pub fn token(user: &str, seconds: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let expires = i64::try_from(now).expect("a time") + seconds;
    let claims = format!("{{\"sub\":\"{user}\",\"exp\":{expires}}}");
    format!("{}.{}.", URL_SAFE_NO_PAD.encode("{\"alg\":\"none\"}"), URL_SAFE_NO_PAD.encode(claims))
}

fn settings(folder: &Path) -> String {
    let file = |name: &str| folder.join(name).display().to_string();
    let (ca, broker, expired) = (file("ca.pem"), file("broker.pem"), file("broker-expired.pem"));
    let module = "org.apache.kafka.common.security";
    format!(
        "\
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,LOGIN:SASL_SSL,MUTUAL:SSL,EXPIRED:SSL
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
listener.name.login.ssl.keystore.type=PEM
listener.name.login.ssl.keystore.location={broker}
listener.name.login.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER
listener.name.login.plain.sasl.jaas.config={module}.plain.PlainLoginModule required user_{USER}=\"{PASSWORD}\";
listener.name.login.scram-sha-256.sasl.jaas.config={module}.scram.ScramLoginModule required;
listener.name.login.scram-sha-512.sasl.jaas.config={module}.scram.ScramLoginModule required;
listener.name.login.oauthbearer.sasl.jaas.config={module}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub=\"broker\";
listener.name.login.oauthbearer.connections.max.reauth.ms=3600000
listener.name.mutual.ssl.keystore.type=PEM
listener.name.mutual.ssl.keystore.location={broker}
listener.name.mutual.ssl.truststore.type=PEM
listener.name.mutual.ssl.truststore.location={ca}
listener.name.mutual.ssl.client.auth=required
listener.name.expired.ssl.keystore.type=PEM
listener.name.expired.ssl.keystore.location={expired}
"
    )
}
