package ingest_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// sqlite opens a new SQLite file and runs statements in it. The test closes it, or has it
// open while it is read.
func sqlite(t *testing.T, statements ...string) (path string, db *sql.DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "in put#1?.db")
	address := url.URL{Scheme: "file", OmitHost: true, Path: path}
	db, err := sql.Open("sqlite", address.String())
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	for _, s := range statements {
		_, err := db.ExecContext(t.Context(), s)
		require.NoError(t, err, s)
	}
	return path, db
}

// sqliteFile is the path of a new SQLite file that nobody has open.
func sqliteFile(t *testing.T, statements ...string) string {
	t.Helper()
	path, db := sqlite(t, statements...)
	require.NoError(t, db.Close())
	return path
}

func TestSQLiteKeysAndNames(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t,
		"CREATE TABLE \"Kunden & 客户\" (\n\"Kunden Nr\" INTEGER PRIMARY KEY, -- number of the customer\n\"姓名\" TEXT NOT NULL, born DATE\n)",
		"CREATE TABLE pair (b TEXT, a INTEGER, n INTEGER, twice INTEGER GENERATED ALWAYS AS (n * 2) VIRTUAL, kept INTEGER AS (n + 1) STORED, PRIMARY KEY (a, b)) WITHOUT ROWID",
		`CREATE TABLE "order" (id INTEGER PRIMARY KEY AUTOINCREMENT, customer INT REFERENCES "Kunden & 客户", a INTEGER, b TEXT, price DECIMAL(10,2), paid BOOLEAN, FOREIGN KEY (a, b) REFERENCES pair (a, b))`,
		"CREATE VIRTUAL TABLE notes USING fts5(body)",
		"CREATE VIRTUAL TABLE found USING fts5(body, content='notes')",
		"CREATE VIEW named AS SELECT o.id, k.\"姓名\" AS who FROM \"order\" o JOIN \"Kunden & 客户\" k ON k.\"Kunden Nr\" = o.customer",
		`INSERT INTO "Kunden & 客户" VALUES (1, '王芳', '1980-01-02'), (2, '', '1990-12-31')`,
		"INSERT INTO pair (b, a, n) VALUES ('x', 1, 10), ('y', 1, 20)",
		`INSERT INTO "order" (customer, a, b, price, paid) VALUES (1, 1, 'x', 12.5, 1), (2, 1, 'y', 3, 0)`,
		"INSERT INTO notes VALUES ('a word')",
	)
	s := newStore(t)
	report, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{
		path + `: table "found" only finds the texts of others and is left out`,
		path + `: view "named" is left out: --views makes a table of what it shows`,
	}, problems(report))
	got := tables(t, s)
	require.Len(t, got, 4, "neither sqlite_sequence nor what FTS5 keeps for itself")
	customers := got["Kunden & 客户"]
	require.Equal(t, "Kunden Nr integer, 姓名 varchar, born date", shape(customers))
	require.Equal(t, []string{"Kunden Nr"}, tablePK(customers))
	require.Equal(t, "number of the customer", customers.Columns[0].Comment)
	require.Equal(t, "b varchar, a integer, n integer, twice integer, kept integer", shape(got["pair"]))
	require.Equal(t, "id integer, customer integer, a integer, b varchar, price decimal(10,2), paid boolean", shape(got["order"]))
	require.ElementsMatch(t, []catalog.ForeignKey{
		{Columns: []string{"customer"}, RefTable: customers.Name, RefColumns: []string{"Kunden Nr"}},
		{Columns: []string{"a", "b"}, RefTable: got["pair"].Name, RefColumns: []string{"a", "b"}},
	}, got["order"].ForeignKeys)
	require.Equal(t, []string{"1|王芳|1980-01-02 00:00:00", "2||1990-12-31 00:00:00"}, rows(t, s, `SELECT "Kunden Nr", "姓名", born FROM "Kunden & 客户" ORDER BY 1`))
	require.Equal(t, []string{"x|20|11", "y|40|21"}, rows(t, s, "SELECT b, twice, kept FROM pair ORDER BY 1"))
	require.Equal(t, []string{"1|12.5|true", "2|3|false"}, rows(t, s, `SELECT id, CAST(price AS DOUBLE), paid FROM "order" ORDER BY 1`))

	_, err = ingest.SQLite(t.Context(), s, "own", path, ingest.Options{Views: true})
	require.NoError(t, err)
	require.Equal(t, catalog.KindView, tables(t, s)["named"].Kind)
	require.Equal(t, []string{"1|王芳", "2|"}, rows(t, s, "SELECT id, who FROM named ORDER BY 1"))
}

// problems are the messages of a report, with their places.
func problems(report ingest.Report) []string {
	out := make([]string, len(report.Problems))
	for i, p := range report.Problems {
		out[i] = p.String()
	}
	return out
}

// many is an INSERT of n rows, each of which is the expression of n from 1 on.
func many(table, values string, n string) string {
	return "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < " + n + ") INSERT INTO " + table + " SELECT " + values + " FROM r"
}

// TestSQLiteTypesAreOfValues: what is stored decides together with what is declared.
func TestSQLiteTypesAreOfValues(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t,
		`CREATE TABLE t (
			id INTEGER PRIMARY KEY, amount INTEGER, mostly_text INTEGER, share REAL, thousandth REAL, noise, code TEXT, note TEXT,
			sold_at TEXT, day TEXT, created_at INTEGER, seen DATETIME, moment TIMESTAMP, due DATE, updated_at NUMERIC, phone INTEGER,
			picture BLOB, mixed BLOB, words BLOB, anything, label VARCHAR(20), flags JSON, never INTEGER, big BIGINT)`,
		many("t", `n, n * 3, 'word ' || n, n, n + 0.125, 0.1 + 0.2 * n, printf('%05d', n), 'text ' || n,
			'2024-01-' || printf('%02d', n) || ' 10:00:00', printf('%02d', n) || '/02/2024', 1706659200 + n * 60, 1706659200 + n, '2024-02-03 04:05:06', '2024-02-' || printf('%02d', n),
			1706659200123 + n, 13800000000 + n, x'ff00d8' || n, CASE WHEN n = 1 THEN x'ff00d8' ELSE 'text' END, CAST('blob ' || n AS BLOB),
			CASE n % 2 WHEN 0 THEN n ELSE n + 0.5 END, n, '[1]', NULL, 9007199254740993`, "20"),
		"UPDATE t SET amount = 'no number', sold_at = 'next week', noise = NULL WHERE id = 7",
		"UPDATE t SET picture = x'ff00d8', sold_at = CASE WHEN id = 8 THEN 'N/A' ELSE sold_at END",
	)
	s := newStore(t)
	report, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, strings.Join([]string{
		"id integer", "amount bigint", "mostly_text varchar", "share double", "thousandth double", "noise double", "code varchar", "note varchar",
		"sold_at timestamp(6)", "day date", "created_at timestamp(6)", "seen timestamp(6)", "moment timestamp(6)", "due date", "updated_at timestamp(6)", "phone bigint",
		"picture varbinary", "mixed varchar", "words varchar", "anything double", "label varchar", "flags varchar", "never integer", "big bigint",
	}, ", "), shape(tables(t, s)["t"]))
	said := strings.Join(problems(report), "\n")
	for _, words := range []string{
		`[t]: column "amount": "no number" is no bigint; it is NULL in the table`,
		`[t]: column "sold_at": "next week" is no timestamp(6); it is NULL in the table`,
		`[t]: column "mixed": "3 bytes" is no varchar; it is NULL in the table`,
		`column "created_at" is declared as integer, and its values are days or times: it becomes timestamp(6)`,
		`column "created_at" is read as timestamp(6): seconds since 1970, shown in UTC`,
		`column "updated_at" is read as timestamp(6): milliseconds since 1970, shown in UTC`,
		`column "sold_at" is read as timestamp(6): “N/A” (1) counts as missing`,
		`column "day" is read as date: day/month/year`,
		`column "mostly_text" is declared as integer, but its values are kept as varchar because not all of them fit`,
	} {
		require.Contains(t, said, words)
	}
	require.Equal(t, 3, report.Unread)
	require.Equal(t, []string{"6|2024-01-06 10:00:00|2024-02-06 00:00:00|2024-01-31 00:02:00|00002|1.125"},
		rows(t, s, "SELECT amount, (SELECT sold_at FROM t WHERE id = 6), (SELECT CAST(day AS TIMESTAMP) FROM t WHERE id = 6), created_at, code, (SELECT thousandth FROM t WHERE id = 1) FROM t WHERE id = 2"))
	require.Equal(t, []string{"20|3|9007199254740993|13800000001|blob 1"}, rows(t, s, "SELECT (SELECT count(*) FROM t WHERE octet_length(picture) = 3), (SELECT max(octet_length(picture)) FROM t), big, phone, words FROM t WHERE id = 1"))
	require.Equal(t, []string{"1|2|1"}, rows(t, s, "SELECT count(*) FILTER (amount IS NULL), count(*) FILTER (sold_at IS NULL), count(*) FILTER (mixed IS NULL) FROM t"))
}

// TestSQLiteKeysKeepTheirTypes: both sides of a reference are read alike, whatever their
// values look like.
func TestSQLiteKeysKeepTheirTypes(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t,
		"CREATE TABLE day (created INTEGER PRIMARY KEY, week TEXT UNIQUE)", "CREATE TABLE sale (created INTEGER REFERENCES day, week TEXT REFERENCES day (week))",
		many("day", "1706659200 + n, '2024-01-' || printf('%02d', n)", "20"), "INSERT INTO sale SELECT * FROM day WHERE created % 2 = 0", "INSERT INTO sale VALUES (1, 'none')")
	s := newStore(t)
	_, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, "created integer, week varchar", shape(tables(t, s)["day"]))
	require.Equal(t, "created integer, week varchar", shape(tables(t, s)["sale"]))
}

// TestSQLiteTablesOfTexts: the table that .import makes of a CSV file is read as the file.
func TestSQLiteTablesOfTexts(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t, "CREATE TABLE imported (code TEXT, amount TEXT, day TEXT, city TEXT)", "CREATE TABLE chosen (code TEXT, n INTEGER)",
		many("imported", "printf('%04d', n), '1,' || printf('%03d', n) || '.50', n || ' Jan 2024', CASE WHEN n < 3 THEN 'N/A' ELSE 'Town ' || n END", "20"),
		many("chosen", "100 + n, n", "20"))
	s := newStore(t)
	_, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	got := tables(t, s)
	require.Equal(t, "code varchar, amount double, day date, city varchar", shape(got["imported"]))
	require.Equal(t, "code varchar, n integer", shape(got["chosen"]), "its owner chose")
	require.Equal(t, []string{"0001|1001.5|2024-01-01 00:00:00|"}, rows(t, s, "SELECT code, amount, CAST(day AS TIMESTAMP), coalesce(city, '') FROM imported WHERE code = '0001'"))
}

// TestSQLiteWithALog: what is only in the log beside the file is read while its owner has it
// open, and nothing is left beside a file that nobody has open.
func TestSQLiteWithALog(t *testing.T) {
	t.Parallel()
	path, db := sqlite(t, "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1), (2)")
	require.FileExists(t, path+"-wal")
	s := newStore(t)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = ingest.SQLite(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"2"}, rows(t, s, "SELECT count(*) FROM t"))
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	_, err = db.ExecContext(t.Context(), "INSERT INTO t VALUES (3)")
	require.NoError(t, err, "the owner goes on")

	require.NoError(t, db.Close())
	require.NoFileExists(t, path+"-wal")
	_, err = ingest.SQLite(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"3"}, rows(t, s, "SELECT count(*) FROM t"))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no log is made")
}

// TestSQLiteWithAnOpenTransaction: what the owner has not committed is not there.
func TestSQLiteWithAnOpenTransaction(t *testing.T) {
	t.Parallel()
	path, db := sqlite(t, "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)", "BEGIN IMMEDIATE", "INSERT INTO t VALUES (2)")
	s := newStore(t)
	_, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"1"}, rows(t, s, "SELECT count(*) FROM t"))
	_, err = db.ExecContext(t.Context(), "COMMIT")
	require.NoError(t, err)
}

// TestSQLiteThroughALink: the log lies beside the file, not beside the link to it, and a
// log that is a link itself is not followed.
func TestSQLiteThroughALink(t *testing.T) {
	t.Parallel()
	path, _ := sqlite(t, "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1), (2)")
	link := filepath.Join(t.TempDir(), "link.db")
	require.NoError(t, os.Symlink(path, link))
	s := newStore(t)
	_, err := ingest.SQLite(t.Context(), s, "own", link, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"2"}, rows(t, s, "SELECT count(*) FROM t"))

	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		other := sqliteFile(t, "CREATE TABLE t (n INTEGER)")
		secret := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
		require.NoError(t, os.Symlink(secret, other+suffix))
		_, err = ingest.SQLite(t.Context(), s, "own", other, ingest.Options{})
		require.Equal(t, "INPUT_NOT_A_FILE", fault.ReasonOf(err), suffix)
	}
}

// TestSQLiteIsInterrupted: the old generation stays.
func TestSQLiteIsInterrupted(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	_, err := ingest.SQLite(t.Context(), s, "own", sqliteFile(t, "CREATE TABLE old (n INTEGER)", "INSERT INTO old VALUES (1)"), ingest.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = ingest.SQLite(ctx, s, "own", sqliteFile(t, "CREATE TABLE a (n INTEGER)", "CREATE TABLE b (n INTEGER)", "INSERT INTO a VALUES (1)"), ingest.Options{Progress: func(int, int, string) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	require.Contains(t, tables(t, s), "old")
}

// TestSQLiteOfAnotherProgram: what only another program can read is left out.
func TestSQLiteOfAnotherProgram(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t, "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)", "CREATE VIEW broken AS SELECT * FROM nowhere",
		"PRAGMA writable_schema = ON", "INSERT INTO sqlite_schema VALUES ('table', 'geo', 'geo', 0, 'CREATE VIRTUAL TABLE geo USING of_another_program(x)')")
	s := newStore(t)
	report, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{Views: true})
	require.NoError(t, err)
	require.Len(t, report.Problems, 2)
	require.Contains(t, report.Problems[0].String(), `table "geo" cannot be read and is left out; SQLite says: `)
	require.Contains(t, report.Problems[1].String(), `view "broken" is left out: `)
	require.Len(t, tables(t, s), 1)
}

// TestSQLiteTellsHowFarItIs: the bar never goes back, and ends at the whole file.
func TestSQLiteTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t, "CREATE TABLE t (n INTEGER, s TEXT)", many("t", "n, printf('%0900d', n)", "6000"))
	var told []ingest.Reading
	_, err := ingest.SQLite(t.Context(), newStore(t), "own", path, ingest.Options{Reading: func(r ingest.Reading) { told = append(told, r) }})
	require.NoError(t, err)
	require.Greater(t, len(told), 2)
	for i, r := range told {
		require.LessOrEqual(t, r.Done, r.Total)
		require.True(t, i == 0 || r.Done >= told[i-1].Done)
	}
	require.Equal(t, "t", told[0].What)
	last := told[len(told)-1]
	require.Equal(t, last.Total, last.Done)
	require.EqualValues(t, 6000, last.Rows)
}

// TestSQLiteThatChanges: without a log nothing keeps the owner from writing, and what is
// read then may be no moment's.
func TestSQLiteThatChanges(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t, "PRAGMA journal_mode = WAL", "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)")
	s := newStore(t)
	_, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{Progress: func(int, int, string) {
		require.NoError(t, os.WriteFile(path+"-wal", nil, 0o600))
	}})
	require.Equal(t, "INPUT_CHANGED", fault.ReasonOf(err))
}

func TestSQLiteThatIsNone(t *testing.T) {
	t.Parallel()
	good := sqliteFile(t, "CREATE TABLE t (n INTEGER)", many("t", "n", "2000"))
	raw, err := os.ReadFile(good)
	require.NoError(t, err)
	noise := make([]byte, 4096)
	for i := range noise {
		noise[i] = byte(i*37 + 129)
	}
	for name, c := range map[string]struct {
		content      []byte
		reason, says string
	}{
		"empty":             {nil, "INPUT_NOT_SQLITE", "it is empty"},
		"a text":            {[]byte("id,name\n1,one\n"), "INPUT_NOT_SQLITE", "it is a text"},
		"SQLite 2":          {append([]byte("** This file contains an SQLite 2.1 database **"), make([]byte, 100)...), "INPUT_NOT_SQLITE", "SQLite 2 wrote it"},
		"DuckDB":            {append([]byte("\x01\x02\x03\x04\x05\x06\x07\x08DUCK"), make([]byte, 100)...), "INPUT_NOT_SQLITE", "ingest duckdb"},
		"another kind":      {append([]byte("\x89PNG\x00\x01"), make([]byte, 100)...), "INPUT_NOT_SQLITE", "another kind of file"},
		"encrypted":         {noise, "INPUT_ENCRYPTED", "sqlcipher_export"},
		"encrypted pages":   {append(append([]byte{}, raw[:16]...), noise...), "INPUT_ENCRYPTED", "encrypted"},
		"a damaged catalog": {append(append([]byte{}, raw[:100]...), noise...), "INPUT_DAMAGED", ".recover"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "x.sqlite")
			require.NoError(t, os.WriteFile(path, c.content, 0o600))
			_, err := ingest.SQLite(t.Context(), newStore(t), "own", path, ingest.Options{})
			require.Equal(t, c.reason, fault.ReasonOf(err), "%v", err)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, path)
		})
	}
	_, err = ingest.SQLite(t.Context(), newStore(t), "own", t.TempDir(), ingest.Options{})
	require.Equal(t, "INPUT_NOT_A_FILE", fault.ReasonOf(err))
}

// TestSQLiteWithADamagedTable: the others are kept.
func TestSQLiteWithADamagedTable(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t, "CREATE TABLE bad (n INTEGER, s TEXT)", "CREATE TABLE good (n INTEGER)", many("bad", "n, printf('%0100d', n)", "2000"), "INSERT INTO good VALUES (7)")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte(strings.Repeat("\xee", 4096)), 20*4096)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	s := newStore(t)
	report, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Len(t, report.Problems, 1)
	require.Equal(t, ingest.KindTableSkipped, report.Problems[0].Kind)
	require.Contains(t, report.Problems[0].Message, `table "bad" cannot be read and is left out; SQLite says: `)
	require.Equal(t, []string{"7"}, rows(t, s, "SELECT n FROM good"))
	require.Len(t, tables(t, s), 1)
}

func TestSQLiteBounds(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t, "CREATE TABLE a (n INTEGER, s TEXT)", "CREATE TABLE b (x, y, z)", "CREATE TABLE c (n INTEGER)", "CREATE TABLE d (n INTEGER)",
		"INSERT INTO a VALUES (1, 'short'), (2, printf('%.9000c', 'x'))", "INSERT INTO c VALUES (1)", "INSERT INTO d VALUES (1)")
	s := newStore(t)
	report, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{MaxTables: 2, MaxColumns: 2, MaxFieldBytes: 8000})
	require.NoError(t, err)
	said := strings.Join(problems(report), "\n")
	require.Contains(t, said, `table "b" has 3 columns and is left out: 1 to 2 (MaxColumns)`)
	require.Contains(t, said, `table "d" is left out: more than 2 tables (MaxTables)`)
	require.Contains(t, said, `[a]: column "s": 1 values are longer than 8000 bytes (MaxFieldBytes) and are NULL in the table`)
	require.Equal(t, []string{"1|short", "2|∅"}, rows(t, s, "SELECT n, s FROM a ORDER BY n"))
	column, _ := tableColumn(tables(t, s)["a"], "s")
	require.EqualValues(t, 1, column.Unread)
	_, err = ingest.SQLite(t.Context(), s, "own", path, ingest.Options{MaxFileBytes: 100})
	require.Equal(t, "INPUT_TOO_LARGE", fault.ReasonOf(err))
}

// TestSQLiteAmongFiles: a folder of files of several kinds has its tables, and one that is
// none is named.
func TestSQLiteAmongFiles(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t, "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)")
	dir := folder(t, map[string]string{"a.csv": "n,s\n1,x\n", "none.sqlite3": "no database at all"})
	require.NoError(t, os.Rename(path, filepath.Join(dir, "own.db")))
	s := newStore(t)
	report, err := ingest.Files(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	require.Len(t, tables(t, s), 2)
	require.Len(t, report.Problems, 1)
	require.Contains(t, report.Problems[0].String(), "none.sqlite3 is no SQLite database: it is a text")
}

// TestSQLiteFractionsAreFractions: the point of a stored number is none between thousands,
// whatever the texts beside it write.
func TestSQLiteFractionsAreFractions(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t, "CREATE TABLE t (stored, written)", many("t", "n + 0.125, n || ',5'", "20"))
	s := newStore(t)
	_, err := ingest.SQLite(t.Context(), s, "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"1.125|1.5"}, rows(t, s, "SELECT min(stored), min(written) FROM t"))
}

// TestSQLiteFilesOfOneFolderAreApart: a key points to the table of its own file, whatever the tables of others are called;
// and of a file that changes while it is read nothing is kept.
func TestSQLiteFilesOfOneFolderAreApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"2023", "2024"} {
		file := sqliteFile(t,
			"CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)", "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers)",
			"INSERT INTO customers VALUES (1, 'of "+name+"')", "INSERT INTO orders VALUES (1, 1)")
		require.NoError(t, os.Rename(file, filepath.Join(dir, name+".db")))
	}
	s := newStore(t)
	_, err := ingest.Files(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	got := tables(t, s)
	require.Equal(t, "customers", got["orders"].ForeignKeys[0].RefTable.Table)
	require.Equal(t, "customers_2", got["orders_2"].ForeignKeys[0].RefTable.Table)
	require.Equal(t, []string{"of 2023|of 2024"}, rows(t, s, "SELECT a.name, b.name FROM customers a, customers_2 b"))

	path := filepath.Join(dir, "2025.db")
	require.NoError(t, os.Rename(sqliteFile(t, "PRAGMA journal_mode = WAL", "CREATE TABLE t (n INTEGER)", "INSERT INTO t VALUES (1)"), path))
	_, err = ingest.Files(t.Context(), s, "own", dir, ingest.Options{Progress: func(_, _ int, name string) {
		if name == "t" {
			_ = os.WriteFile(path+"-wal", nil, 0o600)
		}
	}})
	require.Equal(t, "INPUT_CHANGED", fault.ReasonOf(err))
	require.NotContains(t, tables(t, s), "t")
}

// TestSQLiteTextsThatAreNoUTF8: what cannot be read of them is told.
func TestSQLiteTextsThatAreNoUTF8(t *testing.T) {
	t.Parallel()
	path := sqliteFile(t, "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)", "INSERT INTO people VALUES (1, CAST(X'4DFC6C6C6572' AS TEXT)), (2, 'Meier')")
	report, err := ingest.SQLite(t.Context(), newStore(t), "own", path, ingest.Options{})
	require.NoError(t, err)
	require.Contains(t, strings.Join(problems(report), "\n"), `column "name" of table "people" has 1 texts that are not UTF-8`)
}
