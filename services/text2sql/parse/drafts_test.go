package parse_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/parse"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// rentals is a small schema with days, flags and several amounts: shops rent boats.
func rentals() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	to := func(column, table string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{column}, RefTable: name(table), RefColumns: []string{column}}
	}
	return []catalog.Table{
		{Name: name("shops"), RowCount: 6, Columns: []catalog.Column{
			{Name: "shop_id", Type: "bigint", PrimaryKey: true, Distinct: 6},
			{Name: "name", Type: "varchar", Distinct: 6},
			{Name: "lake", Type: "varchar", Distinct: 3, Samples: []string{"Garda", "Como", "Iseo"}}, {Name: "phone", Type: "varchar", Distinct: 5},
		}},
		{Name: name("boats"), RowCount: 30, Columns: []catalog.Column{
			{Name: "boat_id", Type: "bigint", PrimaryKey: true, Distinct: 30},
			{Name: "name", Type: "varchar", Distinct: 29}, {Name: "shop_id", Type: "bigint"},
			{Name: "weight", Type: "double"}, {Name: "built_year", Type: "bigint"},
			{Name: "hull", Type: "varchar", Distinct: 3, Samples: []string{"wood", "steel", "plastic"}},
			{Name: "insured", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
		}, ForeignKeys: []catalog.ForeignKey{to("shop_id", "shops")}},
		{Name: name("rentals"), RowCount: 900, Columns: []catalog.Column{
			{Name: "rental_id", Type: "bigint", PrimaryKey: true, Distinct: 900}, {Name: "boat_id", Type: "bigint"},
			{Name: "rented_on", Type: "date"}, {Name: "returned_on", Type: "date"},
			{Name: "price", Type: "double"}, {Name: "cost", Type: "double"}, {Name: "seats", Type: "bigint"},
			{Name: "weather", Type: "varchar", Distinct: 3, Samples: []string{"calm", "windy", "storm"}},
		}, ForeignKeys: []catalog.ForeignKey{to("boat_id", "boats")}},
	}
}

// drafted is what a question over the rentals is read as.
type drafted struct {
	Question string `yaml:"question"`
	Draft    string `yaml:"draft"`             // the likeliest, as Draft.String writes it
	Unread   string `yaml:"unread,omitempty"`  // what it passes over
	Unclear  string `yaml:"unclear,omitempty"` // why it must not be answered with
}

// draftReader reads questions over the rentals, with their days.
type draftReader struct {
	reader
	dates *dates.Reader
}

func newDraftReader(t *testing.T) *draftReader {
	t.Helper()
	g, err := parse.NewGrammar()
	require.NoError(t, err)
	lex, err := lexicon.Load()
	require.NoError(t, err)
	periods, err := dates.New()
	require.NoError(t, err)
	return &draftReader{reader: reader{grammar: g, lex: lex, index: link.NewIndex(semantic.Derive(rentals()), lex)}, dates: periods}
}

// plainYear is a year that any column with a year may have.
var plainYear = regexp.MustCompile(`^(in )?\d{4}$`)

func (r *draftReader) read(question string) drafted {
	out := drafted{Question: question}
	tokens := token.Split(question, r.lex.Chinese().Dictionary())
	now := time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)
	for _, f := range r.dates.Find(question, now) {
		if f.Comparison || plainYear.MatchString(f.Text) {
			continue
		}
		p := token.Period{Grain: f.Grain}
		if !f.From.IsZero() {
			p.First = f.From.Format(time.DateOnly)
		}
		if open := f.Unit == "" && f.To.Equal(dates.Today(now)) && f.From.Before(f.To); !f.To.IsZero() && !open {
			p.Last = f.To.AddDate(0, 0, -1).Format(time.DateOnly)
		}
		tokens = token.Merge(tokens, f.Start, f.End, p)
	}
	drafts := r.grammar.Read(r.index.Cover(r.index.Coordinate(tokens)), r.lex)
	if len(drafts) == 0 {
		return out
	}
	var unread []string
	for _, it := range drafts[0].Unread {
		unread = append(unread, it.Text)
	}
	out.Draft, out.Unclear, out.Unread = drafts[0].String(), drafts[0].Unclear, strings.Join(unread, " | ")
	return out
}

// TestDrafts holds what each kind of phrase becomes: aggregates, conditions, groups,
// order, shares, arithmetic and days.
func TestDrafts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/rentals.yaml")
	require.NoError(t, err)
	var cases []drafted
	require.NoError(t, yaml.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	r := newDraftReader(t)
	for _, c := range cases {
		t.Run(c.Question, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c, r.read(c.Question))
		})
	}
}
