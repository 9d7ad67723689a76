-- Rows are evidence. They are deleted only in a transaction that says for which request, whoever it is that deletes them.
-- A way back leaves this table, since its rows say what was deleted.
CREATE TABLE IF NOT EXISTS authorisations (
    request_id TEXT NOT NULL,
    transaction_id XID8 NOT NULL DEFAULT pg_current_xact_id(),
    authorised_at TIMESTAMPTZ NOT NULL DEFAULT transaction_timestamp()
);

CREATE INDEX IF NOT EXISTS authorisations_by_transaction ON authorisations (transaction_id);

-- Ids of transactions begin anew in a cluster that is built again, so a row that a restore has brought back can carry the id
-- of the current one. It is from before that began, and counts for nothing. The table is named with its schema: by its name
-- alone, a temporary one would be taken for it.
DO $$
BEGIN
    EXECUTE format($function$
        CREATE FUNCTION refuse_unauthorised_deletion() RETURNS TRIGGER LANGUAGE plpgsql AS $body$
        BEGIN
            IF NOT EXISTS (
                SELECT FROM %I.authorisations
                WHERE transaction_id = pg_current_xact_id() AND authorised_at >= transaction_timestamp()
            ) THEN
                RAISE EXCEPTION 'rows of %% are deleted only by an erasure, and nothing in this transaction authorises it', TG_TABLE_NAME
                    USING ERRCODE = 'insufficient_privilege';
            END IF;
            RETURN OLD;
        END
        $body$
    $function$, current_schema());
END
$$;

DO $$
DECLARE
    rows_of TEXT;
BEGIN
    FOREACH rows_of IN ARRAY ARRAY['reservations', 'usage', 'decisions', 'customers'] LOOP
        EXECUTE format(
            'CREATE TRIGGER authorised BEFORE DELETE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_unauthorised_deletion()',
            rows_of
        );
    END LOOP;
END
$$;

-- Id and time are the database's own: nobody says them.
GRANT SELECT ON authorisations TO maysend_reader, maysend_writer, maysend_eraser;
GRANT INSERT (request_id) ON authorisations TO maysend_eraser;
