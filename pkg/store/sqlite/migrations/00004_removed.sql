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
