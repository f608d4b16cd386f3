// Package postgrestest gives tests a place of their own in the PostgreSQL server that
// the environment names.
package postgrestest

import (
	"context"
	"net/url"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
)

// EnvDSN is the variable with the connection string of a server, a URL, whose user may
// make schemas and databases.
const EnvDSN = "DIBRAIN_TEST_POSTGRES"

// Server returns the connection string of the server, or skips the test.
func Server(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv(EnvDSN)
	if dsn == "" {
		t.Skip("needs a PostgreSQL server: set " + EnvDSN + " to the URL of one whose user may make schemas")
	}
	return dsn
}

// DSN returns a connection string with an empty schema that is the test's own, and is
// dropped with what is in it when the test ends.
func DSN(t testing.TB) string {
	t.Helper()
	server := Server(t)
	schema := run.NewID("test_", nil)
	Exec(t, server, `CREATE SCHEMA `+schema)
	t.Cleanup(func() { Exec(t, server, `DROP SCHEMA `+schema+` CASCADE`) })
	return With(t, server, "search_path", schema)
}

// With returns the connection string with a parameter.
func With(t testing.TB, dsn, name, value string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// Exec runs statements on a connection of its own.
func Exec(t testing.TB, dsn string, texts ...string) {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	conn, err := pgx.Connect(ctx, dsn)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(ctx)) }()
	for _, text := range texts {
		_, err := conn.Exec(ctx, text)
		require.NoError(t, err, text)
	}
}
