//! A real PostgreSQL, in a temporary folder, for the tests of the ledger. It listens on a socket in that folder only.

use crate::watch::Watch;
use postgres::{Client, NoTls};
use std::{
    env,
    fs::{self, Permissions},
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::{PermissionsExt as _, chown},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};
use tempfile::TempDir;

/// Its superuser.
pub const OWNER: &str = "postgres";

static SHARED: LazyLock<Postgres> = LazyLock::new(Postgres::start);
static NEXT: AtomicU32 = AtomicU32::new(0);

/// A server that runs. It ends with the tests' process.
pub struct Postgres {
    folder: TempDir,
    server: Child,
    _watch: Watch,
}

/// A database of one test's own.
pub struct Database {
    host: String,
    name: String,
}

impl Postgres {
    /// The one that tests share, each with a database of its own.
    pub fn shared() -> &'static Self {
        &SHARED
    }

    /// A new one, which answers. It keeps nothing through a loss of power, as no test has one.
    ///
    /// # Panics
    /// There is no PostgreSQL; `./test` installs it.
    pub fn start() -> Self {
        Self::with(&["fsync=off", "synchronous_commit=off", "max_wal_size=2GB"])
    }

    /// A new one that keeps what it has committed, with the memory that a server of its own would be given.
    ///
    /// # Panics
    /// There is no PostgreSQL; `./test` installs it.
    pub fn durable() -> Self {
        Self::with(&["shared_buffers=4GB", "max_wal_size=4GB"])
    }

    fn with(settings: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("maysend-postgres-").tempdir().expect("a temporary folder");
        let data = folder.path().join("data");
        if let Some((user, group)) = unprivileged() {
            chown(folder.path(), Some(user), Some(group)).expect("a folder of its own");
            fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).expect("a folder of its own");
        }
        let mut init = server_command("initdb");
        init.arg("-D").arg(&data).args(["--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "-U", OWNER]);
        let made = init.output().expect("initdb");
        assert!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let mut command = server_command("postgres");
        command.arg("-D").arg(&data).arg("-k").arg(folder.path());
        let always = ["listen_addresses=", "dynamic_shared_memory_type=mmap", "max_connections=200"];
        for setting in always.iter().chain(settings) {
            command.args(["-c", setting]);
        }
        let mut server = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("postgres");
        let watch = Watch::over(&server, Some(folder.path()));
        let mut lines = BufReader::new(server.stderr.take().expect("piped")).lines().map_while(Result::ok);
        let said: Vec<String> =
            lines.by_ref().take_while(|line| !line.contains("ready to accept connections")).collect();
        assert!(server.try_wait().expect("its state").is_none(), "postgres has ended: {said:#?}");
        // Somebody has to read on, or it would wait.
        thread::spawn(move || lines.for_each(drop));
        Self { folder, server, _watch: watch }
    }

    /// A new database.
    pub fn database(&self, name: &str) -> Database {
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let mut name: String = name.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
        name += &format!("_{number}");
        let database = Database { host: self.folder.path().display().to_string(), name };
        let mut client = database.connect_to(OWNER, OWNER);
        client.batch_execute(&format!("CREATE DATABASE {}", database.name)).expect("a database");
        database
    }

    /// A folder that the server's user can write into.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Database {
    /// Where it is, for `--store`.
    pub fn address(&self) -> String {
        self.address_of(OWNER)
    }

    /// The same for another user.
    pub fn address_of(&self, user: &str) -> String {
        format!("postgres://{user}@{}/{}", self.host.replace('/', "%2F"), self.name)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A connection as its owner.
    pub fn client(&self) -> Client {
        self.client_of(OWNER)
    }

    /// A connection as somebody else.
    pub fn client_of(&self, user: &str) -> Client {
        self.connect_to(&self.name, user)
    }

    /// What `pg_dump` writes of it.
    pub fn dump(&self) -> Vec<u8> {
        let mut dump = self.program("pg_dump");
        let ran = dump.args(["--format=custom", &self.name]).output().expect("pg_dump");
        assert!(ran.status.success(), "pg_dump: {}", String::from_utf8_lossy(&ran.stderr));
        ran.stdout
    }

    /// Makes it anew from what [`Self::dump`] gave, of this or another one. Whoever is connected is sent away.
    pub fn restore(&self, dump: &[u8]) {
        let mut server = self.connect_to(OWNER, OWNER);
        for statement in ["DROP DATABASE {} WITH (FORCE)", "CREATE DATABASE {}"] {
            server.batch_execute(&statement.replace("{}", &self.name)).expect("a database");
        }
        let mut restore = self.program("pg_restore");
        restore.args(["--exit-on-error", "--dbname", &self.name]).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut restore = restore.spawn().expect("pg_restore");
        restore.stdin.take().expect("piped").write_all(dump).expect("it reads");
        let ran = restore.wait_with_output().expect("it ends");
        assert!(ran.status.success(), "pg_restore: {}", String::from_utf8_lossy(&ran.stderr));
    }

    /// One of the server's own programs, such as `pg_dump`, with this database's server as its own.
    pub fn program(&self, name: &str) -> Command {
        let mut command = server_command(name);
        command.args(["-h", &self.host, "-U", OWNER]);
        command
    }

    fn connect_to(&self, database: &str, user: &str) -> Client {
        let mut config = Client::configure();
        config.host(&self.host).user(user).dbname(database);
        config.connect(NoTls).expect("it answers")
    }
}

/// The user under which the server runs where the tests run as root, which it refuses.
fn unprivileged() -> Option<(u32, u32)> {
    if !rustix::process::getuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").expect("the users");
    let of = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut ids = line.split(':').skip(2).map(|id| id.parse::<u32>().ok());
        Some((ids.next()??, ids.next()??))
    };
    Some(of("postgres").or_else(|| of("nobody")).expect("a user who is not root"))
}

/// A program of PostgreSQL, as the user that the server needs.
fn server_command(name: &str) -> Command {
    let program = folder_of(name).join(name);
    let Some((user, group)) = unprivileged() else { return Command::new(program) };
    let mut command = Command::new("setpriv");
    command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).arg("--clear-groups").arg(program);
    // The folder that the tests run in may be closed to that user.
    command.current_dir("/");
    command
}

/// The newest version that Debian has installed, or what is on the path.
fn folder_of(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let number = |path: &Path| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
    let mut found: Vec<PathBuf> =
        versions.map(|entry| entry.path()).filter(|path| path.join("bin").join(name).exists()).collect();
    found.sort_by_key(|path| number(path));
    if let Some(newest) = found.pop() {
        return newest.join("bin");
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).find(|folder| folder.join(name).exists());
    on_path.unwrap_or_else(|| panic!("{name} is missing: install PostgreSQL, as ./test does"))
}
