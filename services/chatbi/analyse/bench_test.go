package analyse_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// BenchmarkAnalyse reads the largest results that the product takes: how the time
// grows with the rows is what matters.
func BenchmarkAnalyse(b *testing.B) {
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(b, err)
	for _, rows := range []int{100, 10_000, 100_000} {
		for _, kind := range []string{"series", "ranking", "list"} {
			b.Run(fmt.Sprint(kind, "/", rows), func(b *testing.B) {
				in := analyse.Input{Language: "en", Now: now, MaxPoints: 1000, Table: big(kind, rows)}
				for b.Loop() {
					analyst.Analyse(in)
				}
			})
		}
	}
}

func big(kind string, rows int) result.Table {
	day := time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC)
	columns := map[string][]result.Column{
		"series":  {{Name: "day", Type: "date"}, {Name: "gmv", Type: "decimal(18,2)"}},
		"ranking": {{Name: "shop_id", Type: "bigint"}, {Name: "gmv", Type: "double"}},
		"list":    {{Name: "order_id", Type: "bigint"}},
	}
	t := result.Table{Columns: columns[kind]}
	for i := range rows {
		switch kind {
		case "series":
			t.Rows = append(t.Rows, []any{day.AddDate(0, 0, i).Format(time.DateOnly), fmt.Sprintf("%d.10", i%977)})
		case "ranking":
			t.Rows = append(t.Rows, []any{int64(i), float64(i%977) + 0.1})
		default:
			t.Rows = append(t.Rows, []any{int64(i)})
		}
	}
	return t
}
