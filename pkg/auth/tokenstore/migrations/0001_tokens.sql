-- +goose Up
CREATE TABLE api_tokens (
    id         TEXT    PRIMARY KEY, -- "tok_" and 24 hex digits
    hash       TEXT    NOT NULL UNIQUE,
    principal  TEXT    NOT NULL,
    groups     TEXT    NOT NULL, -- a JSON list
    admin      INTEGER NOT NULL,
    scopes     TEXT    NOT NULL, -- a JSON list
    note       TEXT    NOT NULL,
    created_by TEXT    NOT NULL,
    created_at INTEGER NOT NULL, -- nanoseconds since 1970
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER NOT NULL, -- 0: it is not
    replaces   TEXT    NOT NULL  -- id of the token that it was made instead of
);
CREATE INDEX api_tokens_by_principal ON api_tokens (principal);
CREATE TABLE api_tokens_revision (one INTEGER PRIMARY KEY CHECK (one = 1), revision INTEGER NOT NULL);
INSERT INTO api_tokens_revision VALUES (1, 1);

-- +goose Down
DROP TABLE api_tokens_revision;
DROP TABLE api_tokens;
