package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/llm"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// TestMediansAreExact: a model's approximate median over tables of few rows is computed from
// all values, without a further call; other percentiles, and those of tables that are large or
// of an unknown size, stay as they were written.
func TestMediansAreExact(t *testing.T) {
	t.Parallel()
	const written = "SELECT p.kind, approx_percentile(p.height_cm, 0.5) AS m FROM eu.garden.plants AS p GROUP BY p.kind"
	for name, c := range map[string]struct {
		sql  string
		rows int64
		want string
	}{
		"small":               {written, 50, "element_at(array_sort(array_agg(p.height_cm)), nullif((count(p.height_cm) + 1) / 2, 0))"},
		"large":               {written, sqlgen.MaxExactMedian + 1, "approx_percentile(p.height_cm, 0.5)"},
		"unknown":             {written, -1, "approx_percentile(p.height_cm, 0.5)"},
		"another percentile":  {"SELECT approx_percentile(height_cm, 0.9) AS m FROM eu.garden.plants", 50, "approx_percentile(height_cm, 0.9)"},
		"of some of the rows": {"SELECT approx_percentile(height_cm, 0.5) FILTER (WHERE kind = 'Fern') AS m FROM eu.garden.plants", 50, "approx_percentile(height_cm, 0.5) FILTER"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, llm.Config{}, writes(c.sql))
			d.task.Question = unreadable
			d.garden.tables[1].RowCount = c.rows
			out := d.answer(t)
			require.Contains(t, out.SQL, c.want)
			require.Equal(t, 1, d.calls())
		})
	}
}

// TestWhoAsksIsTold: what is known of the asker stands in the request, one fact a line.
func TestWhoAsksIsTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Config{}, writes(rightSQL))
	d.task.Person = []string{"department: Ferns\nand mosses", "country: SG"}
	d.answer(t)
	require.Contains(t, d.server.Requests()[0].Raw, `<asker>\ndepartment: Ferns and mosses\ncountry: SG\n</asker>`)
	d = newDesk(t, llm.Config{}, writes(rightSQL))
	d.answer(t)
	require.NotContains(t, d.server.Requests()[0].Raw, "<asker>")
}
