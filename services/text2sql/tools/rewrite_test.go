package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// TestWithTies: only a LIMIT of an ordered statement has an edge that rows may share.
func TestWithTies(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT a FROM t ORDER BY b DESC LIMIT 1":                     "SELECT a FROM t ORDER BY b DESC FETCH FIRST 1 ROWS WITH TIES",
		"SELECT a FROM t ORDER BY b\nlimit\n 10":                      "SELECT a FROM t ORDER BY b\nFETCH FIRST 10 ROWS WITH TIES",
		"SELECT a FROM t LIMIT 1":                                     "",
		"SELECT a FROM t ORDER BY b":                                  "",
		"SELECT a FROM t ORDER BY b LIMIT ALL":                        "",
		"SELECT a FROM t ORDER BY b FETCH FIRST 2 ROWS ONLY":          "",
		"SELECT * FROM (SELECT a FROM t ORDER BY b LIMIT 1) AS inner": "",
	} {
		stmt, err := parser.Parse(sql)
		if err != nil {
			require.Empty(t, want, sql)
			continue
		}
		got, ok := tools.WithTies(sql, stmt)
		require.Equal(t, want, got, sql)
		require.Equal(t, want != "", ok, sql)
		if ok {
			_, err = parser.Parse(got)
			require.NoError(t, err, got)
		}
	}
	_, ok := tools.WithTies("SELECT 1", nil)
	require.False(t, ok)
}

// TestInsert: texts come in at their places, those of one place in their order; what lies
// outside is left out.
func TestInsert(t *testing.T) {
	t.Parallel()
	require.Equal(t, "f(g(a)/b)", tools.Insert("a/b", []tools.Insertion{{0, "f("}, {0, "g("}, {1, ")"}, {3, ")"}, {9, "no"}}))
	require.Equal(t, "a/b", tools.Insert("a/b", nil))
}

// TestExactDivisions: what Presto would round is divided as double; a written number under
// an integer is left, and so is what is double already.
func TestExactDivisions(t *testing.T) {
	t.Parallel()
	set, err := tools.New(tools.Deps{Catalog: kennel{}, Guard: guard.New(guard.Config{})})
	require.NoError(t, err)
	ctx := run.With(t.Context(), run.Context{Principal: run.Principal{ID: "alice"}})
	for sql, want := range map[string]string{
		"SELECT sum(age) * 1.0 / count(*) FROM owners": "SELECT CAST(sum(age) * 1.0 AS double) / nullif(count(*), 0) FROM owners",
		"SELECT age / chip_id FROM owners":             "SELECT CAST(age AS double) / nullif(chip_id, 0) FROM owners",
		"SELECT age / nullif(chip_id, 0) FROM owners":  "SELECT CAST(age AS double) / nullif(chip_id, 0) FROM owners",
		"SELECT age / 2.0 FROM owners":                 "SELECT CAST(age AS double) / 2.0 FROM owners",
		"SELECT age / chip_id / age FROM owners":       "SELECT CAST(CAST(age AS double) / nullif(chip_id, 0) AS double) / nullif(age, 0) FROM owners",
		"SELECT age / (chip_id / age) FROM owners":     "SELECT CAST(age AS double) / nullif((CAST(chip_id AS double) / nullif(age, 0)), 0) FROM owners",
		"SELECT age / 10 FROM owners":                  "SELECT age / 10 FROM owners",
		"SELECT avg(age) / count(*) FROM owners":       "SELECT avg(age) / count(*) FROM owners",
		"SELECT avg(age * 1.50) FROM owners":           "SELECT avg(CAST(age * 1.50 AS double)) FROM owners",
		"SELECT avg(age * 1.0 / chip_id) FROM owners":  "SELECT avg(CAST(CAST(age * 1.0 AS double) / nullif(chip_id, 0) AS double)) FROM owners",
		"SELECT avg(age), sum(age * 1.5) FROM owners":  "SELECT avg(age), sum(age * 1.5) FROM owners",
	} {
		v, err := set.ValidateOver(ctx, tools.StatementArgs{SQL: sql}, kennel{}.tables())
		require.NoError(t, err)
		require.True(t, v.Valid, "%s: %v", sql, v.Problems)
		exact := tools.Insert(sql, v.Exact)
		require.Equal(t, want, exact)
		again, err := set.ValidateOver(ctx, tools.StatementArgs{SQL: exact}, kennel{}.tables())
		require.NoError(t, err)
		require.True(t, again.Valid, "%s: %v", exact, again.Problems)
		require.Empty(t, again.Exact, "nothing is left to do in %s", exact)
	}
}
