-- Three roles, to be given to users that log in. They belong to the whole server, so they may be there already, and stay.
DO $$
DECLARE
    role TEXT;
BEGIN
    FOREACH role IN ARRAY ARRAY['maysend_reader', 'maysend_writer', 'maysend_eraser'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                -- Another database of this server was quicker.
                NULL;
            END;
        END IF;
    END LOOP;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO maysend_reader, maysend_writer, maysend_eraser', current_schema());
    -- Rows are loaded by way of a temporary table.
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO maysend_writer', current_database());
END
$$;

GRANT SELECT ON migrations, reservations, usage, decisions, customers, rulesets, positions, unread, owed_erase, owed_replay
TO maysend_reader, maysend_writer, maysend_eraser;

-- Adds, and moves times and positions; changes nothing of what a row says, and takes nothing away.
GRANT INSERT ON reservations, usage, decisions, customers, rulesets, positions, unread TO maysend_writer;
GRANT UPDATE (first_at, last_at) ON reservations TO maysend_writer;
GRANT UPDATE (first_at, last_at) ON usage TO maysend_writer;
GRANT UPDATE (first_at, last_at) ON decisions TO maysend_writer;
GRANT UPDATE (first_at, last_at) ON customers TO maysend_writer;
GRANT UPDATE (first_at, last_at) ON rulesets TO maysend_writer;
GRANT UPDATE (next_offset) ON positions TO maysend_writer;

-- Takes a customer's rows away, and writes none.
GRANT DELETE ON reservations, usage, decisions, customers TO maysend_eraser;
