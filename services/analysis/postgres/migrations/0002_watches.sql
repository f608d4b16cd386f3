-- Times are nanoseconds since 1970 in UTC; 0 stands for none.

-- +goose Up
CREATE TABLE watches (
    id          TEXT COLLATE "C" PRIMARY KEY,
    owner       TEXT COLLATE "C" NOT NULL,
    name        TEXT COLLATE "C" NOT NULL,
    status      TEXT COLLATE "C" NOT NULL,
    revision    BIGINT NOT NULL,           -- counts the changes
    due_at      BIGINT NOT NULL,           -- when something has to be done next
    runner      TEXT COLLATE "C" NOT NULL, -- process at work on it; empty: none
    lease_until BIGINT NOT NULL,           -- until when that process is taken to live
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    state       BYTEA NOT NULL             -- JSON
);
CREATE UNIQUE INDEX watches_by_owner ON watches (owner, name);
CREATE INDEX watches_by_time ON watches (status, due_at);
