package library_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/findata/library"
)

func opened(t *testing.T) (*library.Library, *source.Store) {
	t.Helper()
	return openedWith(t, library.Config{SwapWait: time.Hour})
}

func openedWith(t *testing.T, cfg library.Config) (*library.Library, *source.Store) {
	t.Helper()
	store, err := source.Open(t.TempDir())
	require.NoError(t, err)
	weights, err := retrieval.DefaultConfig()
	require.NoError(t, err)
	cfg.Retrieval, cfg.MaxOpen = weights, 4
	l := library.New(cfg, store, time.Now, slog.New(slog.NewTextHandler(io.Discard, nil)))
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l, store
}

func make1(t *testing.T, store *source.Store, table string) *source.Generation {
	t.Helper()
	g, err := store.Make(t.Context(), "wh", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineNone, DefaultRegion: "wh", DefaultSchema: "s"},
			&catalog.Snapshot{Tables: []catalog.Table{{Name: catalog.Name{Region: "wh", Schema: "s", Table: table}}}}, nil
	})
	require.NoError(t, err)
	return g
}

func tableIn(t *testing.T, l *library.Library) string {
	t.Helper()
	v, release, err := l.Open(t.Context(), "wh")
	require.NoError(t, err)
	defer release()
	return v.Index.All().Tables()[0].Name.Table
}

// TestOldIndexAnswersWhereTheNewOneFails damages a generation after it was swapped
// in: what is indexed goes on answering, and the next good one takes its place.
func TestOldIndexAnswersWhereTheNewOneFails(t *testing.T) {
	t.Parallel()
	l, store := opened(t)
	make1(t, store, "first")
	require.Equal(t, "first", tableIn(t, l))

	broken := make1(t, store, "second")
	path := filepath.Join(broken.Dir, "catalog.bin")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, raw[:len(raw)-1], 0o600))
	_, err = l.Refresh(t.Context(), "wh", nil)
	require.Equal(t, "SOURCE_DAMAGED", fault.ReasonOf(err))
	require.Equal(t, "first", tableIn(t, l))

	make1(t, store, "third")
	require.Equal(t, "third", tableIn(t, l))
}

// TestRefreshWaitsForTheNewest: where an older generation is being indexed, the
// current one is what is waited for.
func TestRefreshWaitsForTheNewest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Open looks for no new generation by itself.
		l, store := openedWith(t, library.Config{CheckEvery: time.Hour})
		make1(t, store, "first")
		require.Equal(t, "first", tableIn(t, l))
		make1(t, store, "second")
		begun, goOn, errs := make(chan struct{}), make(chan struct{}), make(chan error)
		var once sync.Once
		refresh := func(progress func(done, total int)) {
			_, err := l.Refresh(t.Context(), "wh", progress)
			errs <- err
		}
		go refresh(func(int, int) { once.Do(func() { close(begun); <-goOn }) })
		<-begun
		make1(t, store, "third")
		go refresh(nil)
		synctest.Wait() // both wait for the second generation
		close(goOn)
		require.NoError(t, <-errs)
		require.NoError(t, <-errs)
		require.Equal(t, "third", tableIn(t, l))
	})
}

// TestSourceThatWasNeverGood has nothing to go on from: the error is told.
func TestSourceThatWasNeverGood(t *testing.T) {
	t.Parallel()
	l, store := opened(t)
	g := make1(t, store, "first")
	require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "catalog.bin"), []byte(strings.Repeat("no catalog ", 9)), 0o600))
	_, _, err := l.Open(t.Context(), "wh")
	require.Equal(t, "SOURCE_DAMAGED", fault.ReasonOf(err))
	_, _, err = l.Open(t.Context(), "nowhere")
	require.Equal(t, source.ReasonUnknown, fault.ReasonOf(err))
}

// TestReadersKeepWhatTheyHave swaps generations under readers.
func TestReadersKeepWhatTheyHave(t *testing.T) {
	t.Parallel()
	l, store := opened(t)
	make1(t, store, "first")
	v, release, err := l.Open(t.Context(), "wh")
	require.NoError(t, err)
	make1(t, store, "second")
	require.Equal(t, "second", tableIn(t, l))
	require.Equal(t, "first", v.Index.All().Tables()[0].Name.Table)
	_, err = v.Corpus.Candidates(t.Context(), v.Corpus.Parse("first", nil), nil)
	require.NoError(t, err, "it is not closed while somebody reads")
	release()
	release() // twice does no harm

	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 20 {
				v, release, err := l.Open(t.Context(), "wh")
				if err != nil || v.Index.Len() != 1 {
					t.Error(err)
					return
				}
				release()
			}
		})
	}
	for range 5 {
		make1(t, store, "next")
	}
	readers.Wait()
}
