package ddl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// TestWhatIsPassedOver: what stands in a script and is no declaration and no row of a table
// gives none, and what follows it is read.
func TestWhatIsPassedOver(t *testing.T) {
	t.Parallel()
	const table = "CREATE TABLE t (a int);\n"
	for name, c := range map[string]struct {
		script string
		rows   int
		tables string
	}{
		"a trigger that inserts":            {table + "CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO t VALUES (8); INSERT INTO t VALUES (9); END; INSERT INTO t VALUES (1);", 1, "t"},
		"a function that ends at once":      {table + "CREATE FUNCTION f() RETURNS int AS 'SELECT 1'; INSERT INTO t VALUES (1);", 1, "t"},
		"a procedure with an end of a case": {table + "CREATE PROCEDURE p() BEGIN SELECT CASE WHEN 1 THEN 2 END FROM t; INSERT INTO t VALUES (8); END; INSERT INTO t VALUES (1);", 1, "t"},
		"rows from a file of the server":    {table + "COPY t (a) FROM '/tmp/x';\nCREATE TABLE u (b int);\nINSERT INTO t VALUES (1);", 1, "t u"},
		"rows from a query":                 {table + "COPY (SELECT 1) TO STDOUT; INSERT INTO t VALUES (1);", 1, "t"},
		"rows as CSV":                       {table + "COPY t FROM stdin WITH CSV;\n7\n8\n\\.\nINSERT INTO t VALUES (1);", 1, "t"},
		"rows of a query":                   {table + "INSERT INTO t SELECT 7; INSERT INTO t VALUES (1);", 1, "t"},
		"a value of many words":             {table + "INSERT INTO t VALUES (" + strings.Repeat("1 + ", 500) + "1); INSERT INTO t VALUES (1);", 1, "t"},
		"a value of fewer":                  {table + "INSERT INTO t VALUES (" + strings.Repeat("1 + ", 499) + "1); INSERT INTO t VALUES (1);", 2, "t"},
	} {
		schema, rows, err := rowsOf(strings.NewReader(c.script), ddl.Config{})
		require.NoError(t, err, name)
		require.Len(t, rows, c.rows, "%s: %v", name, rows)
		var names []string
		for _, table := range schema.Tables {
			names = append(names, table.Name.Table)
		}
		require.Equal(t, c.tables, strings.Join(names, " "), name)
	}
}

// TestRemarksAreBounded: a remark is kept up to the length of a token, and of a table's
// remarks as many as two for each column that it may have.
func TestRemarksAreBounded(t *testing.T) {
	t.Parallel()
	remark := func(script string, config ddl.Config) string {
		schema, err := ddl.Read(strings.NewReader(script), config)
		require.NoError(t, err)
		require.Len(t, schema.Tables, 1, "%v", schema.Problems)
		return schema.Tables[0].Columns[0].Comment
	}
	got := remark("CREATE TABLE t (a int -- "+strings.Repeat("x", 50)+"\n);", ddl.Config{MaxTokenBytes: 20})
	require.LessOrEqual(t, len(got), 20)
	require.Contains(t, got, "xxxxxxxxxx")
	for before, want := range map[int]string{3: "kept", 4: ""} {
		script := "CREATE TABLE t (" + strings.Repeat("-- before\n", before) + "a int -- kept\n);"
		require.Equal(t, want, remark(script, ddl.Config{MaxColumns: 2}), fmt.Sprint(before))
	}
}

// TestSignsOfAViewOnTwoLines are two: together they could be another sign, or a remark.
func TestSignsOfAViewOnTwoLines(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"CREATE VIEW v AS SELECT 1 -\n" + strings.Repeat(" ", len("CREATE VIEW v AS SELECT 1 -")) + "-2;": "SELECT 1 - - 2",
		"CREATE VIEW v AS SELECT a <> b, a - -2;":                                                         "SELECT a <> b , a - - 2",
	} {
		schema, err := ddl.Read(strings.NewReader(script), ddl.Config{})
		require.NoError(t, err)
		require.Len(t, schema.Views, 1)
		require.Equal(t, want, schema.Views[0].Query)
	}
}

// TestCommentsOnTablesOfOneName are of the one whose schema they name.
func TestCommentsOnTablesOfOneName(t *testing.T) {
	t.Parallel()
	schema, err := ddl.Read(strings.NewReader("CREATE TABLE a.t (x int); CREATE TABLE b.t (x int);\n"+
		"COMMENT ON TABLE b.t IS 'of b'; COMMENT ON COLUMN b.t.x IS 'x of b'; COMMENT ON TABLE t IS 'of the first'; COMMENT ON TABLE db.b.none IS 'of none';"), ddl.Config{})
	require.NoError(t, err)
	require.Equal(t, "a.t'of the first'{x:int} b.t'of b'{x:int'x of b'}", describe(schema))
}
