-- Times are microseconds since 1970. `customer` is a digest of tenant and key, `id` of all that a row says. A customer's
-- rows are in one partition of each table, whenever they came.

-- What may have been sent: a row for each different thing that is said of a reservation.
CREATE TABLE reservations (
    customer BYTEA NOT NULL,
    id BYTEA NOT NULL,
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
    reserved_requests BIGINT NOT NULL CHECK (reserved_requests >= 0),
    transcript_id TEXT,
    attempt TEXT,
    previous_attempt TEXT,
    program TEXT,
    place TEXT,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (customer, id)
) PARTITION BY HASH (customer);

-- What senders have reported.
CREATE TABLE usage (
    customer BYTEA NOT NULL,
    id BYTEA NOT NULL,
    tenant TEXT NOT NULL,
    customer_key TEXT,
    source TEXT NOT NULL,
    reservation_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    destination TEXT NOT NULL,
    terms TEXT,
    requests_used BIGINT NOT NULL CHECK (requests_used >= 0),
    outcome TEXT NOT NULL,
    provider_request_ids TEXT NOT NULL,
    plan TEXT,
    endpoint TEXT,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (customer, id)
) PARTITION BY HASH (customer);

-- Transcripts that were blocked: copies of them may lie in review and held.
CREATE TABLE decisions (
    customer BYTEA NOT NULL,
    id BYTEA NOT NULL,
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
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (customer, id)
) PARTITION BY HASH (customer);

-- Keys of persons. `id` names the person.
CREATE TABLE customers (
    customer BYTEA NOT NULL,
    id BYTEA NOT NULL,
    tenant TEXT NOT NULL,
    customer_key TEXT NOT NULL,
    person TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (customer, id)
) PARTITION BY HASH (customer);

-- Rulesets that were in use, by digest; `files` is a JSON object.
CREATE TABLE rulesets (
    digest TEXT NOT NULL,
    files TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (digest)
);

-- What was read of each topic: written in the transaction that takes its records in.
CREATE TABLE positions (
    cluster TEXT NOT NULL,
    topic TEXT NOT NULL,
    partition_number BIGINT NOT NULL,
    next_offset BIGINT NOT NULL,
    PRIMARY KEY (cluster, topic, partition_number)
);

-- Records that could not be read: whom they are about is not known.
CREATE TABLE unread (
    cluster TEXT NOT NULL,
    topic TEXT NOT NULL,
    partition_number BIGINT NOT NULL,
    record_offset BIGINT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (cluster, topic, partition_number, record_offset)
);

CREATE INDEX customers_by_person ON customers (id);
CREATE INDEX reservations_by_sender ON reservations (sender) WHERE sender IS NOT NULL;

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE reservations_%s PARTITION OF reservations FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
        EXECUTE format('CREATE TABLE usage_%s PARTITION OF usage FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
        EXECUTE format('CREATE TABLE decisions_%s PARTITION OF decisions FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
        EXECUTE format('CREATE TABLE customers_%s PARTITION OF customers FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
    END LOOP;
END
$$;
