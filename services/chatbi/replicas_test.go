package chatbi_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result/store"
	"github.com/dibrain/dibrain/pkg/store/postgres"
	"github.com/dibrain/dibrain/pkg/store/postgres/postgrestest"
	"github.com/dibrain/dibrain/services/chatbi"
)

// sharing has services keep results in one database and one folder.
func sharing(t *testing.T) (dsn, folder string, share func(*chatbi.Config, *chatbi.Deps)) {
	t.Helper()
	dsn, folder = postgrestest.DSN(t), filepath.Join(t.TempDir(), "shared")
	return dsn, folder, func(_ *chatbi.Config, d *chatbi.Deps) {
		schema, err := store.PostgresSchema()
		require.NoError(t, err)
		d.Database, err = postgres.OpenDatabase(t.Context(), postgres.Config{DSN: func() (string, error) { return dsn, nil }, MaxConnections: 3}, schema)
		require.NoError(t, err)
		d.Files, d.Lease = store.Directory(folder), 300*time.Millisecond
	}
}

// TestReplicasShareResults: a page token that one process gave is good at the other, and so
// are use again and deletion; nobody else reads them there either.
func TestReplicasShareResults(t *testing.T) {
	t.Parallel()
	_, folder, share := sharing(t)
	one, other := newService(t, share), newService(t, share)
	q := &chatbiv1.ExecuteQuery{Sql: "SELECT order_id FROM orders ORDER BY order_id", PageSize: 400}
	first := execute(t, one, q).GetPage()
	require.Len(t, first.GetRows(), 400)
	second, err := other.GetResultPage(as(t.Context(), "alice"), &chatbiv1.GetResultPageRequest{ResultId: first.GetResultId(), PageToken: first.GetNextPageToken(), PageSize: 400})
	require.NoError(t, err)
	require.Len(t, second.GetPage().GetRows(), 400)
	third, err := one.GetResultPage(as(t.Context(), "alice"), &chatbiv1.GetResultPageRequest{ResultId: first.GetResultId(), PageToken: second.GetPage().GetNextPageToken(), PageSize: 400})
	require.NoError(t, err)
	require.Len(t, third.GetPage().GetRows(), 100)
	require.Empty(t, third.GetPage().GetNextPageToken())
	require.NotEqual(t, first.GetRows()[0].String(), second.GetPage().GetRows()[0].String())

	_, err = other.GetResultPage(as(t.Context(), "bob"), &chatbiv1.GetResultPageRequest{ResultId: first.GetResultId()})
	require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err))
	_, err = other.DeleteResult(as(t.Context(), "bob"), &chatbiv1.DeleteResultRequest{ResultId: first.GetResultId()})
	require.Equal(t, "RESULT_NOT_FOUND", fault.ReasonOf(err))
	_, err = other.DeleteResult(as(t.Context(), "alice"), &chatbiv1.DeleteResultRequest{ResultId: first.GetResultId()})
	require.NoError(t, err)
	_, err = one.GetResultPage(as(t.Context(), "alice"), &chatbiv1.GetResultPageRequest{ResultId: first.GetResultId()})
	require.Equal(t, "RESULT_REMOVED", fault.ReasonOf(err))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestAnotherReplicaEndsWhatAKilledOneLeft: a statement whose process gives no sign of life
// is ended on its server by another, as its user, once; those of the living stay.
func TestAnotherReplicaEndsWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	dsn, _, share := sharing(t)
	f := newTrinoServer(t)
	replica := func(c *chatbi.Config, d *chatbi.Deps) { f.onTrino(t)(c, d); share(c, d) }
	one := newService(t, replica)
	id, _ := f.startOne(t, one)
	require.Equal(t, "q1", id)
	postgrestest.Exec(t, dsn, `INSERT INTO running_statements (id, source, runs_as, since_ms, process, lease_until) VALUES ('q7', 'demo', 'ann', 1, 'proc_killed', 1)`)
	newService(t, replica)
	ids := func() (ids []string) {
		conn, err := pgx.Connect(t.Context(), dsn)
		require.NoError(t, err)
		defer func() { require.NoError(t, conn.Close(t.Context())) }()
		rows, err := conn.Query(t.Context(), `SELECT id FROM running_statements ORDER BY id`)
		require.NoError(t, err)
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return ids
	}
	require.Eventually(t, func() bool { return len(ids()) == 1 }, time.Minute, 5*time.Millisecond)
	require.Equal(t, []string{"/v1/query/q7 of ann"}, f.endings())
	require.Equal(t, []string{"q1"}, ids())

	require.NoError(t, one.Close())
	require.Empty(t, ids(), "what ends with its process is nobody's to end")
	require.Equal(t, []string{"/v1/query/q7 of ann", "/v1/statement/executing/q1 of alice"}, f.endings())
}

// TestAStatementWhoseServerDoesNotAnswerIsLeftToOthers when its process closes.
func TestAStatementWhoseServerDoesNotAnswerIsLeftToOthers(t *testing.T) {
	t.Parallel()
	dsn, _, share := sharing(t)
	f := newTrinoServer(t)
	f.refuse = 503
	one := newService(t, func(c *chatbi.Config, d *chatbi.Deps) { f.onTrino(t)(c, d); share(c, d) })
	f.startOne(t, one)
	_ = one.Close()
	f.refuse = 0
	newService(t, func(c *chatbi.Config, d *chatbi.Deps) { f.onTrino(t)(c, d); share(c, d) })
	require.Eventually(t, func() bool {
		for _, e := range f.endings() {
			if e == "/v1/query/q1 of alice" {
				return true
			}
		}
		return false
	}, time.Minute, 5*time.Millisecond, dsn)
}
