-- +goose Up
CREATE TABLE feedback (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person TEXT NOT NULL,
  source TEXT NOT NULL,
  question TEXT NOT NULL,
  table_name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('shown', 'clicked', 'accepted', 'rejected')),
  at INTEGER NOT NULL -- milliseconds since 1970
);
CREATE INDEX feedback_by_person ON feedback (person, source, id);
CREATE TABLE preferences (
  person TEXT NOT NULL,
  source TEXT NOT NULL,
  content TEXT NOT NULL, -- JSON of memory.Preferences
  at INTEGER NOT NULL,
  PRIMARY KEY (person, source)
);

-- +goose Down
DROP TABLE preferences;
DROP TABLE feedback;
