package ddl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// TestValuesOfRows: each way to write a value, alone and among others, is what it means.
func TestValuesOfRows(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]ddl.Value{
		"1": {Kind: ddl.Number, Text: "1"}, "-1": {Kind: ddl.Number, Text: "-1"}, "+1.5": {Kind: ddl.Number, Text: "1.5"}, "- 2": {Kind: ddl.Number, Text: "-2"}, "1e3": {Kind: ddl.Number, Text: "1e3"},
		"'a'": {Kind: ddl.Text, Text: "a"}, "''": {Kind: ddl.Text}, "'it''s'": {Kind: ddl.Text, Text: "it's"}, "'null'": {Kind: ddl.Text, Text: "null"}, "'a,b)'": {Kind: ddl.Text, Text: "a,b)"},
		"NULL": {}, "null": {}, "DEFAULT": {}, "TRUE": {Kind: ddl.Bool, Text: "true"}, "False": {Kind: ddl.Bool, Text: "false"},
		"X'0f'": {Kind: ddl.Blob, Text: "0f"}, "0x0F": {Kind: ddl.Blob, Text: "0F"},
		"'5'::int": {Kind: ddl.Text, Text: "5"}, "5::text": {Kind: ddl.Number, Text: "5"}, "'a'::character varying(5)": {Kind: ddl.Text, Text: "a"},
		"DATE '2026-01-02'": {Kind: ddl.Text, Text: "2026-01-02"}, "timestamp '2026-01-02 03:04:05'": {Kind: ddl.Text, Text: "2026-01-02 03:04:05"},
	} {
		for _, around := range []string{"(%s)", "(7, %s)", "(%s, 7)", "(7), (%s)", "( %s\n)"} {
			_, rows, err := valuesOf(fmt.Sprintf("INSERT INTO t VALUES "+around+";", written), ddl.Config{})
			require.NoError(t, err)
			values := rows[len(rows)-1]
			got := values[0]
			if strings.HasPrefix(around, "(7, ") {
				got = values[1]
			}
			require.Equal(t, want, got, "%s in %s", written, around)
		}
	}
	for _, written := range []string{"now()", "1 + 2", "'a' || 'b'", "f(1, 2)", "- x", "(1)", "DATE x y"} {
		_, rows, err := valuesOf("INSERT INTO t VALUES (7, "+written+", 8);", ddl.Config{})
		require.NoError(t, err)
		require.Len(t, rows[0], 3, written)
		require.Equal(t, ddl.Expression, rows[0][1].Kind, written)
		require.NotEmpty(t, rows[0][1].Tokens, written)
		require.Equal(t, "8", rows[0][2].Text)
	}
}

// valuesOf are the values of each row of a script; of expressions the tokens too.
func valuesOf(text string, c ddl.Config) (*ddl.Schema, [][]ddl.Value, error) {
	var rows [][]ddl.Value
	c.Rows = func(r ddl.Row) error {
		rows = append(rows, append([]ddl.Value(nil), r.Values...))
		return nil
	}
	s, err := ddl.Read(strings.NewReader(text), c)
	return s, rows, err
}

// TestComments: a comment finds its table and column by any name that they have, and one
// of what is not declared finds nothing.
func TestComments(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]string{
		"COMMENT ON TABLE t IS 'x'":             "s.t'x'{a:int; b:text}",
		"COMMENT ON TABLE s.t IS 'x'":           "s.t'x'{a:int; b:text}",
		"COMMENT ON TABLE db.s.t IS 'x'":        "s.t'x'{a:int; b:text}",
		"COMMENT ON TABLE \"S\".\"T\" IS 'x'":   "s.t'x'{a:int; b:text}",
		"COMMENT ON COLUMN t.b IS 'x'":          "s.t{a:int; b:text'x'}",
		"COMMENT ON COLUMN s.t.A IS 'it''s'":    "s.t{a:int'it's'; b:text}",
		"COMMENT ON COLUMN db.s.t.a IS 'x'":     "s.t{a:int'x'; b:text}",
		"COMMENT ON COLUMN a IS 'x'":            "s.t{a:int; b:text}",
		"COMMENT ON COLUMN t.c IS 'x'":          "s.t{a:int; b:text}",
		"COMMENT ON COLUMN u.a IS 'x'":          "s.t{a:int; b:text}",
		"COMMENT ON TABLE u IS 'x'":             "s.t{a:int; b:text}",
		"COMMENT ON INDEX t IS 'x'":             "s.t{a:int; b:text}",
		"COMMENT ON FUNCTION t(int) IS 'x'":     "s.t{a:int; b:text}",
		"COMMENT ON TABLE t IS 'x' ; SELECT 1 ": "s.t'x'{a:int; b:text}",
	} {
		s, err := ddl.Read(strings.NewReader("CREATE TABLE s.t (a int, b text);\n"+statement+";\n"), ddl.Config{})
		require.NoError(t, err, statement)
		require.Equal(t, want, describe(s), statement)
		require.Empty(t, s.Problems, statement)
	}
}

// TestBoundsOfScripts: each bound at its number and one more, which is told with the line
// and leaves the rest to be read.
func TestBoundsOfScripts(t *testing.T) {
	t.Parallel()
	const two = "CREATE TABLE t (a int, b int);\n"
	for name, c := range map[string]struct {
		text   string
		config ddl.Config
		tables int
		rows   int
		told   []string
	}{
		"tables":            {two + "CREATE TABLE u (a int);\n", ddl.Config{MaxTables: 2}, 2, 0, nil},
		"too many tables":   {two + "CREATE TABLE u (a int);\nINSERT INTO t VALUES (1, 2);", ddl.Config{MaxTables: 1}, 1, 1, []string{"line 2, column 16: more than 1 tables: \"u\""}},
		"columns":           {two, ddl.Config{MaxColumns: 2}, 1, 0, nil},
		"too many columns":  {two + "CREATE TABLE u (a int);\n", ddl.Config{MaxColumns: 1}, 1, 0, []string{"line 1, column 26: table \"t\" has more than 1 columns"}},
		"values":            {"INSERT INTO t VALUES (1, 2), (3, 4);", ddl.Config{MaxColumns: 2}, 0, 2, nil},
		"too many values":   {"INSERT INTO t VALUES (1), (2, 3), (4);\nINSERT INTO t VALUES (5);", ddl.Config{MaxColumns: 1}, 0, 2, []string{"line 1, column 27: a row of more than 1 values"}},
		"no columns listed": {"CREATE TABLE t AS SELECT 1;\n" + "CREATE TABLE u (a int);", ddl.Config{}, 1, 0, []string{"line 1, column 16: table \"t\" is not declared by a list of columns"}},
		"no values":         {"INSERT INTO t SELECT 1;\nINSERT INTO t VALUES (5);", ddl.Config{}, 0, 1, []string{"line 1, column 15: INSERT INTO \"t\" without VALUES"}},
		"problems":          {"INSERT INTO t SELECT 1;\nINSERT INTO t SELECT 1;\nINSERT INTO t SELECT 1;\nINSERT INTO t VALUES (5);", ddl.Config{MaxProblems: 2}, 0, 1, []string{"line 1,", "line 2,"}},
		"rows too short":    {two + "INSERT INTO t VALUES (1),\n(1, 2),\n(1, 2, 3);", ddl.Config{}, 1, 1, []string{"line 2, column 22: a row of 1 values for the 2 columns of \"t\"", "line 4, column 1: a row of 3 values for the 2 columns"}},
		"columns named":     {two + "INSERT INTO t (b) VALUES (1), (1, 2);", ddl.Config{}, 1, 1, []string{"line 2, column 31: a row of 2 values for the 1 columns"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, rows, err := valuesOf(c.text, c.config)
			require.NoError(t, err)
			require.Len(t, s.Tables, c.tables)
			require.Len(t, rows, c.rows)
			require.Len(t, s.Problems, len(c.told), "%v", s.Problems)
			for i, want := range c.told {
				require.True(t, strings.HasPrefix(s.Problems[i].Error(), want), s.Problems[i].Error())
			}
			require.Equal(t, name == "problems", s.Dropped == 1)
		})
	}
}
