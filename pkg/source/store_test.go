package source_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dibrain/dibrain/pkg/clocktest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/status"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
)

func newClock() *clocktest.Clock { return clocktest.At(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)) }

// fill makes a generation whose database holds text and whose catalog has one table of that name.
func fill(text string) source.MakeFunc {
	return func(_ context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		err := os.WriteFile(filepath.Join(dir, "x.duckdb"), []byte(text), 0o600)
		return source.Manifest{Engine: source.EngineDuckDB, Databases: map[string]string{"x": "x.duckdb"}, Version: text},
			&catalog.Snapshot{Tables: []catalog.Table{{Name: catalog.Name{Table: text}}}}, err
	}
}

func open(t *testing.T, options ...source.Option) (*source.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := source.Open(dir, options...)
	require.NoError(t, err)
	return s, dir
}

func generations(t *testing.T, dir, name string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "sources", name))
	require.NoError(t, err)
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	return folders
}

func TestMakeSwapsIn(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, _ := open(t, source.WithClock(c.Now))
	made, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	require.Equal(t, "shop", made.Name)
	require.Equal(t, c.Now(), made.CreatedAt)

	g, err := s.Current("shop")
	require.NoError(t, err)
	require.Equal(t, made.Manifest, g.Manifest)
	require.Equal(t, made.Dir, g.Dir)
	raw, err := os.ReadFile(g.DatabasePaths()["x"])
	require.NoError(t, err)
	require.Equal(t, "one", string(raw))
	snapshot, err := g.Snapshot()
	require.NoError(t, err)
	require.Equal(t, "one", snapshot.Tables[0].Name.Table)
	require.Empty(t, g.SemanticDir())

	_, err = s.Make(t.Context(), "shop", fill("two"))
	require.NoError(t, err)
	g2, err := s.Current("shop")
	require.NoError(t, err)
	require.Equal(t, "two", g2.Version)
	_, err = g.Snapshot()
	require.NoError(t, err, "a reader keeps the old generation for the grace period")
}

func TestFailureChangesNothing(t *testing.T) {
	t.Parallel()
	s, dir := open(t)
	_, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	boom := errors.New("boom")
	_, err = s.Make(t.Context(), "shop", func(_ context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "half"), nil, 0o600))
		return source.Manifest{}, nil, boom
	})
	require.ErrorIs(t, err, boom)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = s.Make(ctx, "shop", func(ctx context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
		cancel()
		return fill("cancelled")(ctx, dir)
	})
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Make(t.Context(), "shop", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Databases: map[string]string{"x": "absent.duckdb"}}, nil, nil
	})
	require.Equal(t, "SOURCE_DAMAGED", fault.ReasonOf(err), "a generation that readers could not open is not swapped in")
	g, err := s.Current("shop")
	require.NoError(t, err)
	require.Equal(t, "one", g.Version)
	require.Len(t, generations(t, dir, "shop"), 1)
}

func TestGrace(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, dir := open(t, source.WithClock(c.Now), source.WithGrace(time.Hour), source.WithKeepRetired(2))
	for i := range 5 {
		_, err := s.Make(t.Context(), "shop", fill(strconv.Itoa(i)))
		require.NoError(t, err)
		c.Move(time.Minute)
	}
	require.Len(t, generations(t, dir, "shop"), 3, "the current one and two that were replaced")
	c.Move(2 * time.Hour)
	_, err := s.Make(t.Context(), "shop", fill("last"))
	require.NoError(t, err)
	require.Len(t, generations(t, dir, "shop"), 2, "the current one and the one it replaced just now")
}

func TestNames(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	for name, good := range map[string]bool{
		"a": true, "shop_2": true, strings.Repeat("a", 64): true,
		"": false, "Shop": false, "2shop": false, "_a": false, "my-shop": false, "a.b": false, "../x": false,
		"商店": false, "main": false, "temp": false, strings.Repeat("a", 65): false,
	} {
		_, err := s.Make(t.Context(), name, fill("x"))
		if good {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, "SOURCE_NAME_INVALID", fault.ReasonOf(err), name)
		_, err = s.Current(name)
		require.Equal(t, "SOURCE_NAME_INVALID", fault.ReasonOf(err), name)
	}
	require.ErrorContains(t, source.ValidateName("My-Shop 1"), `"my_shop_1"`)
}

func TestUnknownListsKnown(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	_, err := s.Current("shop")
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))
	for _, name := range []string{"beta", "alpha"} {
		_, err = s.Make(t.Context(), name, fill("x"))
		require.NoError(t, err)
	}
	_, err = s.Current("shop")
	require.ErrorContains(t, err, "alpha, beta")
	require.Equal(t, "alpha,beta", fault.FromStatus(err).Meta["known"])
}

func TestDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, source string, g *source.Generation){
		"CURRENT names a missing folder": func(t *testing.T, dir string, _ *source.Generation) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "CURRENT"), []byte("gone\n"), 0o600))
		},
		"CURRENT leads elsewhere": func(t *testing.T, dir string, _ *source.Generation) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "CURRENT"), []byte("../../etc"), 0o600))
		},
		"CURRENT is empty": func(t *testing.T, dir string, _ *source.Generation) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "CURRENT"), nil, 0o600))
		},
		"broken manifest": func(t *testing.T, _ string, g *source.Generation) {
			require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "source.json"), []byte(`{"name":`), 0o600))
		},
		"database outside": func(t *testing.T, _ string, g *source.Generation) {
			require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "source.json"), []byte(`{"databases":{"x":"../x"}}`), 0o600))
		},
		"missing database": func(t *testing.T, _ string, g *source.Generation) {
			require.NoError(t, os.Remove(filepath.Join(g.Dir, "x.duckdb")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := open(t)
			g, err := s.Make(t.Context(), "shop", fill("one"))
			require.NoError(t, err)
			_, err = s.Make(t.Context(), "other", fill("fine"))
			require.NoError(t, err)
			damage(t, filepath.Join(dir, "sources", "shop"), g)
			_, err = s.Current("shop")
			require.Equal(t, "SOURCE_DAMAGED", fault.ReasonOf(err))
			require.NotContains(t, fmt.Sprint(status.Convert(err).Proto()), dir, "clients get no path of the server")
			require.Contains(t, fault.OperatorText(err), filepath.Join(dir, "sources", "shop"))
			require.Contains(t, fault.OperatorText(err), "dibrain ingest")
			list, err := s.List()
			require.ErrorContains(t, err, `"shop" is damaged`)
			require.Len(t, list, 1)
			require.Equal(t, "other", list[0].Name)
			_, err = s.Make(t.Context(), "shop", fill("again"))
			require.NoError(t, err, "making it again repairs it")
			_, err = s.Current("shop")
			require.NoError(t, err)
		})
	}
	s, _ := open(t)
	g, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(g.Dir, "catalog.bin"), []byte("[1"), 0o600))
	_, err = g.Snapshot()
	require.Equal(t, "SOURCE_DAMAGED", fault.ReasonOf(err))
}

func TestDataDirIsAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := source.Open(path)
	require.Equal(t, "DATA_DIR_NOT_WRITABLE", fault.ReasonOf(err))
	require.ErrorContains(t, err, "--data-dir")
	require.NotContains(t, err.Error(), path)
	require.Contains(t, fault.OperatorText(err), path)
	_, err = source.Open("")
	require.Equal(t, "DATA_DIR_MISSING", fault.ReasonOf(err))
}

func TestReadOnlyDataDir(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("rights do not bind the root user")
	}
	s, dir := open(t)
	_, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	shop := filepath.Join(dir, "sources", "shop")
	require.NoError(t, os.Chmod(shop, 0o500))
	t.Cleanup(func() { _ = os.Chmod(shop, 0o700) })
	_, err = s.Make(t.Context(), "shop", fill("two"))
	require.Equal(t, "DATA_DIR_NOT_WRITABLE", fault.ReasonOf(err))
	_, err = s.Current("shop")
	require.NoError(t, err)
}

func TestRemove(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	_, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	require.NoError(t, s.Remove(t.Context(), "shop"))
	_, err = s.Current("shop")
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(s.Remove(t.Context(), "shop")))
	_, err = s.Make(t.Context(), "shop", fill("two"))
	require.NoError(t, err)
}

func TestLocked(t *testing.T) {
	t.Parallel()
	s, _ := open(t, source.WithLockWait(time.Millisecond))
	inside, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := s.Make(context.WithoutCancel(t.Context()), "shop", func(ctx context.Context, dir string) (source.Manifest, *catalog.Snapshot, error) {
			close(inside)
			<-release
			return fill("one")(ctx, dir)
		})
		done <- err
	}()
	<-inside
	_, err := s.Make(t.Context(), "shop", fill("two"))
	require.Equal(t, "SOURCE_LOCKED", fault.ReasonOf(err))
	require.Contains(t, fault.OperatorText(err), filepath.Join("shop", "lock"))
	_, err = s.Make(t.Context(), "other", fill("two"))
	require.NoError(t, err, "another source has another lock")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Make(cancelled, "shop", fill("two"))
	require.ErrorIs(t, err, context.Canceled)
	close(release)
	require.NoError(t, <-done)
}

func TestReadersWhileMaking(t *testing.T) {
	t.Parallel()
	s, _ := open(t, source.WithGrace(0)) // the worst case: nothing waits
	_, err := s.Make(t.Context(), "shop", fill("0"))
	require.NoError(t, err)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := s.List(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			for i := range 10 {
				if _, err := s.Make(t.Context(), "shop", fill(strconv.Itoa(i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
}

// TestKilled kills a process in the middle of a Make: the old generation stays,
// and the next Make clears away what was half made.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("DIBRAIN_TEST_MAKE_IN"); dir != "" {
		s, err := source.Open(dir)
		require.NoError(t, err)
		_, err = s.Make(t.Context(), "shop", func(_ context.Context, making string) (source.Manifest, *catalog.Snapshot, error) {
			require.NoError(t, os.WriteFile(filepath.Join(making, "half.duckdb"), []byte("half"), 0o600))
			self, err := os.FindProcess(os.Getpid())
			require.NoError(t, err)
			require.NoError(t, self.Kill())
			select {} // never reached far: the signal ends the process
		})
		require.NoError(t, err)
	}
	s, dir := open(t)
	_, err := s.Make(t.Context(), "shop", fill("one"))
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), "DIBRAIN_TEST_MAKE_IN="+dir)
	require.Error(t, child.Run())
	require.Len(t, generations(t, dir, "shop"), 2, "the killed process left its folder")

	g, err := s.Current("shop")
	require.NoError(t, err)
	require.Equal(t, "one", g.Version)
	_, err = s.Make(t.Context(), "shop", fill("two"))
	require.NoError(t, err)
	for _, folder := range generations(t, dir, "shop") {
		require.False(t, strings.HasPrefix(folder, "."), folder)
	}
}
