package chatbi

import (
	"database/sql"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
)

// TestOldResultsGoByThemselves: although nobody runs a statement, and the store was
// left by an earlier process. Where there never was a result, there is no file.
func TestOldResultsGoByThemselves(t *testing.T) {
	t.Parallel()
	alice := run.Principal{ID: "alice"}
	config, err := Config{}.Complete()
	require.NoError(t, err)
	var later atomic.Int64
	clock := func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	dir := t.TempDir()
	r := newResults(ResultsFile(dir, config.Store, clock))
	s, err := r.open(t.Context())
	require.NoError(t, err)
	id, err := s.Put(t.Context(), alice, result.Table{Columns: []result.Column{{Name: "n", Type: "bigint"}}, Rows: [][]any{{int64(1)}}})
	require.NoError(t, err)
	require.NoError(t, r.close())

	later.Store(int64(config.Store.MaxAge))
	sources, err := source.Open(dir)
	require.NoError(t, err)
	service, err := New(Config{Store: StoreConfig{SweepEvery: time.Millisecond}}, Deps{Sources: sources, Catalog: struct{ findatav1.CatalogServiceClient }{}, DataDir: dir, Clock: clock})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, service.Close()) })
	db, err := sql.Open("sqlite", "file:"+r.config.Path+"?_pragma=busy_timeout(5000)")
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	require.Eventually(t, func() bool {
		left := -1
		err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM results`).Scan(&left)
		return err == nil && left == 0
	}, time.Minute, 5*time.Millisecond)
	s, err = service.results.open(t.Context())
	require.NoError(t, err)
	_, err = s.Page(t.Context(), alice, id, "", 1, 1000)
	require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err))

	none := newResults(ResultsFile(t.TempDir(), config.Store, clock))
	require.NoError(t, none.prune(t.Context()))
	_, err = os.Stat(none.config.Path)
	require.ErrorIs(t, err, os.ErrNotExist)
}
