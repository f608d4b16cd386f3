package ingest

import (
	"bufio"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/charset"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

// TestDefaultsOfOptions: what nobody sets is what the comments of Options say, and what
// somebody sets stays.
func TestDefaultsOfOptions(t *testing.T) {
	t.Parallel()
	o := Options{}.complete()
	require.Equal(t, []string{"", "NULL"}, o.NullTokens)
	require.Equal(t, []int{10_000, 10_000, 4_000, 16 << 20, 1_000, 5_000, 200_000, 10_000, 2, 3, 8},
		[]int{o.MaxFiles, o.MaxTables, o.MaxColumns, o.MaxFieldBytes, o.MaxProblems, o.MaxSamples, o.MaxSourceSamples, o.MaxUnread, o.Threads, o.MaxListDepth, o.MaxObjectDepth})
	require.EqualValues(t, 64<<30, o.MaxFileBytes)
	require.InDelta(t, 0.5, o.MaxBadRowShare, 0)
	require.Equal(t, "1GB", o.MemoryLimit)
	require.NotPanics(t, func() { o.Progress(1, 2, "x") })
	require.False(t, o.Clock().IsZero())
	require.Equal(t, Options{NullTokens: []string{}, MaxFiles: 1, MaxTables: 1, MaxColumns: 1, MaxFieldBytes: 1, MaxProblems: 1, MaxSamples: 1, MaxSourceSamples: 1, MaxUnread: 1, Threads: 1, MaxListDepth: 1, MaxObjectDepth: 1, MaxFileBytes: 1, MaxBadRowShare: 0.1, MemoryLimit: "2GB"},
		func() Options {
			set := Options{NullTokens: []string{}, MaxFiles: 1, MaxTables: 1, MaxColumns: 1, MaxFieldBytes: 1, MaxProblems: 1, MaxSamples: 1, MaxSourceSamples: 1, MaxUnread: 1, Threads: 1, MaxListDepth: 1, MaxObjectDepth: 1, MaxFileBytes: 1, MaxBadRowShare: 0.1, MemoryLimit: "2GB",
				Clock: func() time.Time { return time.Unix(7, 0) }, Progress: func(int, int, string) {}}.complete()
			require.Equal(t, int64(7), set.Clock().Unix())
			set.Clock, set.Progress = nil, nil
			return set
		}())
	negative := Options{MaxFiles: -1, MaxFileBytes: -1, MaxBadRowShare: -1}.complete()
	require.Equal(t, []any{o.MaxFiles, o.MaxFileBytes, o.MaxBadRowShare}, []any{negative.MaxFiles, negative.MaxFileBytes, negative.MaxBadRowShare})
}

// TestEncodingsThatDumpsSay: the names that servers have for encodings, however a dump writes
// them, are those of decoders; a text that says none, or nonsense, says nothing.
func TestEncodingsThatDumpsSay(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"utf8": charset.UTF8, "UTF-8": charset.UTF8, "utf8mb3": charset.UTF8, "utf8mb4": charset.UTF8, "UNICODE": charset.UTF8, "utf_8": charset.UTF8,
		"latin1": "windows-1252", "LATIN2": "iso-8859-2", "latin5": "windows-1254", "latin7": "iso-8859-13", "LATIN9": "iso-8859-15", "greek": "iso-8859-7", "hebrew": "iso-8859-8",
		"EUC_CN": "gbk", "gb2312": "gbk", "gbk": "gbk", "gb18030": "gb18030", "big5": "big5", "sjis": "shift_jis", "cp932": "shift_jis", "SHIFT_JIS_2004": "shift_jis", "EUC_JP": "euc-jp", "ujis": "euc-jp", "eucjpms": "euc-jp",
		"EUC_KR": "euc-kr", "UHC": "euc-kr", "KOI8R": "koi8-r", "koi8u": "koi8-u", "tis620": "windows-874", "WIN1251": "windows-1251", "cp1250": "windows-1250", "win874": "",
		"binary": "", "klingon": "",
	} {
		for _, dump := range []string{"-- dump\nSET NAMES '" + name + "';\n", "/*!40101 set  names " + name + " */;", "SET client_encoding = '" + name + "';", "SET client_encoding TO '" + name + "';", "SET client_encoding=" + name + ";"} {
			require.Equal(t, want, dumpSays([]byte(dump)), dump)
		}
		if want != "" {
			_, err := htmlindex.Get(want)
			require.NoError(t, err, want)
		}
	}
	require.Empty(t, dumpSays([]byte("CREATE TABLE names (a int);")))
	require.Equal(t, "gbk", dumpSays([]byte("SET NAMES gbk; SET NAMES latin1;")), "the first one counts")
	require.Empty(t, nothingSaid([]byte("SET NAMES gbk")))
}

// TestExpressionsOfValues: values are worked out as of the time of the run, from words that
// are allowed, and come as the type of their column.
func TestExpressionsOfValues(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 5, 10, 23, 30, 0, 0, time.FixedZone("", 2*3600))
	e, err := newEvaluator(t.Context(), now)
	require.NoError(t, err)
	defer func() { require.NoError(t, e.close()) }()
	value := func(expression, wanted string) (cell, error) {
		var got cell
		var failed error
		_, err := ddl.Read(stringReader("CREATE TABLE t (a text);\nINSERT INTO t VALUES ("+expression+");\n"), ddl.Config{Rows: func(r ddl.Row) error {
			require.Equal(t, ddl.Expression, r.Values[0].Kind, expression)
			got, failed = e.value(t.Context(), r.Values[0].Tokens, wanted)
			return nil
		}})
		require.NoError(t, err)
		return got, failed
	}
	for _, c := range []struct{ expression, wanted, text string }{
		{"now()", "timestamp", "2030-05-10 21:30:00"},
		{"NOW()", "date", "2030-05-10"},
		{"current_date", "date", "2030-05-10"},
		{"current_date()", "", "2030-05-10"},
		{"current_timestamp - interval '90 minutes'", "timestamp", "2030-05-10 20:00:00"},
		{"now() - interval '1 day' * 3", "date", "2030-05-07"},
		{"1 + 2 * (3 - 1)", "bigint", "5"},
		{"7 / 2", "bigint", "4"},
		{"'a' || 'b' || upper('c')", "varchar", "abC"},
		{"coalesce(null, 'x')", "varchar", "x"},
		{"cast('5' as integer) + 1", "integer", "6"},
		{"to_char(now(), 'YYYY-MM-DD HH24:MI:SS')", "varchar", "2030-05-10 21:30:00"},
		{"to_char(now(), 'Mon Month Dy Day YY DDD')", "varchar", "May May Fri Friday 30 130"},
		{"to_char(now(), '%Y %i %s')", "varchar", "2030 30 00"},
		{"to_char(now(), 'YYYY') || 'YYYY'", "varchar", "2030YYYY"},
	} {
		for range 2 { // once worked out, once known
			got, err := value(c.expression, c.wanted)
			require.NoError(t, err, c.expression)
			require.Equal(t, cell{text: c.text}, got, c.expression)
		}
	}
	got, err := value("coalesce(null, null)", "varchar")
	require.NoError(t, err)
	require.True(t, got.null)
	for expression, why := range map[string]string{
		"pg_sleep(9)": `"pg_sleep" is nothing that a value may use`, "read_text('/etc/hostname')": `"read_text"`, "now() ; 1": "", "1 = 1": `"="`, "\"now\"()": "", "(select 1)": `"select"`,
		"1 + 'x'": "cannot be worked out", "date_trunc('age', now())": "cannot be worked out",
	} {
		if why == "" {
			continue
		}
		_, err := value(expression, "")
		var p *placed
		require.ErrorAs(t, err, &p, expression)
		require.Contains(t, p.message, why, expression)
	}
}

// TestNamesOfDeclarations: where a declared table is, and what its types are in Presto.
func TestNamesOfDeclarations(t *testing.T) {
	t.Parallel()
	tables, _, err := Declared(stringReader("CREATE TABLE a (id int primary key, n numeric(6,2) not null, m decimal(5), k numeric, t text comment 'words', x int[], y geometry, z double precision, c varchar(9));\nCREATE TABLE s.b (q date);\nCREATE TABL d;"), catalog.Defaults{Region: "dr", Schema: "ds"})
	require.NoError(t, err)
	require.Len(t, tables, 2)
	require.Equal(t, []string{"dr.ds.a", "dr.s.b"}, []string{tables[0].Name.String(), tables[1].Name.String()})
	types := map[string]string{}
	for _, c := range tables[0].Columns {
		types[c.Name] = c.Type
	}
	require.Equal(t, map[string]string{"id": "integer", "n": "decimal(6,2)", "m": "decimal(5,0)", "k": "", "t": "varchar", "x": "", "y": "", "z": "double", "c": "varchar"}, types)
	require.True(t, tables[0].Columns[0].PrimaryKey)
	require.False(t, tables[0].Columns[1].PrimaryKey)
	require.True(t, tables[0].Columns[1].NotNull)
	require.Equal(t, "words", tables[0].Columns[4].Comment)
	require.EqualValues(t, -1, tables[0].RowCount, "how many rows there are is not known")
}

func stringReader(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }
