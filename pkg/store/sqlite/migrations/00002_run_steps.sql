-- A run keeps its own record in its row, and the records of its tree as the steps
-- brought them: one row a step, so that a step costs one insert.

-- +goose Up
ALTER TABLE runs ADD COLUMN parent_id TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN service TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN ended_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN attributes TEXT NOT NULL DEFAULT 'null'; -- JSON object
ALTER TABLE runs ADD COLUMN error TEXT NOT NULL DEFAULT '';

UPDATE runs SET parent_id = r.parent_id, name = r.name, service = r.service, ended_at = r.ended_at, attributes = r.attributes, error = r.error
FROM run_records r WHERE r.id = runs.id;

CREATE TABLE run_steps (
    seq     INTEGER PRIMARY KEY,
    root_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    records TEXT NOT NULL -- JSON array; of two records with one id the later counts
) STRICT;
CREATE INDEX run_steps_by_root ON run_steps (root_id);

INSERT INTO run_steps (root_id, records)
SELECT root_id, json_group_array(json_object('id', id, 'parent', parent_id, 'name', name, 'service', service, 'call', tool_call_id,
    'tool', tool_name, 'status', status, 'started', started_at, 'ended', ended_at, 'attributes', json(attributes), 'error', error))
FROM (SELECT * FROM run_records WHERE id <> root_id ORDER BY seq) GROUP BY root_id;

DROP TABLE run_records;
