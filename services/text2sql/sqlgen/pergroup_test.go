package sqlgen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/plan"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// library is a schema of branches, readers and loans.
func library() *sqlgen.Generator {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	key := func(c string) catalog.Column {
		return catalog.Column{Name: c, Type: "bigint", PrimaryKey: true, NotNull: true, Distinct: 50}
	}
	to := func(c, table string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{c}, RefTable: name(table), RefColumns: []string{c}}
	}
	tables := []catalog.Table{
		{Name: name("branches"), RowCount: 5, Columns: []catalog.Column{key("branch_id"), {Name: "town", Type: "varchar", Distinct: 5}}},
		{Name: name("readers"), RowCount: 50, Columns: []catalog.Column{key("reader_id"), {Name: "branch_id", Type: "bigint"},
			{Name: "name", Type: "varchar", Distinct: 50}, {Name: "age", Type: "bigint"}},
			ForeignKeys: []catalog.ForeignKey{to("branch_id", "branches")}},
		{Name: name("loans"), RowCount: 500, Columns: []catalog.Column{key("loan_id"), {Name: "reader_id", Type: "bigint"}, {Name: "days", Type: "bigint"}},
			ForeignKeys: []catalog.ForeignKey{to("reader_id", "readers")}},
	}
	layer := semantic.Derive(tables)
	names := make([]string, len(layer.Entities))
	for i, e := range layer.Entities {
		names[i] = e.Table
	}
	return sqlgen.New(layer, plan.New(names, layer.Joins), tables)
}

func column(id string) intent.Output {
	return intent.Output{Field: intent.Field{Kind: intent.KindDimension, ID: id}}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	town := column("branches.town")
	cases := []struct {
		name string
		in   intent.Intent
		want string
	}{
		{
			"first rows of each group", intent.Intent{
				Entity: "readers", Select: []intent.Output{column("readers.name"), town},
				OrderBy: []intent.Order{{By: column("readers.age"), Desc: true}}, Limit: 2, LimitPer: []intent.Field{town.Field},
			},
			"SELECT name, town FROM (SELECT t1.name AS name, t2.town AS town, rank() OVER (PARTITION BY t2.town ORDER BY t1.age DESC) AS place_no" +
				" FROM readers AS t1 JOIN branches AS t2 ON t1.branch_id = t2.branch_id) AS ranked WHERE place_no <= 2 ORDER BY town, place_no",
		},
		{
			"related rows are not asked for twice", intent.Intent{
				Entity: "loans", Select: []intent.Output{column("loans.days"), town}, With: []string{"readers"},
			},
			"SELECT t1.days, t3.town FROM loans AS t1 JOIN readers AS t2 ON t1.reader_id = t2.reader_id JOIN branches AS t3 ON t2.branch_id = t3.branch_id",
		},
		{
			"rows that only filter do not multiply", intent.Intent{
				Entity: "branches", Select: []intent.Output{town}, With: []string{"loans"},
			},
			"SELECT t1.town FROM branches AS t1 WHERE EXISTS (SELECT 1 FROM readers AS t2 JOIN loans AS t3 ON t2.reader_id = t3.reader_id WHERE t1.branch_id = t2.branch_id)",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			stmt, err := library().Statement(&c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, printer.Print(stmt))
		})
	}
}

func TestRefusedStatements(t *testing.T) {
	t.Parallel()
	town := column("branches.town")
	for name, in := range map[string]intent.Intent{
		"first rows without an order": {Entity: "readers", Select: []intent.Output{column("readers.name")}, Limit: 1, LimitPer: []intent.Field{town.Field}},
		"an aggregate ordered by a column": {
			Entity: "readers", Select: []intent.Output{{Agg: intent.AggAvg, Field: column("readers.age").Field}},
			OrderBy: []intent.Order{{By: column("readers.name")}},
		},
	} {
		_, err := library().Statement(&in)
		require.ErrorIs(t, err, sqlgen.ErrShape, name)
	}
	_, err := library().Statement(&intent.Intent{Entity: "loans", GroupBy: []intent.Field{column("loans.loan_id").Field}, Select: []intent.Output{
		{Agg: intent.AggSum, Field: column("readers.age").Field}, {Agg: intent.AggSum, Field: column("loans.days").Field}, column("loans.loan_id"),
	}})
	require.ErrorIs(t, err, sqlgen.ErrFanOut, "no reader belongs to one group of loans")
}
