package ingest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
)

// encoded writes a text in an encoding, "utf-16" with a byte order mark.
func encoded(t *testing.T, encoding, text string) string {
	t.Helper()
	e := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	if encoding != "utf-16" {
		named, err := htmlindex.Get(encoding)
		require.NoError(t, err)
		out, err := named.NewEncoder().String(text)
		require.NoError(t, err)
		return out
	}
	out, err := e.NewEncoder().String(text)
	require.NoError(t, err)
	return out
}

// TestEncodingsOfDumps: a dump is read in the encoding that it has, which it mostly says
// itself; what was decided is told.
func TestEncodingsOfDumps(t *testing.T) {
	t.Parallel()
	const chinese = "CREATE TABLE `商品` (`名称` varchar(20), `类目` varchar(20));\nINSERT INTO `商品` VALUES ('苹果','水果'),('白菜','蔬菜'),('牛奶','饮料'),('大米','粮食'),('面包','粮食');\n"
	const german = "CREATE TABLE t (a text, b text);\nINSERT INTO t VALUES ('Müller','Köln'),('Jäger','Süd'),('Groß','Nord');\n"
	const polish = "CREATE TABLE t (a text, b text);\nINSERT INTO t VALUES ('Łódź','ż');\n"
	for name, test := range map[string]struct {
		encoding, text, query string
		rows                  []string
		told                  string
		options               ingest.Options
	}{
		"of MySQL in GBK, which it says":       {"gbk", "-- MySQL dump\n/*!40101 SET NAMES gbk */;\n" + chinese, `SELECT "名称" FROM "商品" WHERE "类目" = '水果'`, []string{"苹果"}, "is read as gbk", ingest.Options{}},
		"of MySQL in GBK, which it hides":      {"gbk", "-- MySQL dump\n" + chinese, `SELECT "名称" FROM "商品" WHERE "类目" = '水果'`, []string{"苹果"}, "makes “", ingest.Options{}},
		"of PostgreSQL in LATIN1":              {"iso-8859-1", "-- PostgreSQL database dump\nSET client_encoding = 'LATIN1';\n" + german, "SELECT b FROM t WHERE a = 'Müller'", []string{"Köln"}, "is read as windows-1252", ingest.Options{}},
		"of PostgreSQL in few words of LATIN2": {"iso-8859-2", "-- PostgreSQL database dump\nSET client_encoding TO 'LATIN2';\n" + polish, "SELECT a FROM t", []string{"Łódź"}, "is read as iso-8859-2", ingest.Options{}},
		"redirected by PowerShell":             {"utf-16", "-- MySQL dump\r\n" + chinese, `SELECT count(*) FROM "商品"`, []string{"5"}, "is read as utf-16", ingest.Options{}},
		"in UTF-8 that is called LATIN1":       {"utf-8", "-- PostgreSQL database dump\nSET client_encoding = 'LATIN1';\n" + german, "SELECT b FROM t WHERE a = 'Müller'", []string{"Köln"}, "", ingest.Options{}},
		"in an encoding that a person names":   {"iso-8859-2", polish, "SELECT a FROM t", []string{"Łódź"}, "", ingest.Options{Encoding: "iso-8859-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(folder(t, map[string]string{"d.sql": encoded(t, test.encoding, test.text)}), "d.sql")
			s := newStore(t)
			report, err := ingest.SQLDump(t.Context(), s, "own", path, test.options)
			require.NoError(t, err)
			require.Equal(t, test.rows, rows(t, s, test.query))
			var said []string
			for _, p := range report.Problems {
				said = append(said, p.Message)
			}
			if test.told == "" {
				require.Empty(t, said)
				return
			}
			require.Contains(t, strings.Join(said, "\n"), test.told)
		})
	}
	t.Run("bytes in a text of UTF-8 decide nothing", func(t *testing.T) {
		t.Parallel()
		dump := "-- MySQL dump\n/*!50503 SET NAMES utf8mb4 */;\nCREATE TABLE t (a varchar(9), b blob);\nINSERT INTO t VALUES ('Käse',_binary '\xff\xd8\xff\xe0\x81\x8d\x8f\xfe\xd8'),('Brot',_binary '\xff\xd8\xff\xe1\x81');\n"
		path := filepath.Join(folder(t, map[string]string{"d.sql": dump}), "d.sql")
		s := newStore(t)
		_, err := ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{})
		require.NoError(t, err)
		require.Equal(t, []string{"Käse", "Brot"}, rows(t, s, "SELECT a FROM t"))
	})
	t.Run("packed", func(t *testing.T) {
		t.Parallel()
		for _, packing := range []string{"gz", "zst", "xz"} {
			path := filepath.Join(folder(t, map[string]string{"d.sql." + packing: packed(t, packing, encoded(t, "gbk", chinese))}), "d.sql."+packing)
			s := newStore(t)
			_, err := ingest.SQLDump(t.Context(), s, "own", path, ingest.Options{})
			require.NoError(t, err)
			require.Equal(t, []string{"5"}, rows(t, s, `SELECT count("名称") FROM "商品"`))
		}
		path := filepath.Join(folder(t, map[string]string{"d.sql.gz": "no gzip"}), "d.sql.gz")
		_, err := ingest.SQLDump(t.Context(), newStore(t), "own", path, ingest.Options{})
		require.Equal(t, "INPUT_UNREADABLE", fault.ReasonOf(err))
	})
}

// TestEncodingsOfJSON: files of JSON are read in the encoding that they have.
func TestEncodingsOfJSON(t *testing.T) {
	t.Parallel()
	const chinese = `{"名称": "苹果", "类目": "水果"}` + "\n" + `{"名称": "白菜", "类目": "蔬菜"}` + "\n" + `{"名称": "大米", "类目": "粮食"}` + "\n"
	s := newStore(t)
	report, err := ingest.Files(t.Context(), s, "own", folder(t, map[string]string{
		"a.jsonl": encoded(t, "gbk", chinese), "b.json": encoded(t, "utf-16", chinese), "c.jsonl.xz": packed(t, "xz", chinese),
		"d.ndjson.gz": packed(t, "gz", encoded(t, "gb18030", chinese)), "e.json": chinese,
	}), ingest.Options{})
	require.NoError(t, err)
	require.Len(t, report.Tables, 5)
	for _, table := range report.Tables {
		require.Equal(t, []string{"苹果"}, rows(t, s, `SELECT "名称" FROM "`+table.Name.Table+`" WHERE "类目" = '水果'`), table.Name.Table)
	}
	require.Len(t, report.Problems, 3, "what is UTF-8 needs no remark: %v", report.Problems)
	g, err := s.Current("own")
	require.NoError(t, err)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(g.DatabasePaths()["own"]), "*.tmp"))
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = ingest.Files(t.Context(), newStore(t), "own", folder(t, map[string]string{"a.json": chinese}), ingest.Options{Encoding: "klingon"})
	require.Equal(t, "ENCODING_UNKNOWN", fault.ReasonOf(err))
}

// TestADumpThatSaysItIsUTF8 is read so, though it is not: the characters that are damaged
// are replaced, and nothing is said of an encoding that it would have.
func TestADumpThatSaysItIsUTF8(t *testing.T) {
	t.Parallel()
	const rows1 = "CREATE TABLE t (a text);\nINSERT INTO t VALUES ('Stra\xdfe'), ('M\xfcller'), ('Gr\xf6\xdfe'), ('K\xf6ln');\n"
	for head, want := range map[string]struct{ first, note string }{
		"SET NAMES utf8mb4;\n": {"Stra\uFFFDe", ""},
		"SET NAMES latin1;\n":  {"Straße", "is read as windows-1252"},
		"":                     {"Straße", "is read as windows-1252, which makes"},
	} {
		s := newStore(t)
		report, err := ingest.SQLDump(t.Context(), s, "own", filepath.Join(folder(t, map[string]string{"d.sql": head + rows1}), "d.sql"), ingest.Options{})
		require.NoError(t, err, head)
		require.Equal(t, want.first, rows(t, s, "SELECT a FROM t")[0], head)
		if want.note == "" {
			require.Empty(t, told(report))
			continue
		}
		require.Len(t, report.Problems, 1, head)
		require.Contains(t, report.Problems[0].Message, want.note)
	}
}
