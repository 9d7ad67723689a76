REVOKE ALL ON deletions FROM maysend_reader, maysend_writer, maysend_eraser;
