package eval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/chart"
)

// TestStatementsOfChartsAreRead into what DuckDB runs.
func TestStatementsOfChartsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Visualize BAR SELECT city , count(*) FROM shops GROUP BY city ORDER BY count(*) DESC":                     `SELECT city AS "city", count(*) AS "count(*)" FROM shops GROUP BY ALL ORDER BY count(*) DESC`,
		"Visualize LINE SELECT year , count(*) FROM visits GROUP BY season ,  year":                                `SELECT year AS "year", count(*) AS "count(*)", season AS "season" FROM visits GROUP BY ALL`,
		"Visualize SCATTER SELECT T1.price , T1.size FROM flats AS T1 WHERE price != \"null\" GROUP BY T1.kind":    `SELECT T1.price AS "price", T1.size AS "size", T1.kind AS "kind" FROM flats AS T1 WHERE price IS NOT NULL`,
		"Visualize BAR SELECT city , sum(n) FROM shops GROUP BY city HAVING sum(n) > 3":                            `SELECT city AS "city", sum(n) AS "sum(n)" FROM shops GROUP BY ALL HAVING sum(n) > 3`,
		"Visualize BAR SELECT opened , COUNT(opened) FROM shops  ORDER BY COUNT(opened) ASC BIN opened BY WEEKDAY": `SELECT dayname(coalesce(try_cast(opened::VARCHAR AS TIMESTAMP), try_strptime(opened::VARCHAR, ['%m/%d/%Y', '%Y']))) AS "opened", COUNT(opened) AS "COUNT(opened)" FROM shops GROUP BY ALL`,
	} {
		require.Equal(t, want, readChartSQL(text, true).text(true), text)
	}
	require.Empty(t, readChartSQL("SELECT 1", false).x)
}

// TestChartsAreScored over a small set of its own.
func TestChartsAreScored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) { writeFile(t, filepath.Join(dir, name), text) }
	write("chart/nvbench/dev.csv", `db_id,chart,query,question
shop,Bar,"Visualize BAR SELECT city , count(*) FROM shops GROUP BY city","How many shops per city?"
shop,Pie,"Visualize PIE SELECT city , count(*) FROM shops GROUP BY city","Shops by city as a pie chart"
shop,Line,"Visualize LINE SELECT city , count(*) FROM shops GROUP BY city","Shops by city as a line chart"
shop,Scatter,"Visualize SCATTER SELECT none , at FROM nothing","What is the relation?"
gone,Bar,"Visualize BAR SELECT city , count(*) FROM shops GROUP BY city","How many?"
`)
	write("text2sql/spiderman/databases/shop/schema.sql", "CREATE TABLE shops (id INT, city VARCHAR(20));\n")
	write("text2sql/spiderman/databases/shop/data/shops.csv", "id,city\n1,Oslo\n2,Oslo\n3,Rome\n")
	report, err := Execute(t.Context(), Charts{}, Options{Data: dir})
	require.NoError(t, err)
	require.Equal(t, 4, report.N)
	require.Equal(t, 1, report.Errors)
	require.InDelta(t, 0.5, report.Metrics["chart_type.worded"], 1e-9, "a line over cities is declined")
	require.InDelta(t, 0.5, report.Metrics["first_two.plain"], 1e-9, "what does not run is wrong")
	require.InDelta(t, 0.75, report.Metrics["axes"], 1e-9)
	require.InDelta(t, 1, report.Metrics["n.absent"], 1e-9)

	_, err = Execute(t.Context(), Charts{}, Options{Data: t.TempDir()})
	require.ErrorIs(t, err, ErrData)
	require.NotEqual(t, chart.None, chartKinds["Stacked Bar"].kind)
}

// writeFile writes a file of a small set, with the folders above it.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}
