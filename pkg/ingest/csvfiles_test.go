package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// TestWhichFilesOfAFolderAreRead: those with an ending that is asked for, of the folder and of
// its folder data, in order; files with data of another kind are named, hidden ones are not.
func TestWhichFilesOfAFolderAreRead(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"b.csv": "n\n1\n", "a.TSV": "n\tm\n1\t2\n", "data/c.csv": "n\n1\n", "data/deep/d.csv": "n\n1\n", "other/e.csv": "n\n1\n",
		".hidden.csv": "n\n1\n", "read.me": "x", "more.jsonl": "{\"n\": 1}\n",
	})
	s := newStore(t)
	report, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"main.a 1 0", "main.b 1 0", "main.c 1 0"}, counted(report))
	require.Len(t, report.Problems, 1)
	require.Equal(t, filepath.Join(dir, "more.jsonl"), report.Problems[0].File)
	report, err = ingest.Files(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"main.a 1 0", "main.b 1 0", "main.more 1 0", "main.c 1 0"}, counted(report))
	require.Empty(t, report.Problems)

	for path, want := range map[string][]string{"*.csv": {"main.b 1 0"}, "[ab].*": {"main.a 1 0", "main.b 1 0"}, "data/*": {"main.c 1 0"}, "data/deep/?.csv": {"main.d 1 0"}, ".h*.csv": {"main..hidden 1 0"}} {
		report, err := ingest.CSV(t.Context(), s, "own", filepath.Join(dir, path), ingest.Options{})
		require.NoError(t, err)
		require.Equal(t, want, counted(report), path)
	}
	for path, want := range map[string]string{"[": "PATTERN_INVALID", "*.none": "INPUT_EMPTY", "none.csv": "INPUT_MISSING"} {
		_, err := ingest.CSV(t.Context(), s, "own", filepath.Join(dir, path), ingest.Options{})
		require.Equal(t, want, fault.ReasonOf(err), path)
	}
	_, err = ingest.CSV(t.Context(), s, "own", filepath.Join(dir, "[ab].*"), ingest.Options{MaxFiles: 1})
	require.Equal(t, "INPUT_TOO_MANY_FILES", fault.ReasonOf(err))
	_, err = ingest.CSV(t.Context(), s, "own", filepath.Join(dir, "[ab].*"), ingest.Options{MaxFiles: 2})
	require.NoError(t, err)
	_, err = ingest.CSV(t.Context(), s, "own", dir, ingest.Options{MaxFiles: 3})
	require.NoError(t, err, "as many as there may be")
	_, err = ingest.CSV(t.Context(), s, "own", dir, ingest.Options{MaxFiles: 2})
	require.ErrorContains(t, err, "holds 3 files: at most 2 (MaxFiles)")
	_, err = ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"x.txt": "x"}), ingest.Options{})
	require.ErrorContains(t, err, "*.csv or *.tsv")
}

// TestDeclarationsBesideFiles: schema.sql gives names, types, comments and keys, also from
// above a folder data; a table without a file is empty and told; a reference is spelt as
// what it points to.
func TestDeclarationsBesideFiles(t *testing.T) {
	t.Parallel()
	const declared = "CREATE TABLE City (Id int PRIMARY KEY, name text, COMMENT_ text);\nCREATE TABLE sale (id int, city int REFERENCES CITY, other int REFERENCES nowhere (id), FOREIGN KEY (id, city) REFERENCES City (id));\n" +
		"CREATE TABLE later (n int PRIMARY KEY) COMMENT='Comes next year';\nCREATE TABLE oops (n int;\n"
	dir := folder(t, map[string]string{"schema.sql": declared, "data/city.csv": "id,name\n1,Oslo\n", "data/SALE.csv": "id,city,other\n1,1,1\n"})
	s := newStore(t)
	now := time.Date(2029, 3, 4, 5, 6, 7, 0, time.UTC)
	check := func(path string) {
		report, err := ingest.CSV(t.Context(), s, "own", path, ingest.Options{Clock: func() time.Time { return now }})
		require.NoError(t, err)
		require.ElementsMatch(t, []string{"main.City 1 0", "main.sale 1 0", "main.later 0 0"}, counted(report))
		got := tables(t, s)
		require.Equal(t, "Id integer, name varchar, COMMENT_ varchar", shape(got["City"]))
		require.Equal(t, []string{"1|Oslo|∅"}, rows(t, s, "SELECT * FROM City"))
		require.Equal(t, []string{"Id"}, tablePK(got["City"]))
		require.Equal(t, []catalog.ForeignKey{{Columns: []string{"city"}, RefTable: got["City"].Name, RefColumns: []string{"Id"}}}, got["sale"].ForeignKeys)
		require.Equal(t, "Comes next year", got["later"].Description)
		require.Equal(t, now, got["later"].UpdatedAt)
		said := strings.Join(told(report), "\n")
		require.Contains(t, said, `note 3:0 table "later" is declared, but no file has its rows: it is empty`)
		require.Contains(t, said, `the foreign key of own.main.sale (other) to own.main.nowhere points to nothing and is left out`)
		require.Contains(t, said, `the foreign key of own.main.sale (id, city) to own.main.City points to nothing and is left out`, "of two columns to one")
		require.Contains(t, said, "note 4:", "what cannot be read is told with its line")
	}
	check(dir)
	check(filepath.Join(dir, "data"))
	require.NoError(t, os.Rename(filepath.Join(dir, "data"), filepath.Join(dir, "dates")))
	_, err := ingest.CSV(t.Context(), s, "own", filepath.Join(dir, "dates"), ingest.Options{})
	require.NoError(t, err)
	require.Len(t, tables(t, s), 2, "above another folder it is not looked for")
	_, err = ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{"schema.sql": declared, "x.csv": "a,b\n1,\"2\n"}), ingest.Options{})
	require.Equal(t, "INGEST_NOTHING", fault.ReasonOf(err), "declarations alone are no data")
}

// TestDescriptionsOfWhatIsRead: descriptions from elsewhere are joined to the tables that are
// read; a key that the data deny, and a description of no table, are told.
func TestDescriptionsOfWhatIsRead(t *testing.T) {
	t.Parallel()
	key := func(table string, columns ...string) catalog.Table {
		d := catalog.Table{Name: catalog.Name{Table: table}, Description: "About " + table}
		for _, c := range columns {
			d.Columns = append(d.Columns, catalog.Column{Name: c, PrimaryKey: true, Comment: "said of " + c})
		}
		return d
	}
	s := newStore(t)
	report, err := ingest.CSV(t.Context(), s, "own", folder(t, map[string]string{
		"plain.csv": "a,b\nx,1\ny,1\n", "twice.csv": "a,b\nx,1\nx,1\n", "gaps.csv": "a,b\nx,1\n,2\n", "pairs.csv": "a,b\nx,1\nx,2\n", "holes.csv": "a,b\nx,1\nx,\n",
	}), ingest.Options{Described: []catalog.Table{key("plain", "a"), key("twice", "a"), key("gaps", "a"), key("pairs", "a", "b"), key("holes", "a", "b"), key("gone", "a")}})
	require.NoError(t, err)
	got := tables(t, s)
	for table, want := range map[string][]string{"plain": {"a"}, "twice": nil, "gaps": nil, "pairs": {"a", "b"}, "holes": nil} {
		require.Equal(t, want, tablePK(got[table]), table)
		require.Equal(t, "About "+table, got[table].Description)
		require.Equal(t, "said of a", got[table].Columns[0].Comment)
	}
	require.Equal(t, []string{
		"changed 0:0 own.main.twice (a) is described as a key and is none: values are missing or come again",
		"changed 0:0 own.main.gaps (a) is described as a key and is none: values are missing or come again",
		"changed 0:0 own.main.holes (a, b) is described as a key and is none: values are missing or come again",
		"note 0:0 described, but not among the tables: gone",
	}, slices.DeleteFunc(told(report), func(p string) bool { return strings.Contains(p, "is taken to point to") }))
}

// TestPacksThatEndEarly: a packed file whose end is missing is left out with why, and the
// others are read.
func TestPacksThatEndEarly(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("id,n\n")
	for i := range 5000 {
		fmt.Fprintf(&text, "%d,%d\n", i, i*i%977)
	}
	files := map[string]string{"good.csv": "a\n1\n"}
	for _, how := range []string{"gz", "zst", "xz"} {
		whole := packed(t, how, text.String())
		files["torn_"+how+".csv."+how] = whole[:len(whole)/2]
	}
	s := newStore(t)
	report, err := ingest.CSV(t.Context(), s, "own", folder(t, files), ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"main.good 1 0"}, counted(report))
	require.Len(t, report.Problems, 3)
	for _, p := range report.Problems {
		require.Equal(t, ingest.KindTableSkipped, p.Kind)
		require.Contains(t, p.Message, "cannot be unpacked to its end")
		require.Contains(t, p.File, "torn_")
	}
}

// TestHowAProblemIsShown: as editors understand it.
func TestHowAProblemIsShown(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]ingest.Problem{
		"what": {Message: "what"}, "f: what": {File: "f", Message: "what"}, "f:3: what": {File: "f", Line: 3, Message: "what"},
		"f:3:7: what": {File: "f", Line: 3, Column: 7, Message: "what"}, "f: why": {File: "f", Column: 7, Message: "why"},
	} {
		require.Equal(t, want, p.String())
	}
}

// TestNothingCouldBeRead: the first reasons are named, and that the source stays.
func TestNothingCouldBeRead(t *testing.T) {
	t.Parallel()
	_, err := ingest.CSV(t.Context(), newStore(t), "own", folder(t, map[string]string{"a.csv": "", "b.csv": "", "c.csv": "", "d.csv": ""}), ingest.Options{})
	require.Equal(t, "INGEST_NOTHING", fault.ReasonOf(err))
	require.ErrorContains(t, err, `so source "own" stays as it was: `)
	require.Equal(t, 3, strings.Count(err.Error(), "the file is empty"))
	_, err = ingest.SQLDump(t.Context(), newStore(t), "own", filepath.Join(folder(t, map[string]string{"d.sql": "SELECT 1;"}), "d.sql"), ingest.Options{})
	require.ErrorContains(t, err, "no table was found")
}

// TestWhichSchemaIsTheDefault: main where it has tables, else the one with most, the first of
// equals.
func TestWhichSchemaIsTheDefault(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{"a b": "main", "x.a x.b y.c": "x", "y.c x.a x.b": "x", "y.c x.a": "y", "x.a y.b c": "main"} {
		var dump strings.Builder
		for _, name := range strings.Fields(declared) {
			fmt.Fprintf(&dump, "CREATE TABLE %s (n int);\n", name)
		}
		s := newStore(t)
		_, err := ingest.SQLDump(t.Context(), s, "own", filepath.Join(folder(t, map[string]string{"d.sql": dump.String()}), "d.sql"), ingest.Options{})
		require.NoError(t, err)
		g, err := s.Current("own")
		require.NoError(t, err)
		require.Equal(t, want, g.DefaultSchema, declared)
	}
}
