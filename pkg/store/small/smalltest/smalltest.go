// Package smalltest runs tests of small stores over each kind of them.
package smalltest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/pkg/store/small"
)

// Opener opens one more handle on the same tables, as another process would. It is closed
// when the test ends.
type Opener func() small.Store

// Place makes an empty place for tables.
type Place func(t testing.TB, tables func(dataDir string) (small.Tables, error)) Opener

// OverKinds runs a test over each kind of store; that over PostgreSQL is left out where no
// server is named.
func OverKinds(t *testing.T, test func(t *testing.T, place Place)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, func(t testing.TB, tables func(string) (small.Tables, error)) Opener {
			t.Helper()
			dir := t.TempDir()
			return opener(t, dir, nil, tables)
		})
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		postgrestest.Server(t)
		test(t, func(t testing.TB, tables func(string) (small.Tables, error)) Opener {
			t.Helper()
			return opener(t, t.TempDir(), Database(t), tables)
		})
	})
}

// Database is an empty place in PostgreSQL.
func Database(t testing.TB) *postgres.Config {
	t.Helper()
	dsn := postgrestest.DSN(t)
	return &postgres.Config{DSN: func() (string, error) { return dsn, nil }}
}

func opener(t testing.TB, dir string, database *postgres.Config, tables func(string) (small.Tables, error)) Opener {
	t.Helper()
	return func() small.Store {
		kept, err := tables(dir)
		require.NoError(t, err)
		s, err := kept.Open(t.Context(), database)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
}
