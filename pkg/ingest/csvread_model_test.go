package ingest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// TestRecordsComeBack: records by chance, written in the ways in which programs write
// them (delimiters, ends of lines, quotes where there need be none, spaces after a
// closing quote, empty lines, no end of the last line), are read as they were, each with
// the line that it begins in.
func TestRecordsComeBack(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(4, 180)) //nolint:gosec // a test's own chance
	pieces := []string{"a", "7", "é", "中", " ", `"`, ",", ";", "\t", "\n", "x y", "'", "\\", "|"}
	for round := range 3000 {
		delimiter := []byte{',', ';', '\t', '|'}[draw.IntN(4)]
		end := []string{"\n", "\r\n", "\r"}[draw.IntN(3)]
		type record struct {
			line  int
			cells []cell
		}
		var want []record
		var text strings.Builder
		line, n := 1, 1+draw.IntN(5)
		for at := range n {
			for draw.IntN(5) == 0 {
				text.WriteString(end)
				line++
			}
			r := record{line: line}
			for i := range 1 + draw.IntN(4) {
				var value strings.Builder
				for range draw.IntN(4) {
					value.WriteString(pieces[draw.IntN(len(pieces))])
				}
				v := value.String()
				needs := strings.ContainsAny(v, "\n"+string(rune(delimiter))) || strings.HasPrefix(v, `"`) || v == "" && i == 0
				quoted := needs || draw.IntN(3) == 0
				if i > 0 {
					text.WriteByte(delimiter)
				}
				if quoted {
					text.WriteString(`"` + strings.ReplaceAll(strings.ReplaceAll(v, `"`, `""`), "\n", end) + `"`)
					if draw.IntN(4) == 0 {
						text.WriteString(strings.Repeat(" ", draw.IntN(3)))
					}
				} else {
					text.WriteString(v)
				}
				line += strings.Count(v, "\n")
				r.cells = append(r.cells, cell{text: v, quoted: quoted})
			}
			want = append(want, r)
			if at < n-1 || draw.IntN(2) == 0 {
				text.WriteString(end)
				line++
			}
		}
		r := newCSVReader(iotestOneByte(draw, text.String()), delimiter, 1000)
		var got []record
		for {
			cells, err := r.read()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, "%d: %q", round, text.String())
			got = append(got, record{r.at(), append([]cell(nil), cells...)})
		}
		require.Equal(t, want, got, "%d: %q", round, text.String())
	}
}

// iotestOneByte hands a text over whole or byte by byte.
func iotestOneByte(draw *rand.Rand, text string) io.Reader {
	if draw.IntN(2) == 0 {
		return strings.NewReader(text)
	}
	return &slowly{strings.NewReader(text)}
}

type slowly struct{ from io.Reader }

func (s *slowly) Read(p []byte) (int, error) { return s.from.Read(p[:min(len(p), 1)]) }

// TestFaultyRecords: what is wrong is told where it is, and the records after it are
// read, unless nothing after it can be.
func TestFaultyRecords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a,\"b\" c,d\n1,2,3\n":      "line 1 column 7: text stands between|1 2 3",
		"a,\xff,d\n1,2,3\n":         "line 1 column 3: this value is not UTF-8|1 2 3",
		"\xff,\"b\"c\n1\n":          "line 1 column 1: this value is not UTF-8|1",
		"1\n\"a,b\nc":               "1|line 2 column 1: the quoted value that begins here never ends",
		"1\nab,\"0123456789\n2\n":   "1|line 2 column 4: the value that begins here is longer than 8 bytes",
		"1,12345678\n2,123456789":   "1 12345678|line 2 column 3: the value that begins here is longer than 8 bytes",
		"中,\"b\"中\n1\n":             "line 1 column 6: text stands between|1",
		"\"a\n\",\"b\"c\n\n\n1,2\n": "line 2 column 6: text stands between|1 2",
	} {
		r := newCSVReader(strings.NewReader(text), ',', 8)
		var got []string
		for {
			cells, err := r.read()
			if errors.Is(err, io.EOF) {
				break
			}
			if fault := (*placed)(nil); errors.As(err, &fault) {
				got = append(got, fmt.Sprintf("line %d column %d: %s", fault.line, fault.column, fault.message))
				if cells == nil {
					break
				}
				continue
			}
			require.NoError(t, err)
			var texts []string
			for _, c := range cells {
				texts = append(texts, c.text)
			}
			got = append(got, strings.Join(texts, " "))
		}
		parts := strings.Split(want, "|")
		require.Len(t, got, len(parts), "%q: %v", text, got)
		for i := range parts {
			require.True(t, strings.HasPrefix(got[i], parts[i]), "%q: %v", text, got)
		}
	}
}

// TestRowsLaidUnderColumns: lines that are too short or too long, against all ways of
// laying them tried out: exactly one way is taken, several are none.
func TestRowsLaidUnderColumns(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(8, 15)) //nolint:gosec // a test's own chance
	texts, words := []string{"1", "22", "x", "yy", ""}, written.NewWords()
	laidOnce, refused := 0, 0
	for range 6000 {
		f := &csvFile{delimiter: ',', words: words}
		n := 2 + draw.IntN(4)
		for i := range n {
			c := column{name: fmt.Sprint("c", i), typ: dataType{kind: kindBigint}, habit: &habit{}}
			if draw.IntN(2) == 0 {
				c.typ.kind = kindVarchar
				c.habit.classes = classOther
			}
			c.habit.empty = draw.IntN(3) == 0
			f.columns = append(f.columns, &c)
		}
		short := 1 + draw.IntN(n-1)
		var cells []cell
		for range n - short {
			cells = append(cells, cell{text: texts[draw.IntN(len(texts))]})
		}
		fits := func(row []cell) bool {
			for i, c := range row {
				if c.null {
					continue
				}
				empty := c.text == ""
				digits := !empty && strings.Trim(c.text, "0123456789") == ""
				switch {
				case empty && !f.columns[i].habit.empty, !empty && digits != (f.columns[i].typ.kind == kindBigint):
					return false
				}
			}
			return true
		}
		var ways [][]cell
		for p := 0; p <= len(cells); p++ {
			row := append([]cell(nil), cells[:p]...)
			for range short {
				row = append(row, cell{null: true})
			}
			if row = append(row, cells[p:]...); fits(row) && !containsRow(ways, row) {
				ways = append(ways, row)
			}
		}
		may := len(ways) == 1
		for i := range f.columns { // a line with less than half of the values is a row only where others lack the same
			may = may && (2*short <= n || !ways[0][i].null || f.columns[i].habit.empty)
		}
		got, how, ok := f.lay(cells)
		require.Equal(t, may, ok, "%v under %v: %v", cells, f.columns, ways)
		if !ok {
			require.Nil(t, got)
			refused++
			continue
		}
		laidOnce++
		require.Equal(t, ways[0], got)
		require.Equal(t, fmt.Sprintf("the values of %d columns are missing", short), how)
	}
	require.Greater(t, laidOnce, 100)
	require.Greater(t, refused, 100)
}

func containsRow(list [][]cell, row []cell) bool {
	for _, have := range list {
		if fmt.Sprint(have) == fmt.Sprint(row) {
			return true
		}
	}
	return false
}
