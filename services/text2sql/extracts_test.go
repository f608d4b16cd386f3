package text2sql

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// TestExtractsAreLeftOut: some of the rows of a table, by its own key and with no column of their own, are read
// only where a word of their own name is said; whatever differs in one of these stays.
func TestExtractsAreLeftOut(t *testing.T) {
	t.Parallel()
	name := func(table string) catalog.Name { return catalog.Name{Region: "own", Schema: "main", Table: table} }
	visits := func() catalog.Table {
		return catalog.Table{Name: name("visits"), RowCount: 50, Columns: []catalog.Column{{Name: "visit_id", Type: "bigint", PrimaryKey: true, Distinct: 50}, {Name: "fee", Type: "double"}}}
	}
	part := func() catalog.Table {
		return catalog.Table{
			Name: name("cardiology_visits"), RowCount: 20, Columns: []catalog.Column{{Name: "visit_id", Type: "bigint", Distinct: 20}, {Name: "fee", Type: "double"}},
			ForeignKeys: []catalog.ForeignKey{{Columns: []string{"visit_id"}, RefTable: name("visits"), RefColumns: []string{"visit_id"}}},
		}
	}
	for why, c := range map[string]struct {
		change func(whole, part *catalog.Table)
		text   string
		out    bool
	}{
		"total of all":         {text: "total fee per month, visits by ward", out: true},
		"its own name is said": {text: "total fee of the Cardiology ward"},
		"an earlier statement": {text: `and by ward? {"from":"own.main.cardiology_visits"}`},
		"Chinese":              {change: func(_, p *catalog.Table) { p.Name.Table = "心脏科_visits" }, text: "每月总费用", out: true},
		"Chinese, said":        {change: func(_, p *catalog.Table) { p.Name.Table = "心脏科_visits" }, text: "每月心脏科费用"},
		"a column of what the rows point to": {change: func(w, p *catalog.Table) {
			w.ForeignKeys = []catalog.ForeignKey{{Columns: []string{"ward_id"}, RefTable: name("wards"), RefColumns: []string{"ward_id"}}}
			p.Columns = append(p.Columns, catalog.Column{Name: "floor", Type: "bigint"})
			p.ForeignKeys[0].Found = &catalog.Evidence{Values: 20}
		}, text: "total fee by floor", out: true},
		"its own key is declared": {change: func(w, p *catalog.Table) {
			w.ForeignKeys = []catalog.ForeignKey{{Columns: []string{"ward_id"}, RefTable: name("wards"), RefColumns: []string{"ward_id"}}}
			p.Columns = append(p.Columns, catalog.Column{Name: "floor", Type: "bigint"})
		}, text: "total fee by floor"},
		"a column of its own":      {change: func(_, p *catalog.Table) { p.Columns = append(p.Columns, catalog.Column{Name: "ecg", Type: "double"}) }},
		"a column of another type": {change: func(_, p *catalog.Table) { p.Columns[1].Type = "varchar" }},
		"as many rows":             {change: func(_, p *catalog.Table) { p.RowCount, p.Columns[0].Distinct = 50, 50 }},
		"rows are not known":       {change: func(_, p *catalog.Table) { p.RowCount = 0 }},
		"a row comes twice":        {change: func(_, p *catalog.Table) { p.RowCount = 21 }},
		"another column points":    {change: func(_, p *catalog.Table) { p.ForeignKeys[0].RefColumns = []string{"earlier_id"} }},
		"the whole is not there":   {change: func(w, _ *catalog.Table) { w.Name.Table = "others" }},
	} {
		whole, extract := visits(), part()
		if c.change != nil {
			c.change(&whole, &extract)
		}
		tables := []catalog.Table{{Name: name("wards"), Columns: []catalog.Column{{Name: "floor", Type: "bigint"}}}, extract, whole}
		want := tables
		if c.out {
			want = []catalog.Table{tables[0], tables[2]}
		}
		require.Equal(t, want, withoutExtracts(tables, c.text), why)
	}
}

// TestQuestionsAreReadOverWholeTables: the tables of a request, and those that an answer turned out to need
// beside them, are read without those that hold some of the rows of another one.
func TestQuestionsAreReadOverWholeTables(t *testing.T) {
	t.Parallel()
	d := newDock(t, Config{}, openRules, dockLayer)
	crates, crew := d.tables[0], d.tables[1]
	crew.Kind = catalog.KindTable // as described tables have it
	crates.RowCount = 50
	crates.Columns[0].Distinct = 50
	late := crates
	late.Name.Table, late.RowCount, late.Columns = "late_crate", 20, slices.Clone(crates.Columns)
	late.Columns[0].Distinct = 20
	late.ForeignKeys = []catalog.ForeignKey{{Columns: []string{"crate_id"}, RefTable: crates.Name, RefColumns: []string{"crate_id"}}}
	ask := func(question string) (In, team.Task) {
		in := In{Source: "dock", Question: question, Tables: []catalog.Table{crates, late}}
		task, err := d.task(asking("boss"), in)
		require.NoError(t, err)
		return in, task
	}
	held, err := d.layers.get("dock")
	require.NoError(t, err)
	over := func(tables ...catalog.Table) *pipeline.Schema {
		schema, err := d.schemas.get(tables, held.layer)
		require.NoError(t, err)
		return schema
	}
	in, task := ask("weight by goods")
	require.Same(t, over(crates), task.Schema)
	require.Len(t, task.Tables, 2, "the tables of the request stay")
	_, named := ask("weight of late crates by goods")
	require.Same(t, over(crates, late), named.Schema)

	d.others.described = []catalog.Table{crew}
	_, schema, further, err := d.more(asking("boss"), in, in.Tables, held.layer, pipeline.Result{Reads: []string{"main.crew"}})
	require.NoError(t, err)
	require.True(t, further)
	require.Same(t, over(crates, crew), schema)
}
