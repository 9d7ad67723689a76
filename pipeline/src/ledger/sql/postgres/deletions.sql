-- How many rows a transaction has deleted for a request, written by that transaction. `request` is a digest of tenant and
-- request id, `id` names the transaction. A way back leaves this table: what no record states yet is nowhere else.
CREATE TABLE IF NOT EXISTS deletions (
    request BYTEA NOT NULL,
    id TEXT NOT NULL,
    place TEXT NOT NULL,
    tenant TEXT NOT NULL,
    request_id TEXT NOT NULL,
    row_count BIGINT NOT NULL CHECK (row_count > 0),
    deleted_at BIGINT NOT NULL,
    PRIMARY KEY (request, id, place)
);

-- Nobody changes what was noted, or takes it away.
GRANT SELECT ON deletions TO maysend_reader, maysend_writer, maysend_eraser;
GRANT INSERT ON deletions TO maysend_eraser;
