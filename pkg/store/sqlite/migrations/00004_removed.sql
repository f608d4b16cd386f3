-- What was removed and by which rule, so that its owner can be told, and what was
-- removed of a session that holds too much.

-- +goose Up
CREATE TABLE removed (
    id         TEXT PRIMARY KEY, -- of a session or a run
    principal  TEXT NOT NULL,
    removed_at INTEGER NOT NULL,
    rule       TEXT NOT NULL     -- key of the setting
) STRICT, WITHOUT ROWID;
CREATE INDEX removed_by_time ON removed (removed_at);

ALTER TABLE tool_calls ADD COLUMN output_removed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN steps_removed_at INTEGER NOT NULL DEFAULT 0;

-- What the turns of a session brought, so that a turn need not add it all up.
ALTER TABLE sessions ADD COLUMN payload_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET payload_bytes = coalesce((SELECT sum(octet_length(output)) FROM tool_calls c WHERE c.session_id = sessions.id), 0)
    + coalesce((SELECT sum(octet_length(s.records)) FROM runs u JOIN run_steps s ON s.root_id = u.id WHERE u.session_id = sessions.id), 0);
