-- Outputs of tool calls are most of what a turn stores, and shrink to a third.

-- +goose Up
ALTER TABLE tool_calls ADD COLUMN output_coding TEXT NOT NULL DEFAULT ''; -- '' as it is, 'zstd'
