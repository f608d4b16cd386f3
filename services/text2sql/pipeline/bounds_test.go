package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Nothing is said of more than a stored name where no order of the names is known: a question for what is higher than one has
// no answer of that one alone.
func TestBoundsAreMet(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	divers := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "divers"}, RowCount: 300, Columns: []catalog.Column{
		{Name: "diver_id", Type: "bigint", PrimaryKey: true, Distinct: 300}, {Name: "licence", Type: "varchar", NotNull: true, Distinct: 3, Samples: []string{"bronze", "silver", "gold"}},
		{Name: "depth_m", Type: "bigint", NotNull: true, Distinct: 60}, {Name: "joined_on", Type: "date", NotNull: true, Distinct: 200},
	}}}, nil)
	qianshui := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "潜水员"}, RowCount: 300, Columns: []catalog.Column{
		{Name: "编号", Type: "bigint", PrimaryKey: true, Distinct: 300}, {Name: "执照", Type: "varchar", NotNull: true, Distinct: 3, Samples: []string{"铜牌", "银牌", "金牌"}},
		{Name: "深度", Type: "bigint", NotNull: true, Distinct: 60},
	}}}, nil)
	for _, c := range []struct {
		schema   *Schema
		question string
		sql      string // "": no answer
	}{
		{divers, "How many divers have licence silver or higher?", ""},
		{divers, "How many divers have licence silver?", "licence = 'silver'"},
		{divers, "How many divers have a depth of 30 or more?", "depth_m >= 30"},
		{qianshui, "银牌及以上的潜水员有多少？", ""},
		{qianshui, "银牌的潜水员有多少？", `"执照" = '银牌'`},
		{qianshui, "深度30及以上的潜水员有多少？", `"深度" >= 30`},
		{qianshui, "有多少起潜水员？", "count(*)"}, // a measure word
	} {
		res := p.Answer(Input{Question: c.question, Schema: c.schema, Now: time.Date(2031, 5, 14, 9, 0, 0, 0, time.UTC)})
		if c.sql == "" {
			require.NotEqual(t, Answered, res.Outcome, "%s %s", c.question, res.SQL)
			continue
		}
		require.Contains(t, res.SQL, c.sql, c.question)
	}
}

// The first rows of groups of one row are all rows.
func TestGroupsOfOneHaveNoFirst(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	s := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "divers"}, RowCount: 300, Columns: []catalog.Column{
		{Name: "diver_id", Type: "bigint", PrimaryKey: true, Distinct: 300}, {Name: "licence", Type: "varchar", NotNull: true, Distinct: 3}, {Name: "depth_m", Type: "bigint", Distinct: 60},
	}}, {Name: catalog.Name{Table: "dives"}, RowCount: 4000, Columns: []catalog.Column{
		{Name: "dive_id", Type: "bigint", PrimaryKey: true, Distinct: 4000}, {Name: "diver_id", Type: "bigint", NotNull: true, Distinct: 300}, {Name: "minutes", Type: "bigint", Distinct: 90},
	}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"diver_id"}, RefTable: catalog.Name{Table: "divers"}, RefColumns: []string{"diver_id"}}}}}, nil)
	of := func(id string) intent.Field { return intent.Field{Kind: intent.KindDimension, ID: id} }
	for _, c := range []struct {
		per, shown string
		limit      int64
		one        bool
	}{
		{"dives.dive_id", "dives.minutes", 10, true},
		{"dives.dive_id", "divers.licence", 10, true}, // one diver each
		{"divers.diver_id", "dives.minutes", 10, false},
		{"divers.licence", "divers.depth_m", 10, false},
		{"dives.dive_id", "dives.minutes", 0, false},
	} {
		require.NotNil(t, s.view.ColumnOf(c.per), c.per)
		meant := &intent.Intent{Limit: c.limit, LimitPer: []intent.Field{of(c.per)}, Select: []intent.Output{{Field: of(c.shown)}}}
		require.Equal(t, c.one, s.firstOfOne(meant), "%d of %s for each %s", c.limit, c.shown, c.per)
	}
	first := &intent.Intent{Entity: "dives", Limit: 10, LimitPer: []intent.Field{of("dives.dive_id")}, Select: []intent.Output{{Field: of("dives.minutes")}}, OrderBy: []intent.Order{{By: intent.Output{Field: of("dives.minutes")}, Desc: true}}}
	stmt, err := s.gen.Statement(first)
	require.NoError(t, err)
	require.Contains(t, p.unmet(p.ask(Input{Question: "the first 10 minutes of each dive", Schema: s}), first, stmt), "10")
	counted := &intent.Intent{Limit: 3, LimitPer: []intent.Field{of("divers.diver_id")}, Select: []intent.Output{{Agg: intent.AggCount, Field: intent.Field{Kind: intent.KindEntity, ID: "dives"}}}}
	require.False(t, s.firstOfOne(counted), "its dives may be many")
}
