package sqlite

import (
	"context"
	"database/sql"
	"fmt"
)

// The statements that every step of a turn runs. They are prepared once: parsing
// them anew would cost more than running them.
const (
	lockRead = `SELECT s.principal, coalesce(l.owner, ''), coalesce(l.token, 0), coalesce(l.expires_at, 0)
		FROM sessions s LEFT JOIN locks l ON l.session_id = s.id WHERE s.id = ?`

	lockWrite = `INSERT INTO locks (session_id, owner, token, expires_at) VALUES (?,?,?,?)
		ON CONFLICT (session_id) DO UPDATE SET owner = excluded.owner, token = excluded.token, expires_at = excluded.expires_at`

	fenceRead = `SELECT s.principal, coalesce(l.owner, ''), coalesce(l.token, 0) FROM sessions s LEFT JOIN locks l ON l.session_id = s.id WHERE s.id = ?`

	sessionInsert = `INSERT INTO sessions (id, principal, title, source, created_at, updated_at, turns, payload_bytes) VALUES (?,?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`

	sessionRead = `SELECT ` + sessionColumns + ` FROM sessions WHERE id = ? AND principal = ?`

	threadRead = `SELECT s.id, s.title, s.source, s.created_at, s.updated_at, s.turns, coalesce(c.state, x''), coalesce(c.updated_at, 0) FROM sessions s
		LEFT JOIN chats c ON c.session_id = s.id AND c.id = ? WHERE s.id = ? AND s.principal = ?`

	messageColumns   = `seq, session_id, chat_id, run_id, role, content, created_at, tool_call_ids, detail`
	messagesRead     = `SELECT ` + messageColumns + ` FROM messages WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`
	chatMessagesRead = `SELECT ` + messageColumns + ` FROM messages WHERE session_id = ? AND chat_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`

	lockFree = `UPDATE locks SET owner = '', expires_at = 0 WHERE session_id = ? AND token = ? AND owner = ?`

	sessionWrite = `UPDATE sessions SET title = ?, source = ?, updated_at = ?, turns = ?, payload_bytes = payload_bytes + ? WHERE id = ? RETURNING payload_bytes`

	chatWrite = `INSERT INTO chats (session_id, id, state, updated_at) VALUES (?,?,?,?)
		ON CONFLICT (session_id, id) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at`

	// The column checkpoint is not used any more: runs are ended, not gone on with.
	runWrite = `INSERT INTO runs (id, principal, session_id, chat_id, question, owner,
		                  parent_id, name, service, status, started_at, ended_at, attributes, error)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, status = excluded.status,
		  ended_at = excluded.ended_at, attributes = excluded.attributes, error = excluded.error
		WHERE runs.session_id = excluded.session_id`

	stepWrite = `INSERT INTO run_steps (root_id, records) VALUES (?,?)`

	callWrite = `INSERT INTO tool_calls (id, session_id, chat_id, run_id, tool_name, agent_name, arguments, source_id, next_id, status,
		                        started_at, ended_at, output_type, output, output_coding, error, error_reason)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET run_id = excluded.run_id, arguments = excluded.arguments, source_id = excluded.source_id,
		  status = excluded.status, ended_at = excluded.ended_at, output_type = excluded.output_type, output = excluded.output, output_coding = excluded.output_coding,
		  error = excluded.error, error_reason = excluded.error_reason
		WHERE tool_calls.session_id = excluded.session_id AND tool_calls.status <> ?`

	callRead = `SELECT c.id, c.session_id, c.chat_id, c.run_id, c.tool_name, c.agent_name, c.arguments, c.source_id, c.next_id, c.status,
		       c.started_at, c.ended_at, c.output_type, c.output, c.output_coding, c.error, c.error_reason, c.output_removed_at
		FROM tool_calls c JOIN sessions s ON s.id = c.session_id WHERE c.id = ? AND s.principal = ?`

	callSession = `SELECT session_id FROM tool_calls WHERE id = ?`

	callLink = `UPDATE tool_calls SET next_id = ? WHERE id = ? AND session_id = ?`

	messageWrite = `INSERT INTO messages (session_id, chat_id, run_id, role, content, created_at, tool_call_ids, detail) VALUES (?,?,?,?,?,?,?,?)`
)

// prepare makes the statements of every turn, on the one connection that writes
// and on those that read.
func (s *Store) prepare(ctx context.Context) (err error) {
	s.prepared, err = prepared(ctx, s.write, lockRead, lockWrite, lockFree, fenceRead, sessionInsert, sessionWrite, chatWrite,
		runWrite, stepWrite, callWrite, callLink, messageWrite, turnsBeyond, payloadAdd, stepFirst, stepNext, stepAgain, stepsOf, stepsAny, stepsClash, stepsEnded, sessionThere,
		stepsRead+ofSession+inOrder, stepsRead+ofAll+inOrder, stepsRead+ofEnded+inOrder, stepsRead+ofTurn+inOrder,
		stepsDelete+ofSession, stepsDelete+ofAll, stepsDelete+ofEnded, stepsDelete+ofTurn)
	if err == nil {
		s.reading, err = prepared(ctx, s.read, sessionRead, threadRead, messagesRead, chatMessagesRead, callRead, callSession, stepsOf, stepsAny)
	}
	return err
}

func prepared(ctx context.Context, db *sql.DB, texts ...string) (map[string]*sql.Stmt, error) {
	out := make(map[string]*sql.Stmt, len(texts))
	for _, text := range texts {
		st, err := db.PrepareContext(ctx, text) //nolint:sqlclosecheck // lives as long as the store, whose Close ends its connection
		if err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
		out[text] = st
	}
	return out, nil
}

// exec runs a prepared statement within tx.
func (s *Store) exec(ctx context.Context, tx *sql.Tx, text string, args ...any) (sql.Result, error) {
	return tx.StmtContext(ctx, s.prepared[text]).ExecContext(ctx, args...) //nolint:sqlclosecheck // tx closes it when it ends
}

// query asks a prepared statement for rows within tx.
func (s *Store) query(ctx context.Context, tx *sql.Tx, text string, args ...any) (*sql.Rows, error) {
	return tx.StmtContext(ctx, s.prepared[text]).QueryContext(ctx, args...) //nolint:sqlclosecheck // tx closes it when it ends
}

// queryRow asks a prepared statement for a row within tx.
func (s *Store) queryRow(ctx context.Context, tx *sql.Tx, text string, args ...any) *sql.Row {
	return tx.StmtContext(ctx, s.prepared[text]).QueryRowContext(ctx, args...) //nolint:sqlclosecheck // tx closes it when it ends
}
