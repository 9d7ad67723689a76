-- The roles themselves may be used by other databases of the server.
REVOKE ALL ON migrations, reservations, usage, decisions, customers, rulesets, positions, unread, owed_erase, owed_replay
FROM maysend_reader, maysend_writer, maysend_eraser;
DO $$
BEGIN
    EXECUTE format('REVOKE ALL ON SCHEMA %I FROM maysend_reader, maysend_writer, maysend_eraser', current_schema());
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM maysend_writer', current_database());
END
$$;
