SELECT work.customer, {more}work.tenant, work.customer_key, work.source, work.reservation_id, work.provider, work.destination, work.terms, work.ruleset, work.mode, work.reserved_requests, work.requests_used, work.provider_request_ids, work.usage_rows, work.decision_rows, work.first_at, work.last_at
FROM (
    SELECT customer, sender, tenant, customer_key, source, reservation_id, provider, destination, terms, ruleset, mode, reserved_requests, CAST(0 AS BIGINT) AS requests_used, CAST(NULL AS TEXT) AS provider_request_ids, CAST(0 AS BIGINT) AS usage_rows, CAST(0 AS BIGINT) AS decision_rows, first_at, last_at
    FROM reservations
    UNION ALL
    SELECT customer, CAST(NULL AS TEXT), tenant, customer_key, source, reservation_id, provider, destination, terms, CAST(NULL AS TEXT), CAST(NULL AS TEXT), CAST(0 AS BIGINT), requests_used, provider_request_ids, CAST(1 AS BIGINT), CAST(0 AS BIGINT), first_at, last_at
    FROM usage
    UNION ALL
    SELECT customer, CAST(NULL AS TEXT), tenant, customer_key, 'transcript', reservation_id, CAST(NULL AS TEXT), destination, terms, ruleset, mode, CAST(0 AS BIGINT), CAST(0 AS BIGINT), CAST(NULL AS TEXT), CAST(0 AS BIGINT), CAST(1 AS BIGINT), first_at, last_at
    FROM decisions
) AS work
WHERE {rule}
