DROP TABLE reservations;
DROP TABLE usage;
DROP TABLE decisions;
DROP TABLE customers;
DROP TABLE rulesets;
DROP TABLE positions;
DROP TABLE unread;
DROP TABLE IF EXISTS authorisations;
DROP TABLE IF EXISTS deletions;
