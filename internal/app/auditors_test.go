package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/pkg/auth"
	"github.com/dibrain/dibrain/pkg/auth/tokenstore"
	"github.com/dibrain/dibrain/pkg/fault"
)

// TestAuditorsReadTheRunsOfOthers asks as one person, and reads the run as an auditor, as an
// administrator and as somebody else. Each look at what is somebody else's is in the audit log.
func TestAuditorsReadTheRunsOfOthers(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Auth.Mode, c.Auth.AuditFile, c.Limits.RequestBurst = string(auth.ModeToken), filepath.Join(t.TempDir(), "audit.jsonl"), 1000
	c.Source, c.FindData.Config.DefaultSource, c.Router.Config.Auditors = "club", "club", []string{"control"}
	withMembers(t, c.DataDir)
	store, err := app.OpenTokens(t.Context(), c, app.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	as := func(who tokenstore.Token) context.Context {
		_, secret, err := tokenstore.Tokens{Store: store, Clock: time.Now, Most: 10}.Create(t.Context(), who, time.Hour)
		require.NoError(t, err)
		return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+secret)
	}
	ann, bob := as(tokenstore.Token{Principal: "ann"}), as(tokenstore.Token{Principal: "bob", Groups: []string{"sales"}})
	root, eve := as(tokenstore.Token{Principal: "root", Admin: true}), as(tokenstore.Token{Principal: "eve", Groups: []string{"sales", "control"}})
	r := start(t, c, app.All)
	router := routerv1.NewRouterServiceClient(r.dial())
	asked, err := router.Ask(ann, &routerv1.AskRequest{Turn: &routerv1.Turn{Source: "club", Question: "total amount of gifts by town"}})
	require.NoError(t, err)
	require.Contains(t, asked.GetAnswer().GetText(), "37")
	id := asked.GetAnswer().GetRunId()

	own, err := router.GetRun(ann, &routerv1.GetRunRequest{RunId: id})
	require.NoError(t, err)
	seen, err := router.GetRun(eve, &routerv1.GetRunRequest{RunId: id, Principal: "ann"})
	require.NoError(t, err)
	require.True(t, proto.Equal(own, seen), "%v", seen)
	for _, rec := range seen.GetRecords() {
		for name, value := range rec.GetAttributes() {
			require.NotContains(t, value, "37", "%s: no row is in it", name)
			require.NotContains(t, value, "SELECT", "%s: no statement is in it", name)
		}
	}
	list, err := router.ListRuns(eve, &routerv1.ListRunsRequest{Principal: "ann"})
	require.NoError(t, err)
	require.Len(t, list.GetRuns(), 1)
	require.Equal(t, "total amount of gifts by town", list.GetRuns()[0].GetQuestion())
	_, err = router.GetRun(eve, &routerv1.GetRunRequest{RunId: id})
	require.Equal(t, codes.NotFound, fault.FromStatus(err).Code, "it is none of her own: %v", err)
	_, err = router.CancelRun(eve, &routerv1.CancelRunRequest{RunId: id})
	require.Equal(t, codes.NotFound, fault.FromStatus(err).Code, "to read is no right to do: %v", err)
	for _, ctx := range []context.Context{bob, root} {
		_, err = router.GetRun(ctx, &routerv1.GetRunRequest{RunId: id, Principal: "ann"})
		require.Equal(t, "AUDITORS_ONLY", fault.ReasonOf(err), "%v", err)
		_, err = router.ListRuns(ctx, &routerv1.ListRunsRequest{Principal: "ann"})
		require.Equal(t, "AUDITORS_ONLY", fault.ReasonOf(err), "%v", err)
	}
	list, err = router.ListRuns(ann, &routerv1.ListRunsRequest{Principal: "ann"})
	require.NoError(t, err)
	require.Len(t, list.GetRuns(), 1, "one's own name is oneself")
	r.end()

	audit, err := os.ReadFile(c.Auth.AuditFile)
	require.NoError(t, err)
	for _, line := range []string{
		`"principal":"eve".*RouterService/GetRun","object":"ann",.*"decision":"allowed"`,
		`"principal":"eve".*RouterService/ListRuns","object":"ann",.*"decision":"allowed"`,
		`"principal":"root".*RouterService/GetRun","object":"ann",.*"decision":"refused"`,
		`"principal":"bob".*RouterService/ListRuns","object":"ann",.*"decision":"refused"`,
	} {
		require.Regexp(t, line, string(audit))
	}
	require.NotContains(t, strings.ToLower(string(audit)), "gifts by town", "no word of a question")
}
