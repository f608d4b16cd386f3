package ddl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// cutDump is the dump that TestACutDumpIsTold cuts: two tables, their rows by COPY, and a
// statement behind them.
const cutDump = "CREATE TABLE a (id int, word text);\nCREATE TABLE b (n int);\n" +
	"COPY a (id, word) FROM stdin;\n1\tone\n2\ttwo and more\n3\t\\N\n\\.\n" +
	"COPY b (n) FROM stdin;\n11\n12\n\\.\n" +
	"ALTER TABLE a ADD PRIMARY KEY (id);\n"

// TestACutDumpIsTold: of a dump that ends anywhere before its end, each row that is given is
// one of the whole dump, rows come in order with none left out between, and a cut within
// data is told with the line where it is.
func TestACutDumpIsTold(t *testing.T) {
	t.Parallel()
	read := func(text string) (rows []string, schema *ddl.Schema) {
		schema, err := ddl.Read(strings.NewReader(text), ddl.Config{Rows: func(r ddl.Row) error {
			rows = append(rows, fmt.Sprint(r.Table.Table, r.Values))
			return nil
		}})
		require.NoError(t, err)
		return rows, schema
	}
	all, whole := read(cutDump)
	require.Len(t, all, 5)
	require.Empty(t, whole.Problems)
	for end := range len(cutDump) {
		text := cutDump[:end]
		rows, schema := read(text)
		require.Equal(t, strings.Join(all[:len(rows)], ";"), strings.Join(rows, ";"), "%q", text)
		begin := strings.LastIndex(text, "stdin;\n")
		ended := strings.HasSuffix(text, "\\.") || begin >= 0 && strings.Contains(text[begin:], "\\.\n")
		if begin < 0 || ended {
			continue
		}
		require.Len(t, schema.Problems, 1, "%q", text)
		require.Contains(t, schema.Problems[0].Message, `have no end mark \.: the dump was cut here`)
		require.Equal(t, strings.Count(text, "\n")+1, schema.Problems[0].Line, "%q", text)
		require.Equal(t, !strings.HasSuffix(text, "\n"), strings.Contains(schema.Problems[0].Message, "this line is left out"), "%q", text)
		_, data, _ := strings.Cut(text, "stdin;")
		require.Len(t, rows, strings.Count(data, "\n")-2*strings.Count(text, "\\.\n")-1, "each line that is whole is a row: %q", text)
	}
}

// TestALineOfDataThatIsTooLong: it is left out and told, and the lines behind it are data
// still, not statements.
func TestALineOfDataThatIsTooLong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		kept bool
	}{{strings.Repeat("x", 99), true}, {strings.Repeat("x", 100), false}, {strings.Repeat("x", 5000), false}} {
		var rows []string
		schema, err := ddl.Read(strings.NewReader("CREATE TABLE a (word text);\nCOPY a FROM stdin;\none\n"+c.line+"\nit's\n\"two\n/* three\n\\.\nCREATE TABLE b (n int);\n"),
			ddl.Config{MaxTokenBytes: 100, Rows: func(r ddl.Row) error {
				rows = append(rows, r.Values[0].Text)
				return nil
			}})
		require.NoError(t, err)
		require.Len(t, schema.Tables, 2)
		want := []string{"one", c.line, "it's", `"two`, "/* three"}
		if c.kept {
			require.Equal(t, want, rows)
			require.Empty(t, schema.Problems)
			continue
		}
		require.Equal(t, append(want[:1:1], want[2:]...), rows)
		require.Len(t, schema.Problems, 1)
		require.Equal(t, 4, schema.Problems[0].Line)
		require.Contains(t, schema.Problems[0].Message, "longer than 100 bytes")
	}
}

// TestProceduresThatDoNotEnd: what stands between DELIMITER and DELIMITER ; is passed over,
// and where the second is missing it is told that all behind the first is.
func TestProceduresThatDoNotEnd(t *testing.T) {
	t.Parallel()
	const table, second = "CREATE TABLE a (x int);\n", "CREATE TABLE b (x int);\n"
	for script, want := range map[string]struct {
		tables   int
		problems []int // lines
	}{
		table + "DELIMITER $$\nCREATE TABLE inside (x int) $$\nDELIMITER ;\n" + second: {2, nil},
		table + "DELIMITER $$\nCREATE PROCEDURE p() BEGIN END $$\ndelimiter ;":         {1, nil},
		table + "DELIMITER ;;\nEND ;;\nDELIMITER //\nEND //\nDELIMITER ;\n" + second:   {2, nil},
		"DELIMITER ;\n" + table: {1, nil},
		table + "DELIMITER $$\nCREATE PROCEDURE p() BEGIN END $$\n" + second: {1, []int{2}},
		table + "DELIMITER $$": {1, []int{2}},
	} {
		schema, err := ddl.Read(strings.NewReader(script), ddl.Config{Dialect: ddl.MySQL})
		require.NoError(t, err)
		require.Len(t, schema.Tables, want.tables, script)
		var lines []int
		for _, p := range schema.Problems {
			lines = append(lines, p.Line)
			require.Contains(t, p.Message, "DELIMITER")
		}
		require.Equal(t, want.problems, lines, script)
	}
}
