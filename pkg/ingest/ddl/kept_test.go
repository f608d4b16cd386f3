package ddl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

func columnsOf(t *ddl.Table) string {
	var out []string
	for _, c := range t.Columns {
		text := c.Name + " " + c.Type
		if c.Comment != "" {
			text += " -- " + c.Comment
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// TestParentsOfTables: a table has the columns of its parents and then its own, one that is
// declared again once and as it declares it; and what it leaves is no parent any more.
func TestParentsOfTables(t *testing.T) {
	t.Parallel()
	const parents = "CREATE TABLE a.p (id int, word varchar); CREATE TABLE b.p (id int); CREATE TABLE q (ID int, n date);\n"
	for script, want := range map[string]struct{ columns, parents string }{
		"CREATE TABLE c (x int) INHERITS (a.p);":                                                 {"id int, word varchar, x int", "[{a p}]"},
		"CREATE TABLE c (WORD text, x int) INHERITS (a.p);":                                      {"id int, WORD text, x int", "[{a p}]"},
		"CREATE TABLE c (x int) INHERITS (a.p, q);":                                              {"id int, word varchar, n date, x int", "[{a p} { q}]"},
		"CREATE TABLE c (x int) INHERITS (a.p, b.p); ALTER TABLE c NO INHERIT a.p;":              {"id int, word varchar, x int", "[{b p}]"},
		"CREATE TABLE c (x int) INHERITS (a.p, b.p); ALTER TABLE c NO INHERIT A.P;":              {"id int, word varchar, x int", "[{b p}]"},
		"CREATE TABLE c (x int) INHERITS (a.p, b.p); ALTER TABLE c NO INHERIT p;":                {"id int, word varchar, x int", "[]"},
		"CREATE TABLE c (x int) INHERITS (a.p); ALTER TABLE c NO INHERIT b.p;":                   {"id int, word varchar, x int", "[{a p}]"},
		"CREATE TABLE c PARTITION OF a.p FOR VALUES IN (1);":                                     {"id int, word varchar", "[{a p}]"},
		"CREATE TABLE c PARTITION OF a.p FOR VALUES IN (1); ALTER TABLE a.p DETACH PARTITION c;": {"id int, word varchar", "[]"},
		"CREATE TABLE c PARTITION OF a.p FOR VALUES IN (1); ALTER TABLE b.p DETACH PARTITION c;": {"id int, word varchar", "[{a p}]"},
		"CREATE TABLE c (id int); ALTER TABLE a.p ATTACH PARTITION c FOR VALUES IN (1);":         {"id int", "[{a p}]"},
		"CREATE TABLE c (id int); ALTER TABLE c INHERIT a.p; ALTER TABLE c INHERIT a.p;":         {"id int", "[{a p}]"},
	} {
		schema, err := ddl.Read(strings.NewReader(parents+script), ddl.Config{})
		require.NoError(t, err)
		require.Empty(t, schema.Problems, script)
		c, ok := schema.Table(ddl.Name{Table: "c"})
		require.True(t, ok, script)
		require.Equal(t, want.columns, columnsOf(c), script)
		require.Equal(t, want.parents, fmt.Sprint(c.Parents), script)
	}
}

// TestViewsAreBounded: the text of a view at the bound is kept, one beyond is not and the
// view stays without it; and no more views are kept than tables may be.
func TestViewsAreBounded(t *testing.T) {
	t.Parallel()
	query := "SELECT " + strings.TrimSuffix(strings.Repeat("a , ", 10), ", ")
	for most, kept := range map[int]bool{len(query) + 1: true, len(query): true, len(query) - 2: false, 5: false} {
		schema, err := ddl.Read(strings.NewReader("CREATE VIEW v AS "+query+";\nCREATE VIEW w AS SELECT b;"), ddl.Config{MaxViewBytes: max(most, 5)})
		require.NoError(t, err)
		require.Len(t, schema.Views, 2)
		require.Equal(t, kept, schema.Views[0].Query != "", "%d of %d", most, len(query))
		if kept {
			require.Equal(t, strings.TrimSpace(query), schema.Views[0].Query, "no half of a query is kept")
		}
	}
	var script strings.Builder
	for i := range 5 {
		fmt.Fprintf(&script, "CREATE VIEW v%d AS SELECT %d;\n", i, i)
	}
	script.WriteString("CREATE VIEW v1 AS SELECT 77;\n")
	schema, err := ddl.Read(strings.NewReader(script.String()), ddl.Config{MaxTables: 3})
	require.NoError(t, err)
	var names []string
	for _, v := range schema.Views {
		names = append(names, v.Name.Table+" "+v.Query)
	}
	require.Equal(t, []string{"v0 SELECT 0", "v1 SELECT 77", "v2 SELECT 2"}, names, "a later view of a name takes its place")
}

// TestWhatAValueIs: words before a text that change what it is make an expression of it, and
// those that only say its type or its letters do not.
func TestWhatAValueIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ddl.Value{
		"'x'": {Kind: ddl.Text, Text: "x"}, "_utf8'x'": {Kind: ddl.Text, Text: "x"}, "_binary X'4D'": {Kind: ddl.Blob, Text: "4D"},
		"DATE '2024-01-01'": {Kind: ddl.Text, Text: "2024-01-01"}, "timestamp '2024-01-01 00:00:00'": {Kind: ddl.Text, Text: "2024-01-01 00:00:00"},
		"'x'::text": {Kind: ddl.Text, Text: "x"}, "-5": {Kind: ddl.Number, Text: "-5"}, "+5": {Kind: ddl.Number, Text: "5"}, "NULL": {}, "TRUE": {Kind: ddl.Bool, Text: "true"},
		"POINT '1,2'": {Kind: ddl.Expression}, "interval '1'": {Kind: ddl.Expression}, "NOT 'x'": {Kind: ddl.Expression}, "'a' || 'b'": {Kind: ddl.Expression}, "now()": {Kind: ddl.Expression}, "current_date": {Kind: ddl.Expression},
	} {
		var got []ddl.Value
		schema, err := ddl.Read(strings.NewReader("CREATE TABLE t (a text);\nINSERT INTO t VALUES ("+text+");"), ddl.Config{Rows: func(r ddl.Row) error {
			got = append(got, r.Values...)
			return nil
		}})
		require.NoError(t, err)
		require.Empty(t, schema.Problems, text)
		require.Len(t, got, 1, text)
		require.Equal(t, want.Kind == ddl.Expression, len(got[0].Tokens) > 0, text)
		got[0].Tokens = nil
		require.Equal(t, want, got[0], text)
	}
}

// TestRemarksBehindColumns: a remark is of the last column on its line, unless that has a
// comment of its own.
func TestRemarksBehindColumns(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"a int, -- one\nb int -- two\n":                       "a int -- one, b int -- two",
		"a int, b int, -- both\nc int\n":                      "a int, b int -- both, c int",
		"a int,\n-- alone\nb int\n":                           "a int, b int",
		"a int COMMENT 'own', -- remark\nb int\n":             "a int -- own, b int",
		"a decimal(1,\n2), -- of two lines\nb int -- last\n":  "a decimal -- of two lines, b int -- last",
		"a int, b int COMMENT 'own', c int -- of the third\n": "a int, b int -- own, c int -- of the third",
	} {
		schema, err := ddl.Read(strings.NewReader("CREATE TABLE t (\n"+body+");"), ddl.Config{})
		require.NoError(t, err)
		require.Empty(t, schema.Problems, body)
		require.Equal(t, want, columnsOf(schema.Tables[0]), body)
	}
}
