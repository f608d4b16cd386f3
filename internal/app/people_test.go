package app_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	"github.com/dibrain/dibrain/pkg/fault"
)

// TestOnesDataByRPC asks a running server for what it keeps of people, as themselves, as
// somebody else and as an administrator.
func TestOnesDataByRPC(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Auth.Mode, c.Auth.AuditFile, c.Limits.RequestBurst = string(auth.ModeToken), filepath.Join(t.TempDir(), "audit.jsonl"), 1000
	c.Export.MaxBytes = 20_000
	store, err := app.OpenTokens(t.Context(), c, app.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	as := func(principal string, admin bool) context.Context {
		_, secret, err := tokenstore.Tokens{Store: store, Clock: time.Now, Most: 10}.Create(t.Context(), tokenstore.Token{Principal: principal, Admin: admin}, time.Hour)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secret), 2*time.Minute)
		t.Cleanup(cancel)
		return ctx
	}
	ann, bob, root := as("ann", false), as("bob", false), as("root", true)
	r := start(t, c, app.All)
	conn := r.dial()
	client := routerv1.NewRouterServiceClient(conn)
	export := func(ctx context.Context, of string) (string, error) {
		stream, err := client.ExportPerson(ctx, &routerv1.ExportPersonRequest{Principal: of})
		require.NoError(t, err)
		var text strings.Builder
		for {
			m, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return text.String(), nil
			}
			if err != nil {
				return text.String(), err
			}
			text.Write(m.GetData())
		}
	}
	for name, ctx := range map[string]context.Context{"orders of ann": ann, "orders of bob": bob} {
		_, err := client.CreateSession(ctx, &routerv1.CreateSessionRequest{Title: name})
		require.NoError(t, err)
	}

	text, err := export(ann, "")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(text, "orders of ann"), text)
	require.NotContains(t, text, "bob")
	require.Contains(t, text, `"end":true`)
	for _, ask := range []func() error{
		func() error { _, err := export(ann, "bob"); return err },
		func() error {
			_, err := client.DeletePerson(ann, &routerv1.DeletePersonRequest{Principal: "bob", Confirm: true})
			return err
		},
	} {
		err := ask()
		require.Equal(t, "ADMIN_ONLY", fault.ReasonOf(err), "%v", err)
	}
	_, err = client.DeletePerson(root, &routerv1.DeletePersonRequest{Principal: "bob"})
	require.Equal(t, codes.InvalidArgument, fault.FromStatus(err).Code, "it has to be meant: %v", err)
	text, err = export(root, "bob")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(text, "orders of bob"), text)

	// What is larger than a file may be is not sent at all.
	_, err = client.CreateSession(bob, &routerv1.CreateSessionRequest{Title: "again"})
	require.NoError(t, err)
	for range 200 {
		_, err = client.CreateSession(bob, &routerv1.CreateSessionRequest{Title: strings.Repeat("again ", 20)})
		require.NoError(t, err)
	}
	text, err = export(bob, "bob")
	require.Equal(t, "PERSON_EXPORT_TOO_LARGE", fault.ReasonOf(err), "%v", err)
	require.Empty(t, text)

	deleted, err := client.DeletePerson(root, &routerv1.DeletePersonRequest{Principal: "bob", Confirm: true})
	require.NoError(t, err)
	rows := map[string]int64{}
	for _, n := range deleted.GetTables() {
		rows[n.GetStore()+"/"+n.GetTable()] += n.GetRows()
	}
	require.EqualValues(t, map[string]int64{"API tokens/api_tokens": 1, "sessions/sessions": 202}, rows)
	list, err := client.ListSessions(ann, &routerv1.ListSessionsRequest{})
	require.NoError(t, err)
	require.Len(t, list.GetSessions(), 1, "those of others stay")

	// Nothing that the server keeps is in a store that nobody looks through.
	known := []string{"router/router.db", "identity/tokens.db", "findata/findata.db", "text2sql/examples.db", "knowledge/expert.db", "analysis/analyses.db", "chatbi/results.db"}
	require.NoError(t, filepath.WalkDir(c.DataDir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		require.False(t, strings.HasPrefix(entry.Name(), ".person-"), path)
		rel, err := filepath.Rel(c.DataDir, path)
		require.NoError(t, err)
		if strings.HasSuffix(path, ".db") && !strings.HasPrefix(rel, "sources") {
			require.Contains(t, known, filepath.ToSlash(rel), "internal/state has to walk it")
		}
		return nil
	}))
	r.end()
	audit, err := os.ReadFile(c.Auth.AuditFile)
	require.NoError(t, err)
	require.Contains(t, string(audit), `"principal":"root","admin":true`)
	require.Regexp(t, `"principal":"root".*"method":"dibrain.router.v1.RouterService/DeletePerson","object":"bob",.*"decision":"allowed"`, string(audit))
	require.Regexp(t, `"principal":"ann".*"method":"dibrain.router.v1.RouterService/DeletePerson","object":"",.*"decision":"refused"`, string(audit))
}
