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
		for _, kind := range []string{"series", "ranking", "list", "rows"} {
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
		"rows": {
			{Name: "order_id", Type: "bigint"}, {Name: "created", Type: "timestamp(3)"}, {Name: "shipped", Type: "timestamp(3)"}, {Name: "country", Type: "varchar"},
			{Name: "status", Type: "varchar"}, {Name: "channel", Type: "varchar"}, {Name: "buyer", Type: "varchar"}, {Name: "gmv", Type: "decimal(18,2)"},
			{Name: "weight", Type: "double"}, {Name: "items", Type: "bigint"},
		},
	}
	t := result.Table{Columns: columns[kind]}
	for i := range rows {
		switch kind {
		case "series":
			t.Rows = append(t.Rows, []any{day.AddDate(0, 0, i).Format(time.DateOnly), fmt.Sprintf("%d.10", i%977)})
		case "ranking":
			t.Rows = append(t.Rows, []any{int64(i), float64(i%977) + 0.1})
		case "rows":
			at := time.Date(2024, 1, 1, i%8000, 0, 0, 0, time.UTC)
			t.Rows = append(t.Rows, []any{
				int64(i), at.Format(time.DateTime), at.AddDate(0, 0, 1+i%9).Format(time.DateTime), fmt.Sprint("c", i%7), fmt.Sprint("s", i%5), fmt.Sprint("h", i%3),
				fmt.Sprint("b", i%4001), fmt.Sprintf("%d.10", i%977), float64(i%331) + 0.5, int64(i % 11),
			})
		default:
			t.Rows = append(t.Rows, []any{int64(i)})
		}
	}
	return t
}
