package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/pkg/telemetry/meter/metertest"
)

// entered is a result as the index has it.
type entered struct {
	id, owner      string
	created, bytes int64
}

// within is what the bounds leave, as they are told: one's own oldest make room, then the
// oldest of whoever has most, result by result, until a hundredth is free.
func within(all []entered, maxOwn int, maxOwnBytes int64, most int, mostBytes int64) (ids []string) {
	slices.SortFunc(all, func(a, b entered) int {
		return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id))
	})
	number, bytes := map[string]int{}, map[string]int64{}
	count := func() (n int, b int64) {
		clear(number)
		clear(bytes)
		for _, e := range all {
			number[e.owner]++
			bytes[e.owner] += e.bytes
			b += e.bytes
		}
		return len(all), b
	}
	drop := func(owner string) {
		at := slices.IndexFunc(all, func(e entered) bool { return e.owner == owner })
		all = slices.Delete(all, at, at+1)
	}
	freeing, freeingBytes := false, false
	for {
		n, b := count()
		freeingBytes = b > mostBytes || freeingBytes && b > mostBytes-mostBytes/100
		freeing = !freeingBytes && (n > most || freeing && n > most-most/100)
		var owners []string
		for owner := range number {
			owners = append(owners, owner)
		}
		slices.Sort(owners)
		at := slices.IndexFunc(owners, func(o string) bool { return number[o] > maxOwn || bytes[o] > maxOwnBytes })
		switch {
		case at >= 0:
			drop(owners[at])
		case freeingBytes:
			drop(slices.MaxFunc(owners, func(x, y string) int { return cmp.Or(cmp.Compare(bytes[x], bytes[y]), cmp.Compare(y, x)) }))
		case freeing:
			drop(slices.MaxFunc(owners, func(x, y string) int { return cmp.Or(cmp.Compare(number[x], number[y]), cmp.Compare(y, x)) }))
		default:
			for _, e := range all {
				ids = append(ids, e.id)
			}
			slices.Sort(ids)
			return ids
		}
	}
}

// TestTheBoundsLeaveWhatTheySay: whatever is kept, the one statement of each bound removes what
// a loop would that looks again after each result.
func TestTheBoundsLeaveWhatTheySay(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) (at func(change func(*store.Config)) *store.Store, enter func(text string), ids func() []string){
		"sqlite": func(t *testing.T) (func(func(*store.Config)) *store.Store, func(string), func() []string) {
			path := filepath.Join(t.TempDir(), "results.db")
			at := func(change func(*store.Config)) *store.Store {
				s, _ := open(t, func(c *store.Config) { c.Path = path; change(c) })
				return s
			}
			return at, func(text string) {
					_, err := beside(t, path).Exec(strings.ReplaceAll(text, "false", "0"))
					require.NoError(t, err)
				}, func() (ids []string) {
					rows, err := beside(t, path).Query(`SELECT id FROM results ORDER BY id`)
					require.NoError(t, err)
					defer rows.Close()
					for rows.Next() {
						var id string
						require.NoError(t, rows.Scan(&id))
						ids = append(ids, id)
					}
					require.NoError(t, rows.Err())
					return ids
				}
		},
		"postgres": func(t *testing.T) (func(func(*store.Config)) *store.Store, func(string), func() []string) {
			p := newPlace(t)
			at := func(change func(*store.Config)) *store.Store { s, _ := p.open(t, change); return s }
			return at, func(text string) { postgrestest.Exec(t, p.dsn, text) }, func() []string { return texts(t, p.dsn, `SELECT id FROM results ORDER BY id`) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "postgres" {
				postgrestest.Server(t)
			}
			random := rand.New(rand.NewPCG(7, 19))
			at, enter, ids := open(t)
			require.NoError(t, at(func(*store.Config) {}).Prune(t.Context()), "it makes the tables")
			for turn := range 20 {
				enter(`DELETE FROM results`)
				var all []entered
				var rows []string
				for i := range 1 + random.IntN(40) {
					e := entered{fmt.Sprintf("res_%02d_%02d", turn, i), []string{"ann", "bob", "eve", "joe"}[random.IntN(4)], time.Date(2026, 11, 20, 0, 0, random.IntN(20), 0, time.UTC).UnixMilli(), 1 + random.Int64N(900)}
					all = append(all, e)
					rows = append(rows, fmt.Sprintf("('%s', '%s', %d, '[]', 0, false, %d)", e.id, e.owner, e.created, e.bytes))
				}
				enter(`INSERT INTO results (id, owner, created_ms, columns, rows, truncated, bytes) VALUES ` + strings.Join(rows, ", "))
				own, ownBytes, most, mostBytes := 1+random.IntN(15), 1+random.Int64N(6000), 1+random.IntN(40), 1+random.Int64N(15_000)
				s := at(func(c *store.Config) {
					c.MaxOwnResults, c.MaxOwnBytes, c.MaxResults, c.MaxBytes = own, ownBytes, most, mostBytes
				})
				require.NoError(t, s.Prune(t.Context()))
				require.ElementsMatch(t, within(all, own, ownBytes, most, mostBytes), ids(), "turn %d: %d %d %d %d", turn, own, ownBytes, most, mostBytes)
			}
		})
	}
}

// texts reads the first column of some rows.
func texts(t *testing.T, dsn, text string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	rows, err := conn.Query(t.Context(), text)
	require.NoError(t, err)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return all
}

// TestNoTransactionIsLong: results that are far beyond a bound that was lowered go in batches,
// one statement and one transaction each; the first goes with the next result, and the rest
// after it without anybody's waiting.
func TestNoTransactionIsLong(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	p := newPlace(t)
	set, read := metertest.New(t)
	s, _ := p.open(t, func(c *store.Config) { c.MaxResults, c.MaxBytes, c.Meter = 50, 64<<20, set })
	_, err := s.Put(t.Context(), alice, numbers(1))
	require.NoError(t, err)
	postgrestest.Exec(t, p.dsn,
		`INSERT INTO results SELECT 'res_' || i, 'p' || i % 40, 1795132800000 + i, '[]', 0, false, 10 FROM generate_series(1, 900) AS i`,
		`CREATE TABLE deleted (number bigint, at xid8)`,
		`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO deleted SELECT count(*), pg_current_xact_id() FROM gone; RETURN NULL; END'`,
		`CREATE TRIGGER note AFTER DELETE ON results REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note()`)
	_, err = s.Put(t.Context(), alice, numbers(1))
	require.NoError(t, err)
	require.Equal(t, []string{"200"}, texts(t, p.dsn, `SELECT sum(number)::text FROM deleted GROUP BY at ORDER BY at LIMIT 1`), "in the path of the answer")
	require.Eventually(t, func() bool { return texts(t, p.dsn, `SELECT count(*)::text FROM results`)[0] == "50" }, time.Minute, 5*time.Millisecond)
	require.NoError(t, s.Close())
	require.Equal(t, []string{"200", "200", "200", "200", "52"}, texts(t, p.dsn, `SELECT sum(number)::text FROM deleted GROUP BY at HAVING sum(number) > 0 ORDER BY at`))
	require.EqualValues(t, 852, read()[`dibrain_result_files_total{end="removed"}`])
	require.Equal(t, []string{"852"}, texts(t, p.dsn, `SELECT count(*)::text FROM results_removed WHERE why = 'quota'`))
}

// held are files whose removal waits for the test.
type held struct {
	store.Files
	asked   chan string
	release chan error
}

func (h held) Remove(ctx context.Context, id string) error {
	h.asked <- id
	if err := <-h.release; err != nil {
		return err
	}
	return h.Files.Remove(ctx, id)
}

// TestNobodyWaitsForTheFileOfAnEvictedResult: the answer is there while it is removed; where that
// fails, it is counted, and the file goes with the next sweep. Close waits for what is at work.
func TestNobodyWaitsForTheFileOfAnEvictedResult(t *testing.T) {
	t.Parallel()
	overKinds(t, func(t *testing.T, open opener) {
		set, read := metertest.New(t)
		var files held
		s, _ := open(t, func(c *store.Config) {
			if c.Files == nil {
				c.Files = store.Directory(t.TempDir())
			}
			if d, ok := c.Files.(store.Directory); ok {
				require.NoError(t, os.MkdirAll(string(d), 0o700))
			}
			files = held{c.Files, make(chan string, 9), make(chan error, 9)}
			c.Files, c.MaxResults, c.Meter = files, 1, set
		})
		listed := func() (ids []string) {
			require.NoError(t, files.List(t.Context(), func(id string) error { ids = append(ids, id); return nil }))
			slices.Sort(ids)
			return ids
		}
		put := func() string {
			id, err := s.Put(t.Context(), alice, numbers(3))
			require.NoError(t, err)
			return id
		}
		first := put()
		second := put()
		require.Equal(t, first, <-files.asked)
		want := []string{first, second}
		slices.Sort(want)
		require.Equal(t, want, listed(), "the answer is there before its file is gone")
		_, err := s.Page(t.Context(), alice, first, "", 1, 1<<20)
		require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err))

		files.release <- errors.New("the server is away")
		require.Eventually(t, func() bool { return read()[`dibrain_result_files_total{end="failed"}`] == 1 }, time.Minute, 5*time.Millisecond)
		files.release <- nil
		require.NoError(t, s.Prune(t.Context()))
		require.Equal(t, first, <-files.asked)
		require.Equal(t, []string{second}, listed())
		require.EqualValues(t, 1, read()[`dibrain_result_files_total{end="swept"}`])

		third := put()
		require.Equal(t, second, <-files.asked)
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		files.release <- nil
		require.NoError(t, <-closed)
		require.Equal(t, []string{third}, listed(), "Close has waited for it")
	})
}
