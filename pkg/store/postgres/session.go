package postgres

import (
	"context"
	"errors"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

const sessionInsert = `INSERT INTO sessions (id, principal, title, source, created_at, updated_at, turns, lock_owner, lock_token, lock_expires)
	VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) ON CONFLICT DO NOTHING`

// CreateSession stores a new session.
func (s *Store) CreateSession(ctx context.Context, p run.Principal, ses store.Session) error {
	return s.writing(ctx, "create a session", func(ctx context.Context, tx pgx.Tx) error {
		return insertSession(ctx, tx, p, ses, "", store.Lock{})
	})
}

// insertSession stores a new session, locked where owner is not empty.
func insertSession(ctx context.Context, tx pgx.Tx, p run.Principal, ses store.Session, owner string, l store.Lock) error {
	done, err := tx.Exec(ctx, sessionInsert, storables(ses.ID, p.ID, ses.Title, ses.Source,
		store.Nanos(ses.CreatedAt), store.Nanos(ses.UpdatedAt), int64(ses.Turns), owner, l.Token, store.Nanos(l.ExpiresAt))...)
	if err == nil && done.RowsAffected() == 0 {
		err = store.IDTaken(ses.ID)
	}
	return err
}

const sessionColumns = `id, title, source, created_at, updated_at, turns`

// Session reads one session.
func (s *Store) Session(ctx context.Context, p run.Principal, id string) (out store.Session, err error) {
	err = s.reading(ctx, "read a session", func(ctx context.Context, q querier) error {
		out, err = readSession(ctx, q, p, id)
		return err
	})
	return out, err
}

func readSession(ctx context.Context, q querier, p run.Principal, id string) (store.Session, error) {
	ses, err := coding.ScanSession(q.QueryRow(ctx, `SELECT `+sessionColumns+` FROM sessions WHERE id = $1 AND principal = $2`, storables(id, p.ID)...))
	if errors.Is(err, pgx.ErrNoRows) {
		return store.Session{}, sessionUnknown(ctx, q, p, id)
	}
	return ses, err
}

// Sessions lists the principal's sessions, the last used first.
func (s *Store) Sessions(ctx context.Context, p run.Principal, page store.Page) (out []store.Session, next string, err error) {
	const list = "sessions"
	after, more, err := store.ParseCursor(list, page.Token)
	if err != nil {
		return nil, "", err
	}
	if !more {
		after.At, after.ID = math.MaxInt64, ""
	}
	err = s.reading(ctx, "list sessions", func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, `SELECT `+sessionColumns+` FROM sessions WHERE principal = $1 AND (updated_at, id) < ($2, $3)
			ORDER BY updated_at DESC, id DESC LIMIT $4`, storables(p.ID, after.At, after.ID, page.Size+1)...)
		out, err = rowsOf(rows, err, coding.ScanSession)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	out, next = coding.Cut(out, page.Size, func(ses store.Session) store.Cursor {
		return store.Cursor{List: list, At: store.Nanos(ses.UpdatedAt), ID: ses.ID}
	})
	return out, next, nil
}

// DeleteSession removes a session with all that belongs to it. A turn that is at work
// on it finds its lock gone and stops.
func (s *Store) DeleteSession(ctx context.Context, p run.Principal, id string) error {
	return s.writing(ctx, "delete a session", func(ctx context.Context, tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `DELETE FROM sessions WHERE id = $1 AND principal = $2`, storables(id, p.ID)...)
		if err == nil && done.RowsAffected() == 0 {
			err = sessionUnknown(ctx, tx, p, id)
		}
		return err
	})
}

const threadRead = `SELECT s.id, s.title, s.source, s.created_at, s.updated_at, s.turns, coalesce(c.state, ''::bytea), coalesce(c.updated_at, 0) FROM sessions s
	LEFT JOIN chats c ON c.session_id = s.id AND c.id = $1 WHERE s.id = $2 AND s.principal = $3`

// Thread reads a chat of a session with its newest messages, at most so many. One that
// nobody has written in is returned empty.
func (s *Store) Thread(ctx context.Context, p run.Principal, sessionID, chatID string, messages int) (t store.Thread, err error) {
	err = s.reading(ctx, "read a chat", func(ctx context.Context, q querier) error {
		t = store.Thread{Chat: store.Chat{SessionID: sessionID, ID: chatID}}
		ses, c := &t.Session, &t.Chat
		var created, used, updated int64
		err := q.QueryRow(ctx, threadRead, storables(chatID, sessionID, p.ID)...).
			Scan(&ses.ID, &ses.Title, &ses.Source, &created, &used, &ses.Turns, &c.State, &updated)
		if errors.Is(err, pgx.ErrNoRows) {
			t = store.Thread{}
			return sessionUnknown(ctx, q, p, sessionID)
		}
		if err != nil {
			return err
		}
		ses.CreatedAt, ses.UpdatedAt, c.UpdatedAt = store.FromNanos(created), store.FromNanos(used), store.FromNanos(updated)
		found, err := newest(ctx, q, sessionID, chatID, math.MaxInt64, messages+1)
		t.Earlier = len(found) > messages
		t.Messages = coding.OldestFirst(found[:min(len(found), messages)])
		return err
	})
	return t, err
}

// Messages returns the newest messages of a session, oldest first within the page; the
// next page has older ones. An empty chatID means all chats.
func (s *Store) Messages(ctx context.Context, p run.Principal, sessionID, chatID string, page store.Page) (out []store.Message, next string, err error) {
	list := "messages/" + sessionID + "/" + chatID
	before, more, err := store.ParseCursor(list, page.Token)
	if err != nil {
		return nil, "", err
	}
	if !more {
		before.At = math.MaxInt64
	}
	var found []coding.Message
	err = s.reading(ctx, "list messages", func(ctx context.Context, q querier) error {
		if _, err := readSession(ctx, q, p, sessionID); err != nil {
			return err
		}
		var err error
		found, err = newest(ctx, q, sessionID, chatID, before.At, page.Size+1)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	found, next = coding.Cut(found, page.Size, func(m coding.Message) store.Cursor { return store.Cursor{List: list, At: m.Seq} })
	return coding.OldestFirst(found), next, nil
}

const (
	messagesRead    = `SELECT seq, session_id, chat_id, run_id, role, content, created_at, tool_call_ids, detail FROM messages WHERE session_id = $1 AND seq < $2`
	messagesInOrder = ` ORDER BY seq DESC LIMIT $3`
	messagesOfAChat = messagesRead + ` AND chat_id = $4` + messagesInOrder
	messagesOfAll   = messagesRead + messagesInOrder
)

// newest reads the newest messages before a place, newest first; an empty chatID means
// all chats.
func newest(ctx context.Context, q querier, sessionID, chatID string, before int64, n int) ([]coding.Message, error) {
	text, args := messagesOfAll, storables(sessionID, before, n)
	if chatID != "" {
		text, args = messagesOfAChat, append(args, storable(chatID))
	}
	rows, err := q.Query(ctx, text, args...)
	return rowsOf(rows, err, coding.ScanMessage)
}
