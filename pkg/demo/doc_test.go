package demo_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/demo"
	"github.com/dibrain/dibrain/pkg/semantic"
)

var update = flag.Bool("update", false, "write docs/demo.md anew")

const (
	docFile  = "../../docs/demo.md"
	docBegin = "<!-- generated from here by go test ./pkg/demo -run TestDoc -update -->"
)

// TestDoc keeps the lists of docs/demo.md what the generator makes.
func TestDoc(t *testing.T) {
	t.Parallel()
	w := tinyWarehouse(t)
	facts, err := demo.Facts()
	require.NoError(t, err)

	path := filepath.FromSlash(docFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	intro, generated, ok := strings.Cut(string(text), docBegin)
	require.True(t, ok, "%s has no line %s", docFile, docBegin)
	want := "\n\n" + describeTables(w) + describeFacts(facts) + describeMetrics(w.layer(t))
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(intro+docBegin+want), 0o644)) //nolint:gosec // a page of the documentation
		return
	}
	require.Equal(t, want, generated, "make it anew: go test ./pkg/demo -run TestDoc -update")
}

func describeTables(w *warehouse) string {
	var b strings.Builder
	b.WriteString("## Marts and tables\n")
	for _, m := range w.snapshot.Marts {
		english, _, _ := strings.Cut(m.Description, "\n")
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n| Table family | Data centre: countries | One row is | Key | Description |\n|---|---|---|---|---|\n", m.Name, english)
		places := map[string][]string{}
		for _, table := range w.snapshot.Tables {
			where := table.Name.Region
			if table.Country != "" {
				where += ": " + table.Country
			}
			places[table.Manifest] = append(places[table.Manifest], where)
		}
		for _, table := range w.snapshot.Tables {
			where := places[table.Manifest]
			if table.Mart != m.Name || where == nil {
				continue
			}
			delete(places, table.Manifest)
			english, _, _ := strings.Cut(table.Description, "\n")
			if strings.Contains(table.Manifest, semantic.CIDPlaceholder) { // one text stands for all variants
				english = strings.ReplaceAll(english, "Singapore", "the country")
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", table.Manifest, strings.Join(where, ", "), table.Grain, strings.Join(table.PrimaryKey(), ", "), english)
		}
	}
	fmt.Fprintf(&b, "\n%d tables in all.\n", len(w.snapshot.Tables))
	return b.String()
}

func describeFacts(facts []demo.Fact) string {
	var b strings.Builder
	b.WriteString("\n## Planted facts\n\n")
	for _, f := range facts {
		fmt.Fprintf(&b, "- **%s**: %s %s\n", f.ID, f.Text, f.TextZH)
	}
	return b.String()
}

func describeMetrics(layer *semantic.Layer) string {
	var b strings.Builder
	b.WriteString("\n## Metrics\n\n| Metric | Names | Definition | Table | Expression |\n|---|---|---|---|---|\n")
	for _, m := range layer.Metrics {
		if strings.Contains(m.ID, "__") {
			continue
		}
		expr, table := m.Expr, m.Table
		switch m.Kind() {
		case semantic.Ratio:
			expr, table = m.Numerator+" / "+m.Denominator, "other metrics"
		case semantic.Derived:
			table = "other metrics"
		case semantic.Cumulative:
			expr, table = m.Of+" over "+cumulated(m), "other metrics"
		}
		if len(m.DefaultFilters) > 0 {
			expr += " where " + strings.Join(m.DefaultFilters, " and ")
		}
		fmt.Fprintf(&b, "| %s | %s, %s | %s | `%s` | `%s` |\n", m.ID, m.Names.EN, m.Names.ZH, m.Description.EN, table, expr)
	}
	return b.String()
}

// cumulated says over what time a metric adds up.
func cumulated(m semantic.Metric) string {
	if m.Window != nil {
		return fmt.Sprintf("the last %d %ss", m.Window.Count, m.Window.Unit)
	}
	return "the " + m.ToDate + " to date"
}
