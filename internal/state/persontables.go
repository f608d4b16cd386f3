package state

import (
	"slices"
	"strings"
)

// personTable says what of a table is of one person. Each column of a table is in one of its
// lists, so that a new one cannot come without somebody saying what it is.
type personTable struct {
	name string
	// owner is the column with the principal whose row it is. Such rows are exported, and
	// deleted; but where stays is set and holds of a row, the row is others' work too: it stays
	// with the name taken out.
	owner string
	stays string
	// parent is the table whose rows the rows belong to: key here is parentKey there.
	parent, key, parentKey string
	// named are columns that name who did something to what is others'. The row's key (id) and
	// these columns are exported; a deletion takes the name out.
	id    string
	named []string
	// hidden columns are not exported: secrets, and what only programs can read.
	hidden []string
	// packed names the column that says how the column "output" is packed.
	packed string
	rest   []string
}

// storeTables are the tables of a store, each after the one that it belongs to; changed are
// statements that tell other processes of a deletion, with names of tables in braces.
type storeTables struct {
	tables  []personTable
	changed []string
}

// declared are the tables of a store, by the names that they have where it is.
func declared(k kept) storeTables {
	of := personTables[k.name]
	named := storeTables{tables: slices.Clone(of.tables)}
	for i := range named.tables {
		t := &named.tables[i]
		t.name = k.prefix + t.name
		if t.parent != "" {
			t.parent = k.prefix + t.parent
		}
	}
	for _, text := range of.changed {
		named.changed = append(named.changed, strings.NewReplacer("{", k.prefix, "}", "").Replace(text))
	}
	return named
}

// personTables has the tables of each store by the name that the store has in Kept.
var personTables = map[string]storeTables{
	"sessions": {tables: []personTable{
		{name: "sessions", owner: "principal", rest: []string{"id", "title", "source", "created_at", "updated_at", "turns", "payload_bytes", "lock_owner", "lock_token", "lock_expires"}},
		{name: "chats", parent: "sessions", key: "session_id", parentKey: "id", rest: []string{"id", "state", "updated_at"}},
		{name: "messages", parent: "sessions", key: "session_id", parentKey: "id", rest: []string{"seq", "chat_id", "run_id", "role", "content", "created_at", "tool_call_ids", "detail"}},
		{name: "tool_calls", parent: "sessions", key: "session_id", parentKey: "id", packed: "output_coding", rest: []string{
			"id", "chat_id", "run_id", "tool_name", "agent_name", "arguments", "source_id", "next_id", "status", "started_at", "ended_at", "output_type", "output", "output_removed_at", "error", "error_reason"}},
		{name: "runs", owner: "principal", rest: []string{
			"id", "session_id", "chat_id", "question", "status", "started_at", "owner", "checkpoint", "cancel_requested", "parent_id", "name", "service", "ended_at", "attributes", "error", "steps_removed_at"}},
		{name: "run_steps", parent: "runs", key: "root_id", parentKey: "id", rest: []string{"seq", "records"}},
		// Opening the store writes such rows into the tables above: these came since.
		{name: "turn_steps", owner: "principal", rest: []string{"seq", "session_id", "owner", "token", "run_id", "call_1", "call_2", "ended", "step"}},
		{name: "locks", parent: "sessions", key: "session_id", parentKey: "id", rest: []string{"owner", "token", "expires_at"}}, // owner is a process
		{name: "feedback", owner: "principal", rest: []string{"seq", "run_id", "rating", "comment", "corrected_sql", "accepted_tables", "rejected_tables", "created_at"}},
		{name: "removed", owner: "principal", rest: []string{"id", "removed_at", "rule"}},
		{name: "instances", rest: []string{"id", "seen_at"}}, // processes
		{name: "compatibility", rest: []string{"oldest", "because"}},
	}},
	"analyses": {tables: []personTable{
		{name: "analyses", owner: "owner", rest: []string{"id", "title", "status", "revision", "runner", "lease_until", "created_at", "updated_at", "state"}},
		{name: "watches", owner: "owner", rest: []string{"id", "name", "status", "revision", "due_at", "runner", "lease_until", "created_at", "updated_at", "state"}},
		{name: "analyses_compatibility", rest: []string{"oldest"}},
	}},
	"API tokens": {
		tables: []personTable{
			{name: "api_tokens", owner: "principal", id: "id", named: []string{"created_by"}, hidden: []string{"hash"},
				rest: []string{"groups", "admin", "scopes", "note", "created_at", "expires_at", "revoked_at", "replaces"}},
			{name: "api_tokens_revision", rest: []string{"one", "revision"}},
			{name: "api_tokens_compatibility", rest: []string{"oldest"}},
		},
		changed: []string{`UPDATE {api_tokens_revision} SET revision = revision + 1`},
	},
	"preferences": {tables: []personTable{
		{name: "feedback", owner: "person", rest: []string{"id", "source", "question", "table_name", "kind", "at"}},
		{name: "preferences", owner: "person", rest: []string{"source", "content", "at"}},
		{name: "answer", owner: "person", rest: []string{"id", "source", "question", "features", "at"}},
		{name: "shown", parent: "answer", key: "answer", parentKey: "id", hidden: []string{"features"}, rest: []string{"place", "table_name", "kind"}},
		{name: "review", id: "id", named: []string{"resolved_by"}, rest: []string{ // who asked is not kept
			"source", "kind", "asked", "question", "times", "first_at", "last_at", "reading", "status", "resolution", "resolved_at"}},
		{name: "feature_names", rest: []string{"id", "names"}},
		{name: "use_day", rest: []string{"source", "day", "asked", "clarified", "declined", "replied", "settled"}},
		{name: "curated", rest: []string{"source", "content", "revision"}},
		{name: "compatibility", rest: []string{"oldest"}},
	}},
	"verified queries": {
		tables: []personTable{
			{name: "examples", owner: "added_by", stays: "status <> 'proposed'", id: "id", named: []string{"approved_by"},
				rest: []string{"source", "mart", "question", "question_key", "sql", "tables", "status", "added_at", "approved_at", "run_id"}},
			{name: "revisions", rest: []string{"source", "n"}},
			{name: "compatibility", rest: []string{"oldest"}},
		},
		changed: []string{`UPDATE {revisions} SET n = n + 1`},
	},
	"expert's sessions": {tables: []personTable{
		{name: "sessions", owner: "owner", rest: []string{"id", "memory", "updated_at"}},
		{name: "compatibility", rest: []string{"oldest"}},
	}},
	"shared results": {tables: []personTable{
		{name: "results", owner: "owner", rest: []string{"id", "created_ms", "columns", "rows", "truncated", "bytes"}},
		{name: "results_batches", parent: "results", key: "result_id", parentKey: "id", hidden: []string{"marks"}},
		{name: "results_reusable", owner: "owner", rest: []string{"key", "result_id"}},
		{name: "results_removed", owner: "owner", rest: []string{"id", "removed_ms", "why"}},
		// Of statements at work, whose process removes them; a statement's row goes with the statement.
		{name: "results_writing", rest: []string{"id", "owner", "bytes", "process", "lease_until"}},
		{name: "running_statements", rest: []string{"id", "source", "runs_as", "since_ms", "process", "lease_until"}},
		{name: "results_compatibility", rest: []string{"oldest"}},
	}},
	resultsStore: {tables: []personTable{
		{name: "results", owner: "owner", rest: []string{"id", "created_ms", "columns", "rows", "truncated", "bytes"}},
		{name: "batches", parent: "results", key: "result_id", parentKey: "id", hidden: []string{"marks"}},
		{name: "reusable", owner: "owner", rest: []string{"key", "result_id"}},
		{name: "removed", owner: "owner", rest: []string{"id", "removed_ms", "why"}},
		// Room that a statement at work has taken: its owner's process gives it back.
		{name: "writing", rest: []string{"id", "owner", "bytes"}},
	}},
}

// columns are all that are declared.
func (t personTable) columns() []string {
	var all []string
	for _, c := range []string{t.owner, t.key, t.id, t.packed} {
		if c != "" {
			all = append(all, c)
		}
	}
	all = append(all, t.named...)
	all = append(all, t.hidden...)
	return append(all, t.rest...)
}
