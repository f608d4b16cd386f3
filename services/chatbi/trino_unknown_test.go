package chatbi_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/pkg/warehouse/trino"
	"github.com/dibrain/dibrain/services/chatbi"
)

// nanPlan is what Trino says of a table without statistics.
const nanPlan = `{"inputTableColumnInfos":[{"table":{"catalog":"hive","schemaTable":{"schema":"shop","table":"orders"}},"constraint":{"none":false,"columnConstraints":[]},` +
	`"estimate":{"outputRowCount":"NaN","outputSizeInBytes":"NaN","cpuCost":"NaN","maxMemory":0.0,"networkCost":0.0}}],` +
	`"estimate":{"outputRowCount":1.0,"outputSizeInBytes":9.0,"cpuCost":"NaN","maxMemory":"NaN","networkCost":"NaN"}}`

// TestAPlanWithoutFiguresAsks: on Trino a table whose size neither the catalog nor
// the server's plan knows is asked about before it is read, unless the setting says
// otherwise. The plan goes through Trino's own protocol, its NaN being texts.
func TestAPlanWithoutFiguresAsks(t *testing.T) {
	t.Parallel()
	for unknown, want := range map[chatbi.CostAction]chatbiv1.ExecuteOutcome{
		"":                chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK,
		chatbi.CostAsk:    chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK,
		chatbi.CostRefuse: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED,
		chatbi.CostAllow:  chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE,
	} {
		t.Run("unknown="+string(unknown), func(t *testing.T) {
			t.Parallel()
			var explained, ran atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, _ := io.ReadAll(r.Body)
				w.Header().Set("Content-Type", "application/json")
				column, value := `{"name":"n","type":"bigint","typeSignature":{"rawType":"bigint","arguments":[]}}`, "7"
				switch {
				case strings.HasPrefix(string(text), "EXPLAIN (TYPE IO"):
					explained.Add(1)
					column, value = `{"name":"Query Plan","type":"varchar","typeSignature":{"rawType":"varchar","arguments":[]}}`, fmt.Sprintf("%q", nanPlan)
				case strings.Contains(string(text), "count(*)"):
					ran.Add(1)
				}
				_, _ = fmt.Fprintf(w, `{"id":"q1","columns":[%s],"data":[[%s]],"stats":{"state":"FINISHED"}}`, column, value)
			}))
			t.Cleanup(server.Close)
			s := newService(t, func(c *chatbi.Config, d *chatbi.Deps) {
				c.Cost.Unknown = unknown
				d.Catalog = catalogWithout(t)
				d.OpenEngine = func(ctx context.Context, _ *source.Generation) (warehouse.Engine, error) {
					return trino.Open(ctx, trino.Config{DefaultRegion: "sg", DefaultSchema: "shop",
						Connection: source.TrinoConnection{URL: server.URL, User: "svc", Regions: map[string]source.TrinoPlace{"sg": {Catalog: "hive"}}}})
				}
			})
			got := execute(t, s, &chatbiv1.ExecuteQuery{Sql: countQuery})
			require.Equal(t, want, got.GetOutcome(), "%v", got)
			require.EqualValues(t, 1, explained.Load(), "the server was asked for its plan")
			switch want {
			case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK:
				require.Equal(t, "How much this would read from sg.shop.orders is not known, and it may be much. Run it?", got.GetQuestion().GetText())
				require.Zero(t, ran.Load())
				done := execute(t, s, &chatbiv1.ExecuteQuery{Sql: countQuery, CostConfirmed: true})
				require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, done.GetOutcome())
			case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED:
				require.Equal(t, "COST_LIMIT_EXCEEDED", got.GetError().GetCode())
				require.Zero(t, ran.Load())
			}
			bounded := execute(t, s, &chatbiv1.ExecuteQuery{Sql: countQuery + " WHERE dt = DATE '2026-11-11'"})
			require.Equal(t, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, bounded.GetOutcome(), "a condition that leaves out partitions")
		})
	}
}
