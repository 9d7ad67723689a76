DROP TRIGGER authorised ON reservations;
DROP TRIGGER authorised ON usage;
DROP TRIGGER authorised ON decisions;
DROP TRIGGER authorised ON customers;
DROP FUNCTION refuse_unauthorised_deletion();
REVOKE ALL ON authorisations FROM maysend_reader, maysend_writer, maysend_eraser;
