-- +goose Up
CREATE TABLE api_tokens (
    id         text    PRIMARY KEY, -- "tok_" and 24 hex digits
    hash       text    NOT NULL UNIQUE,
    principal  text    NOT NULL,
    groups     text    NOT NULL, -- a JSON list
    admin      boolean NOT NULL,
    scopes     text    NOT NULL, -- a JSON list
    note       text    NOT NULL,
    created_by text    NOT NULL,
    created_at bigint  NOT NULL, -- nanoseconds since 1970
    expires_at bigint  NOT NULL,
    revoked_at bigint  NOT NULL, -- 0: it is not
    replaces   text    NOT NULL  -- id of the token that it was made instead of
);
CREATE INDEX api_tokens_by_principal ON api_tokens (principal);
CREATE TABLE api_tokens_revision (one integer PRIMARY KEY CHECK (one = 1), revision bigint NOT NULL);
INSERT INTO api_tokens_revision VALUES (1, 1);
CREATE TABLE api_tokens_compatibility (oldest bigint NOT NULL); -- the oldest version whose programs may work with this schema
INSERT INTO api_tokens_compatibility VALUES (1);

-- +goose Down
DROP TABLE api_tokens_compatibility;
DROP TABLE api_tokens_revision;
DROP TABLE api_tokens;
