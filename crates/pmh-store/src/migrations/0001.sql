-- Schema version 1.
--
-- The views `state` and `catalog_record` at the end are what other programs read; their columns keep name and
-- meaning over versions. The tables are ours. Moments are `YYYY-MM-DDThh:mm:ssZ`; datestamps are in the form the
-- repository stated them in. Lists (sets, abouts) are JSON arrays of strings.

PRAGMA application_id = 1886218323; -- "pmhS"

-- A configured base URL, and what its last good Identify said, once there was one.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    endpoint TEXT NOT NULL UNIQUE,
    granularity TEXT CHECK (granularity IN ('day', 'second')),
    deleted_records TEXT CHECK (deleted_records IN ('no', 'transient', 'persistent'))
) STRICT;

-- The records of a source in one format, whatever keys deliver them.
CREATE TABLE catalog (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES source (id),
    metadata_prefix TEXT NOT NULL,
    UNIQUE (source_id, metadata_prefix)
) STRICT;

-- What progress is kept for: a catalog and perhaps a set ('' is the whole repository).
CREATE TABLE harvest_key (
    id INTEGER PRIMARY KEY,
    catalog_id INTEGER NOT NULL REFERENCES catalog (id),
    set_spec TEXT NOT NULL,
    watermark TEXT,
    floor TEXT,
    errors INTEGER NOT NULL DEFAULT 0,
    last_traversal INTEGER NOT NULL DEFAULT 0,
    -- Counts of sightings, kept in step so that no commit has to count.
    held_live INTEGER NOT NULL DEFAULT 0 CHECK (held_live >= 0),
    staged INTEGER NOT NULL DEFAULT 0 CHECK (staged >= 0),
    last_opened_at TEXT,
    last_closed_at TEXT,
    last_reason TEXT,
    -- The last complete list.
    complete_pages INTEGER,
    complete_distinct INTEGER,
    complete_size INTEGER,
    complete_ended_empty INTEGER,
    complete_everything INTEGER,
    UNIQUE (catalog_id, set_spec)
) STRICT;

-- The unfinished traversal of a key; at most one.
CREATE TABLE traversal (
    key_id INTEGER PRIMARY KEY REFERENCES harvest_key (id),
    number INTEGER NOT NULL,
    window_number INTEGER NOT NULL,
    window_from TEXT,
    window_until TEXT,
    opened_at TEXT NOT NULL,
    restarts_in_row INTEGER NOT NULL,
    restarts INTEGER NOT NULL,
    granularity TEXT NOT NULL,
    deleted_records TEXT NOT NULL,
    opening_response_date TEXT,
    size_first INTEGER,
    size_last INTEGER,
    size_least INTEGER,
    unreadable INTEGER NOT NULL DEFAULT 0,
    session_bound INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL DEFAULT 0,
    delivered INTEGER NOT NULL DEFAULT 0,
    distinct_identifiers INTEGER NOT NULL DEFAULT 0,
    fresh_in_window INTEGER NOT NULL DEFAULT 0,
    barren_run INTEGER NOT NULL DEFAULT 0,
    empty_run INTEGER NOT NULL DEFAULT 0,
    token TEXT,
    token_given_at TEXT,
    token_life_seconds INTEGER
) STRICT;

-- The payload is the last column, so that the ones before it are read without it.
CREATE TABLE record (
    id INTEGER PRIMARY KEY,
    catalog_id INTEGER NOT NULL REFERENCES catalog (id),
    identifier TEXT NOT NULL,
    datestamp TEXT,
    deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
    sets TEXT NOT NULL,
    harvested_at TEXT NOT NULL,
    changed_at TEXT NOT NULL,
    first_seen TEXT NOT NULL,
    content_hash BLOB,
    abouts TEXT NOT NULL,
    payload TEXT,
    UNIQUE (catalog_id, identifier),
    CHECK (CASE WHEN deleted THEN payload IS NULL AND abouts = '[]' ELSE content_hash IS NOT NULL END)
) STRICT;

-- The last delivery of a record to a key. Narrow, because every delivery writes one.
CREATE TABLE sighting (
    key_id INTEGER NOT NULL REFERENCES harvest_key (id),
    record_id INTEGER NOT NULL REFERENCES record (id),
    traversal_number INTEGER NOT NULL,
    window_number INTEGER NOT NULL,
    datestamp TEXT,
    alive INTEGER NOT NULL,
    staged INTEGER NOT NULL,
    PRIMARY KEY (key_id, record_id)
) STRICT, WITHOUT ROWID;

-- Tombstones that wait for their traversal to be proven complete: few, so the index is small.
CREATE INDEX staged_sighting ON sighting (key_id, record_id) WHERE staged;

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
    record.abouts,
    record.payload
FROM record
JOIN catalog ON catalog.id = record.catalog_id
JOIN source ON source.id = catalog.source_id;
