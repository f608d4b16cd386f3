package analyse_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// now is the run's now of all cases: a Friday.
var now = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// testCase is a case of testdata/cases.yaml.
type testCase struct {
	Name       string
	Columns    []string // "name type"
	Rows       [][]any
	Days       []float64 // rows made from a series of days that ends with Last
	Last       string
	Skip       []int // days left out
	Aggregates []string
	Units      []string
	Figures    []bool
	Filters    []string
	From, To   string
	Limited    bool
	OrderBy    int // column, from 1; negative: downwards
	Truncated  bool
	Wanted     int
}

func (c testCase) input(t *testing.T, l lang.Language) analyse.Input {
	t.Helper()
	in := analyse.Input{Language: l, Now: now, Filters: c.Filters, Limited: c.Limited, Wanted: chart.Kind(c.Wanted), MaxPoints: 1000}
	in.Table.Truncated = c.Truncated
	for i, text := range c.Columns {
		name, typ, _ := strings.Cut(text, " ")
		in.Table.Columns = append(in.Table.Columns, result.Column{Name: name, Type: typ})
		column := analyse.Column{}
		if i < len(c.Aggregates) {
			column.Aggregate = c.Aggregates[i]
		}
		if i < len(c.Units) {
			column.Unit = c.Units[i]
		}
		column.Figure = i < len(c.Figures) && c.Figures[i]
		in.Columns = append(in.Columns, column)
	}
	for _, row := range c.Rows {
		for i, v := range row {
			row[i] = typed(v, in.Table.Columns[i])
		}
		in.Table.Rows = append(in.Table.Rows, row)
	}
	if len(c.Days) > 0 {
		day := date(t, c.Last).AddDate(0, 0, 1-len(c.Days))
		for i, v := range c.Days {
			if !slices.Contains(c.Skip, i) {
				in.Table.Rows = append(in.Table.Rows, []any{day.AddDate(0, 0, i).Format(time.DateOnly), typed(v, in.Table.Columns[1])})
			}
		}
	}
	if c.OrderBy != 0 {
		in.Order = &analyse.Order{Column: max(c.OrderBy, -c.OrderBy) - 1, Desc: c.OrderBy < 0}
	}
	if c.From != "" {
		in.Asked = analyse.Range{From: date(t, c.From), To: date(t, c.To)}
	}
	return in
}

// typed makes what YAML read into what an engine returns.
func typed(v any, c result.Column) any {
	switch v := v.(type) {
	case int:
		if c.Kind() == result.KindFloat {
			return float64(v)
		}
		return int64(v)
	case float64:
		if c.Kind() == result.KindInteger {
			return int64(v)
		}
	}
	return v
}

func date(t *testing.T, s string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, s)
	require.NoError(t, err)
	return d
}

func TestGolden(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/cases.yaml")
	require.NoError(t, err)
	var cases []testCase
	require.NoError(t, yaml.Unmarshal(raw, &cases))
	require.NotEmpty(t, cases)
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	for _, c := range cases {
		var b strings.Builder
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			var fresh testCase // rows are changed by input
			node, err := yaml.Marshal(c)
			require.NoError(t, err)
			require.NoError(t, yaml.Unmarshal(node, &fresh))
			out := analyst.Analyse(fresh.input(t, l))
			write(t, &b, l, out)
		}
		path := filepath.Join("testdata", "golden", strings.ReplaceAll(c.Name, " ", "_")+".txt")
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
			require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err, "run the test with -update and read what it wrote")
		require.Equal(t, string(want), b.String(), c.Name)
	}
}

func write(t *testing.T, b *strings.Builder, l lang.Language, out analyse.Output) {
	t.Helper()
	fmt.Fprintf(b, "%s: %s\n", l, out.Answer)
	for _, f := range out.Findings {
		keys := make([]string, 0, len(f.Evidence))
		for k, v := range f.Evidence {
			keys = append(keys, fmt.Sprintf("%s=%.6g", k, v))
		}
		slices.Sort(keys)
		require.NotEmpty(t, f.Evidence, f.Text)
		fmt.Fprintf(b, "  %s: %s [%s]\n", f.Kind, f.Text, strings.Join(keys, " "))
	}
	for _, w := range out.Warnings {
		fmt.Fprintf(b, "  ! %s %s\n", w.Code, w.Message)
	}
	c := out.Chart
	fmt.Fprintf(b, "  chart %d %q x=%s y=%v series=%s\n", c.Kind, c.Title, c.X, c.Y, c.Series)
	if c.Option != "" {
		require.True(t, json.Valid([]byte(c.Option)))
		if l == lang.English {
			option := c.Option
			if len(option) > 600 {
				option = option[:600] + "..."
			}
			fmt.Fprintf(b, "  option %s\n", option)
		}
	}
}

// Both languages have the same placeholders, and code names no message that is
// not there: the goldens would show its key instead of a sentence.
func TestMessagesAgree(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("messages.yaml")
	require.NoError(t, err)
	var messages map[string]map[string]string
	require.NoError(t, yaml.Unmarshal(raw, &messages))
	slot := regexp.MustCompile(`\{([a-z_]+)`)
	named := regexp.MustCompile(`"(?:compared|find|warn|title|rank|ends|row|list|table|single|series|share|label|empty)_[a-z_]+"`)
	for key, m := range messages {
		var en, zh []string
		for _, match := range slot.FindAllStringSubmatch(m["en"], -1) {
			if match[1] != "be" { // Chinese needs none
				en = append(en, match[1])
			}
		}
		for _, match := range slot.FindAllStringSubmatch(m["zh"], -1) {
			zh = append(zh, match[1])
		}
		slices.Sort(en)
		slices.Sort(zh)
		require.Equal(t, slices.Compact(en), slices.Compact(zh), key)
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range named.FindAllString(string(code), -1) {
			require.Contains(t, messages, strings.Trim(name, `"`), file)
		}
	}
}
