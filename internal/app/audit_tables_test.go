package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
)

// TestTheAuditLogNamesTables asks by several calls, each of which reads tables itself or by the
// services that it calls, and reads the audit log afterwards.
func TestTheAuditLogNamesTables(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	c.Auth.AuditFile = filepath.Join(t.TempDir(), "audit.jsonl")
	c.Source, c.FindData.Config.DefaultSource = "club", "club"
	withMembers(t, c.DataDir)
	r := start(t, c, app.All)
	conn := r.dial()
	route, bi := routerv1.NewRouterServiceClient(conn), chatbiv1.NewChatBIServiceClient(conn)
	asked, err := route.Ask(t.Context(), &routerv1.AskRequest{Turn: &routerv1.Turn{Source: "club", Question: "total amount of gifts by town"}})
	require.NoError(t, err)
	require.Contains(t, asked.GetAnswer().GetText(), "37", "the turn has run a statement")
	for range 2 { // the second time the rows are there already, and somebody gets them all the same
		_, err = bi.ExecuteAndAnalyzeUnary(t.Context(), &chatbiv1.ExecuteAndAnalyzeUnaryRequest{Query: &chatbiv1.ExecuteQuery{Source: "club", Sql: "SELECT sum(amount) FROM gifts WHERE amount > 12345"}})
		require.NoError(t, err)
	}
	_, err = route.ListSessions(t.Context(), &routerv1.ListSessionsRequest{})
	require.NoError(t, err)
	r.end()

	raw, err := os.ReadFile(c.Auth.AuditFile)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "12345", "names, never values")
	tables := map[string][]string{} // of the last line of each
	for text := range strings.Lines(string(raw)) {
		var l struct {
			Method string
			Tables []string
		}
		require.NoError(t, json.Unmarshal([]byte(text), &l), text)
		tables[l.Method[strings.LastIndexByte(l.Method, '/')+1:]] = l.Tables
	}
	require.Equal(t, map[string][]string{
		"Ask": {"club.main.gifts", "club.main.members"}, "ExecuteAndAnalyzeUnary": {"club.main.gifts"}, "ListSessions": nil,
	}, tables)
}
