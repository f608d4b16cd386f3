package ingest

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// TestTypesOfTypes writes nested types in both languages side by side, reads what DuckDB
// calls them, and compares: fields with any name, parts of any kind. A type with a part
// that would have to be converted is kept as text as a whole.
func TestTypesOfTypes(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("duckdb", "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	random := rand.New(rand.NewPCG(17, 2))
	kept := [][2]string{
		{"BOOLEAN", "boolean"}, {"INTEGER", "integer"}, {"BIGINT", "bigint"}, {"DOUBLE", "double"}, {"FLOAT", "real"}, {"VARCHAR", "varchar"}, {"DATE", "date"},
		{"DECIMAL(18,3)", "decimal(18,3)"}, {"TIMESTAMP", "timestamp(6)"}, {"TIMESTAMP WITH TIME ZONE", "timestamp(6) with time zone"}, {"BLOB", "varbinary"}, {"UUID", "uuid"},
	}
	converted := []string{"UINTEGER", "HUGEINT", "UBIGINT", "TIMESTAMP_S", "TIME", "INTERVAL", "ENUM('x, y', 'z')"}
	names := []string{"a", "a, b", "a(b", "a)b", `a"b`, `"`, "a b", "a[1]", "it's", "名称", "select", `",`, "A B(C, D)"}
	var write func(depth int) (duck, presto string, whole bool)
	write = func(depth int) (duck, presto string, whole bool) {
		pick := random.IntN(9)
		if depth == 0 {
			pick = min(pick, 4)
		}
		switch {
		case pick == 4:
			return converted[random.IntN(len(converted))], "", false
		case pick < 4:
			k := kept[random.IntN(len(kept))]
			return k[0], k[1], true
		case pick == 5:
			duck, presto, whole = write(depth - 1)
			return duck + "[]", "array(" + presto + ")", whole
		case pick == 6:
			duck, presto, whole = write(depth - 1)
			return duck + "[3]", "array(" + presto + ")", whole
		case pick == 7:
			key, keyPresto, keyWhole := write(0)
			duck, presto, whole = write(depth - 1)
			return "MAP(" + key + ", " + duck + ")", "map(" + keyPresto + ", " + presto + ")", keyWhole && whole
		}
		whole = true
		var fields, prestoFields []string
		for i, at := range random.Perm(len(names))[:1+random.IntN(3)] {
			one, onePresto, oneWhole := write(depth - 1)
			name := fmt.Sprintf("%s%d", names[at], i)
			fields = append(fields, `"`+strings.ReplaceAll(name, `"`, `""`)+`" `+one)
			prestoFields = append(prestoFields, printer.Quote(name)+" "+onePresto)
			whole = whole && oneWhole
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")", "row(" + strings.Join(prestoFields, ", ") + ")", whole
	}
	nested, text := 0, 0
	for range 600 {
		duck, want, whole := write(3)
		if !strings.ContainsAny(strings.NewReplacer("DECIMAL(", "", "ENUM(", "").Replace(duck), "([") {
			continue
		}
		var called string
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT column_type FROM (DESCRIBE SELECT CAST(NULL AS "+duck+") AS v)").Scan(&called), duck)
		cast, presto := storedType(called)
		if !whole {
			text++
			require.Equal(t, []string{"VARCHAR", "varchar"}, []string{cast, presto}, called)
			continue
		}
		nested++
		require.Empty(t, cast, called)
		// Names that need no quotes may stand with them or without.
		require.Equal(t, strings.ReplaceAll(want, `"`, ""), strings.ReplaceAll(presto, `"`, ""), called)
	}
	require.Greater(t, nested, 50)
	require.Greater(t, text, 50)
}

// TestTypesThatAreNone: what is cut off is text, and nothing panics.
func TestTypesThatAreNone(t *testing.T) {
	t.Parallel()
	const whole = `STRUCT("a, ""b" INTEGER, c MAP(VARCHAR, DOUBLE[]))`
	for i := range len(whole) {
		cast, presto := storedType(whole[:i])
		require.Equal(t, []string{"VARCHAR", "varchar"}, []string{cast, presto}, whole[:i])
	}
	for _, duck := range []string{"MAP(INTEGER)", "MAP(INTEGER, INTEGER, INTEGER)", "STRUCT()", `STRUCT("a")`, "STRUCT(a)", "LIST(INTEGER)", "[]", ""} {
		cast, presto := storedType(duck)
		require.Equal(t, []string{"VARCHAR", "varchar"}, []string{cast, presto}, duck)
	}
}
