package advise

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
)

type adviceCase struct {
	Name     string
	Question string
	Fields   []string
	Keys     [][]string
	Rows     *int
	Partial  bool
	Sorted   string
	Choices  []string
	Declined string
}

var roles = map[string]Role{"time": Time, "category": Category, "geography": Geography, "measure": Measure, "identifier": Identifier, "other": Other}

func (c adviceCase) data(t *testing.T) Data {
	t.Helper()
	d := Data{Partial: c.Partial, SortedBy: -1}
	for i, text := range c.Fields {
		words := strings.Fields(text)
		n, err := strconv.Atoi(words[2])
		require.NoError(t, err, c.Name)
		has := func(word string) bool { return slices.Contains(words[3:], word) }
		f := Field{Name: words[0], Role: roles[words[1]], Distinct: n, Additive: has("additive"), Negative: has("negative"), Numeric: has("numeric"), Ordered: has("ordered")}
		if has("nulls") {
			f.Nulls = 1
		}
		if f.Role == Measure {
			f.Numbers, f.Peak = n, 100
		}
		if f.Name == c.Sorted {
			d.SortedBy = i
		}
		d.Fields = append(d.Fields, f)
		d.Rows = max(d.Rows, n)
	}
	if c.Rows != nil {
		d.Rows = *c.Rows
	}
	d.Unique = func(columns ...int) bool {
		var names []string
		for _, i := range columns {
			names = append(names, d.Fields[i].Name)
		}
		return slices.ContainsFunc(c.Keys, func(key []string) bool {
			return !slices.ContainsFunc(key, func(k string) bool { return !slices.Contains(names, k) })
		})
	}
	return d
}

func written(d Data, c Choice) string {
	if c.Kind == chart.Table {
		return "table"
	}
	name := func(i int) string {
		if i < 0 {
			return "-"
		}
		return d.Fields[i].Name
	}
	text := c.Kind.Name() + " " + name(c.X) + " " + name(c.Y[0])
	if c.Series >= 0 {
		text += " " + name(c.Series)
	}
	return text
}

func adviser(t *testing.T) *Adviser {
	t.Helper()
	a, err := New()
	require.NoError(t, err)
	return a
}

func TestAdviceByCase(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/cases.yaml")
	require.NoError(t, err)
	var cases []adviceCase
	require.NoError(t, yaml.Unmarshal(text, &cases))
	a := adviser(t)
	for _, c := range cases {
		d := c.data(t)
		got := a.Advise(d, a.Read(c.Question))
		var choices []string
		for _, choice := range got.Choices {
			choices = append(choices, written(d, choice))
		}
		if fmt.Sprint(c.Choices) != fmt.Sprint(choices) {
			t.Errorf("%s: %q, want %q", c.Name, choices, c.Choices)
		}
		declined := ""
		if got.Declined != nil {
			declined = got.Declined.Reason(lang.English)
			require.NotEmpty(t, got.Declined.Reason(lang.Chinese), c.Name)
		}
		require.Equal(t, c.Declined, declined, c.Name)
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			require.NotEmpty(t, got.Choices[0].Reason(l), c.Name)
		}
	}
}

func TestWishesAreRead(t *testing.T) {
	t.Parallel()
	a := adviser(t)
	for question, want := range map[string]chart.Kind{
		"GMV by city as a pie chart":                       chart.Pie,
		"a stacked bar chart of orders by week and status": chart.StackedBar,
		"Bar chart? No, show me a line graph.":             chart.Line,
		"用柱状图显示各城市的GMV":                                    chart.Bar,
		"把各品类做成堆叠柱状图":                                      chart.StackedBar,
		"orders per product line and bar code":             chart.None,
		"sales of pie and of pastry":                       chart.None,
		"heatmap of weekday against hour":                  chart.Heatmap,
		"just give me this in a table":                     chart.Table,
		"":                                                 chart.None,
	} {
		require.Equal(t, want, a.Read(question).Kind, question)
	}
	require.True(t, a.Read("How did the trend develop?").Tasks[Trend])
	require.True(t, a.Read("价格与销量的相关性").Tasks[Relation])
	require.True(t, a.Read("points grouped by country").Grouped)
	require.Empty(t, a.Read("GMV yesterday").Tasks)
}

func TestBrokenRulesAreTold(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"- {id: a, kinds: [map], weight: 1}":                                     `no kind "map"`,
		"- {id: a, kinds: [bar], when: [sunny], weight: 1}":                      `no fact "sunny"`,
		"- {id: a, kinds: [bar], of: {moons: [0, 1]}, weight: 1}":                "moons",
		"- {id: a, kinds: [bar], of: {rows: [2, 1]}, weight: 1}":                 "cannot be",
		"- {id: a, kinds: [bar]}":                                                "no weight",
		"- {id: a, kinds: [bar], forbids: true}":                                 "says why",
		"- {id: a, kinds: [bar], weight: 1, because: {en: x}}":                   "both languages",
		"- {id: a, kinds: [bar], weight: 1}\n- {id: a, kinds: [bar], weight: 2}": "twice",
		"- {id: a, kinds: [bar], weigth: 1}":                                     "weigth",
	} {
		_, err := readRules([]byte(source))
		require.ErrorContains(t, err, want)
	}
}

// TestManyColumnsAreBounded: how many charts are tried does not grow with the columns.
func TestManyColumnsAreBounded(t *testing.T) {
	t.Parallel()
	d := Data{Rows: 100, SortedBy: -1, Unique: func(...int) bool { return true }}
	for i := range 500 {
		d.Fields = append(d.Fields, Field{Role: Role(i % 6), Distinct: 5, Numbers: 100, Peak: 1, Numeric: true})
	}
	require.Less(t, len(candidates(d)), 300)
	got := adviser(t).Advise(d, Wish{})
	require.LessOrEqual(t, len(got.Choices[0].Y), chart.MaxSeries)
}

// TestKindsThatAreNotDrawn are declined by their name, and what they are like is drawn where it can
// be; a kind that is named after them counts, as everywhere.
func TestKindsThatAreNotDrawn(t *testing.T) {
	t.Parallel()
	a := adviser(t)
	d := Data{Rows: 3, SortedBy: -1, Unique: func(...int) bool { return true }, Fields: []Field{
		{Name: "day", Role: Time, Distinct: 3}, {Name: "gmv", Role: Measure, Numeric: true, Numbers: 3, Distinct: 3},
	}}
	for question, title := range map[string]string{"gmv by day as an area chart": "area chart", "每天的GMV，堆叠面积图": "area chart", "gmv by day as a box plot": "box plot"} {
		advice := a.Advise(d, a.Read(question))
		require.NotNil(t, advice.Declined, question)
		require.Equal(t, title, advice.Declined.Title(lang.English))
		require.Equal(t, "charts of this kind are not drawn here", advice.Declined.Reason(lang.English))
		require.Equal(t, chart.Line, advice.Choices[0].Kind)
	}
	require.Equal(t, "面积图", a.Advise(d, a.Read("面积图")).Declined.Title(lang.Chinese))
	wish := a.Read("an area chart, no, a bar chart")
	require.Equal(t, chart.Bar, wish.Kind)
	require.Nil(t, a.Advise(d, wish).Declined)
	_, err := readWords([]byte("others: [{name: {en: x}, like: line}]"))
	require.ErrorContains(t, err, "no name in both languages")
	_, err = readWords([]byte("others: [{name: {en: x, zh: 某}, like: moon}]"))
	require.ErrorContains(t, err, "like no kind")
}
