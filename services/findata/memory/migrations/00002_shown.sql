-- +goose Up
-- What people were shown, with the features by which it was ranked: what becomes
-- of it is what ranking is learned from.
CREATE TABLE feature_names (
  id INTEGER PRIMARY KEY,
  names TEXT NOT NULL UNIQUE -- JSON list
);
CREATE TABLE answer (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  person TEXT NOT NULL,
  source TEXT NOT NULL,
  question TEXT NOT NULL,
  features INTEGER NOT NULL REFERENCES feature_names (id),
  at INTEGER NOT NULL -- milliseconds since 1970
);
CREATE INDEX answer_by_person ON answer (person, source, id);
CREATE TABLE shown (
  answer INTEGER NOT NULL REFERENCES answer (id) ON DELETE CASCADE,
  place INTEGER NOT NULL, -- from 1
  table_name TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'shown' CHECK (kind IN ('shown', 'clicked', 'accepted', 'rejected')),
  features BLOB NOT NULL, -- float32, little endian, by the names
  PRIMARY KEY (answer, place)
);

-- +goose Down
DROP TABLE shown;
DROP TABLE answer;
DROP TABLE feature_names;
