package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/pkg/store/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	storetest.Run(t, func(t *testing.T, clock func() time.Time) storetest.Open {
		dsn := postgrestest.DSN(t)
		return func(t *testing.T) storetest.Store {
			return open(t, dsn, func(c *postgres.Config) { c.Clock = clock })
		}
	})
}

// open opens one more handle on a database, as another process would.
func open(t testing.TB, dsn string, change ...func(*postgres.Config)) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), config(dsn, change...))
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func config(dsn string, change ...func(*postgres.Config)) postgres.Config {
	c := postgres.Config{DSN: func() (string, error) { return dsn, nil }, MaxConnections: 4}
	for _, f := range change {
		f(&c)
	}
	return c
}
