package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/coding"
)

// CreateSession stores a new session.
func (s *Store) CreateSession(ctx context.Context, p run.Principal, ses store.Session) error {
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.writeOutOf(ctx, tx, ses.ID); err != nil {
			return err
		}
		return s.insertSession(ctx, tx, p, ses, 0)
	})
	return s.fault("create a session", err)
}

func (s *Store) insertSession(ctx context.Context, tx *sql.Tx, p run.Principal, ses store.Session, bytes int64) error {
	res, err := s.exec(ctx, tx, sessionInsert,
		ses.ID, p.ID, ses.Title, ses.Source, store.Nanos(ses.CreatedAt), store.Nanos(ses.UpdatedAt), ses.Turns, bytes)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, store.IDTaken(ses.ID))
	}
	return nil
}

const sessionColumns = `id, title, source, created_at, updated_at, turns`

// Session reads one session.
func (s *Store) Session(ctx context.Context, p run.Principal, id string) (store.Session, error) {
	if err := s.settle(ctx, id); err != nil {
		return store.Session{}, s.fault("read a session", err)
	}
	ses, err := coding.ScanSession(s.reading[sessionRead].QueryRowContext(ctx, id, p.ID))
	if errors.Is(err, sql.ErrNoRows) {
		return store.Session{}, s.sessionUnknown(ctx, p, id)
	}
	return ses, s.fault("read a session", err)
}

// Sessions lists the principal's sessions, the last used first.
func (s *Store) Sessions(ctx context.Context, p run.Principal, page store.Page) ([]store.Session, string, error) {
	const list = "sessions"
	after, more, err := store.ParseCursor(list, page.Token)
	if err != nil {
		return nil, "", err
	}
	if err := s.settle(ctx, ""); err != nil {
		return nil, "", s.fault("list sessions", err)
	}
	query, args := `SELECT `+sessionColumns+` FROM sessions WHERE principal = ?`, []any{p.ID}
	if more {
		query, args = query+` AND (updated_at, id) < (?, ?)`, append(args, after.At, after.ID)
	}
	rows, err := s.read.QueryContext(ctx, query+` ORDER BY updated_at DESC, id DESC LIMIT ?`, append(args, page.Size+1)...)
	out, err := collect(rows, err, coding.ScanSession)
	if err != nil {
		return nil, "", s.fault("list sessions", err)
	}
	out, next := coding.Cut(out, page.Size, func(ses store.Session) store.Cursor {
		return store.Cursor{List: list, At: store.Nanos(ses.UpdatedAt), ID: ses.ID}
	})
	return out, next, nil
}

// DeleteSession removes a session with all that belongs to it. A turn that is
// at work on it finds its lock gone and stops.
func (s *Store) DeleteSession(ctx context.Context, p run.Principal, id string) error {
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.writeOutOf(ctx, tx, id); err != nil {
			return err
		}
		n, err := removed(ctx, tx, `DELETE FROM sessions WHERE id = ? AND principal = ?`, []any{id, p.ID})
		if err == nil && n == 0 {
			err = s.sessionUnknown(ctx, p, id)
		}
		return err
	})
	return s.fault("delete a session", err)
}

// Thread reads a chat of a session with its newest messages, at most so many. One
// that nobody has written in is returned empty.
func (s *Store) Thread(ctx context.Context, p run.Principal, sessionID, chatID string, messages int) (store.Thread, error) {
	t := store.Thread{Chat: store.Chat{SessionID: sessionID, ID: chatID}}
	ses, c := &t.Session, &t.Chat
	if err := s.settle(ctx, sessionID); err != nil {
		return store.Thread{}, s.fault("read a chat", err)
	}
	var created, used, updated int64
	err := s.reading[threadRead].QueryRowContext(ctx, chatID, sessionID, p.ID).
		Scan(&ses.ID, &ses.Title, &ses.Source, &created, &used, &ses.Turns, &c.State, &updated)
	if errors.Is(err, sql.ErrNoRows) {
		return store.Thread{}, s.sessionUnknown(ctx, p, sessionID)
	}
	if err != nil {
		return store.Thread{}, s.fault("read a chat", err)
	}
	ses.CreatedAt, ses.UpdatedAt, c.UpdatedAt = store.FromNanos(created), store.FromNanos(used), store.FromNanos(updated)
	found, err := s.newest(ctx, sessionID, chatID, math.MaxInt64, messages+1)
	t.Earlier = len(found) > messages
	t.Messages = coding.OldestFirst(found[:min(len(found), messages)])
	return t, err
}

// Messages returns the newest messages of a session, oldest first within the
// page; the next page has older ones. An empty chatID means all chats.
func (s *Store) Messages(ctx context.Context, p run.Principal, sessionID, chatID string, page store.Page) ([]store.Message, string, error) {
	list := "messages/" + sessionID + "/" + chatID
	before, more, err := store.ParseCursor(list, page.Token)
	if err != nil {
		return nil, "", err
	}
	if _, err := s.Session(ctx, p, sessionID); err != nil {
		return nil, "", err
	}
	newest := int64(math.MaxInt64)
	if more {
		newest = before.At
	}
	found, err := s.newest(ctx, sessionID, chatID, newest, page.Size+1)
	if err != nil {
		return nil, "", err
	}
	found, next := coding.Cut(found, page.Size, func(m coding.Message) store.Cursor { return store.Cursor{List: list, At: m.Seq} })
	return coding.OldestFirst(found), next, nil
}

// newest reads the newest messages before a place, newest first; an empty chatID
// means all chats.
func (s *Store) newest(ctx context.Context, sessionID, chatID string, before int64, n int) ([]coding.Message, error) {
	text, args := messagesRead, []any{sessionID, before, n}
	if chatID != "" {
		text, args = chatMessagesRead, []any{sessionID, chatID, before, n}
	}
	rows, err := s.reading[text].QueryContext(ctx, args...)
	found, err := collect(rows, err, coding.ScanMessage)
	return found, s.fault("list messages", err)
}

// collect reads all rows and closes them.
func collect[T any](rows *sql.Rows, err error, scan func(coding.Row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}
