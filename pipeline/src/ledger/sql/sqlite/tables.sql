-- Times are microseconds since 1970. `customer` is a digest of tenant and key, `id` of all that a row says.

-- What may have been sent: a row for each different thing that is said of a reservation.
CREATE TABLE reservations (
    customer BLOB NOT NULL,
    id BLOB NOT NULL,
    tenant TEXT NOT NULL,
    customer_key TEXT,
    sender TEXT,
    source TEXT NOT NULL,
    reservation_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    destination TEXT NOT NULL,
    terms TEXT,
    ruleset TEXT,
    mode TEXT,
    reserved_requests INTEGER NOT NULL CHECK (reserved_requests >= 0),
    transcript_id TEXT,
    attempt TEXT,
    previous_attempt TEXT,
    program TEXT,
    place TEXT,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (customer, id)
) STRICT, WITHOUT ROWID;

-- What senders have reported.
CREATE TABLE usage (
    customer BLOB NOT NULL,
    id BLOB NOT NULL,
    tenant TEXT NOT NULL,
    customer_key TEXT,
    source TEXT NOT NULL,
    reservation_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    destination TEXT NOT NULL,
    terms TEXT,
    requests_used INTEGER NOT NULL CHECK (requests_used >= 0),
    outcome TEXT NOT NULL,
    provider_request_ids TEXT NOT NULL,
    plan TEXT,
    endpoint TEXT,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (customer, id)
) STRICT, WITHOUT ROWID;

-- Transcripts that were blocked: copies of them may lie in review and held.
CREATE TABLE decisions (
    customer BLOB NOT NULL,
    id BLOB NOT NULL,
    tenant TEXT NOT NULL,
    customer_key TEXT,
    destination TEXT,
    terms TEXT,
    ruleset TEXT,
    mode TEXT,
    verdict TEXT NOT NULL,
    reasons TEXT NOT NULL,
    transcript_id TEXT,
    attempt TEXT,
    previous_attempt TEXT,
    reservation_id TEXT,
    program TEXT,
    place TEXT,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (customer, id)
) STRICT, WITHOUT ROWID;

-- Keys of persons. `id` names the person.
CREATE TABLE customers (
    customer BLOB NOT NULL,
    id BLOB NOT NULL,
    tenant TEXT NOT NULL,
    customer_key TEXT NOT NULL,
    person TEXT NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (customer, id)
) STRICT, WITHOUT ROWID;

-- Rulesets that were in use, by digest; `files` is a JSON object.
CREATE TABLE rulesets (
    digest TEXT NOT NULL,
    files TEXT NOT NULL,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (digest)
) STRICT, WITHOUT ROWID;

-- What was read of each topic: written in the transaction that takes its records in.
CREATE TABLE positions (
    cluster TEXT NOT NULL,
    topic TEXT NOT NULL,
    partition_number INTEGER NOT NULL,
    next_offset INTEGER NOT NULL,
    PRIMARY KEY (cluster, topic, partition_number)
) STRICT, WITHOUT ROWID;

-- Records that could not be read: whom they are about is not known.
CREATE TABLE unread (
    cluster TEXT NOT NULL,
    topic TEXT NOT NULL,
    partition_number INTEGER NOT NULL,
    record_offset INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (cluster, topic, partition_number, record_offset)
) STRICT, WITHOUT ROWID;

CREATE INDEX customers_by_person ON customers (id);
CREATE INDEX reservations_by_sender ON reservations (sender) WHERE sender IS NOT NULL;
