package ingest_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

func newStore(t *testing.T) *source.Store {
	t.Helper()
	s, err := source.Open(t.TempDir())
	require.NoError(t, err)
	return s
}

// folder writes files, by name, into a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return dir
}

// rows reads a query's result as text, NULL as "∅", columns joined by "|".
func rows(t *testing.T, s *source.Store, query string) []string {
	t.Helper()
	g, err := s.Current("own")
	require.NoError(t, err)
	db, err := sql.Open("duckdb", g.DatabasePaths()["own"]+"?access_mode=READ_ONLY")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	result, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer func() { _ = result.Close() }()
	columns, err := result.Columns()
	require.NoError(t, err)
	var all []string
	for result.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		require.NoError(t, result.Scan(values...))
		parts := make([]string, len(columns))
		for i := range values {
			v := *values[i].(*any)
			switch v := v.(type) {
			case nil:
				parts[i] = "∅"
			case time.Time:
				parts[i] = v.Format("2006-01-02 15:04:05")
			default:
				parts[i] = fmt.Sprint(v)
			}
		}
		all = append(all, strings.Join(parts, "|"))
	}
	require.NoError(t, result.Err())
	return all
}

func tables(t *testing.T, s *source.Store) map[string]catalog.Table {
	t.Helper()
	g, err := s.Current("own")
	require.NoError(t, err)
	snapshot, err := g.Snapshot()
	require.NoError(t, err)
	byName := make(map[string]catalog.Table)
	for _, table := range snapshot.Tables {
		require.Equal(t, "own", table.Name.Region)
		byName[table.Name.Table] = table
	}
	return byName
}

// shape is "name type, name type" of a table.
func shape(table catalog.Table) string {
	parts := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		parts[i] = c.Name + " " + c.Type
	}
	return strings.Join(parts, ", ")
}

func TestCSVFiles(t *testing.T) {
	t.Parallel()
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String("a\tb\n1\tä\n")
	require.NoError(t, err)
	gb, err := simplifiedchinese.GB18030.NewEncoder().String("城市,数量\n北京,3\n")
	require.NoError(t, err)
	for name, test := range map[string]struct {
		content, schema, shape string
		options                ingest.Options
		rows                   []string
		problem                string // part of the only problem
		at                     string // "line:column" of it
	}{
		"types": {
			content: "i,d,t,s,f,ts,day\n1,1.5,true,x,3,2024-01-02 03:04:05,2024-01-02\n-20,2,FALSE,y,1e3,2024-01-02T03:04,2024-2-3\n",
			shape:   "i bigint, d double, t boolean, s varchar, f double, ts timestamp(6), day date",
			rows: []string{
				"1|1.5|true|x|3|2024-01-02 03:04:05|2024-01-02 00:00:00",
				"-20|2|false|y|1000|2024-01-02 03:04:00|2024-02-03 00:00:00",
			},
		},
		"codes stay text": {content: "zip,phone\n01234,+49 1\n99999,+49 2\n", shape: "zip varchar, phone varchar", rows: []string{"01234|+49 1", "99999|+49 2"}},
		"long numbers": {
			content: "id,price\n12345678901234567890,1.5\n1,2.25\n", shape: "id decimal(38,0), price double",
			rows: []string{"12345678901234567890|1.5", "1|2.25"},
		},
		"no such day":      {content: "d\n2024-02-30\n2024-02-01\n", shape: "d varchar", rows: []string{"2024-02-30", "2024-02-01"}},
		"BOM":              {content: "\xEF\xBB\xBFa,b\n1,2\n", shape: "a bigint, b bigint", rows: []string{"1|2"}},
		"UTF-16":           {content: utf16, shape: "a bigint, b varchar", rows: []string{"1|ä"}},
		"GB18030 found":    {content: gb, shape: "城市 varchar, 数量 bigint", rows: []string{"北京|3"}, problem: "read as gb18030, which makes “城市”, “数量”, “北京” of it", at: "0:0"},
		"no GB18030":       {content: gb + "\xff\xff,7\n", options: ingest.Options{Encoding: "gb18030"}, shape: "城市 varchar, 数量 bigint", rows: []string{"北京|3"}, problem: "not gb18030", at: "3:1"},
		"GB18030 by name":  {content: gb, options: ingest.Options{Encoding: "gb18030"}, shape: "城市 varchar, 数量 bigint", rows: []string{"北京|3"}},
		"semicolons":       {content: "a;b\n1,5;x\n2,5;y\n", shape: "a double, b varchar", rows: []string{"1.5|x", "2.5|y"}},
		"tabs":             {content: "a\tb\n1\tx,y\n", shape: "a bigint, b varchar", rows: []string{"1|x,y"}},
		"given delimiter":  {content: "a:b\n1:2\n", options: ingest.Options{Delimiter: ':'}, shape: "a bigint, b bigint", rows: []string{"1|2"}},
		"CR LF":            {content: "a,b\r\n1,x\r\n2,y\r\n", shape: "a bigint, b varchar", rows: []string{"1|x", "2|y"}},
		"no newline last":  {content: "a,b\n1,x", shape: "a bigint, b varchar", rows: []string{"1|x"}},
		"empty lines":      {content: "a,b\n\n1,x\n\n\n2,y\n", shape: "a bigint, b varchar", rows: []string{"1|x", "2|y"}},
		"trailing commas":  {content: "a,b,\n1,x,\n", shape: "a bigint, b varchar", rows: []string{"1|x"}},
		"quoted newline":   {content: "a,b\n1,\"two\nlines, \"\"q\"\"\"\n2,y\n", shape: "a bigint, b varchar", rows: []string{"1|two\nlines, \"q\"", "2|y"}},
		"NULL tokens":      {content: "a,b\n1,NULL\n,x\nNULL,\"NULL\"\n2,\"\"\n", shape: "a bigint, b varchar", rows: []string{"1|∅", "∅|x", "∅|NULL", "2|"}},
		"only '' is NULL":  {content: "a,b\n1,\n2,NULL\n3,N/A\n", options: ingest.Options{NullTokens: []string{""}}, shape: "a bigint, b varchar", rows: []string{"1|∅", "2|NULL", "3|N/A"}},
		"own NULL tokens":  {content: "a,b\n1,n/a\n2,NULL\n", options: ingest.Options{NullTokens: []string{"n/a"}}, shape: "a bigint, b varchar", rows: []string{"1|∅", "2|NULL"}},
		"quoted empty int": {content: "a,b\n\"\",x\n1,y\n", shape: "a bigint, b varchar", rows: []string{"∅|x", "1|y"}},
		"odd names": {
			content: "\"a \"\"b\"\"\",\"😀\",two words,select\n1,2,3,4\n", shape: "a \"b\" bigint, 😀 bigint, two words bigint, select bigint",
			rows: []string{"1|2|3|4"},
		},
		"doubled names":  {content: "id,ID,\n1,2,3\n", shape: "id bigint, ID_2 bigint, column_3 bigint", problem: "", rows: []string{"1|2|3"}},
		"header only":    {content: "a,b\n", shape: "a varchar, b varchar"},
		"no header":      {content: "1,x\n2,y\n", shape: "column_1 bigint, column_2 varchar", rows: []string{"1|x", "2|y"}, problem: "holds values", at: "1:0"},
		"told of header": {content: "2020,2021\n1,2\n", options: ingest.Options{Header: ingest.HeaderYes}, shape: "2020 bigint, 2021 bigint", rows: []string{"1|2"}},
		"short row":      {content: "a,b\n1,x\n2\n3,z\n4,\n", shape: "a bigint, b varchar", rows: []string{"1|x", "2|∅", "3|z", "4|∅"}, problem: "1 values for 2 columns, and the values of 1 columns are missing", at: "3:1"},
		"long row":       {content: "a,b\n1,x\n2,y,z\n3,z\n", shape: "a bigint, b varchar", rows: []string{"1|x", "2|y", "3|z"}, problem: "3 values for 2 columns, and 1 values stand behind", at: "3:1"},
		"text after quote": {
			content: "a,b\n1,x\n2,\"y\"z\n3,z\n", shape: "a bigint, b varchar", rows: []string{"1|x", "3|z"},
			problem: "closing quote", at: "3:6",
		},
		"not UTF-8": {content: "a,b\n1,x\n2,\xff\n3,z\n", shape: "a bigint, b varchar", rows: []string{"1|x", "3|z"}, problem: "not UTF-8", at: "3:3"},
		"schema names and types": {
			content: "ID,amount,at,flag,code\n1,2.50,2024-01-01,1,7\n2,3,2024-01-02,0,8\n",
			schema:  "CREATE TABLE T (id INT PRIMARY KEY, Amount DECIMAL(8,2) COMMENT 'in euros', at DATETIME, flag BOOLEAN, code VARCHAR(9), later TEXT);",
			shape:   "id integer, Amount decimal(8,2), at timestamp(6), flag boolean, code varchar, later varchar",
			rows:    []string{"1|2.5|2024-01-01 00:00:00|true|7|∅", "2|3|2024-01-02 00:00:00|false|8|∅"},
		},
		"contradiction": {
			content: "id,n\n1,5\n2,many\n", schema: "CREATE TABLE t (id INT, n INT);", shape: "id integer, n varchar",
			rows: []string{"1|5", "2|many"}, problem: `"n" is declared as int`, at: "0:0",
		},
		"a number too long for its decimal": {
			content: "id,n\n1,12345.67\n2,1.50\n", schema: "CREATE TABLE t (id INT, n DECIMAL(4,2));", shape: "id integer, n double",
			rows: []string{"1|12345.67", "2|1.5"}, problem: `"n" is declared as decimal(4,2)`, at: "0:0",
		},
		"dates that nothing decides": {content: "d,n\n01/02/2024,1\n03/02/2024,2\n", shape: "d varchar, n bigint", rows: []string{"01/02/2024|1", "03/02/2024|2"}, problem: "--date-order", at: "0:0"},
		"dates that an option decides": {
			content: "d,n\n01/02/2024,1\n03/02/2024,2\n", options: ingest.Options{DateOrder: ingest.DateOrderMonthFirst}, shape: "d date, n bigint",
			rows: []string{"2024-01-02 00:00:00|1", "2024-03-02 00:00:00|2"},
		},
		"dates that another column decides":  {content: "d,e\n01/02/2024,31/01/2024\n03/02/2024,01/02/2024\n", shape: "d date, e date", rows: []string{"2024-02-01 00:00:00|2024-01-31 00:00:00", "2024-02-03 00:00:00|2024-02-01 00:00:00"}},
		"points that another column decides": {content: "a;b\n1.234;1,5\n2.000;2,25\n", shape: "a bigint, b double", rows: []string{"1234|1.5", "2000|2.25"}},
		"points without such a column":       {content: "a;b\n1.234;x\n2.5;y\n", shape: "a double, b varchar", rows: []string{"1.234|x", "2.5|y"}},
		"lines passed over":                  {content: "x\ny,1\na,b\n1,2\n", options: ingest.Options{SkipRows: 2}, shape: "a bigint, b bigint", rows: []string{"1|2"}},
		"titles":                             {content: "Report\n\na,b,c\n1,2,3\n4,5,6\n", shape: "a bigint, b bigint, c bigint", rows: []string{"1|2|3", "4|5|6"}, problem: "taken for a title", at: "3:0"},
		"a total that adds up":               {content: "a,b\nx,1\ny,2\nTotal,3\n", shape: "a varchar, b bigint", rows: []string{"x|1", "y|2"}, problem: "a total or an average of others", at: "4:0"},
		"a total that does not":              {content: "a,b\nx,1\ny,2\nTotal,50\n", shape: "a varchar, b bigint", rows: []string{"x|1", "y|2", "Total|50"}, problem: "kept as a row", at: "4:0"},
		"a total that is wanted":             {content: "a,b\nx,1\nTotal,1\n", options: ingest.Options{KeepTotals: true}, shape: "a varchar, b bigint", rows: []string{"x|1", "Total|1"}},
		"units below names":                  {content: "who,weight,price\n,kg,EUR\na,1,2\nb,3,4\n", shape: "who varchar, weight kg bigint, price EUR bigint", rows: []string{"a|1|2", "b|3|4"}, problem: "name the columns together", at: "1:0"},
		"groups above names":                 {content: "who,2023,,2024,\n,Q1,Q2,Q1,Q2\na,1,2,3,4\nb,3,4,5,6\n", shape: "who varchar, 2023 Q1 bigint, 2023 Q2 bigint, 2024 Q1 bigint, 2024 Q2 bigint", rows: []string{"a|1|2|3|4", "b|3|4|5|6"}, problem: "name the columns together", at: "1:0"},
		"codes with letters":                 {content: "code\n1001\n1002\n1003\n1004\n1005\n1006\n1007\n1008\n1009\nA12\n", shape: "code varchar", rows: []string{"1001", "1002", "1003", "1004", "1005", "1006", "1007", "1008", "1009", "A12"}, problem: "codes with letters", at: "0:0"},
		"yes and no":                         {content: "a,b\nja,Y\nnein,Y\n", shape: "a boolean, b varchar", rows: []string{"true|Y", "false|Y"}, problem: "yes or no", at: "0:0"},
		"schema names a file without header": {content: "1,x\n", schema: "CREATE TABLE t (id INT, n TEXT);", shape: "id integer, n varchar", rows: []string{"1|x"}, problem: "holds values", at: "1:0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"t.csv": test.content}
			if test.schema != "" {
				files["schema.sql"] = test.schema
			}
			s := newStore(t)
			dir := folder(t, files)
			report, err := ingest.CSV(t.Context(), s, "own", dir, test.options)
			require.NoError(t, err)
			for _, table := range tables(t, s) {
				require.Equal(t, test.shape, shape(table))
				require.Equal(t, int64(len(test.rows)), table.RowCount)
				require.Equal(t, test.rows, rows(t, s, "SELECT * FROM "+table.Name.Table))
			}
			if test.problem != "" {
				require.Len(t, report.Problems, 1)
				p := report.Problems[0]
				require.Contains(t, p.Message, test.problem)
				require.Equal(t, test.at, fmt.Sprintf("%d:%d", p.Line, p.Column))
				require.Equal(t, filepath.Join(dir, "t.csv"), p.File)
			}
		})
	}
}

func TestBrokenFilesAreLeftOut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ content, message, at string }{
		"empty":        {"", "empty", "0:0"},
		"blank":        {"\n\n", "empty", "0:0"},
		"binary":       {"a,b\n1,\x00\n", "not a text file", "2:3"},
		"open quote":   {"a,b\n1,x\n2,\"never\nends\n", "never ends", "3:3"},
		"mostly wrong": {"a,b\n1\n2\n3,x\n", "2 of 3 rows", "2:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			dir := folder(t, map[string]string{"bad.csv": test.content, "good.csv": "a\n1\n"})
			report, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
			require.NoError(t, err)
			require.Contains(t, tables(t, s), "good")
			require.NotContains(t, tables(t, s), "bad")
			p := report.Problems[len(report.Problems)-1]
			require.Equal(t, ingest.KindTableSkipped, p.Kind)
			require.Contains(t, p.Message, test.message)
			require.Equal(t, test.at, fmt.Sprintf("%d:%d", p.Line, p.Column))

			require.NoError(t, os.Remove(filepath.Join(dir, "good.csv")))
			_, err = ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
			require.Equal(t, "INGEST_NOTHING", fault.ReasonOf(err))
			require.ErrorContains(t, err, "bad.csv")
			require.Contains(t, tables(t, s), "good", "nothing is swapped in when all files fail")
		})
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	wide := make([]string, 250) // several statements count them
	for i := range wide {
		wide[i] = fmt.Sprintf("c%d", i)
	}
	dir := folder(t, map[string]string{"wide.csv": strings.Join(wide, ",") + "\nv" + strings.Join(wide, ",v") + "\n", "a.csv": "a\n1\n"})
	s := newStore(t)
	_, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{})
	require.NoError(t, err)
	require.Len(t, tables(t, s)["wide"].Columns, len(wide))
	require.Equal(t, []string{"vc249"}, rows(t, s, "SELECT c249 FROM wide"))

	for reason, options := range map[string]ingest.Options{"MaxColumns": {MaxColumns: 100}, "MaxFileBytes": {MaxFileBytes: 100}, "MaxTables": {MaxTables: 1}} {
		report, err := ingest.CSV(t.Context(), s, "own", dir, options)
		require.NoError(t, err)
		require.NotContains(t, tables(t, s), "wide")
		require.Contains(t, fmt.Sprint(report.Problems), reason)
	}
	_, err = ingest.CSV(t.Context(), s, "own", dir, ingest.Options{MaxFiles: 1})
	require.Equal(t, "INPUT_TOO_MANY_FILES", fault.ReasonOf(err))
	_, err = ingest.CSV(t.Context(), s, "own", t.TempDir(), ingest.Options{})
	require.Equal(t, "INPUT_EMPTY", fault.ReasonOf(err))
	_, err = ingest.CSV(t.Context(), s, "own", filepath.Join(dir, "absent"), ingest.Options{})
	require.Equal(t, "INPUT_MISSING", fault.ReasonOf(err))
	_, err = ingest.CSV(t.Context(), s, "own", filepath.Join(dir, "b*.csv"), ingest.Options{})
	require.Equal(t, "INPUT_EMPTY", fault.ReasonOf(err))
	for _, path := range []string{"a.csv", "a*.csv"} {
		_, err = ingest.CSV(t.Context(), s, "own", filepath.Join(dir, path), ingest.Options{})
		require.NoError(t, err)
		require.Len(t, tables(t, s), 1, "a file or a pattern brings what it names")
	}
}

func TestSample(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("testdata", "sample")
	s := newStore(t)
	var progress []string
	report, err := ingest.CSV(t.Context(), s, "own", dir, ingest.Options{Progress: func(done, total int, what string) {
		progress = append(progress, fmt.Sprintf("%d/%d %s", done, total, what))
	}})
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.Equal(t, []string{"1/2 customer", "2/2 purchase"}, progress)
	customer, purchase := tables(t, s)["customer"], tables(t, s)["purchase"]
	require.Equal(t, []string{"id"}, customer.PrimaryKey())
	require.Equal(t, []catalog.ForeignKey{{Columns: []string{"customer_id"}, RefTable: customer.Name, RefColumns: []string{"id"}}}, purchase.ForeignKeys)
	require.Equal(t, "in euros, tax included", purchase.Columns[3].Comment)
	product, _ := purchase.Column("product")
	require.Equal(t, int64(5), product.Distinct)
	require.Equal(t, []string{"Kettle", "Cup, blue", "Cup, green", "Teapot", "Tray"}, product.Samples, "the most frequent comes first")
	city, _ := customer.Column("city")
	require.False(t, city.NotNull)
	email, _ := customer.Column("email")
	require.Empty(t, email.Samples, "personal data are no samples")
	require.False(t, customer.UpdatedAt.IsZero())
	g, err := s.Current("own")
	require.NoError(t, err)
	require.Equal(t, "own", g.DefaultRegion)
	require.Equal(t, "main", g.DefaultSchema)
	require.Equal(t, ingest.OriginCSV, g.Origin)

	_, err = ingest.CSV(t.Context(), s, "own", dir, ingest.Options{NoSamples: true})
	require.NoError(t, err)
	customer = tables(t, s)["customer"]
	city, _ = customer.Column("city")
	require.Empty(t, city.Samples)
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	dir := folder(t, map[string]string{"a.csv": "a\n1\n", "b.csv": "b\n1\n"})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := ingest.CSV(ctx, s, "own", dir, ingest.Options{Progress: func(int, int, string) { cancel() }})
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Current("own")
	require.Equal(t, "SOURCE_UNKNOWN", fault.ReasonOf(err))
}
