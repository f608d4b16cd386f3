package tokenstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/lazy"
)

//go:embed migrations/*.sql
var migrations embed.FS

// File is the file of the store, below the data directory.
const File = "identity/tokens.db"

// noFile is the revision of a store that has no file yet.
const noFile = "0"

type sqliteStore struct{ file *lazy.File }

// OpenSQLite returns the store of a data directory. The first token makes the file.
func OpenSQLite(dataDir string) Store {
	return &sqliteStore{file: lazy.New(SQLiteFile(dataDir))}
}

// SQLiteFile is the store of a data directory.
func SQLiteFile(dataDir string) lazy.Config {
	return lazy.Config{
		Path: filepath.Join(dataDir, filepath.FromSlash(File)), Migrations: migrations, Reason: "TOKENS_UNAVAILABLE",
		Message: "The store of API tokens cannot be used: check the data directory's rights and free space.",
	}
}

func (s *sqliteStore) Load(ctx context.Context, since string) ([]auth.Entry, string, error) {
	db, err := s.file.Open(ctx, false)
	if err != nil {
		return nil, "", err
	}
	if db == nil { // nobody has made a token yet
		if since == noFile {
			return nil, since, nil
		}
		return []auth.Entry{}, noFile, nil
	}
	// Of one state, or a change between the two would not be seen.
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, "", s.file.Fault("read", err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	var revision int64
	if err := tx.QueryRowContext(ctx, `SELECT revision FROM api_tokens_revision`).Scan(&revision); err != nil {
		return nil, "", s.file.Fault("read", err)
	}
	now := strconv.FormatInt(revision, 10)
	if now == since {
		return nil, since, nil
	}
	tokens, err := s.read(tx.QueryContext(ctx, `SELECT `+columns+` FROM api_tokens WHERE revoked_at = 0`))
	if err != nil {
		return nil, "", err
	}
	return entries(tokens), now, nil
}

func entries(tokens []Token) []auth.Entry {
	list := make([]auth.Entry, len(tokens))
	for i, t := range tokens {
		list[i] = t.entry()
	}
	return list
}

func (s *sqliteStore) read(rows *sql.Rows, err error) (found []Token, _ error) {
	if err != nil {
		return nil, s.file.Fault("read", err)
	}
	defer rows.Close() //nolint:errcheck // Err tells
	for rows.Next() {
		t, err := scan(rows)
		if err != nil {
			return nil, s.file.Fault("read", err)
		}
		found = append(found, t)
	}
	if err := rows.Err(); err != nil {
		return nil, s.file.Fault("read", err)
	}
	return found, nil
}

func (s *sqliteStore) add(ctx context.Context, t Token, most int, now, old, until time.Time) error {
	return s.file.Change(ctx, true, func(tx *sql.Tx) error {
		if t.Replaces != "" {
			done, err := tx.ExecContext(ctx, `UPDATE api_tokens SET expires_at = min(expires_at, ?) WHERE id = ? AND revoked_at = 0 AND expires_at > ?`, store.Nanos(until), t.Replaces, store.Nanos(now))
			if err != nil {
				return err
			}
			if n, err := done.RowsAffected(); err != nil || n == 0 {
				return errors.Join(err, unknown(t.Replaces))
			}
		}
		var good int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM api_tokens WHERE revoked_at = 0 AND expires_at > ?`, store.Nanos(now)).Scan(&good); err != nil {
			return err
		}
		if good >= most {
			return full(most)
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM api_tokens WHERE expires_at < ? OR revoked_at > 0 AND revoked_at < ?`, store.Nanos(old), store.Nanos(old)); err != nil {
			return err
		}
		values, err := t.values()
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO api_tokens (`+columns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, countChange)
		return err
	})
}

func (s *sqliteStore) get(ctx context.Context, id string) (Token, error) {
	db, err := s.file.Open(ctx, false)
	if err != nil {
		return Token{}, err
	}
	if db == nil {
		return Token{}, unknown(id)
	}
	t, err := scan(db.QueryRowContext(ctx, `SELECT `+columns+` FROM api_tokens WHERE id = ?`, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Token{}, unknown(id)
	case err != nil:
		return Token{}, s.file.Fault("read", err)
	}
	return t, nil
}

func (s *sqliteStore) list(ctx context.Context, principal string, limit int) ([]Token, error) {
	db, err := s.file.Open(ctx, false)
	if err != nil || db == nil {
		return nil, err
	}
	return s.read(db.QueryContext(ctx, `SELECT `+columns+` FROM api_tokens WHERE ? = '' OR principal = ? ORDER BY created_at DESC, id LIMIT ?`, principal, principal, limit))
}

func (s *sqliteStore) revoke(ctx context.Context, id, principal string, now time.Time) (changed int64, _ error) {
	err := s.file.Change(ctx, false, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE api_tokens SET revoked_at = ? WHERE (id = ? OR principal = ? AND principal <> '') AND revoked_at = 0 AND expires_at > ?`, store.Nanos(now), id, principal, store.Nanos(now))
		if err != nil {
			return err
		}
		if changed, err = done.RowsAffected(); err != nil || changed == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, countChange)
		return err
	})
	return changed, err
}

func (s *sqliteStore) Close() error { return s.file.Close() }
