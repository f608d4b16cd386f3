package coding

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
)

// Row is a row of an answer, of whichever driver.
type Row interface{ Scan(to ...any) error }

// ScanSession reads id, title, source, created_at, updated_at and turns.
func ScanSession(row Row) (store.Session, error) {
	var ses store.Session
	var created, updated int64
	err := row.Scan(&ses.ID, &ses.Title, &ses.Source, &created, &updated, &ses.Turns)
	ses.CreatedAt, ses.UpdatedAt = store.FromNanos(created), store.FromNanos(updated)
	return ses, err
}

// Message is a message with its place among all.
type Message struct {
	Seq int64
	store.Message
}

// ScanMessage reads seq, session_id, chat_id, run_id, role, content, created_at,
// tool_call_ids and detail.
func ScanMessage(row Row) (Message, error) {
	var m Message
	var created int64
	var ids string
	if err := row.Scan(&m.Seq, &m.SessionID, &m.ChatID, &m.RunID, &m.Role, &m.Content, &created, &ids, &m.Detail); err != nil {
		return m, err
	}
	m.CreatedAt = store.FromNanos(created)
	err := json.Unmarshal([]byte(ids), &m.ToolCallIDs) // before m is copied: Go leaves the order open within a return
	return m, err
}

// OldestFirst turns messages round that were read newest first.
func OldestFirst(rows []Message) []store.Message {
	out := make([]store.Message, 0, len(rows))
	for _, m := range slices.Backward(rows) {
		out = append(out, m.Message)
	}
	return out
}

// ScanRun reads id, parent_id, name, service, status, started_at, ended_at, attributes,
// error, session_id, chat_id, question, owner, cancel_requested and steps_removed_at, and
// what the statement has behind them.
func ScanRun(row Row, more ...any) (store.Run, error) {
	var u store.Run
	var status, attributes string
	var started, ended, slimmed int64
	r := &u.Record
	to := []any{&r.RunID, &r.ParentRunID, &r.Name, &r.Service, &status, &started, &ended, &attributes, &r.Error,
		&u.SessionID, &u.ChatID, &u.Question, &u.Owner, &u.CancelRequested, &slimmed}
	if err := row.Scan(append(to, more...)...); err != nil {
		return u, err
	}
	r.Status, r.StartedAt, r.EndedAt = run.Status(status), store.FromNanos(started), store.FromNanos(ended)
	u.StepsRemovedAt = store.FromNanos(slimmed)
	err := json.Unmarshal([]byte(attributes), &r.Attributes) // before u is copied
	return u, err
}

// ScanFeedback reads run_id, rating, comment, corrected_sql, accepted_tables,
// rejected_tables and created_at.
func ScanFeedback(row Row) (store.Feedback, error) {
	var f store.Feedback
	var rating, accepted, rejected string
	var created int64
	if err := row.Scan(&f.RunID, &rating, &f.Comment, &f.CorrectedSQL, &accepted, &rejected, &created); err != nil {
		return f, err
	}
	f.Rating, f.CreatedAt = store.Rating(rating), store.FromNanos(created)
	err := errors.Join(json.Unmarshal([]byte(accepted), &f.AcceptedTables), json.Unmarshal([]byte(rejected), &f.RejectedTables))
	return f, err
}

// Cut drops the entry that was read to see whether there is a next page, and returns the
// page's token where there is.
func Cut[T any](entries []T, size int, cursor func(T) store.Cursor) (page []T, next string) {
	if len(entries) <= size {
		return entries, ""
	}
	entries = entries[:size]
	return entries, cursor(entries[size-1]).Token()
}
