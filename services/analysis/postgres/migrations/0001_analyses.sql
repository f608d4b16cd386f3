-- Times are nanoseconds since 1970 in UTC; 0 stands for none. Ids sort by their bytes,
-- whatever the language of the database.

-- +goose Up
-- The oldest version whose programs may work with these tables. A migration that an
-- older program cannot live with raises it.
CREATE TABLE analyses_compatibility (oldest BIGINT NOT NULL);
INSERT INTO analyses_compatibility VALUES (1);

CREATE TABLE analyses (
    id          TEXT COLLATE "C" PRIMARY KEY,
    owner       TEXT COLLATE "C" NOT NULL,
    title       TEXT NOT NULL, -- the question, cut short
    status      TEXT COLLATE "C" NOT NULL,
    revision    BIGINT NOT NULL,           -- counts the changes of the state
    runner      TEXT COLLATE "C" NOT NULL, -- process at work on it; empty: none
    lease_until BIGINT NOT NULL,           -- until when that process is taken to live
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    state       BYTEA NOT NULL             -- JSON
);
CREATE INDEX analyses_by_owner ON analyses (owner, created_at DESC, id);
