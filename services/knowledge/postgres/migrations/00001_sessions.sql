-- Times are nanoseconds since 1970 in UTC. Texts compare by their bytes.

-- +goose Up
-- The oldest version whose programs may work with these tables. A migration that an
-- older program cannot live with raises it.
CREATE TABLE knowledge_compatibility (oldest BIGINT NOT NULL);
INSERT INTO knowledge_compatibility VALUES (1);

CREATE TABLE knowledge_sessions (
    owner      TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    memory     TEXT COLLATE "C" NOT NULL, -- JSON
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE INDEX knowledge_sessions_by_age ON knowledge_sessions (owner, updated_at DESC);
CREATE INDEX knowledge_sessions_by_time ON knowledge_sessions (updated_at);
