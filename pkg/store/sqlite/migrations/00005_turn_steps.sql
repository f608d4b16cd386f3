-- What turns have brought lately, a row a step, until some have ended or somebody else asks:
-- then it is written into the tables above, and the rows go. A step costs one page so.

-- +goose Up
CREATE TABLE turn_steps (
    seq        INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,    -- may not be in sessions yet
    principal  TEXT NOT NULL,
    owner      TEXT NOT NULL,    -- instance at work on the turn
    token      INTEGER NOT NULL, -- of its lock
    run_id     TEXT NOT NULL,    -- that the step writes; '' none
    call_1     TEXT NOT NULL,    -- likewise
    call_2     TEXT NOT NULL,
    ended      INTEGER NOT NULL, -- 1: the turn's last, which gives the lock up
    step       BLOB NOT NULL     -- what step.go writes
) STRICT;

-- The oldest version of this schema that a program must know to work with the file: of several
-- rows the newest counts. Version 4 may, as long as there are no steps: who keeps some adds a
-- row 'turn_steps' before, and takes it away once all of them are in the tables above.
CREATE TABLE compatibility (
    oldest  INTEGER NOT NULL,
    because TEXT NOT NULL
) STRICT;
INSERT INTO compatibility VALUES (4, '');
