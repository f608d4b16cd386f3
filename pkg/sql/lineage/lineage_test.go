package lineage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

func TestOf(t *testing.T) {
	t.Parallel()
	sales := catalog.Name{Region: "eu", Schema: "shop", Table: "sales"}
	tables := resolve.NewTables([]catalog.Table{{Name: sales, Columns: []catalog.Column{
		{Name: "day", Type: "date"}, {Name: "amount", Type: "decimal(12,2)"}, {Name: "city", Type: "varchar"},
	}}})
	stmt, err := parser.Parse(`with s as (select day d, amount * 2 a, city from eu.shop.sales where city in ('x', 'y') and (amount > 1 and day is not null))
		select d, sum(a) total from s group by 1 having sum(a) >= 10`)
	require.NoError(t, err)
	r, mistakes := resolve.Resolve(stmt, resolve.Scope{Catalog: tables})
	require.Empty(t, mistakes)
	l := lineage.Of(r)
	require.Equal(t, []catalog.Name{sales}, l.Tables)
	require.Equal(t, []lineage.Column{
		{Name: "d", Type: "date", Sources: []resolve.Origin{{Table: sales, Column: "day"}}},
		{Name: "total", Type: "decimal(38,2)", Sources: []resolve.Origin{{Table: sales, Column: "amount"}}},
	}, l.Columns)
	var texts []string
	for _, f := range l.Filters {
		texts = append(texts, f.Text)
	}
	require.Equal(t, []string{"city is one of 'x', 'y'", "amount is more than 1", "day is not missing", "sum(a) is at least 10"}, texts)
	require.Equal(t, "city in ('x', 'y')", l.Filters[0].SQL)
	require.Equal(t, []string{"d"}, l.GroupBy)
	require.Equal(t, "one row for each d", l.Grain)
}
