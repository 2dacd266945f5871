-- Schema version 3: what a key was last given of a live record is told by the narrow row alone, so that a record that
-- is delivered again as it was costs no look at the wide one.

-- The record's content_hash at its last delivery to the key; NULL where nobody knows any more.
ALTER TABLE sighting ADD COLUMN content_hash BLOB;
