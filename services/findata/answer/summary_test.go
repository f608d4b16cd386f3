package answer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/rank"
)

// TestSummariesAreBounded: a full summary has at most 2,000 tokens, no title, and
// the levels tell more and more.
func TestSummariesAreBounded(t *testing.T) {
	t.Parallel()
	w, err := New(Config{LateAfter: time.Hour})
	require.NoError(t, err)
	for _, l := range []lang.Language{lang.English, lang.Chinese} {
		s := Summary{Language: l, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		for i := range 100 {
			s.Tables = append(s.Tables, Shown{Reasons: []string{"matches orders", "12 queries in 30 days"}, Chosen: filter.Chosen{Ranked: rank.Ranked{Table: &catalog.Table{
				Name: catalog.Name{Region: "sg", Schema: "s", Table: fmt.Sprintf("t%d", i)}, RowCount: 5,
				Description: "Orders of the day\n# 订单明细" + strings.Repeat("，每行一单", 200), Grain: "one order",
				Columns:     []catalog.Column{{Name: "id", PrimaryKey: true}},
				ForeignKeys: []catalog.ForeignKey{{Columns: []string{"id"}, RefTable: catalog.Name{Region: "sg", Schema: "s", Table: "other"}, RefColumns: []string{"id"}}},
			}}}})
		}
		s.Terms = []catalog.Term{{Term: "GMV", Definition: "all orders\n# of a day"}}
		length := make(map[Level]int)
		for _, level := range []Level{Short, Full, Expert} {
			s.Level = level
			text := w.Summarize(s)
			length[level] = tokens(text)
			require.LessOrEqual(t, tokens(text), 2000)
			require.False(t, strings.HasPrefix(text, "# ") || strings.Contains(text, "\n# "), "no title")
			require.Contains(t, text, "`sg.s.t0`", "most relevant first")
			require.Equal(t, level == Expert, strings.Contains(text, "sg.s.other"), "joins are for experts")
		}
		require.Less(t, length[Short], 500)
		require.Greater(t, length[Full], length[Short])
	}
	require.Equal(t, 3, tokens("订单 ab"))
	require.Equal(t, 1, tokens("abcd"))
}
