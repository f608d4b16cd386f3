package analyse_test

import (
	"fmt"
	"syscall"
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
				before := spent()
				for b.Loop() {
					analyst.Analyse(in)
				}
				// What it costs on a machine that does other things too.
				b.ReportMetric(float64((spent()-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
			})
		}
	}
}

// TestColumnsAreReadOnce holds what the analysis of a wide result costs to what one reading
// of its values as exact numbers and texts does: counted in objects made, which are the
// same on a busy machine.
func TestColumnsAreReadOnce(t *testing.T) {
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	table := big("rows", 10_000)
	once := testing.AllocsPerRun(1, func() {
		for i, c := range table.Columns {
			for _, row := range table.Rows {
				if _, ok := result.NumberOf(row[i], c); !ok {
					_, _ = result.Text(row[i], c)
					_, _, _ = result.ParseMoment(fmt.Sprint(row[i]), time.UTC)
				}
			}
		}
	})
	in := analyse.Input{Language: "en", Now: now, MaxPoints: 1000, Table: table}
	all := testing.AllocsPerRun(1, func() { analyst.Analyse(in) })
	require.Positive(t, once)
	require.Less(t, all, once/2, "an analysis makes %v objects, a reading of its values %v", all, once)

	in.Table = big("rows", 5_000)
	half := testing.AllocsPerRun(1, func() { analyst.Analyse(in) })
	require.Less(t, all, 2.5*half)
}

// spent is the processor time of this process so far.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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
