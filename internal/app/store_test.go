package app_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/pkg/store/small"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/knowledge"
	"github.com/dibrain/dibrain/services/text2sql/examples"
)

// overPostgres keeps the state of a configuration in a database that a file names.
func overPostgres(t *testing.T, c config.Config, dsn string) config.Config {
	t.Helper()
	c.Store.Kind, c.Store.DSNFile = config.StorePostgres, filepath.Join(t.TempDir(), "dsn")
	require.NoError(t, os.WriteFile(c.Store.DSNFile, []byte(dsn+"\n"), 0o600))
	return c
}

// TestReplicasAreForThoseWhoShare: several processes of a target are refused where it
// keeps what one alone can serve, and routers on one database are not.
func TestReplicasAreForThoseWhoShare(t *testing.T) {
	t.Parallel()
	c := overPostgres(t, testConfig(t), "postgres://h/d")
	c.Replicas = 2
	for _, peer := range []*string{&c.FindData.Address, &c.Text2SQL.Address, &c.FixSQL.Address, &c.ChatBI.Address, &c.Knowledge.Address} {
		*peer = "127.0.0.1:7070"
	}
	for _, target := range []string{app.Router, app.Analysis, app.FixSQL, app.Logify, app.Text2SQL, app.FindData, app.Knowledge} {
		require.NoError(t, app.Verify(t.Context(), c, []string{target}), target)
	}
	for target, keeps := range map[string]string{
		app.All: "chatbi keeps results", app.ChatBI: "chatbi keeps results",
	} {
		err := app.Verify(t.Context(), c, []string{target})
		require.ErrorContains(t, err, keeps, target)
		require.Equal(t, "CONFIG_INVALID", fault.ReasonOf(err))
	}
}

// TestChatBIMayBeSeveral where its results are shared: in object storage, or in a folder that
// is said to be one for all.
func TestChatBIMayBeSeveral(t *testing.T) {
	t.Parallel()
	c := overPostgres(t, testConfig(t), "postgres://h/d")
	c.Replicas, c.FindData.Address = 2, "127.0.0.1:7070"
	c.Results.Directory = t.TempDir()
	require.ErrorContains(t, app.Verify(t.Context(), c, []string{app.ChatBI}), "or store.kind postgres, with results.kind s3, or with results.shared")
	c.Results.Shared = true
	require.NoError(t, app.Verify(t.Context(), c, []string{app.ChatBI}))
	require.NoError(t, app.Verify(t.Context(), c, []string{app.All}), "the others keep all in the database")

	c.Results.Directory, c.Results.Shared = "", false
	dir := t.TempDir()
	c.Results.Kind, c.Results.S3.Endpoint, c.Results.S3.Bucket = config.ResultsS3, "https://s3.example.com", "results"
	c.Results.S3.AccessKeyIDFile, c.Results.S3.SecretAccessKeyFile = filepath.Join(dir, "id"), filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(c.Results.S3.AccessKeyIDFile, []byte("AKIA\n"), 0o600))
	err := app.Verify(t.Context(), c, []string{app.ChatBI})
	require.ErrorContains(t, err, "results.s3.secret_access_key_file has to hold it, alone, in one line")
	require.NoError(t, os.WriteFile(c.Results.S3.SecretAccessKeyFile, []byte("not to be\nshown"), 0o600))
	err = app.Verify(t.Context(), c, []string{app.ChatBI})
	require.ErrorContains(t, err, "alone, in one line")
	require.NotContains(t, err.Error(), "shown")
	require.NoError(t, os.WriteFile(c.Results.S3.SecretAccessKeyFile, []byte("secret\n"), 0o600))
	require.NoError(t, app.Verify(t.Context(), c, []string{app.ChatBI}))
	c.Results.S3.CAFile = filepath.Join(dir, "none")
	require.ErrorContains(t, app.Verify(t.Context(), c, []string{app.ChatBI}), "results.s3")
}

// TestTheDSNIsReadFromItsFile: alone, in one line; what is wrong with it is told with
// the path and without its content.
func TestTheDSNIsReadFromItsFile(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"empty": "", "two lines": "postgres://u:secret@h/d\nmore", "large": strings.Repeat("secret", 4096)} {
		err := app.Verify(t.Context(), overPostgres(t, testConfig(t), content), []string{app.All})
		require.ErrorContains(t, err, "store.dsn_file has to hold it, alone, in one line", name)
		require.NotContains(t, fault.OperatorText(err), "secret", name)
	}
	c := overPostgres(t, testConfig(t), "postgres://h/d")
	dsn, err := app.Postgres(c.Store).DSN()
	require.NoError(t, err)
	require.Equal(t, "postgres://h/d", dsn)
	require.NoError(t, os.WriteFile(c.Store.DSNFile, []byte("postgres://h/other"), 0o600))
	dsn, err = app.Postgres(c.Store).DSN()
	require.NoError(t, err)
	require.Equal(t, "postgres://h/other", dsn, "read again for each connection")
	require.NoError(t, os.Remove(c.Store.DSNFile))
	_, err = app.Postgres(c.Store).DSN()
	require.Equal(t, postgres.ReasonDSN, fault.ReasonOf(err))
	require.Equal(t, codes.FailedPrecondition, fault.FromStatus(err).Code)
}

// TestARouterStartsWithoutItsDatabase: it is not ready and says why, and serves once
// the database is there.
func TestARouterStartsWithoutItsDatabase(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.DSN(t)
	c := overPostgres(t, testConfig(t), "postgres://127.0.0.1:1/nobody?sslmode=disable")
	a, err := app.New(t.Context(), c, []string{app.All}, app.Options{})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	r := &running{t: t, stop: stop, done: make(chan error, 1), addresses: make(map[string]string)}
	for _, address := range a.Addresses() {
		r.addresses[address.What] = address.Addr.String()
	}
	go func() { r.done <- a.Run(ctx) }()
	t.Cleanup(r.end)
	require.Eventually(t, func() bool {
		code, text := r.fetch("/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "session-store is not ready: The store of sessions cannot be reached.") &&
			strings.Contains(text, "analysis-store is not ready: The store of analyses cannot be reached.") &&
			strings.Contains(text, "examples-store is not ready: The store of verified queries cannot be reached.") &&
			strings.Contains(text, "preferences-store is degraded: The store of preferences cannot be reached.") &&
			strings.Contains(text, "expert-store is degraded: The store of expert's sessions cannot be reached.")
	}, hangs, 10*time.Millisecond)
	client := routerv1.NewRouterServiceClient(r.dial())
	_, err = client.ListSessions(t.Context(), &routerv1.ListSessionsRequest{})
	require.Equal(t, codes.Unavailable, fault.FromStatus(err).Code, "%v", err)
	require.Equal(t, store.ReasonUnavailable, fault.ReasonOf(err))

	require.NoError(t, os.WriteFile(c.Store.DSNFile, []byte(dsn), 0o600))
	require.Eventually(t, func() bool { return r.get("/readyz") == http.StatusOK }, hangs, 10*time.Millisecond)
	_, err = client.ListSessions(t.Context(), &routerv1.ListSessionsRequest{})
	require.NoError(t, err)
}

// TestAFileOfBeforeBesideTheDatabase: what is in it would be missed, so the service says what to
// do and does not start, whether the database is there or not.
func TestAFileOfBeforeBesideTheDatabase(t *testing.T) {
	t.Parallel()
	for target, tables := range map[string]func(dataDir string) (small.Tables, error){
		app.FindData: memory.Tables, app.Text2SQL: examples.Tables, app.Knowledge: knowledge.SessionTables,
	} {
		c := overPostgres(t, testConfig(t), "postgres://127.0.0.1:1/nobody?sslmode=disable")
		for _, peer := range []*string{&c.FindData.Address, &c.Text2SQL.Address, &c.FixSQL.Address, &c.ChatBI.Address, &c.Knowledge.Address} {
			*peer = "127.0.0.1:7070"
		}
		kept, err := tables(c.DataDir)
		require.NoError(t, err)
		path := kept.File.Path
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		db, err := sql.Open("sqlite", path)
		require.NoError(t, err)
		name := strings.TrimPrefix(kept.Schema.Tables[0], kept.Prefix)
		_, err = db.ExecContext(t.Context(), fmt.Sprintf(`CREATE TABLE %[1]s (what TEXT); INSERT INTO %[1]s VALUES ('kept')`, name))
		require.NoError(t, err)
		require.NoError(t, db.Close())
		_, err = app.New(t.Context(), c, []string{target}, app.Options{})
		require.Equal(t, "STORE_OLD", fault.ReasonOf(err), "%s: %v", target, err)
		require.Equal(t, codes.FailedPrecondition, fault.FromStatus(err).Code, target)
		require.ErrorContains(t, err, "run `dibrain migrate`, which brings it into the database, or move "+path+" away", target)
	}
}
