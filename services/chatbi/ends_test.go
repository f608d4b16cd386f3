package chatbi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// answering is an engine whose answers to statements about metadata are given, page by page.
type answering struct {
	warehouse.Engine
	pages            [][][]any
	broken, unclosed error
	asked            []meta.Statement
	closed           int
}

func (e *answering) Metadata(_ context.Context, _ run.Principal, s meta.Statement, _ warehouse.Options) (warehouse.Rows, error) {
	e.asked = append(e.asked, s)
	return &answers{engine: e}, nil
}

type answers struct {
	warehouse.Rows
	engine *answering
	next   int
}

func (r *answers) Next(context.Context, int) ([][]any, error) {
	if r.engine.broken != nil {
		return nil, r.engine.broken
	}
	if r.next == len(r.engine.pages) {
		return nil, io.EOF
	}
	r.next++
	return r.engine.pages[r.next-1], nil
}

func (r *answers) Close() error {
	r.engine.closed++
	return r.engine.unclosed
}

// TestTheEndOfATableIsReadWhole: the statement that asks for it is always closed, and is
// read to its end; what fails on the way, or at the end, is not taken for an answer and
// is not remembered.
func TestTheEndOfATableIsReadWhole(t *testing.T) {
	t.Parallel()
	ann, now := run.Principal{ID: "ann"}, time.Unix(1_900_000_000, 0)
	table := &catalog.Table{Name: catalog.Name{Region: "sg", Schema: "s", Table: "t"}, RowCount: 1, Columns: []catalog.Column{
		{Name: "country", Type: "bigint", Partition: true}, {Name: "day", Type: "date"}, {Name: "dt", Type: "varchar", Partition: true}}}
	day := [][]any{{"2026-05-04"}}
	broken := errors.New("broken")
	for _, c := range []struct {
		engine answering
		want   string
		kept   bool
	}{
		{answering{pages: [][][]any{day}}, "2026-05-04", true},
		{answering{pages: [][][]any{day, {}}}, "2026-05-04", true},
		{answering{}, "", true},
		{answering{pages: [][][]any{{{"north"}}}}, "", true}, // no day
		{answering{pages: [][][]any{{{nil}}}}, "", true},
		{answering{pages: [][][]any{day}, broken: broken}, "", false},
		{answering{pages: [][][]any{day}, unclosed: broken}, "", false},
	} {
		x := &engine{Engine: &c.engine, freshness: newFreshness(source.EngineTrino, time.Minute, func() time.Time { return now })}
		for _, first := range []bool{false, true} {
			c.engine.asked, c.engine.closed = nil, 0
			require.Equal(t, c.want, x.partition(t.Context(), ann, table, first))
			require.Equal(t, c.want, x.partition(t.Context(), ann, table, first))
			times := 2
			if c.kept {
				times = 1
			}
			require.Len(t, c.engine.asked, times)
			require.Equal(t, times, c.engine.closed)
			of := meta.MaxValue(table.Name, "dt")
			if first {
				of = meta.MinValue(table.Name, "dt")
			}
			require.Equal(t, of, c.engine.asked[0])
		}
	}
	table.Columns = table.Columns[:2]
	x := &engine{Engine: &answering{}, freshness: newFreshness(source.EngineDuckDB, time.Minute, time.Now)}
	require.Empty(t, x.partition(t.Context(), ann, table, true), "no partition column can hold a day")
	require.Empty(t, x.Engine.(*answering).asked)
}

// TestAWholeCatalogIsReadOnceAGeneration: each statement under a policy needs it. That of
// another generation, or of another source, is another.
func TestAWholeCatalogIsReadOnceAGeneration(t *testing.T) {
	t.Parallel()
	sources, err := source.Open(t.TempDir())
	require.NoError(t, err)
	generation := func(name, table string) *source.Generation {
		_, err := sources.Make(t.Context(), name, func(_ context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
			m := source.Manifest{Engine: source.EngineDuckDB, Databases: map[string]string{"sg": "sg.duckdb"}, DefaultRegion: "sg", DefaultSchema: "s", Version: "1"}
			snapshot := &catalog.Snapshot{Tables: []catalog.Table{{Name: catalog.Name{Region: "sg", Schema: "s", Table: table}, Columns: []catalog.Column{{Name: "n", Type: "bigint"}}}}}
			return m, snapshot, os.WriteFile(filepath.Join(dir, "sg.duckdb"), nil, 0o600)
		})
		require.NoError(t, err)
		g, err := sources.Current(name)
		require.NoError(t, err)
		return g
	}
	var w wholeCatalogs
	of := func(g *source.Generation, table string) *catalog.Index {
		index, err := w.of(g)
		require.NoError(t, err)
		_, ok := index.Lookup(catalog.Name{Table: table}) // in the source's own region and schema
		require.True(t, ok)
		return index
	}
	first, other := generation("shop", "a"), generation("other", "b")
	require.Same(t, of(first, "a"), of(first, "a"))
	require.Same(t, of(other, "b"), of(other, "b"))
	second := generation("shop", "c")
	require.Same(t, of(second, "c"), of(second, "c"))
}

// TestResultsThatCannotBeRemovedAreTold to whoever runs the service, but not where it ends.
func TestResultsThatCannotBeRemovedAreTold(t *testing.T) {
	t.Parallel()
	for ends, told := range map[bool]int{false: 2, true: 0} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			r := newResults(ResultsFile(t.TempDir(), StoreConfig{}, time.Now))
			require.NoError(t, os.MkdirAll(filepath.Dir(r.config.Path), 0o700))
			require.NoError(t, os.WriteFile(r.config.Path, nil, 0o600))
			r.closed = true
			ctx, stop := context.WithCancel(t.Context())
			begun := time.Now()
			r.config.Clock = func() time.Time {
				if ends && time.Since(begun) >= time.Hour {
					stop() // just before the time of the first removal
				}
				return time.Now()
			}
			r.pruneByTimer(ctx, time.Hour, slog.New(slog.NewTextHandler(&log, nil)))
			time.Sleep(2*time.Hour + time.Minute)
			synctest.Wait()
			stop()
			r.timer.Wait()
			require.Equal(t, told, bytes.Count(log.Bytes(), []byte("old results could not be removed")), log.String())
		})
	}
}
