package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

// Words for one of two values lead to how it is stored, where a column has both; M beside other sizes is no man.
func TestOppositesAreFoundAsTheyAreStored(t *testing.T) {
	t.Parallel()
	lex := words
	lex.opposites = [][2]lexicon.ValueWords{{{Words: []string{"women", "female", "女"}, Codes: []string{"f"}}, {Words: []string{"men", "male", "男"}, Codes: []string{"m"}}}}
	column := func(name string, values ...string) catalog.Column {
		return catalog.Column{Name: name, Type: "varchar", NotNull: true, Samples: values, Distinct: int64(len(values))}
	}
	tables := []catalog.Table{{Name: catalog.Name{Table: "shirts"}, RowCount: 900, Columns: []catalog.Column{
		{Name: "id", Type: "bigint", PrimaryKey: true}, column("buyer", "F", "M", "unknown"), column("size", "S", "M", "L"), column("wearer", "female", "male"),
	}}}
	v := New(semantic.Derive(tables), tables, plan.New([]string{"shirts"}, nil), units, lex)
	for word, want := range map[string][]string{"women": {"buyer=F", "wearer=female"}, "男": {"buyer=M", "wearer=male"}, "male": {"buyer=M", "wearer=male"}, "L": {"size=L"}} {
		var got []string
		for _, x := range v.Values(word, false) {
			got = append(got, x.Column.Expr+"="+x.Stored[0])
		}
		require.ElementsMatch(t, want, got, word)
	}
}
