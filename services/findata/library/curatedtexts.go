package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/dibrain/dibrain/pkg/store/small"
)

// folder keeps texts in files, which people may edit too.
type folder struct {
	dir string
	mu  sync.Mutex // of who changes one
}

// InFolder returns texts in a folder, which is made when the first is kept.
func InFolder(dir string) Texts { return &folder{dir: dir} }

func (f *folder) Place(source string) string { return filepath.Join(f.dir, source+".yaml") }

func (f *folder) Mark(_ context.Context, source string) (string, error) {
	info, err := os.Stat(f.Place(source))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size()), nil
}

func (f *folder) Read(_ context.Context, source string) (raw []byte, err error) {
	file, err := os.Open(f.Place(source))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was read
	return io.ReadAll(io.LimitReader(file, maxCuratedBytes+1))
}

func (f *folder) Change(ctx context.Context, source string, change func([]byte) ([]byte, error)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	raw, err := f.Read(ctx, source)
	if err != nil {
		return err
	}
	after, err := change(raw)
	if err != nil || after == nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	next := f.Place(source) + ".new"
	if err := os.WriteFile(next, after, 0o600); err != nil {
		return err
	}
	return os.Rename(next, f.Place(source))
}

// tables keep texts in the tables of package memory in PostgreSQL.
type tables struct{ small.Store }

// InTables returns texts in the table "curated" of tables, which they do not close.
func InTables(of small.Store) Texts { return tables{of} }

func (tables) Place(source string) string { return "the table of curators for " + source }

func (t tables) Mark(ctx context.Context, source string) (string, error) {
	mark := ""
	err := t.Store.Read(ctx, "look for changes of what curators decided", func(ctx context.Context, q small.Querier) error {
		var revision int64
		ok, err := q.First(ctx, `SELECT revision FROM {curated} WHERE source = $1`, []any{source}, &revision)
		if mark = ""; ok {
			mark = fmt.Sprint(revision)
		}
		return err
	})
	return mark, err
}

func (t tables) Read(ctx context.Context, source string) (raw []byte, err error) {
	err = t.Store.Read(ctx, "read what curators decided", func(ctx context.Context, q small.Querier) error {
		raw, err = textOf(ctx, q, source)
		return err
	})
	return raw, err
}

func textOf(ctx context.Context, q small.Querier, source string) ([]byte, error) {
	var text string
	ok, err := q.First(ctx, `SELECT content FROM {curated} WHERE source = $1`, []any{source}, &text)
	if !ok {
		return nil, err
	}
	return []byte(text), nil
}

func (t tables) Change(ctx context.Context, source string, change func([]byte) ([]byte, error)) error {
	return t.Store.Write(ctx, "store what a curator decided", func(ctx context.Context, tx small.Tx) error {
		if err := tx.Lock(ctx, fmt.Sprintf("curated of %q", source)); err != nil {
			return err
		}
		raw, err := textOf(ctx, tx, source)
		if err != nil {
			return err
		}
		after, err := change(raw)
		if err != nil || after == nil {
			return err
		}
		return tx.Exec(ctx, `INSERT INTO {curated} (source, content, revision) VALUES ($1, $2, 1)
			ON CONFLICT (source) DO UPDATE SET content = excluded.content, revision = {curated}.revision + 1`, source, string(after))
	})
}
