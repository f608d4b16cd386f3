package keys_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/ingesttest"
	"github.com/dibrain/dibrain/pkg/ingest/keys"
	"github.com/dibrain/dibrain/pkg/source"
)

// ingested makes a source, own, in a new store.
func ingested(t *testing.T, make func(*source.Store) error) (*source.Generation, *catalog.Snapshot) {
	t.Helper()
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, make(s))
	g, err := s.Current("own")
	require.NoError(t, err)
	snapshot, err := g.Snapshot()
	require.NoError(t, err)
	return g, snapshot
}

func fromFiles(t *testing.T, files map[string]string) (*source.Generation, *catalog.Snapshot) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return ingested(t, func(s *source.Store) error {
		_, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
		return err
	})
}

// references writes foreign keys as "from(columns) to(columns)".
func references(tables []catalog.Table) (out []string) {
	for i := range tables {
		for _, k := range tables[i].ForeignKeys {
			out = append(out, fmt.Sprintf("%s(%s) %s(%s)", tables[i].Name.Table, strings.Join(k.Columns, ","), k.RefTable.Table, strings.Join(k.RefColumns, ",")))
		}
	}
	return out
}

// again forgets the keys of a source, looks for them, and returns what was found
// and the notes.
func again(t *testing.T, g *source.Generation, snapshot *catalog.Snapshot, limits keys.Limits) (found, notes []string) {
	t.Helper()
	db, err := sql.Open("duckdb", g.DatabasePaths()["own"]+"?access_mode=read_only")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	tables := make([]*catalog.Table, len(snapshot.Tables))
	for i := range snapshot.Tables {
		bare := snapshot.Tables[i]
		bare.ForeignKeys, bare.Columns = nil, slices.Clone(bare.Columns)
		for c := range bare.Columns {
			bare.Columns[c].PrimaryKey = false
		}
		tables[i] = &bare
	}
	notes, err = keys.Find(t.Context(), conn, tables, limits)
	require.NoError(t, err)
	plain := make([]catalog.Table, len(tables))
	for i := range tables {
		plain[i] = *tables[i]
	}
	return references(plain), notes
}

// TestANormalisedStore: all joins of 15 tables without declarations are found, and
// no other.
func TestANormalisedStore(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		files, want := ingesttest.Store(seed)
		g, snapshot := fromFiles(t, files)
		require.ElementsMatch(t, want, references(snapshot.Tables), "seed %d", seed)
		keysOf := map[string][]string{}
		for i := range snapshot.Tables {
			keysOf[snapshot.Tables[i].Name.Table] = snapshot.Tables[i].PrimaryKey()
			for _, k := range snapshot.Tables[i].ForeignKeys {
				require.NotNil(t, k.Found)
				require.NotEmpty(t, k.Found.Reason)
				require.Positive(t, k.Found.Values)
			}
		}
		require.Equal(t, []string{"product_id", "tag_id"}, keysOf["product_tags"], "a bridge")
		require.Equal(t, []string{"order_id", "line_no"}, keysOf["order_lines"], "a key of two columns")
		require.Equal(t, []string{"supplier_code"}, keysOf["suppliers"])

		few, notes := again(t, g, snapshot, keys.Limits{MaxTests: 5})
		require.Less(t, len(few), len(want))
		require.Contains(t, strings.Join(notes, "\n"), "MaxTests")

		sampled, _ := again(t, g, snapshot, keys.Limits{MaxExactRows: 100, MaxSampleRows: 50})
		require.Contains(t, sampled, "orders(customer_id) customers(id)", "of large tables a sample is compared")
	}
}

// TestWhatIsNoReference: names and values that look like references and are none.
func TestWhatIsNoReference(t *testing.T) {
	t.Parallel()
	rows := func(header string, n int, row func(i int) string) string {
		var b strings.Builder
		b.WriteString(header + "\n")
		for i := 1; i <= n; i++ {
			b.WriteString(row(i) + "\n")
		}
		return b.String()
	}
	_, snapshot := fromFiles(t, map[string]string{
		// each number of stars, and each floor, is an id of a hotel; towns have equal names
		"hotels.csv":   rows("id,name,stars,town", 30, func(i int) string { return fmt.Sprintf("%d,Hotel %d,%d,Town %d", i, i, 1+i%5, i%7) }),
		"airports.csv": rows("id,town,floors", 20, func(i int) string { return fmt.Sprintf("%d,Town %d,%d", i, i-1, 1+i%4) }),
		// one of 40 rooms is of a hotel that is not there
		"rooms.csv": rows("room,hotel_id", 40, func(i int) string {
			if i == 40 {
				return "40,99"
			}
			return fmt.Sprintf("%d,%d", i, 1+i%30)
		}),
	})
	require.Empty(t, references(snapshot.Tables))
}

// TestDeclaredKeysAreFoundAgain forgets the declared keys of people's own databases
// and looks for them. Figures are of references, all sources together.
func TestDeclaredKeysAreFoundAgain(t *testing.T) {
	t.Parallel()
	root := sharedData(t)
	var there, found, right int
	count := func(name string, g *source.Generation, snapshot *catalog.Snapshot) {
		want := references(snapshot.Tables)
		got, _ := again(t, g, snapshot, keys.Limits{})
		both := 0
		for _, x := range got {
			if i := slices.IndexFunc(want, func(w string) bool { return strings.EqualFold(w, x) }); i >= 0 {
				both++
				want = slices.Delete(want, i, i+1)
			} else {
				t.Logf("%s: too much: %s", name, x)
			}
		}
		there, found, right = there+len(want)+both, found+len(got), right+both
		for _, w := range want {
			t.Logf("%s: not found: %s", name, w)
		}
	}
	dumps, err := filepath.Glob(filepath.Join(root, "own_data", "*", "raw", "*.sql"))
	require.NoError(t, err)
	for _, dump := range dumps {
		g, snapshot := ingested(t, func(s *source.Store) error {
			_, err := ingest.SQLDump(t.Context(), s, "own", dump, ingest.Options{})
			return err
		})
		count(filepath.Base(dump), g, snapshot)
	}
	folders, err := filepath.Glob(filepath.Join(root, "text2sql", "spiderman", "databases", "*"))
	require.NoError(t, err)
	for i, dir := range folders {
		if testing.Short() && i%10 != 0 {
			continue
		}
		g, snapshot := ingested(t, func(s *source.Store) error {
			_, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
			return err
		})
		count(filepath.Base(dir), g, snapshot)
	}
	t.Logf("%d references there, %d found, %d of them right: precision %.3f, recall %.3f", there, found, right, float64(right)/float64(found), float64(right)/float64(there))
	require.GreaterOrEqual(t, float64(right)/float64(found), 0.85, "precision")
	require.GreaterOrEqual(t, float64(right)/float64(there), 0.8, "recall")
}

// sharedData is the folder of the evaluation data; where it is not there the test is
// skipped.
func sharedData(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "shared", "data"))
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the evaluation data are not there: %s", path)
	}
	return path
}
