package retrieval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
)

// shaped gives a table shapes of queries, each the columns of it that they read.
func shaped(t *catalog.Table, shapes ...[]string) {
	t.Usage = &catalog.Usage{}
	for _, columns := range shapes {
		t.Usage.Templates = append(t.Usage.Templates, catalog.Template{SQL: "?", Reads: []catalog.Read{{Table: t.Name, Columns: columns}}, Queries: 1})
	}
}

func historyShape(t *testing.T, c *retrieval.Corpus, question string, keep func(*catalog.Table) bool) map[string]float64 {
	t.Helper()
	at := -1
	for i, name := range retrieval.FeatureNames() {
		if name == "history_shape" {
			at = i
		}
	}
	require.GreaterOrEqual(t, at, 0)
	shape := make(map[string]float64)
	for _, one := range candidates(t, c, question, keep) {
		shape[one.Table.Name.Table] = one.Features[at]
	}
	return shape
}

// TestWhatPeopleAskedTogether: of tables that fit alike the one comes forward of which
// people asked just that; what nobody asked is neither better nor worse for it.
func TestWhatPeopleAskedTogether(t *testing.T) {
	t.Parallel()
	s := snapshot("a.parcel | depot, weight, courier, colour", "b.parcel2 | depot, weight, courier, colour", "c.parcel3 | depot, weight, courier, colour", "d.tree | height")
	require.Equal(t, map[string]float64{"parcel": 0, "parcel2": 0, "parcel3": 0}, historyShape(t, build(t, s), "weight by depot", nil), "without a history")
	shaped(&s.Tables[0], []string{"colour"}, []string{"weight", "depot"})
	shaped(&s.Tables[1], []string{"weight", "colour", "courier"})
	shaped(&s.Tables[3], []string{"height"})
	whole := build(t, s)
	shape := historyShape(t, whole, "weight by depot", nil)
	require.Positive(t, shape["parcel"])
	require.Negative(t, shape["parcel2"])
	require.Zero(t, shape["parcel3"])
	require.InDelta(t, 0, shape["parcel"]+shape["parcel2"], 1e-9, "a fit counts by what it is above the others'")

	// What was asked with a column that the asker does not see is not known to him.
	less := historyShape(t, whole.Through(retrieval.Sight{Visible: withoutColumn("parcel", "depot")}), "weight of parcels", nil)
	fits := historyShape(t, whole, "weight of parcels", nil)
	require.Greater(t, fits["parcel"], less["parcel"])
	// Nor is what was read of a table that does not exist for him.
	s.Tables[0].Usage.Templates[1].Reads = append(s.Tables[0].Usage.Templates[1].Reads, catalog.Read{Table: s.Tables[3].Name, Columns: []string{"height"}})
	joined := build(t, s)
	seen := historyShape(t, joined, "weight by depot and height", nil)
	hidden := historyShape(t, joined, "weight by depot and height", func(t *catalog.Table) bool { return t.Name.Table != "tree" })
	require.Greater(t, seen["parcel"], seen["parcel2"])
	require.LessOrEqual(t, hidden["parcel"], hidden["parcel2"], "only its shape of colours is known")
}
