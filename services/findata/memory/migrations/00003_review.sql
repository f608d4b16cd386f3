-- +goose Up
-- Questions that went wrong, for a curator: one row for all that ask the same. Who asked
-- is not kept.
CREATE TABLE review (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('declined', 'unsure', 'rejected')),
  asked TEXT NOT NULL, -- the question in lower case
  question TEXT NOT NULL, -- as it was asked last
  times INTEGER NOT NULL,
  first_at INTEGER NOT NULL, -- milliseconds since 1970
  last_at INTEGER NOT NULL,
  reading TEXT NOT NULL, -- JSON of memory.Reading
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved', 'dismissed')),
  resolution TEXT NOT NULL DEFAULT '',
  resolved_by TEXT NOT NULL DEFAULT '',
  resolved_at INTEGER NOT NULL DEFAULT 0,
  UNIQUE (source, kind, asked)
);
CREATE INDEX review_by_status ON review (source, status, last_at);
-- What came of questions, by day (UTC).
CREATE TABLE use_day (
  source TEXT NOT NULL,
  day TEXT NOT NULL,
  asked INTEGER NOT NULL, -- questions
  clarified INTEGER NOT NULL, -- of them: the person was asked back
  declined INTEGER NOT NULL, -- of them: nothing was found
  replied INTEGER NOT NULL, -- answers to what was asked back
  settled INTEGER NOT NULL, -- of them: tables were found
  PRIMARY KEY (source, day)
);

-- +goose Down
DROP TABLE use_day;
DROP TABLE review;
