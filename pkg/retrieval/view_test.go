package retrieval_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
)

// withoutColumn hides a column of a table.
func withoutColumn(table, column string) func(*catalog.Table) *catalog.Table {
	return func(t *catalog.Table) *catalog.Table {
		if t.Name.Table != table {
			return t
		}
		less := *t
		less.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c catalog.Column) bool { return c.Name == column })
		return &less
	}
}

func TestHiddenColumnsFindNothing(t *testing.T) {
	t.Parallel()
	s := snapshot("hr.staff | staff_id, salary: what somebody earns, city", "hr.office | city, floor")
	s.Tables[0].Columns[1].Samples = []string{"topsecretvalue"}
	whole := build(t, s)
	x := whole.Through(retrieval.Sight{Visible: withoutColumn("staff", "salary")})
	for _, question := range []string{"salary", "salaries", "earn", "topsecretvalue", "薪水"} {
		require.Contains(t, names(candidates(t, whole, question, nil)), "staff", question)
		require.Empty(t, candidates(t, x, question, nil), question)
	}
	question := "salary by city"
	var staff *catalog.Table
	for _, c := range candidates(t, x, question, nil) {
		if c.Table.Name.Table == "staff" {
			staff = c.Table
		}
	}
	require.NotNil(t, staff, "by what is seen of it")
	why := x.Why(x.Parse(question, nil), staff)
	require.NotEmpty(t, why)
	for _, e := range why {
		require.NotEqual(t, "salary", e.Concept.Surface)
	}
}

// What an asker sees of a table is valued the same, whatever the hidden part says.
func TestFeaturesDoNotTellWhatIsHidden(t *testing.T) {
	t.Parallel()
	features := func(hidden string) []retrieval.Features {
		tables := []string{"hr.staff | staff_id, " + hidden + ", city", "hr.office | city, floor", "hr.bonus bonus of salary | salary"}
		for i := range 40 {
			tables = append(tables, fmt.Sprintf("other.t%d | filler", i))
		}
		x := build(t, snapshot(tables...)).Through(retrieval.Sight{Visible: withoutColumn("staff", hidden)})
		var list []retrieval.Features
		for _, c := range candidates(t, x, "city of the salary", func(t *catalog.Table) bool { return t.Name.Table != "bonus" }) {
			list = append(list, c.Features)
		}
		return list
	}
	asked, other := features("salary"), features("shoesize")
	require.NotEmpty(t, asked)
	require.Equal(t, len(other), len(asked))
	for i := range asked {
		for n, name := range retrieval.FeatureNames() {
			// The rarity of the word is among all tables; no feature but those that it weighs may differ, and none by much.
			require.InDelta(t, other[i][n], asked[i][n], 0.1, name)
		}
	}
}

// Nor do tables that are hidden as a whole say what their schema is about.
func TestHiddenTablesDoNotSpeakForTheirSchema(t *testing.T) {
	t.Parallel()
	x := build(t, snapshot("hr.staff | staff_id, city", "hr.secret | reactor, uranium", "zoo.keeper | keeper_id, city"))
	seen := x.Through(retrieval.Sight{Visible: func(t *catalog.Table) *catalog.Table { return t }})
	covered := slices.Index(retrieval.FeatureNames(), "sch_cov")
	size := slices.Index(retrieval.FeatureNames(), "schsize")
	byTable := func(x *retrieval.Corpus) map[string]retrieval.Features {
		found := map[string]retrieval.Features{}
		for _, c := range candidates(t, x, "city of the uranium reactor", func(t *catalog.Table) bool { return t.Name.Table != "secret" }) {
			found[c.Table.Name.Table] = c.Features
		}
		return found
	}
	open, closed := byTable(x), byTable(seen)
	require.Greater(t, open["staff"][covered], open["keeper"][covered], "who sees all is told what the schema has")
	require.InDelta(t, closed["keeper"][covered], closed["staff"][covered], 1e-9)
	require.InDelta(t, closed["keeper"][size], closed["staff"][size], 1e-9)
}
