package store_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/run"
)

var (
	alice = run.Principal{ID: "alice"}
	bob   = run.Principal{ID: "bob"}
)

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond) // so that results have an order
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func open(t *testing.T, change func(*store.Config)) (*store.Store, *clock) {
	t.Helper()
	c := &clock{now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)}
	config := store.Config{
		Path:   filepath.Join(t.TempDir(), "a folder?", "results.db"),
		MaxAge: time.Hour, MaxBytes: 1 << 20, MaxResults: 100, Clock: c.read,
	}
	if change != nil {
		change(&config)
	}
	s, err := store.Open(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	info, err := os.Stat(config.Path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	return s, c
}

func numbers(n int) result.Table {
	table := result.Table{Columns: []result.Column{{Name: "n", Type: "bigint"}, {Name: "f", Type: "double"}}}
	for i := range n {
		table.Rows = append(table.Rows, []any{int64(i), float64(i)})
	}
	return table
}

func TestPagesJoinToTheWhole(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		s, _ := open(t, nil)
		whole := numbers(9000) // three batches
		whole.Truncated = true
		id, err := s.Put(t.Context(), alice, whole)
		require.NoError(t, err)
		for _, size := range []int{7, 4095, 4096, 4097, 8999, 9000, 9999} {
			var rows [][]any
			token, pages := "", 0
			for {
				page, err := s.Page(t.Context(), alice, id, token, size, 1<<20)
				require.NoError(t, err)
				require.EqualValues(t, 9000, page.TotalRows)
				require.True(t, page.Truncated)
				require.Equal(t, whole.Columns, page.Columns)
				rows = append(rows, page.Rows...)
				pages++
				if token = page.NextToken; token == "" {
					break
				}
			}
			require.Equal(t, whole.Rows, rows, "pages of %d", size)
			require.Equal(t, (9000+size-1)/size, pages)
		}
	})
}

func TestEveryValueComesBack(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		s, _ := open(t, nil)
		row := []any{nil, true, int64(math.MinInt64), 3.0, 1e21, math.Inf(-1), "\x00 \" 世界", []byte{0, 255}, []any{int64(1), 2.0, nil, []byte("x")}, map[string]any{"k": int64(1), "": "e"}}
		table := result.Table{Columns: make([]result.Column, len(row)), Rows: [][]any{row}}
		id, err := s.Put(t.Context(), alice, table)
		require.NoError(t, err)
		page, err := s.Page(t.Context(), alice, id, "", 10, 1<<20)
		require.NoError(t, err)
		require.Equal(t, table.Rows, page.Rows)

		id, err = s.Put(t.Context(), alice, result.Table{Columns: row2columns("a"), Rows: [][]any{{math.NaN()}}})
		require.NoError(t, err)
		page, err = s.Page(t.Context(), alice, id, "", 10, 1<<20)
		require.NoError(t, err)
		require.True(t, math.IsNaN(page.Rows[0][0].(float64)))
	})
}

func row2columns(names ...string) (columns []result.Column) {
	for _, n := range names {
		columns = append(columns, result.Column{Name: n, Type: "double"})
	}
	return columns
}

func TestAnEmptyResultHasAPage(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		s, _ := open(t, nil)
		id, err := s.Put(t.Context(), alice, numbers(0))
		require.NoError(t, err)
		page, err := s.Page(t.Context(), alice, id, "", 10, 1<<20)
		require.NoError(t, err)
		require.Empty(t, page.Rows)
		require.Empty(t, page.NextToken)
	})
}

func TestAnothersResultIsNotFound(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		s, _ := open(t, nil)
		id, err := s.Put(t.Context(), alice, numbers(10))
		require.NoError(t, err)
		_, theirs := s.Page(t.Context(), bob, id, "", 5, 1<<20)
		require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(theirs))
		_, none := s.Page(t.Context(), bob, "res_000000000000000000000000", "", 5, 1<<20)
		require.Equal(t, strings.Replace(theirs.Error(), id, "X", 1), strings.Replace(none.Error(), "res_000000000000000000000000", "X", 1))
		_, err = s.Put(t.Context(), run.Principal{}, numbers(1))
		require.Equal(t, "UNAUTHENTICATED", fault.ReasonOf(err))
		_, err = s.Page(t.Context(), run.Principal{}, id, "", 5, 1<<20)
		require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err))
	})
}

func TestTokensAreGoodForTheirOwnResult(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		s, _ := open(t, nil)
		one, err := s.Put(t.Context(), alice, numbers(10))
		require.NoError(t, err)
		two, err := s.Put(t.Context(), alice, numbers(10))
		require.NoError(t, err)
		for _, token := range []string{store.TokenAt(two, 5), store.TokenAt(one, -1), store.TokenAt(one, 11), "!", "AAAA"} {
			_, err := s.Page(t.Context(), alice, one, token, 5, 1<<20)
			require.Equal(t, "PAGE_TOKEN_INVALID", fault.ReasonOf(err), token)
		}
	})
}

func TestBoundsHold(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		t.Run("age", func(t *testing.T) {
			t.Parallel()
			s, clock := open(t, nil)
			id, err := s.Put(t.Context(), alice, numbers(1))
			require.NoError(t, err)
			clock.advance(59 * time.Minute)
			_, err = s.Page(t.Context(), alice, id, "", 5, 1<<20)
			require.NoError(t, err)
			clock.advance(time.Minute)
			for range 2 { // before it is pruned and after
				_, err = s.Page(t.Context(), alice, id, "", 5, 1<<20)
				require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err))
				require.ErrorContains(t, err, "was removed after 1h0m0s: run the statement again")
				_, err = s.Page(t.Context(), bob, id, "", 5, 1<<20)
				require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err), "what was another's is as the unknown")
				_, err = s.Put(t.Context(), bob, numbers(1))
				require.NoError(t, err)
			}
		})
		t.Run("number", func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, func(c *store.Config) { c.MaxResults = 3 })
			require.Equal(t, []bool{false, false, true, true, true}, kept(t, s, 5, 1))
		})
		t.Run("bytes", func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, func(c *store.Config) { c.MaxBytes = bytesOf(t, 100) * 5 / 2 })
			require.Equal(t, []bool{false, false, false, true, true}, kept(t, s, 5, 100))
			_, err := s.Put(t.Context(), alice, numbers(1000))
			require.Equal(t, "RESULT_TOO_LARGE", fault.ReasonOf(err))
		})
		t.Run("nobody loses a result to another", func(t *testing.T) {
			t.Parallel()
			one := bytesOf(t, 100)
			for name, bound := range map[string]func(*store.Config){
				"own number":  func(c *store.Config) { c.MaxOwnResults = 3 },
				"own bytes":   func(c *store.Config) { c.MaxOwnBytes = one * 7 / 2 },
				"all numbers": func(c *store.Config) { c.MaxResults = 4 },
				"all bytes":   func(c *store.Config) { c.MaxBytes = one * 9 / 2 },
			} {
				s, _ := open(t, bound)
				bobs, err := s.Put(t.Context(), bob, numbers(100))
				require.NoError(t, err)
				there := kept(t, s, 20, 100)
				require.Equal(t, []bool{false, true, true, true}, there[16:], "%s: one's own oldest make room", name)
				require.NotContains(t, there[:16], true, name)
				_, err = s.Page(t.Context(), bob, bobs, "", 1, 1<<20)
				require.NoError(t, err, "%s: bob's one result stays", name)
			}
			s, _ := open(t, func(c *store.Config) { c.MaxOwnResults = 1 })
			first, err := s.Put(t.Context(), alice, numbers(1))
			require.NoError(t, err)
			_, err = s.Put(t.Context(), alice, numbers(1))
			require.NoError(t, err)
			_, err = s.Page(t.Context(), alice, first, "", 1, 1<<20)
			require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err))
			require.ErrorContains(t, err, "to make room for newer ones of yours")
		})
		t.Run("page", func(t *testing.T) {
			t.Parallel()
			s, _ := open(t, nil)
			wide := result.Table{Columns: []result.Column{{Name: "s", Type: "varchar"}}}
			for range 5 {
				wide.Rows = append(wide.Rows, []any{strings.Repeat("x", 1000)})
			}
			id, err := s.Put(t.Context(), alice, wide)
			require.NoError(t, err)
			page, err := s.Page(t.Context(), alice, id, "", 5, 2500)
			require.NoError(t, err)
			require.Len(t, page.Rows, 2)
			page, err = s.Page(t.Context(), alice, id, page.NextToken, 5, 10)
			require.NoError(t, err)
			require.Len(t, page.Rows, 1, "a page makes progress whatever its bound")
		})
	})
}

// bytesOf is how many bytes a result of so many rows takes.
func bytesOf(t *testing.T, rows int) int64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.db")
	s, _ := open(t, func(c *store.Config) { c.Path = path })
	id, err := s.Put(t.Context(), alice, numbers(rows))
	require.NoError(t, err)
	info, err := os.Stat(rowsOf(path, id))
	require.NoError(t, err)
	return info.Size()
}

// rowsOf is the file of a result's rows.
func rowsOf(path, id string) string {
	return filepath.Join(strings.TrimSuffix(path, ".db"), id+".arrow")
}

// files are the names of all files of a store's folder.
func files(t *testing.T, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(strings.TrimSuffix(path, ".db"))
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// kept stores n results of rows rows and says which of them can still be read.
func kept(t *testing.T, s *store.Store, n, rows int) (there []bool) {
	t.Helper()
	var ids []string
	for range n {
		id, err := s.Put(t.Context(), alice, numbers(rows))
		require.NoError(t, err)
		ids = append(ids, id)
	}
	for _, id := range ids {
		_, err := s.Page(t.Context(), alice, id, "", 1, 1<<20)
		there = append(there, err == nil)
	}
	return there
}

func TestManyWriteAtOnce(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		s, _ := open(t, nil)
		errs := make(chan error, 8)
		for i := range cap(errs) {
			go func() {
				id, err := s.Put(context.Background(), run.Principal{ID: fmt.Sprint("p", i)}, numbers(200))
				if err == nil {
					_, err = s.Page(context.Background(), run.Principal{ID: fmt.Sprint("p", i)}, id, "", 5, 1<<20)
				}
				errs <- err
			}()
		}
		for range cap(errs) {
			require.NoError(t, <-errs)
		}
	})
}

func TestADamagedFileSaysWhatToDo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "results.db")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("not a database", 100)), 0o600))
	_, err := store.Open(t.Context(), store.Config{Path: path, MaxAge: time.Hour, MaxBytes: 1, MaxResults: 1, Clock: time.Now})
	require.Equal(t, "RESULT_STORE_UNUSABLE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "may be deleted")
}

// TestAnOwnerDeletes a result: its file and its use for the same statement go at once, and
// whoever reads on in it is told why. Others cannot, and do not learn that it is there.
func TestAnOwnerDeletes(t *testing.T) {
	t.Parallel()
	var path string
	s, c := open(t, func(c *store.Config) { path = c.Path })
	w, err := s.Begin(t.Context(), alice, numbers(5000).Columns)
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), numbers(5000).Rows))
	id, err := w.Finish(t.Context(), false, "key")
	require.NoError(t, err)
	other, err := s.Put(t.Context(), alice, numbers(3))
	require.NoError(t, err)
	file := filepath.Join(strings.TrimSuffix(path, ".db"), id+".arrow")
	info, err := os.Stat(file)
	require.NoError(t, err)

	_, _, err = s.Delete(t.Context(), bob, id)
	require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err), "it is not bob's")
	require.FileExists(t, file)
	page, err := s.Page(t.Context(), alice, id, "", 10, 1<<20)
	require.NoError(t, err)

	rows, bytes, err := s.Delete(t.Context(), alice, id)
	require.NoError(t, err)
	require.EqualValues(t, 5000, rows)
	require.Equal(t, info.Size(), bytes)
	require.NoFileExists(t, file)
	reused, _, err := s.Reusable(t.Context(), alice, "key")
	require.NoError(t, err)
	require.Empty(t, reused, "the statement is asked again")
	_, err = s.Page(t.Context(), alice, id, page.NextToken, 10, 1<<20)
	require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err))
	require.ErrorContains(t, err, "deleted by you")
	_, err = s.Page(t.Context(), bob, id, "", 10, 1<<20)
	require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err))
	_, _, err = s.Delete(t.Context(), alice, id)
	require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err), "it is deleted once")

	c.advance(2 * time.Hour)
	_, _, err = s.Delete(t.Context(), alice, other)
	require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err), "what is too old is gone already")
	_, _, err = s.Delete(t.Context(), alice, "res_0")
	require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err))
}
