package repair_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

func shop() resolve.Scope {
	return resolve.Scope{Catalog: resolve.NewTables(shopTables()), DefaultRegion: "sg", DefaultSchema: "shop"}
}

func shopTables() []catalog.Table {
	name := func(t string) catalog.Name { return catalog.Name{Region: "sg", Schema: "shop", Table: t} }
	return []catalog.Table{
		{Name: name("orders"), Columns: []catalog.Column{
			{Name: "order_id", Type: "bigint", PrimaryKey: true}, {Name: "country", Type: "varchar", Samples: []string{"SG", "BR"}, Distinct: 2},
			{Name: "status", Type: "varchar"}, {Name: "amount", Type: "decimal(18,2)"}, {Name: "qty", Type: "integer"}, {Name: "dt", Type: "date", Partition: true},
		}},
		{Name: name("items"), Columns: []catalog.Column{
			{Name: "order_id", Type: "bigint", PrimaryKey: true}, {Name: "line", Type: "integer", PrimaryKey: true}, {Name: "sku", Type: "varchar"},
		}},
		{Name: name("buyers"), Columns: []catalog.Column{
			{Name: "buyer_id", Type: "bigint", PrimaryKey: true}, {Name: "customer_tier_code", Type: "integer"}, {Name: "付款编号", Type: "bigint"},
			{Name: "created_ms", Type: "bigint", Samples: []string{"1767225600000"}}, {Name: "home_id", Type: "integer"},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"home_id"}, RefTable: name("places"), RefColumns: []string{"place_id"}}}},
		{Name: name("places"), Columns: []catalog.Column{{Name: "place_id", Type: "integer", PrimaryKey: true}, {Name: "city", Type: "varchar"}}},
	}
}

func fix(t testing.TB, sql string) repair.Result {
	t.Helper()
	r, err := repair.Run(context.Background(), sql, repair.Options{Scopes: repair.Fixed(shop()), Known: shopTables(), Terms: shopTerms})
	require.NoError(t, err)
	return r
}

// shopTerms are the terms of a layer over the tables.
func shopTerms(_ context.Context, tables []catalog.Table) ([]repair.Term, error) {
	var terms []repair.Term
	for _, t := range tables {
		switch t.Name.Table {
		case "orders":
			terms = append(terms,
				repair.Term{Names: []string{"country", "market", "市场"}, Table: t.Name, Expr: "country"},
				repair.Term{Names: []string{"order class", "tier"}, Table: t.Name, Expr: "CASE WHEN qty > 9 THEN 'big' ELSE 'small' END"},
				repair.Term{Names: []string{"gmv", "turnover", "gross value"}, Table: t.Name, Expr: "sum(amount)", Metric: true},
				repair.Term{Names: []string{"ticket no"}, Table: t.Name, Expr: "order_id"},
				repair.Term{Names: []string{"ghost"}, Table: t.Name, Expr: "no_such_column"})
		case "items":
			terms = append(terms, repair.Term{Names: []string{"ticket no"}, Table: t.Name, Expr: "order_id"})
		}
	}
	return terms, nil
}

// TestExamples: each class repairs its own example, in a valid statement, and says so in
// both languages.
func TestExamples(t *testing.T) {
	t.Parallel()
	classes, err := repair.Classes()
	require.NoError(t, err)
	for _, c := range classes {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, c.Code)
			require.NotEmpty(t, c.Certain)
			if c.Example[0] == "" {
				t.Skip("the class needs an engine's error, see TestErrorsOfEngines")
			}
			r := fix(t, c.Example[0])
			require.Equal(t, c.Example[1], r.Text)
			require.True(t, r.Valid(), "%v %v", r.Unread, r.Remaining)
			i := slices.IndexFunc(r.Changes, func(change repair.Change) bool { return change.Class.ID == c.ID })
			require.GreaterOrEqual(t, i, 0, "%v", r.Changes)
			for _, l := range []lang.Language{lang.English, lang.Chinese} {
				require.NotEmpty(t, r.Changes[i].Message(l))
				require.NotContains(t, r.Changes[i].Message(l), "{")
			}
			if strings.HasPrefix(c.Certain, "never") {
				require.False(t, r.Certain())
			}
		})
	}
}

// TestCases: cases by class: what comes of them, whether it is certain, and how many
// candidates there are.
func TestCases(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/cases.yaml")
	require.NoError(t, err)
	var cases map[string][]struct {
		SQL, Want  string
		Certain    bool
		Candidates int
	}
	require.NoError(t, yaml.Unmarshal(raw, &cases))
	for group, list := range cases {
		for _, c := range list {
			t.Run(group+"/"+c.SQL, func(t *testing.T) {
				t.Parallel()
				r := fix(t, c.SQL)
				want := c.Want
				if want == "" {
					want = c.SQL
				}
				require.Equal(t, want, r.Text)
				require.Equal(t, c.Certain, r.Certain() && r.Text != c.SQL, "confidence %v", r.Confidence)
				require.Len(t, r.Candidates, c.Candidates)
				require.Equal(t, want != c.SQL, r.Diff != "")
				if r.Valid() {
					again := fix(t, r.Text)
					require.Equal(t, r.Text, again.Text, "a repair is stable")
				}
			})
		}
	}
}

// TestErrorsOfEngines: what only an engine finds is repaired where its error names it.
func TestErrorsOfEngines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ engine, text, class string }{
		{"trino", "line 1:8: Column 'nope' cannot be resolved", "COLUMN_NOT_FOUND"},
		{"trino", "Query 20261122_1 failed: DIVISION_BY_ZERO: Division by zero", "DIVISION_BY_ZERO"},
		{"trino", "line 1:10: mismatched input 'form'. Expecting: ',', 'EXCEPT'", "SYNTAX_ERROR"},
		{"duckdb", "Binder Error: Referenced column \"language\" not found in FROM clause!", "COLUMN_NOT_FOUND"},
		{"duckdb", "Conversion Error: Could not convert string 'x' to INT32", "INVALID_CAST_ARGUMENT"},
		{"duckdb", "Catalog Error: Table with name orderz does not exist!", "TABLE_NOT_FOUND"},
		{"mysql", "ERROR 1064 (42000): You have an error in your SQL syntax; check the manual", "SYNTAX_ERROR"},
		{"mysql", "ERROR 1054 (42S22): Unknown column 'a' in 'field list'", "COLUMN_NOT_FOUND"},
		{"mysql", "ERROR 1146 (42S02): Table 'shop.orderz' doesn't exist", "TABLE_NOT_FOUND"},
		{"hive", "SemanticException [Error 10004]: Line 1:7 Invalid table alias or column reference 'x'", "COLUMN_NOT_FOUND"},
		{"spark", "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column with name `x` cannot be resolved", "COLUMN_NOT_FOUND"},
		{"spark", "[TABLE_OR_VIEW_NOT_FOUND] The table or view `orderz` cannot be found", "TABLE_NOT_FOUND"},
		{"postgresql", "ERROR:  column \"o.amount\" must appear in the GROUP BY clause or be used in an aggregate function", "EXPRESSION_NOT_AGGREGATE"},
		{"postgresql", "ERROR:  relation \"orderz\" does not exist", "TABLE_NOT_FOUND"},
		{"postgresql", "ERROR:  operator does not exist: date = integer", "TYPE_MISMATCH"},
		{"nobody", "it does not work", ""},
	} {
		require.Equal(t, c.class, repair.ErrorClass(c.text), "%s: %s", c.engine, c.text)
	}
	for sql, c := range map[string][2]string{
		"SELECT amount / qty FROM orders":                    {"DIVISION_BY_ZERO: Division by zero", "SELECT amount / nullif(qty, 0) FROM orders"},
		"SELECT CAST(status AS bigint) FROM orders":          {"Cannot cast 'x' to BIGINT", "SELECT TRY_CAST(status AS bigint) FROM orders"},
		"SELECT amount / 2, CAST(qty AS bigint) FROM orders": {"DIVISION_BY_ZERO", "SELECT amount / 2, CAST(qty AS bigint) FROM orders"},
	} {
		r, err := repair.Run(t.Context(), sql, repair.Options{Scopes: repair.Fixed(shop()), Error: c[0]})
		require.NoError(t, err)
		require.Equal(t, c[1], r.Text)
		require.False(t, r.Text != sql && r.Certain(), "it hides rows or values")
	}
}

// TestHostileTexts: whatever the text, a repair ends, keeps its bounds and changes
// nothing that it cannot mend.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"empty":          "",
		"no SQL":         "please show me the orders of last week, thanks!",
		"a write":        "DELETE FROM orders",
		"a broken write": "DELETE FORM orders WHERE",
		"a megabyte":     "SELECT '" + strings.Repeat("a", 1<<20) + "' FORM orders",
		"parentheses":    strings.Repeat("(", 10_000),
		"closed":         "SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000),
		"not UTF-8":      "SELECT \xff FORM orders",
		"zero":           "SELECT \x00 FORM orders",
		"commas":         "SELECT " + strings.Repeat(",", 3000),
		"quotes":         strings.Repeat("'", 3001),
		"comments":       strings.Repeat("-- SELECT a FROM b ", 300),
		"key words":      strings.Repeat("SELECT FROM WHERE ", 500),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := fix(t, sql)
			require.False(t, r.Certain() && r.Text != sql)
			require.LessOrEqual(t, len(r.Candidates), repair.DefaultCandidates)
		})
	}
	two := fix(t, "SELECT qty FROM orders; DELETE FROM orders")
	require.Equal(t, "SELECT qty FROM orders", two.Text)
	require.False(t, two.Certain(), "the other statement was left out")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := repair.Run(ctx, "SELECT qty FORM orders", repair.Options{Scopes: repair.Fixed(shop())})
	require.ErrorIs(t, err, context.Canceled)
}

// TestChangesAreWhereTheySay: an edit of the first round is a range of the original.
func TestChangesAreWhereTheySay(t *testing.T) {
	t.Parallel()
	const sql = "SELECT contry, amuont\nFROM orders o"
	r := fix(t, sql)
	require.Len(t, r.Changes, 2)
	for _, c := range r.Changes {
		require.Equal(t, c.Before, sql[c.Start:c.End])
	}
	require.Equal(t, []int{1, 16}, []int{r.Changes[1].Line, r.Changes[1].Column})
	var rounds [][]string
	_, err := repair.Run(t.Context(), "SELECT contry FORM orders", repair.Options{
		Scopes: repair.Fixed(shop()), Step: func(classes []string) { rounds = append(rounds, classes) },
	})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"keyword"}, {"nearest_column"}}, rounds)
}

// corpus are the statements that a Trino server took, with its tables.
func corpus(t testing.TB) ([]string, resolve.Scope) {
	t.Helper()
	raw, err := os.ReadFile("../resolve/testdata/tables.json")
	require.NoError(t, err)
	var stored []struct {
		Name    [3]string   `json:"name"`
		Columns [][2]string `json:"columns"`
	}
	require.NoError(t, json.Unmarshal(raw, &stored))
	var tables []catalog.Table
	for _, s := range stored {
		table := catalog.Table{Name: catalog.Name{Region: s.Name[0], Schema: s.Name[1], Table: s.Name[2]}}
		for _, c := range s.Columns {
			table.Columns = append(table.Columns, catalog.Column{Name: c[0], Type: c[1]})
		}
		tables = append(tables, table)
	}
	file, err := os.Open("../resolve/testdata/trino_valid.jsonl")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	var out []string
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var a struct{ SQL string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &a))
		out = append(out, a.SQL)
	}
	require.NoError(t, lines.Err())
	return out, resolve.Scope{DefaultRegion: "tpch", DefaultSchema: "tiny", Catalog: resolve.NewTables(tables).WithSchemas(
		[2]string{"memory", "default"}, [2]string{"iceberg", "lake"}, [2]string{"system", "runtime"})}
}

// TestValidStatementsStay: what Trino took stays as it is, to the byte.
func TestValidStatementsStay(t *testing.T) {
	t.Parallel()
	statements, scope := corpus(t)
	kept := 0
	for _, sql := range statements {
		if _, ok := meaning(sql, scope); !ok {
			continue // of the server's own tables
		}
		r, err := repair.Run(t.Context(), sql, repair.Options{Scopes: repair.Fixed(scope)})
		require.NoError(t, err)
		require.Equal(t, sql, r.Text)
		kept++
	}
	require.Greater(t, kept, 500)
}

func meaning(sql string, scope resolve.Scope) (string, bool) {
	stmt, err := parser.Parse(sql)
	if err != nil || stmt.Query == nil {
		return "", false
	}
	res, wrong := resolve.Resolve(stmt, scope)
	return repair.Meaning(stmt, res), len(wrong) == 0
}

// TestOneWordWrong: a word that is dropped, doubled or misspelt is repaired to what was
// meant, or the repair is not called certain.
func TestOneWordWrong(t *testing.T) {
	t.Parallel()
	statements, scope := corpus(t)
	broken, equal, certain, wrong := 0, 0, 0, []string{}
	for i, sql := range statements {
		if i%3 != 0 || len(sql) > 400 {
			continue
		}
		want, ok := meaning(sql, scope)
		if !ok {
			continue
		}
		seed := fnv.New64a()
		_, _ = seed.Write([]byte(sql))
		text, kind := oneWordWrong(rand.New(rand.NewPCG(seed.Sum64(), 7)), sql)
		if _, ok := meaning(text, scope); ok {
			continue
		}
		broken++
		r, err := repair.Run(t.Context(), text, repair.Options{Scopes: repair.Fixed(scope)})
		require.NoError(t, err)
		got, _ := meaning(r.Text, scope)
		switch {
		case got == want:
			equal++
		case r.Certain():
			wrong = append(wrong, fmt.Sprintf("%s\n  %s\n  %s", kind, text, r.Text))
		}
		if r.Certain() {
			certain++
		}
	}
	t.Logf("%d broken, %d repaired to what was meant, %d certain, %d of them wrong", broken, equal, certain, len(wrong))
	require.Greater(t, broken, 100)
	require.GreaterOrEqual(t, float64(equal), 0.6*float64(broken))
	require.LessOrEqual(t, float64(len(wrong)), 0.02*float64(broken), strings.Join(wrong, "\n"))
}

func oneWordWrong(random *rand.Rand, text string) (edited, kind string) {
	words := parser.Words(text)
	w := words[random.IntN(len(words))]
	word := text[w.Start:w.End]
	letter := func() int { return w.Start + random.IntN(len(word)) }
	switch at := letter(); {
	case random.IntN(4) == 0:
		return text[:w.Start] + text[w.End:], "drop"
	case random.IntN(3) == 0:
		return text[:w.End] + " " + word + text[w.End:], "double"
	case w.Kind == parser.WordName || w.Kind == parser.WordKey:
		return text[:at] + text[at+1:], "misspelt"
	}
	return text[:w.End] + " " + word + text[w.End:], "double"
}

// A meaning does not hang on layout, case, aliases of tables or parentheses; it does
// hang on what is read, filtered, grouped, shown and sorted.
func TestMeaning(t *testing.T) {
	t.Parallel()
	same := func(a, b string) bool {
		x, ok := meaning(a, shop())
		require.True(t, ok, a)
		y, ok := meaning(b, shop())
		require.True(t, ok, b)
		return x == y
	}
	const q = "SELECT country, sum(amount) FROM orders WHERE qty > 1 GROUP BY country"
	require.True(t, same(q, "select o.COUNTRY,\n sum((o.amount)) from sg.shop.orders o where (o.qty > 1) group by o.country"))
	require.True(t, same(q, "SELECT country, sum(amount) FROM orders WHERE qty > 1 GROUP BY 1"))
	for _, other := range []string{
		"SELECT country, sum(amount) FROM orders WHERE qty > 2 GROUP BY country",
		"SELECT country, sum(qty) FROM orders WHERE qty > 1 GROUP BY country",
		"SELECT country, sum(amount) FROM orders GROUP BY country",
		"SELECT status, sum(amount) FROM orders WHERE qty > 1 GROUP BY status",
		q + " ORDER BY 2",
	} {
		require.False(t, same(q, other), other)
	}
	require.False(t, same("SELECT qty FROM orders WHERE status = 'A'", "SELECT qty FROM orders WHERE status = 'a'"))
}

func BenchmarkMisspeltKeyword(b *testing.B) {
	for b.Loop() {
		fix(b, "SELECT country, sum(amount) FORM orders WHERE qty > 1 GROUP BY country ORDER BY 2 DESC LIMIT 10")
	}
}

func BenchmarkHopeless(b *testing.B) {
	for b.Loop() {
		fix(b, "SELECT country, sum(amount) FROM orders WHERE qty > AND > = GROUP country, ) BY 2 DESC ( LIMIT 10")
	}
}
