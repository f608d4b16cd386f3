package tools_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// labels is a catalog of parcels whose size is stored as text.
type labels struct{ kennel }

func (labels) Tables(context.Context, string, []string) ([]catalog.Table, error) {
	return []catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "kennel", Table: "parcels"}, Columns: []catalog.Column{
		{Name: "size", Type: "varchar"}, {Name: "weight", Type: "bigint"}, {Name: "sent", Type: "varchar"},
	}}}, nil
}

// TestTextsUsedAsSomethingElse: texts in the order of their letters, or cast, are told once
// each, with what they are compared with.
func TestTextsUsedAsSomethingElse(t *testing.T) {
	t.Parallel()
	set, err := tools.New(tools.Deps{Catalog: labels{}, Guard: guard.New(guard.Config{})})
	require.NoError(t, err)
	use := func(column, to string, against ...string) tools.TextUse {
		return tools.TextUse{Table: "eu.kennel.parcels", Column: column, To: to, Against: against}
	}
	for _, c := range []struct {
		sql  string
		want []tools.TextUse
	}{
		{"SELECT weight FROM parcels WHERE size > '9'", []tools.TextUse{use("size", "", "9")}},
		{"SELECT weight FROM parcels WHERE '9' <= size", []tools.TextUse{use("size", "", "9")}},
		{"SELECT weight FROM parcels WHERE size BETWEEN '1' AND '9'", []tools.TextUse{use("size", "", "1", "9")}},
		{"SELECT weight FROM parcels ORDER BY size", []tools.TextUse{use("size", "")}},
		{"SELECT max(size) FROM parcels", []tools.TextUse{use("size", "")}},
		{"SELECT min(size), max(size) FROM parcels", []tools.TextUse{use("size", "")}},
		{"SELECT sum(CAST(size AS double)) FROM parcels", []tools.TextUse{use("size", "double")}},
		{"SELECT CAST(sent AS date) FROM parcels", []tools.TextUse{use("sent", "date")}},
		{"SELECT CAST(sent AS date), CAST(size AS bigint) FROM parcels", []tools.TextUse{use("sent", "date"), use("size", "bigint")}},
		{"SELECT weight FROM parcels WHERE size = '9'", nil},
		{"SELECT weight FROM parcels WHERE weight > 9 ORDER BY weight", nil},
		{"SELECT count(size) FROM parcels", nil},
		{"SELECT weight FROM parcels ORDER BY lower(size)", nil},
		{"SELECT CAST(size AS varchar) FROM parcels", nil},
	} {
		v, err := set.Validate(asked(t), tools.StatementArgs{SQL: c.sql})
		require.NoError(t, err)
		require.Empty(t, v.Problems, c.sql)
		require.Equal(t, c.want, v.Texts, c.sql)
	}
}

// TestRankingsWithTies: only an order with a written LIMIT can have rows that are equal to
// its last one.
func TestRankingsWithTies(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT a FROM t ORDER BY a LIMIT 3":                      "SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES",
		"SELECT a FROM t ORDER BY a limit\n 3":                    "SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS WITH TIES",
		"SELECT a FROM t LIMIT 3":                                 "",
		"SELECT a FROM t ORDER BY a":                              "",
		"SELECT a FROM t ORDER BY a LIMIT ALL":                    "",
		"SELECT a FROM t ORDER BY a FETCH FIRST 3 ROWS ONLY":      "",
		"SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3) AS q": "",
	} {
		stmt, err := parser.Parse(sql)
		require.NoError(t, err, sql)
		got, ok := tools.WithTies(sql, stmt)
		require.Equal(t, want, got, sql)
		require.Equal(t, want != "", ok, sql)
	}
	_, ok := tools.WithTies("", nil)
	require.False(t, ok)
	stmt, err := parser.Parse("SELECT a FROM t ORDER BY a LIMIT 3")
	require.NoError(t, err)
	_, ok = tools.WithTies("SELECT a", stmt)
	require.False(t, ok, "of another text")
}
