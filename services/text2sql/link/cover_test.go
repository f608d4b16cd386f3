package link_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/link"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// desk is a small schema of a help desk: codes with descriptions, flags of several
// kinds, days of events, names that are written together.
func desk() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	return []catalog.Table{
		{Name: name("agents"), RowCount: 20, Columns: []catalog.Column{
			{Name: "agent_id", Type: "bigint", PrimaryKey: true, Distinct: 20},
			{Name: "first_name", Type: "varchar", Distinct: 18}, {Name: "last_name", Type: "varchar", Distinct: 20},
			{Name: "hire_date", Type: "date"}, {Name: "zipcode", Type: "varchar", Distinct: 12},
			{Name: "remote", Type: "varchar", Distinct: 2, Samples: []string{"Y", "N"}},
			{Name: "lang", Type: "varchar", Distinct: 3, Samples: []string{"French", "Dutch", "New Norse"}},
			{Name: "nps", Type: "double", Comment: "willingness to recommend"},
		}},
		{Name: name("tickets"), RowCount: 500, Columns: []catalog.Column{
			{Name: "ticket_id", Type: "bigint", PrimaryKey: true, Distinct: 500}, {Name: "agent_id", Type: "bigint"},
			{Name: "opened_at", Type: "timestamp"}, {Name: "closed_at", Type: "timestamp"}, {Name: "paid_on", Type: "date"},
			{Name: "state", Type: "varchar", Distinct: 2, Samples: []string{"F", "S"}, Comment: "F = fail, S = success"},
			{Name: "priority", Type: "varchar", Distinct: 3, Samples: []string{"low", "high", "urgent"}},
			{Name: "urgent_call", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
			{Name: "escalated", Type: "boolean", Distinct: 2, Samples: []string{"true", "false"}},
			{Name: "amount", Type: "double"}, {Name: "number_of_calls", Type: "bigint"}, {Name: "response_time", Type: "double"},
			{Name: "support_rate", Type: "double"}, {Name: "oppose_rate", Type: "double"},
			{Name: "side", Type: "varchar", Distinct: 2, Samples: []string{"buy", "sell"}},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"agent_id"}, RefTable: name("agents"), RefColumns: []string{"agent_id"}}}},
	}
}

// covered is a question and what its words stand for: of each item that stands for
// anything, its text and the best table, column and value.
type covered struct {
	Question string `yaml:"question"`
	Items    string `yaml:"items"`
}

type coverer struct {
	lex   *lexicon.Lexicon
	index *link.Index
}

func newCoverer(t *testing.T) *coverer {
	t.Helper()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	return &coverer{lex: lex, index: link.NewIndex(semantic.Derive(desk()), lex)}
}

func (c *coverer) read(question string) covered {
	var items []string
	tokens := c.index.Coordinate(token.Split(question, c.lex.Chinese().Dictionary()))
	for _, it := range c.index.Cover(tokens) {
		var means []string
		if len(it.Tables) > 0 {
			means = append(means, "table "+it.Tables[0].Entity.Table)
		}
		if len(it.Columns) > 0 {
			means = append(means, "column "+it.Columns[0].Dim.ID)
		}
		for _, v := range it.Values {
			means = append(means, fmt.Sprintf("value %s of %s", v.Value, v.Dim.ID))
		}
		if it.Number != "" {
			means = append(means, "number "+it.Number)
		}
		if it.Quoted {
			means = append(means, "quoted")
		}
		if it.Undone() {
			means = append(means, "undone")
		} else if it.Not {
			means = append(means, "not")
		}
		if it.Unknown() {
			means = append(means, "unknown")
		}
		if len(means) > 0 {
			items = append(items, fmt.Sprintf("%s: %s", it.Text, strings.Join(means, ", ")))
		}
	}
	return covered{Question: question, Items: strings.Join(items, "; ")}
}

// TestCover holds what words of a question stand for: names, stored values, flags and
// the days of events, and where one word may be several of them.
func TestCover(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/cover.yaml")
	require.NoError(t, err)
	var cases []covered
	require.NoError(t, yaml.Unmarshal(text, &cases))
	require.NotEmpty(t, cases)
	c := newCoverer(t)
	for _, want := range cases {
		t.Run(want.Question, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, c.read(want.Question))
		})
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	column := func(kind string, complete bool, values ...string) *semantic.Dimension {
		d := &semantic.Dimension{Type: kind, Complete: complete}
		for _, v := range values {
			d.Values = append(d.Values, semantic.Value{Value: v})
		}
		return d
	}
	for _, c := range []struct {
		name    string
		column  *semantic.Dimension
		yes, no []string
	}{
		{"boolean", column("boolean", true), []string{"true"}, []string{"false"}},
		{"letters", column("varchar", true, "Y", "N"), []string{"Y"}, []string{"N"}},
		{"words in capitals", column("varchar", true, "NO", "Yes"), []string{"Yes"}, []string{"NO"}},
		{"digits", column("bigint", true, "0", "1"), []string{"1"}, []string{"0"}},
		{"only one seen", column("varchar", true, "t"), []string{"t"}, nil},
		{"more values may come", column("varchar", false, "Y", "N"), nil, nil},
		{"a third value", column("varchar", true, "Y", "N", "1"), nil, nil},
		{"another word", column("varchar", true, "Y", "maybe"), nil, nil},
		{"nothing seen", column("varchar", true), nil, nil},
	} {
		require.Equal(t, c.yes, link.Truths(c.column), c.name)
		require.Equal(t, c.no, link.Falsehoods(c.column), c.name)
		require.Equal(t, len(c.yes) > 0, link.Flag(c.column), c.name)
	}
}

func TestWhatAnIndexKnows(t *testing.T) {
	t.Parallel()
	lex, err := lexicon.Load()
	require.NoError(t, err)
	index := link.NewIndex(semantic.Derive([]catalog.Table{{Name: catalog.Name{Table: "tickets"}, Columns: []catalog.Column{
		{Name: "monthly_fee", Type: "double"}, {Name: "annual_fee", Type: "double"}, {Name: "weekday", Type: "bigint"},
		{Name: "priority", Type: "varchar", Distinct: 1, Samples: []string{"Dutch"}},
	}}}), lex)
	for word, want := range map[string]bool{"Monthly": true, "annual": true, "daily": false, "priority": false, "quarterly": false} {
		require.Equal(t, want, index.Names(word), "%s is a word of time in a name", word)
	}
	for word, want := range map[string]bool{"priority": true, "tickets": false, "blorptastic": false} {
		require.Equal(t, want, index.HasColumn(word), word)
	}
	for word, want := range map[string]bool{"Dutch": true, "dutch": true, "Frisian": false} {
		require.Equal(t, want, index.HasValue(word), word)
	}
}
