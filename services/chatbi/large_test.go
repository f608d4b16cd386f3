package chatbi_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/services/chatbi"
)

// manyRows gives 300,000 rows of three columns.
const manyRows = `SELECT a.k * 1000 + b.k AS n, a.k * 1.5E0 AS x, CAST(b.k AS varchar) AS t
	FROM UNNEST(sequence(1, 300)) AS a(k) CROSS JOIN UNNEST(sequence(0, 999)) AS b(k) LIMIT 300000`

// largeResults are limits that let manyRows through, of which 2,000 are analysed.
func largeResults(c *chatbi.Config, _ *chatbi.Deps) {
	c.Limits.MaxRows, c.Limits.AnalysedRows = 300_000, 2000
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(min(m.HeapAlloc, math.MaxInt64))
}

// TestALargeResultNeedsNoMemory: its rows go to disk as they come. The first page is
// there while the rest still comes, the answer says which rows it is of, and each page
// can be read.
func TestALargeResultNeedsNoMemory(t *testing.T) { // not beside others: it measures the heap of the process
	s := newService(t, largeResults)
	execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT 1 AS warm"})
	before, most, looked := heap(), int64(0), int64(0)
	var first *chatbiv1.ExecuteProgress
	st := &stream{ctx: as(t.Context(), "alice"), on: func(r *chatbiv1.ExecuteAndAnalyzeResponse) {
		p := r.GetProgress()
		if p.GetFirstPage() != nil {
			require.Nil(t, first, "it is told once")
			first = p
		}
		if p.GetRows() > looked+60_000 {
			looked = p.GetRows()
			most = max(most, heap()-before)
		}
	}}
	require.NoError(t, s.ExecuteAndAnalyze(&chatbiv1.ExecuteAndAnalyzeRequest{Query: &chatbiv1.ExecuteQuery{Sql: manyRows, PageSize: 50}}, st))
	require.Greater(t, looked, int64(200_000))
	require.Less(t, most/300_000, int64(40), "%d KiB for 300,000 rows of about 100 bytes each in memory", most>>10)

	require.Len(t, first.GetFirstPage().GetRows(), 50)
	require.Len(t, first.GetFirstPage().GetColumns(), 3)
	require.EqualValues(t, -1, first.GetFirstPage().GetTotalRows(), "it is not known yet")
	require.LessOrEqual(t, first.GetRows(), int64(50), "nobody waited for more")
	require.Less(t, len(st.got), 200, "progress of many rows is told now and then")

	r := st.got[len(st.got)-1].GetResult()
	require.EqualValues(t, 300_000, r.GetPage().GetTotalRows())
	require.False(t, r.GetPage().GetTruncated())
	require.Equal(t, []string{"RESULT_PARTLY_ANALYSED"}, warnings(r))
	require.Contains(t, r.GetWarnings()[0].GetMessage(), "300,000 rows")
	require.Contains(t, r.GetWarnings()[0].GetMessage(), "first 2,000")
	require.EqualValues(t, 300_000, r.GetCertificate().GetRows())
	require.Equal(t, first.GetFirstPage().GetRows(), r.GetPage().GetRows())
	page, err := s.GetResultPage(as(t.Context(), "alice"), &chatbiv1.GetResultPageRequest{
		ResultId: r.GetPage().GetResultId(), PageToken: store.TokenAt(r.GetPage().GetResultId(), 299_990), PageSize: 50,
	})
	require.NoError(t, err)
	require.Len(t, page.GetPage().GetRows(), 10)
	require.Empty(t, page.GetPage().GetNextPageToken())
}

// filesOf are the files of stored results.
func filesOf(t *testing.T, dataDir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dataDir, "chatbi", "results", "*"))
	require.NoError(t, err)
	return found
}

// TestALargeResultThatCannotBeKept ends with an error that says which limit it met, and
// leaves nothing on disk: its rows are nowhere else.
func TestALargeResultThatCannotBeKept(t *testing.T) {
	t.Parallel()
	var dir string
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		largeResults(c, d)
		c.Store.MaxOwnBytes, dir = 1<<20, d.DataDir
	})
	_, err := unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: manyRows})
	require.Equal(t, "RESULT_TOO_LARGE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "1 MiB")
	require.ErrorContains(t, err, "chatbi.store.max_own_bytes")
	require.Empty(t, filesOf(t, dir))
	r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT order_id FROM orders"})
	require.EqualValues(t, 900, r.GetPage().GetTotalRows())
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "chatbi", "results")))
	_, err = unary(as(t.Context(), "alice"), s, &chatbiv1.ExecuteQuery{Sql: manyRows})
	require.ErrorContains(t, err, "store a result", "a folder that has gone is the service's fault")
}

// TestACancelInTheMiddle of a large result ends it within a second, and nothing of it
// stays on disk.
func TestACancelInTheMiddle(t *testing.T) {
	t.Parallel()
	var dir string
	s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
		largeResults(c, d)
		dir = d.DataDir
	})
	ctx, cancel := context.WithCancel(as(t.Context(), "alice"))
	defer cancel()
	var at time.Time
	st := &stream{ctx: ctx, on: func(r *chatbiv1.ExecuteAndAnalyzeResponse) {
		if r.GetProgress().GetRows() > 10_000 && at.IsZero() {
			at = time.Now()
			cancel()
		}
	}}
	require.Error(t, s.ExecuteAndAnalyze(&chatbiv1.ExecuteAndAnalyzeRequest{Query: &chatbiv1.ExecuteQuery{Sql: manyRows}}, st))
	require.Less(t, time.Since(at), time.Second)
	require.Less(t, st.got[len(st.got)-1].GetProgress().GetRows(), int64(100_000))
	require.Empty(t, filesOf(t, dir))
}

// TestAResultIsDeletedByItsOwner, and by nobody else; the same statement is run again.
func TestAResultIsDeletedByItsOwner(t *testing.T) {
	t.Parallel()
	var dir string
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) { dir = d.DataDir })
	q := &chatbiv1.ExecuteQuery{Sql: "SELECT order_id FROM orders"}
	id := execute(t, s, q).GetPage().GetResultId()
	require.Len(t, filesOf(t, dir), 1)
	for who, reason := range map[string]string{"bob": "RESULT_NOT_FOUND", "": "UNAUTHENTICATED"} {
		ctx := t.Context()
		if who != "" {
			ctx = as(ctx, who)
		}
		_, err := s.DeleteResult(ctx, &chatbiv1.DeleteResultRequest{ResultId: id})
		require.Equal(t, reason, fault.ReasonOf(err))
	}
	r, err := s.DeleteResult(as(t.Context(), "alice"), &chatbiv1.DeleteResultRequest{ResultId: id})
	require.NoError(t, err)
	require.EqualValues(t, 900, r.GetRows())
	require.Positive(t, r.GetBytes())
	require.Empty(t, filesOf(t, dir))
	_, err = s.GetResultPage(as(t.Context(), "alice"), &chatbiv1.GetResultPageRequest{ResultId: id})
	require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err))
	again := execute(t, s, q)
	require.Nil(t, again.GetReadAt())
	require.NotEqual(t, id, again.GetPage().GetResultId())
}
