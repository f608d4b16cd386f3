package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// A year in the name of a column is the year that its numbers are of where others differ in nothing else.
func TestYearsOfColumns(t *testing.T) {
	t.Parallel()
	kept := []catalog.Table{{Name: catalog.Name{Table: "plots"}, RowCount: 50, Columns: []catalog.Column{
		{Name: "yield_2019", Type: "integer"}, {Name: "yield_2022", Type: "integer"}, {Name: "2019年产量", Type: "integer"}, {Name: "2022年产量", Type: "integer"},
		{Name: "model_2000", Type: "integer"}, {Name: "note_2019", Type: "varchar"}, {Name: "note_2022", Type: "varchar"}, {Name: "code_20191", Type: "integer"}, {Name: "code_20221", Type: "integer"},
	}}}
	v := view(t, semantic.Derive(kept), kept...)
	years := map[string]int{}
	for _, c := range v.Tables[0].Columns {
		if c.Year > 0 {
			years[c.Expr] = c.Year
		}
	}
	require.Equal(t, map[string]int{"yield_2019": 2019, "yield_2022": 2022, "2019年产量": 2019, "2022年产量": 2022}, years)
	require.Equal(t, map[int]bool{2019: true, 2022: true}, v.Years())
}
