package link

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
)

func emptyIndex(t *testing.T, tables ...catalog.Table) *Index {
	t.Helper()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	return NewIndex(semantic.Derive(tables), lex)
}

// TestWordsOfNames: how a word of a question may stand for one of a name.
func TestWordsOfNames(t *testing.T) {
	t.Parallel()
	x := emptyIndex(t)
	for _, c := range []struct {
		asked, name string
		score       float64
	}{
		{"zorp", "zorp", 1},
		{"zorplet", "zorp", 0.75}, // the name is shorthand
		{"zorpl", "zorp", 0},      // by one letter only
		{"zorp", "zorplet", 0.75},
		{"zor", "zorplet", 0},              // too short to be a beginning
		{"zorpaga", "zorpaxu", 0.6},        // five letters in common
		{"zorpxga", "zorpyxu", 0},          // four
		{"mzorpy", "mzorpa", 0.6},          // both: the beginning comes first
		{"azorpy", "bzorpy", 0.8},          // one letter is another
		{"azorp", "bzorp", 0},              // too short for a slip
		{"zorpabcdefgh", "zorpaxyzuvw", 0}, // too long to be one family
	} {
		require.InDelta(t, c.score, x.wordScore(c.asked, c.name), 1e-9, "%s %s", c.asked, c.name)
	}
}

// TestSimilarity: words of a name that were not asked for cost by what they are.
func TestSimilarity(t *testing.T) {
	t.Parallel()
	x := emptyIndex(t)
	for _, c := range []struct {
		what               string
		asked, name, table []string
		score              float64
	}{
		{"all of it", []string{"zorp", "blim"}, []string{"zorp", "blim"}, nil, 1},
		{"in another order", []string{"blim", "zorp"}, []string{"zorp", "blim"}, nil, 1},
		{"without a word before the head", []string{"blim"}, []string{"zorp", "blim"}, nil, 0.8},
		{"without the head", []string{"zorp"}, []string{"zorp", "blim"}, nil, 0.7},
		{"of a key", []string{"zorp"}, []string{"zorp", "id"}, nil, 0.6},
		{"without a letter", []string{"zorp"}, []string{"zorp", "b"}, nil, 0.9},
		{"without a number", []string{"zorp"}, []string{"zorp", "12"}, nil, 0.9},
		{"without what the table is called", []string{"zorp"}, []string{"blim", "zorp"}, []string{"blim"}, 0.95},
		{"with a general word more", []string{"zorp", "number"}, []string{"zorp"}, nil, 0.9},
		{"with another word more", []string{"zorp", "blim"}, []string{"zorp"}, nil, 0},
		{"a word that is not in it", []string{"krel"}, []string{"zorp"}, nil, 0},
		{"one word for two", []string{"zorp", "zorp"}, []string{"zorp", "blim"}, nil, 0},
	} {
		require.InDelta(t, c.score, x.similarity(c.asked, c.name, c.table), 1e-9, c.what)
	}
}

func TestOneEdit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"zorp", "zorpe", true}, {"zorpe", "zorp", true}, {"zorp", "zerp", true}, {"orp", "zorp", true},
		{"zorp", "zopr", false}, {"zorp", "zorpes", false}, {"zorp", "zxyp", false},
	} {
		require.Equal(t, c.want, oneEdit(c.a, c.b), "%s %s", c.a, c.b)
	}
}

// TestTablesThatFitFarWorseAreNotMeant, and of equally good ones the order is fixed.
func TestTablesThatFitFarWorseAreNotMeant(t *testing.T) {
	t.Parallel()
	table := func(name string) catalog.Table {
		return catalog.Table{Name: catalog.Name{Table: name}, Columns: []catalog.Column{{Name: "zorp_b", Type: "double"}, {Name: "zorp_a", Type: "double"}}}
	}
	x := emptyIndex(t, table("zorps"), table("blim_zorps"), table("zorp_krels"))
	var tables []string
	for _, m := range x.tablesOf([]string{"zorp"}) {
		tables = append(tables, m.Entity.Table)
	}
	require.Equal(t, []string{"zorps", "blim_zorps"}, tables, "the third is not called so")
	columns := x.columnsOf([]string{"zorp"})
	for i := 1; i < len(columns); i++ {
		a, b := columns[i-1], columns[i]
		require.True(t, a.Score > b.Score || a.Score == b.Score && a.Dim.ID < b.Dim.ID, "%s %s", a.Dim.ID, b.Dim.ID)
	}
	require.Len(t, columns, 6)
}
