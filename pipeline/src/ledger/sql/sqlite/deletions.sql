-- How many rows a transaction has deleted for a request, written by that transaction. `request` is a digest of tenant and
-- request id, `id` names the transaction. A way back leaves this table: what no record states yet is nowhere else.
CREATE TABLE IF NOT EXISTS deletions (
    request BLOB NOT NULL,
    id TEXT NOT NULL,
    place TEXT NOT NULL,
    tenant TEXT NOT NULL,
    request_id TEXT NOT NULL,
    row_count INTEGER NOT NULL CHECK (row_count > 0),
    deleted_at INTEGER NOT NULL,
    PRIMARY KEY (request, id, place)
) STRICT, WITHOUT ROWID;
