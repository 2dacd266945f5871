-- Schema version 2: what is remembered of a source and of how it behaves, what a key covers beside its watermark, and
-- what is due.

ALTER TABLE source ADD COLUMN name TEXT;
ALTER TABLE source ADD COLUMN host TEXT;
ALTER TABLE source ADD COLUMN namespace TEXT;
ALTER TABLE source ADD COLUMN earliest TEXT;
-- It asked not to be asked again before this moment of our clock.
ALTER TABLE source ADD COLUMN not_before TEXT;
ALTER TABLE source ADD COLUMN single_use INTEGER NOT NULL DEFAULT 0;
ALTER TABLE source ADD COLUMN pause_millis INTEGER NOT NULL DEFAULT 0;

-- Address of the schema of the format.
ALTER TABLE catalog ADD COLUMN schema TEXT;

ALTER TABLE harvest_key ADD COLUMN refresh_due TEXT;
-- The most by which a record came later than its datestamp says.
ALTER TABLE harvest_key ADD COLUMN lag_seconds INTEGER NOT NULL DEFAULT 0;

ALTER TABLE traversal ADD COLUMN offset_gaps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE traversal DROP COLUMN granularity;
ALTER TABLE traversal DROP COLUMN deleted_records;

-- Spans of datestamps that were once read completely and that floor and watermark say nothing of; '' is the beginning.
CREATE TABLE coverage (
    key_id INTEGER NOT NULL REFERENCES harvest_key (id),
    span_from TEXT NOT NULL,
    span_until TEXT NOT NULL,
    PRIMARY KEY (key_id, span_from, span_until)
) STRICT, WITHOUT ROWID;

-- Records that are known to be there and could not be had.
CREATE TABLE hole (
    key_id INTEGER NOT NULL REFERENCES harvest_key (id),
    identifier TEXT NOT NULL,
    datestamp TEXT,
    reason TEXT NOT NULL,
    PRIMARY KEY (key_id, identifier)
) STRICT, WITHOUT ROWID;

-- Tombstones that were concluded from an absence, while nobody has delivered the record again.
CREATE TABLE inferred (
    record_id INTEGER PRIMARY KEY REFERENCES record (id)
) STRICT;

DROP VIEW catalog_record;

CREATE VIEW catalog_record AS
SELECT
    source.endpoint,
    catalog.metadata_prefix,
    record.identifier,
    record.datestamp,
    record.deleted,
    record.sets,
    record.harvested_at,
    record.changed_at,
    record.first_seen,
    record.deleted AND EXISTS (
        SELECT 1 FROM inferred WHERE inferred.record_id = record.id
    ) AS inferred,
    record.abouts,
    record.payload
FROM record
JOIN catalog ON catalog.id = record.catalog_id
JOIN source ON source.id = catalog.source_id;

DROP VIEW state;

CREATE VIEW state AS
SELECT
    harvest_key.id AS key_id,
    source.endpoint,
    catalog.metadata_prefix,
    harvest_key.set_spec,
    harvest_key.watermark AS last_ts,
    traversal.token,
    harvest_key.errors,
    harvest_key.floor,
    harvest_key.held_live,
    harvest_key.staged,
    harvest_key.last_opened_at,
    harvest_key.last_closed_at,
    harvest_key.last_reason,
    harvest_key.refresh_due,
    harvest_key.lag_seconds,
    (SELECT count(*) FROM hole WHERE hole.key_id = harvest_key.id) AS holes,
    source.not_before,
    source.single_use,
    source.pause_millis,
    traversal.number AS open_traversal,
    traversal.window_from,
    traversal.window_until,
    traversal.pages,
    traversal.delivered,
    traversal.distinct_identifiers
FROM harvest_key
JOIN catalog ON catalog.id = harvest_key.catalog_id
JOIN source ON source.id = catalog.source_id
LEFT JOIN traversal ON traversal.key_id = harvest_key.id;
