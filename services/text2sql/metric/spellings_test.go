package metric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// TestValuesInSeveralSpellings: a value that is stored in several spellings is one value,
// over a layer as over tables: all of it is counted, in one number.
func TestValuesInSeveralSpellings(t *testing.T) {
	t.Parallel()
	name := catalog.Name{Region: "own", Schema: "main", Table: "payments"}
	tables := []catalog.Table{{Name: name, RowCount: 90, Columns: []catalog.Column{
		{Name: "amount", Type: "double", Distinct: 40}, {Name: "paid_on", Type: "date", Distinct: 30},
		{Name: "method", Type: "varchar", Distinct: 3, Samples: []string{"Card", "cash", "card "}},
	}}}
	layer := &semantic.Layer{
		Metrics:    []semantic.Metric{{ID: "amount", Names: semantic.Text{EN: "amount"}, Table: "main.payments", Expr: "SUM(amount)", Time: "paid_on", Grain: "day"}},
		Dimensions: []semantic.Dimension{{ID: "method", Names: semantic.Text{EN: "method"}, Table: "main.payments", Role: semantic.RoleCategory, Values: []semantic.Value{{Value: "Card"}, {Value: "cash"}, {Value: "card "}}}},
	}
	p, err := pipeline.New(pipeline.Config{})
	require.NoError(t, err)
	s := p.Prepare(tables, p.PrepareLayer(layer))
	for question, want := range map[string]string{
		"total amount paid by card":        "WHERE method IN ('Card', 'card ')",
		"amount by card and cash":          "WHERE method IN ('Card', 'card ', 'cash') GROUP BY method",
		"total amount without card":        "WHERE method NOT IN ('Card', 'card ')",
		"amount of cash payments":          "WHERE method = 'cash'",
		"amount of card payments per year": "WHERE method IN ('Card', 'card ') GROUP BY date_trunc('year', paid_on)",
	} {
		got := p.Answer(pipeline.Input{Question: question, Schema: s, Now: today})
		require.Equal(t, pipeline.Answered, got.Outcome, "%s: %s", question, oneLine(got))
		require.True(t, strings.HasSuffix(strings.SplitN(oneLine(got), " ORDER BY ", 2)[0], want), "%s: %s", question, oneLine(got))
	}
}
