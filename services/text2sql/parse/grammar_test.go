package parse_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// nursery is a small schema: gardens, their plants, and orders of plants.
func nursery() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	return []catalog.Table{
		{Name: name("gardens"), RowCount: 12, Columns: []catalog.Column{
			{Name: "garden_id", Type: "bigint", PrimaryKey: true, Distinct: 12},
			{Name: "name", Type: "varchar", Distinct: 12},
			{Name: "city", Type: "varchar", Distinct: 4, Samples: []string{"Lyon", "Porto", "Ghent", "Turin"}},
			{Name: "area", Type: "double"}, {Name: "opened", Type: "bigint"},
		}},
		{Name: name("plants"), RowCount: 200, Columns: []catalog.Column{
			{Name: "plant_id", Type: "bigint", PrimaryKey: true, Distinct: 200},
			{Name: "species", Type: "varchar", Distinct: 60}, {Name: "garden_id", Type: "bigint"},
			{Name: "height", Type: "double"}, {Name: "price", Type: "double"},
			{Name: "colour", Type: "varchar", Distinct: 3, Samples: []string{"red", "white", "blue"}},
			{Name: "evergreen", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
			{Name: "note", Type: "varchar", Distinct: 90},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"garden_id"}, RefTable: name("gardens"), RefColumns: []string{"garden_id"}}}},
	}
}

type reader struct {
	grammar *parse.Grammar
	lex     *lexicon.Lexicon
	index   *link.Index
}

func newReader(t *testing.T) *reader {
	t.Helper()
	g, err := parse.NewGrammar()
	require.NoError(t, err)
	lex, err := lexicon.Load()
	require.NoError(t, err)
	return &reader{grammar: g, lex: lex, index: link.NewIndex(semantic.Derive(nursery()), lex)}
}

func (r *reader) drafts(question string) []*parse.Draft {
	items := r.index.Cover(r.index.Coordinate(token.Split(question, r.lex.Chinese().Dictionary())))
	return r.grammar.Read(items, r.lex)
}

func TestBestDraft(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/drafts.yaml")
	require.NoError(t, err)
	var cases []struct{ Question, Draft string }
	require.NoError(t, yaml.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	r := newReader(t)
	for _, c := range cases {
		t.Run(c.Question, func(t *testing.T) {
			t.Parallel()
			drafts := r.drafts(c.Question)
			require.NotEmpty(t, drafts)
			require.Equal(t, c.Draft, drafts[0].String())
		})
	}
}

func TestDraftsAreDistinctRankedAndTheSameEachTime(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	const question = "Which garden in Lyon or Porto has at least 3 red plants taller than 2?"
	first := r.drafts(question)
	require.Greater(t, len(first), 3)
	seen := map[string]bool{}
	for i, d := range first {
		require.False(t, seen[d.String()], d.String())
		seen[d.String()] = true
		if i > 0 {
			require.LessOrEqual(t, d.Score, first[i-1].Score)
		}
	}
	for range 20 {
		again := r.drafts(question)
		require.Len(t, again, len(first))
		for i, d := range again {
			require.Equal(t, first[i].String(), d.String())
			require.Equal(t, first[i].Features, d.Features)
		}
	}
}

// The score of a draft is the sum of its features times their weights: what a fit
// changes is what the search maximises.
func TestScoreIsTheSumOfItsFeatures(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("weights.yaml")
	require.NoError(t, err)
	weights := map[string]float64{}
	require.NoError(t, yaml.Unmarshal(text, &weights))
	for _, question := range []string{
		"What is the average price of red plants for each city?",
		"the 3 tallest plants of the garden Sunny Hill, please",
	} {
		drafts := newReader(t).drafts(question)
		require.NotEmpty(t, drafts, question)
		for _, d := range drafts {
			sum := 0.0
			for name, n := range d.Features {
				sum += n * weights[name]
			}
			require.InDelta(t, sum, d.Score, 1e-6, d.String())
		}
	}
}

func TestWhatIsPassedOverIsTold(t *testing.T) {
	t.Parallel()
	var unread []string
	for _, it := range newReader(t).drafts("how many plants are there 17")[0].Unread {
		unread = append(unread, it.Text)
	}
	require.Contains(t, unread, "17")
}

func TestLongQuestionsAreNotRead(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	require.NotEmpty(t, r.drafts("plants"+strings.Repeat(" and red plants", 8)))
	require.Empty(t, r.drafts("plants"+strings.Repeat(" and red plants", 200)))
	require.Empty(t, r.drafts("please show me"))
}

func TestGrammarsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rules: [{name: a, rule: 'S table'}]":                                    "has no arrow",
		"rules: [{name: a, rule: 'S -> table', do: fly}]":                        `no action "fly"`,
		"rules: [{name: a, rule: 'S -> table', when: rainy}]":                    `no guard "rainy"`,
		"rules: [{name: a, rule: 'S -> Nowhere'}]":                               `no rule makes "Nowhere"`,
		"rules: [{name: a, rule: 'S -> table', head: 2}]":                        "head 2",
		"start: X\nrules: [{name: a, rule: 'S -> table'}]":                       `no rule makes the start "X"`,
		"rules: [{name: a, rule: 'S -> table'}, {name: a, rule: 'S -> column'}]": "twice",
	} {
		_, err := parse.GrammarOf([]byte(text), nil)
		require.ErrorContains(t, err, want, text)
	}
}
