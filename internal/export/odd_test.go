package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
	"golang.org/x/net/html"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/export"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/report"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
	"github.com/dibrain/dibrain/pkg/result/resulttest"
	"github.com/dibrain/dibrain/services/chatbi/analyse"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

var out = flag.String("out", "", "folder to write the files of odd results to, to look at them")

// TestOddResultsInATerminal: the table and the chart of any result are text of printable
// characters on lines that fit, in which no character turns the line around.
func TestOddResultsInATerminal(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	for name, table := range resulttest.Odd() {
		in := analyst.Analyse(analyse.Input{Table: table, Language: lang.English, Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), MaxPoints: 1000})
		page, err := resultpb.ToPage(table)
		require.NoError(t, err, name)
		var shown bytes.Buffer
		fmt.Fprintln(&shown, in.Answer)
		for _, f := range in.Findings {
			fmt.Fprintln(&shown, "  "+f.Text)
		}
		answer.Result(&shown, page, &commonv1.Chart{EchartsOptionJson: in.Chart.Option}, answer.Options{Width: 100, TableWidth: 100, MaxRows: 8})
		require.True(t, utf8.ValidString(shown.String()), name)
		require.NotRegexp(t, `Inf%|Inf\b|NaN%|[0-9]{40}|then +\(`, shown.String(), name)
		for line := range strings.Lines(shown.String()) {
			require.True(t, strings.HasPrefix(line, in.Answer) || strings.HasPrefix(line, "  ") || utf8.RuneCountInString(line) <= 101, "%s: %q", name, line)
			for _, r := range strings.TrimSuffix(line, "\n") {
				require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r), "%s: %q", name, line)
			}
		}
		if *out != "" {
			require.NoError(t, os.WriteFile(filepath.Join(*out, name+".txt"), shown.Bytes(), 0o600))
		}
	}
}

// TestOddResultsBecomeFiles: a result of any kind is analysed, drawn and written in every
// format, in both languages, with its answer and its chart. What is read back has its rows and
// columns; no text of it is a formula, a part of the page or no text.
func TestOddResultsBecomeFiles(t *testing.T) {
	t.Parallel()
	analyst, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	for name, table := range resulttest.Odd() {
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			said := analyst.Analyse(analyse.Input{Table: table, Language: l, Now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), MaxPoints: 1000})
			r := resultOf(table)
			r.Document.Language = l
			section := &r.Document.Sections[0]
			section.Paragraphs = []string{said.Answer}
			if said.Chart.Option != "" {
				section.Chart = &report.Chart{Option: said.Chart.Option, Alt: said.Chart.Alt}
			}
			for _, ending := range append([]string{".svg", ".png"}, formatsOfRows()...) {
				t.Run(name+" "+string(l)+ending, func(t *testing.T) {
					t.Parallel()
					path := filepath.Join(t.TempDir(), "out"+ending)
					written, err := export.File(t.Context(), path, r, config(t), export.Options{})
					picture := ending == ".svg" || ending == ".png"
					if picture && section.Chart == nil {
						require.Equal(t, "CHART_EMPTY", fault.ReasonOf(err))
						return
					}
					if len(table.Columns) == 0 && err != nil {
						require.NotEmpty(t, fault.ReasonOf(err), "it is said what is wrong: %v", err)
						return
					}
					require.NoError(t, err)
					requireAlone(t, path)
					requireHarmless(t, ending, path, section.Chart != nil)
					if *out != "" && l == lang.English {
						require.NoError(t, os.WriteFile(filepath.Join(*out, name+ending), []byte(read(t, path)), 0o600))
					}
					if picture || len(table.Columns) == 0 {
						return
					}
					require.EqualValues(t, len(table.Rows), written.Rows)
					rows, columns := sizeOf(t, ending, path)
					require.Equal(t, len(table.Rows), rows)
					require.Equal(t, len(table.Columns), columns)
				})
			}
		}
	}
}

// requireHarmless holds that no value of a file is more than a value to what reads it.
func requireHarmless(t *testing.T, ending, path string, charted bool) {
	t.Helper()
	text := read(t, path)
	switch ending {
	case ".svg":
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if e, ok := token.(xml.StartElement); ok {
				require.NotContains(t, []string{"script", "img", "b", "foreignObject"}, e.Name.Local)
			}
		}
	case ".png":
		picture, err := png.DecodeConfig(strings.NewReader(text))
		require.NoError(t, err)
		require.Positive(t, picture.Width*picture.Height)
	case ".csv", ".tsv":
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		if ending == ".tsv" {
			r.Comma = '\t'
		}
		all, err := r.ReadAll()
		require.NoError(t, err)
		for _, cell := range slices.Concat(all...) {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" {
				require.NotContains(t, "=+-@\t\r\n", cell[:1], "%q is run by a spreadsheet", cell)
			}
		}
	case ".html":
		root, err := html.Parse(strings.NewReader(text))
		require.NoError(t, err)
		scripts := 0
		for node := range root.Descendants() {
			if node.Type != html.ElementNode {
				continue
			}
			require.NotContains(t, []string{"b", "img"}, node.Data, "a value became a part of the page")
			if node.Data == "script" {
				scripts++
			}
			for _, a := range node.Attr {
				require.False(t, strings.HasPrefix(a.Key, "on"), "%s has %s", node.Data, a.Key)
			}
		}
		if charted {
			require.Equal(t, 3, scripts, "the data, ECharts and what draws")
		} else {
			require.Zero(t, scripts)
		}
	case ".xlsx":
		book := workbook(t, path)
		for _, sheet := range book.GetSheetList() {
			rows, err := book.GetRows(sheet)
			require.NoError(t, err)
			for r, cells := range rows {
				for c := range cells {
					at, err := excelize.CoordinatesToCellName(c+1, r+1)
					require.NoError(t, err)
					formula, err := book.GetCellFormula(sheet, at)
					require.NoError(t, err)
					require.Empty(t, formula)
				}
			}
		}
	}
	if ending != ".parquet" && ending != ".xlsx" && ending != ".png" {
		require.True(t, utf8.ValidString(text))
	}
}

// sizeOf reads a file back by the reader of its format.
func sizeOf(t *testing.T, ending, path string) (rows, columns int) {
	t.Helper()
	switch ending {
	case ".csv", ".tsv":
		r := csv.NewReader(strings.NewReader(read(t, path)))
		if ending == ".tsv" {
			r.Comma = '\t'
		}
		all, err := r.ReadAll()
		require.NoError(t, err)
		if len(all[0]) == 1 { // a line of one empty cell is no line for this reader
			return len(strings.Split(strings.TrimSuffix(unquoted(read(t, path)), "\n"), "\n")) - 1, 1
		}
		return len(all) - 1, len(all[0])
	case ".json":
		var got struct{ Columns, Rows []any }
		require.NoError(t, json.Unmarshal([]byte(read(t, path)), &got))
		return len(got.Rows), len(got.Columns)
	case ".parquet":
		db := parquet(t, path)
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM t").Scan(&rows))
		require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM (DESCRIBE SELECT * FROM t)").Scan(&columns))
	case ".xlsx":
		all, err := workbook(t, path).Rows("Result")
		require.NoError(t, err)
		for rows = -1; all.Next(); rows++ {
			cells, err := all.Columns()
			require.NoError(t, err)
			columns = max(columns, len(cells))
		}
	case ".html":
		root, err := html.Parse(strings.NewReader(read(t, path)))
		require.NoError(t, err)
		for node := range root.Descendants() {
			switch node.Data {
			case "th":
				columns++
			case "tr":
				rows++
			}
		}
		rows--
	case ".md":
		for line := range strings.SplitSeq(read(t, path), "\n") {
			if strings.HasPrefix(line, "| ") {
				rows++
				columns = strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") - 1
			}
		}
		rows -= 2
	}
	return rows, columns
}

// unquoted is CSV without the line feeds inside of its quotes.
func unquoted(text string) string {
	parts := strings.Split(text, `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], "\n", " ")
	}
	return strings.Join(parts, `"`)
}

func TestNamesOfParquetAreUnique(t *testing.T) {
	t.Parallel()
	path, written := write(t, ".parquet", resulttest.Odd()["names alike"], export.Options{})
	var names string
	require.NoError(t, parquet(t, path).QueryRowContext(t.Context(), "SELECT string_agg(column_name, ' ') FROM (DESCRIBE SELECT * FROM t)").Scan(&names))
	require.Equal(t, "a A_3 a_2 column_4 a_4", names)
	require.Contains(t, written.Notes[0], "A_3")
}
