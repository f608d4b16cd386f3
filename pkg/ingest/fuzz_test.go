package ingest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// FuzzCSV reads files of any bytes as an ingest does, up to what is handed to the
// engine: they are refused at a place of the file, or every row has a value or NULL
// of its column's type for every column, and a second reading gives the same rows.
func FuzzCSV(f *testing.F) {
	for _, text := range []string{
		"id,name,at\n1,Ann,2024-02-29\n2,,2024-12-31 23:59:60\n",
		"a;b\r\n\"x;\"\"y\"\"\";1,5\r\n\r\n;\r\n", "a\tb\r1\t2\r", "a|b\n1|2|3\n4\n", "no header\n", "1,2\n3,4\n",
		"\xEF\xBB\xBFid,id,ID,\n1,2,3,\n", "\xFF\xFEa\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00", "\xFE\xFF\x00a\x00\n\x001\xD8", "\xFF\xFE",
		"caf\xe9,b\n\xe9,1\n", "名称，数量\n书，１\n", "a,b\n\"open,1\n", "a,b\n\"x\"y,1\n", "a\x00b\n", "\n\n\n", "\"\"\n", ",\n,\n", "\r", "a,b\n1e400,NaN\n-Infinity,0x1F\n",
		"n\n00012\n+5\n9223372036854775808\n", "d\n2023-02-29\n31/12/2024\n12/31/2024\n", "t\n24:00:00\n00:00:00.123456789\n", "b\ntrue\nF\nyes\n",
		"{\"a\": 1}\n{\"a\": [1, 2]}\n", strings.Repeat("a,", 300) + "\n" + strings.Repeat("1,", 300) + "\n", "a\n" + strings.Repeat("x", 9000) + "\n", "\u202eevil,<img src=x>\n1,2\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 64<<10 {
			return
		}
		path := filepath.Join(t.TempDir(), "t.csv")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		options := Options{MaxFieldBytes: 8 << 10, MaxColumns: 200}.complete()
		words := written.NewWords()
		file := &csvFile{path: path, input: path, options: &options, words: words}
		if err := file.sniff(t.Context(), nil); err != nil {
			var at *placed
			require.ErrorAs(t, err, &at)
			return
		}
		require.NotEmpty(t, file.columns)
		for _, c := range file.columns {
			c.habit = newHabit(words)
		}
		seen := map[*column]int{}
		rows, ended := readRows(t, file, func(c *column, text string) {
			seen[c]++
			c.observe(text)
		})
		customs := customsOf(file.columns, &options)
		for _, c := range file.columns {
			c.settleFile(customs)
		}
		uniqueNames(file.columns, nil)
		names := map[string]bool{}
		for _, c := range file.columns {
			require.NotEmpty(t, c.name)
			require.False(t, names[strings.ToLower(c.name)], c.name)
			names[strings.ToLower(c.name)] = true
		}
		unread := map[*column]int{}
		again, endedAgain := readRows(t, file, func(c *column, text string) {
			if _, ok := c.value(text); !ok {
				unread[c]++
				require.NotNil(t, c.reading, "%q of column %q, which is %v", text, c.name, c.typ)
			}
		})
		require.Equal(t, rows, again)
		require.Equal(t, ended, endedAgain)
		for c, n := range unread {
			require.LessOrEqual(t, float64(n), (1-fitShare)*float64(seen[c])+1e-9, "column %q, which is %v", c.name, c.typ)
		}
	})
}

// readRows hands over the values of a file that are no NULL, and returns how many
// rows it has and whether it could be read to its end.
func readRows(t *testing.T, f *csvFile, value func(c *column, text string)) (rows int, whole bool) {
	t.Helper()
	err := f.each(context.WithoutCancel(t.Context()), func(r record) error {
		require.Positive(t, r.line)
		if r.fault != nil {
			require.Positive(t, r.fault.line)
			require.NotEmpty(t, r.fault.message)
			return nil //nolint:nilerr // a faulty record is told, and the reading goes on
		}
		rows++
		require.Len(t, r.cells, len(f.columns))
		for i, c := range f.columns {
			require.True(t, utf8.ValidString(r.cells[i].text), "%q", r.cells[i].text)
			if !r.cells[i].null {
				value(c, r.cells[i].text)
			}
		}
		return nil
	})
	return rows, err == nil
}
