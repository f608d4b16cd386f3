package findata

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
)

var today = time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)

// demoStore is one tiny demo warehouse for all tests of the package; they only
// read it.
var demoStore = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "findata-demo-")
	if err != nil {
		return "", err
	}
	store, err := source.Open(dir)
	if err != nil {
		return "", err
	}
	_, err = demo.Ensure(context.Background(), store, demo.Config{Today: today, Scale: demo.TinyScale}, nil)
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := demoStore(); err == nil {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

type permission func(run.Principal, string, *catalog.Table) bool

// demoService is a service over the demo warehouse with preferences of its own.
func demoService(t testing.TB, may permission) *Service {
	t.Helper()
	dir, err := demoStore()
	require.NoError(t, err)
	store, err := source.Open(dir)
	require.NoError(t, err)
	return serviceOver(t, store, may)
}

func serviceOver(t testing.TB, store *source.Store, may permission) *Service {
	t.Helper()
	s, err := New(Config{}, Deps{Sources: store, DataDir: t.TempDir(), Permission: may, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// snapshotStore holds catalogs without data, which is all that findata reads.
func snapshotStore(t testing.TB, name string, s *catalog.Snapshot) *source.Store {
	t.Helper()
	store, err := source.Open(filepath.Join(t.TempDir(), "data"))
	require.NoError(t, err)
	remake(t, store, name, s)
	return store
}

func remake(t testing.TB, store *source.Store, name string, s *catalog.Snapshot) {
	t.Helper()
	_, err := store.Make(t.Context(), name, func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: name, DefaultSchema: "main", Version: "1", Origin: "csv"}, s, nil
	})
	require.NoError(t, err)
}

// as returns the context of a person's request at the tests' time.
func as(t testing.TB, person string) context.Context {
	return run.With(t.Context(), run.Context{Principal: run.Principal{ID: person}, Now: today})
}

func admin(t testing.TB) context.Context {
	return run.With(t.Context(), run.Context{Principal: run.Principal{ID: "root", Admin: true}, Now: today})
}

func discover(t testing.TB, s *Service, person string, q *findatav1.DiscoverQuery) *findatav1.DiscoverResult {
	t.Helper()
	out, err := (&findDataServer{service: s}).DiscoverUnary(as(t, person), &findatav1.DiscoverUnaryRequest{Query: q})
	require.NoError(t, err)
	return out.GetResult()
}

// namesOf returns the tables of an answer as region.schema.table.
func namesOf(tables []*findatav1.TableCandidate) []string {
	var names []string
	for _, c := range tables {
		r := c.GetTable().GetRef()
		names = append(names, fmt.Sprintf("%s.%s.%s", r.GetIdcRegion(), r.GetSchema(), r.GetTable()))
	}
	return names
}

func userIn(region string) *commonv1.UserContext { return &commonv1.UserContext{Region: region} }
