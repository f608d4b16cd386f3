package trino_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
	"github.com/dibrain/dibrain/pkg/warehouse/trino/trinotest"
)

// TestASpoolingServerAnswersDirectly: a real server that has the spooled protocol and speaks it
// with those who ask for it. It is not asked to, and all rows come from itself, with all their
// digits.
func TestASpoolingServerAnswersDirectly(t *testing.T) {
	t.Parallel()
	const rows = "select x, timestamp '2026-01-02 03:04:05.123456789012' as at from unnest(sequence(1, 5000)) t(x)"
	spooled := false
	for next, method := trinotest.Server(t)+"/v1/statement", http.MethodPost; next != ""; method = http.MethodGet {
		req, err := http.NewRequestWithContext(t.Context(), method, next, strings.NewReader(map[string]string{http.MethodPost: "select 1"}[method]))
		require.NoError(t, err)
		req.Header.Set("X-Trino-User", "admin")
		req.Header.Set("X-Trino-Query-Data-Encoding", "json")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		var a struct {
			NextURI string `json:"nextUri"`
			Data    json.RawMessage
		}
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&a))
		require.NoError(t, resp.Body.Close())
		spooled = spooled || strings.Contains(string(a.Data), `"segments"`)
		next = a.NextURI
	}
	require.True(t, spooled, "the server has to be one that spools: test/servers/trino-start")

	e := open(t, trino.Config{Connection: trinotest.Plain(t, "tpch")})
	got, err := e.Query(t.Context(), someone(), approve(t, "someone", rows, resolve.Scope{}), warehouse.Options{})
	require.NoError(t, err)
	all := all(t, got)
	require.Len(t, all, 5000)
	require.Equal(t, "2026-01-02 03:04:05.123456789012", all[4999][1])
}
