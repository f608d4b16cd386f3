package eval

import (
	"database/sql"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/warehouse"
)

// toyLake is a copy of testdata/trino with a small table beside it.
// The quote in its name is for the statements that name its files.
func toyLake(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "it's here")
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/trino")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, lakeFolder), 0o700))
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), `COPY (SELECT * FROM (VALUES (1::BIGINT, 'ball', 1::DOUBLE), (2, 'kite', 2.5), (9007199254740993, NULL, NULL)) t(id, name, price)) TO `+
		printer.String(filepath.Join(dir, lakeFolder, "toys.parquet"))+` (FORMAT parquet)`)
	require.NoError(t, err)
	return dir
}

func TestConformance(t *testing.T) {
	t.Parallel()
	dir := toyLake(t)
	report, err := Execute(t.Context(), Conformance{}, Options{Data: dir})
	require.NoError(t, err)
	require.Equal(t, 5, report.N)
	require.Zero(t, report.Errors)
	require.InDelta(t, 0.4, report.Metrics["same"], 1e-9)
	require.InDelta(t, 0.2, report.Metrics["not_supported"], 1e-9)
	require.InDelta(t, 0.4, report.Metrics["different"], 1e-9, "other rows, and a right statement called wrong")
	require.Equal(t, 1.0, report.Metrics["same.group_by"])
	require.Equal(t, 1.0, report.Metrics["not_supported.not_a_query"])
	require.Equal(t, []string{"different: select count(*) n from toys", "different: select nope from toys"}, report.Notes)

	report, err = Execute(t.Context(), Mistakes{}, Options{Data: dir})
	require.NoError(t, err)
	require.Equal(t, 5, report.N)
	require.Equal(t, 4.0, report.Metrics["decidable"])
	require.InDelta(t, 0.5, report.Metrics["class"], 1e-9)
	require.InDelta(t, 0.25, report.Metrics["position"], 1e-9)
	require.InDelta(t, 0.25, report.Metrics["class_and_position"], 1e-9)
	require.InDelta(t, 0.5, report.Metrics["class_and_position.COLUMN_NOT_FOUND"], 1e-9)
	require.Equal(t, 1.0, report.Metrics["false_alarms"])
	require.Len(t, report.Notes, 1)
	require.Contains(t, report.Notes[0], "COLUMN_NOT_FOUND at 1:8")
}

func TestConformanceRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	_, err := Execute(t.Context(), Conformance{Engine: "spark"}, Options{Data: "testdata/trino"})
	require.ErrorContains(t, err, "duckdb")
	_, err = Execute(t.Context(), Conformance{Engine: "trino"}, Options{Data: "testdata/trino"})
	require.ErrorContains(t, err, "address")
	for _, s := range []Suite{Conformance{}, Mistakes{}} {
		_, err = Execute(t.Context(), s, Options{Data: "testdata/trino"})
		require.ErrorIs(t, err, ErrData)
		require.ErrorContains(t, err, "Parquet")
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	var want answered
	require.NoError(t, json.Unmarshal([]byte(`{"columns": [{"name": "a", "type": "varchar(3)"}, {"name": "b", "type": "double"}], "rows": [["x", 1.0], ["y", 0.1]]}`), &want))
	columns := []warehouse.Column{{Name: "a", Type: "varchar"}, {Name: "b", Type: "double"}}
	rows := [][]any{{"y", 0.1000000000000001}, {"x", 1.0}}
	require.Empty(t, difference(rows, columns, want))

	require.Contains(t, difference(rows[:1], columns, want), "1 rows")
	require.Contains(t, difference(rows, columns[:1], want), "1 columns")
	require.Contains(t, difference(rows, []warehouse.Column{columns[0], {Name: "b", Type: "real"}}, want), "column 2")
	require.Contains(t, difference([][]any{{"y", 0.1}, {"x", 1.1}}, columns, want), "row 1")
	want.Ordered = true
	require.Contains(t, difference(rows, columns, want), "row 1", "the order counts")
}

func TestExact(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		got  any
		want string // as Trino's protocol writes it
		same bool
	}{
		"bigint":           {int64(9007199254740993), `9007199254740993`, true},
		"one more":         {int64(9007199254740992), `9007199254740993`, false},
		"double":           {0.30000000000000004, `0.3`, true},
		"whole double":     {3.0, `3.0`, true},
		"large double":     {1e20, `1.0E20`, true},
		"NaN":              {math.NaN(), `"NaN"`, true},
		"infinity":         {math.Inf(-1), `"-Infinity"`, true},
		"null":             {nil, `null`, true},
		"null as text":     {"null", `null`, false},
		"decimal":          {"1.10", `"1.1"`, false},
		"number as text":   {"1", `1`, false},
		"boolean":          {true, `true`, true},
		"bytes":            {[]byte("ab"), `"YWI="`, true},
		"array":            {[]any{int64(1), []any{"a", nil}}, `[1, ["a", null]]`, true},
		"map in any order": {map[string]any{"b": int64(2), "a": 1.0}, `{"a": 1.0, "b": 2}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rows exactRows
			require.NoError(t, json.Unmarshal([]byte("[["+tc.want+"]]"), &rows))
			require.Equal(t, tc.same, exact(rows[0][0]) == exact(tc.got), "%s %s", exact(tc.got), exact(rows[0][0]))
		})
	}
}

func TestConstructs(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"expression"}, constructsOf("select 1 + 1"))
	require.Equal(t, []string{"unread"}, constructsOf("selct"))
	require.Equal(t, []string{"not_a_query"}, constructsOf("show tables"))
	require.Equal(t, []string{"group_by", "join", "with"}, constructsOf("with w as (select 1 a) select x.a from w x join w y on x.a = y.a group by 1"))
	require.Equal(t, []string{"recursive", "set_operation"}, constructsOf("with recursive t(n) as (select 1 union all select n + 1 from t) select n from t"))
}
