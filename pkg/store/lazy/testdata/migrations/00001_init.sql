-- +goose Up
CREATE TABLE notes (text TEXT NOT NULL) STRICT;
