package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/xuri/excelize/v2"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/report"
	"github.com/dibrain/dibrain/pkg/result"
)

// Bounds of a sheet, which are Excel's own, and of the widths of its columns.
const (
	sheetRows    = excelize.TotalRows - 1 // without the titles
	sheetColumns = excelize.MaxColumns
	cellText     = excelize.TotalCellChars // UTF-16 units
	leastWidth   = 8
	mostWidth    = 60
	// widthRows are the first rows, by which the widths are chosen.
	widthRows = 200
	// exactDigits are those that a double surely has: what has more is written as text.
	exactDigits = 15
)

const (
	sheetName = "Result"
	aboutName = "About"
)

// xlsx writes a workbook: the rows with their types on one sheet, the question, the SQL
// and the evidence on another.
func (j *job) xlsx(ctx context.Context) (err error) {
	if len(j.Columns) > sheetColumns {
		return tooWide(len(j.Columns))
	}
	if j.Total > sheetRows {
		return tooLong()
	}
	f := excelize.NewFile()
	defer func() { err = errors.Join(err, f.Close()) }()
	s, err := newSheet(f, j)
	if err != nil {
		return fmt.Errorf("write a workbook: %w", err)
	}
	if err := s.fill(ctx); err != nil {
		return err
	}
	if err := about(f, j.Document, s.styles); err != nil {
		return fmt.Errorf("write a workbook: %w", err)
	}
	s.tell()
	if _, err := f.WriteTo(writeOnly{j.to}); err != nil {
		return err
	}
	return nil
}

// writeOnly hides what else a writer can do.
type writeOnly struct{ io.Writer }

func tooWide(columns int) error {
	return fault.New(codes.ResourceExhausted, "EXPORT_TOO_LARGE",
		fmt.Sprintf("the result has %d columns and a sheet holds %d: export .csv or .parquet, or ask for fewer columns", columns, sheetColumns))
}

func tooLong() error {
	return fault.New(codes.ResourceExhausted, "EXPORT_TOO_LARGE",
		fmt.Sprintf("a sheet holds %s rows and the result has more: export .csv or .parquet, or narrow the question", result.Int(sheetRows)))
}

// styles are the ids of the workbook's formats.
type styles struct {
	title, day, moment, literal, wrapped int
	decimals                             map[int]int // by digits after the point
}

func newStyles(f *excelize.File) (s styles, err error) {
	style := func(to *int, of *excelize.Style) {
		if err == nil {
			*to, err = f.NewStyle(of)
		}
	}
	day, moment := "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"
	style(&s.title, &excelize.Style{Font: &excelize.Font{Bold: true}, Alignment: &excelize.Alignment{Vertical: "top", WrapText: true}})
	style(&s.day, &excelize.Style{CustomNumFmt: &day})
	style(&s.moment, &excelize.Style{CustomNumFmt: &moment})
	style(&s.wrapped, &excelize.Style{Alignment: &excelize.Alignment{Vertical: "top", WrapText: true}})
	// Text that Excel keeps as text even where somebody edits the cell.
	style(&s.literal, &excelize.Style{NumFmt: 49})
	if err != nil {
		return s, err
	}
	quoted := true
	f.Styles.CellXfs.Xf[s.literal].QuotePrefix = &quoted
	s.decimals = map[int]int{}
	return s, nil
}

// decimal is the style of numbers with so many digits after the point.
func (s styles) decimal(f *excelize.File, scale int) (int, error) {
	if id, ok := s.decimals[scale]; ok || scale <= 0 {
		return id, nil
	}
	format := "0." + strings.Repeat("0", min(scale, exactDigits))
	id, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
	s.decimals[scale] = id
	return id, err
}

// sheet is the sheet of rows while it is written.
type sheet struct {
	*job
	file         *excelize.File
	stream       *excelize.StreamWriter
	styles       styles
	first        [][]any // rows that wait for the widths
	rows         int
	asText, cut  int
	columnStyles []int
}

func newSheet(f *excelize.File, j *job) (*sheet, error) {
	s := &sheet{job: j, file: f, columnStyles: make([]int, len(j.Columns))}
	if err := f.SetSheetName("Sheet1", sheetName); err != nil {
		return nil, err
	}
	var err error
	if s.styles, err = newStyles(f); err != nil {
		return nil, err
	}
	for i, c := range j.Columns {
		format, known := map[string]string{
			result.UnitPercent: "0.00%", result.UnitPoints: `0.00%" points"`, "month": "yyyy-mm", "quarter": "yyyy-mm", "year": "yyyy",
		}[cmp.Or(c.Unit, c.Period)]
		if known {
			if s.columnStyles[i], err = f.NewStyle(&excelize.Style{CustomNumFmt: &format}); err != nil {
				return nil, err
			}
			continue
		}
		if _, arguments, ok := strings.Cut(strings.ToLower(c.Type), "("); ok && c.Kind() == result.KindDecimal {
			_, scale, _ := result.Decimal(arguments)
			if s.columnStyles[i], err = s.styles.decimal(f, scale); err != nil {
				return nil, err
			}
		}
	}
	s.stream, err = f.NewStreamWriter(sheetName)
	return s, err
}

// fill writes the rows.
func (s *sheet) fill(ctx context.Context) error {
	begun := false
	for row, err := range s.Rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if begun {
			if err := s.row(row); err != nil {
				return err
			}
			continue
		}
		if s.first = append(s.first, row); len(s.first) == widthRows {
			begun = true
			if err := s.begin(); err != nil {
				return err
			}
		}
	}
	if !begun {
		if err := s.begin(); err != nil {
			return err
		}
	}
	if err := s.stream.Flush(); err != nil {
		return fmt.Errorf("write a workbook: %w", err)
	}
	return nil
}

// begin chooses the widths and writes the titles and the rows that waited.
func (s *sheet) begin() error {
	for i := range s.Columns {
		if err := s.stream.SetColWidth(i+1, i+1, s.width(i)); err != nil {
			return fmt.Errorf("write a workbook: %w", err)
		}
	}
	if err := s.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return fmt.Errorf("write a workbook: %w", err)
	}
	titles := make([]any, len(s.Columns))
	for i, c := range s.Columns {
		titles[i] = excelize.Cell{StyleID: s.styles.title, Value: s.text(c.Name)}
	}
	if err := s.put(titles); err != nil {
		return err
	}
	for _, row := range s.first {
		if err := s.row(row); err != nil {
			return err
		}
	}
	s.first = nil
	return nil
}

func (s *sheet) width(column int) float64 {
	widest := runewidth.StringWidth(s.Columns[column].Name)
	for _, row := range s.first {
		text := exact(row[column])
		if len(text) > 4*mostWidth {
			widest = mostWidth
			break
		}
		widest = max(widest, runewidth.StringWidth(text))
	}
	return float64(min(max(widest+2, leastWidth), mostWidth))
}

func (s *sheet) row(values []any) error {
	cells := make([]any, len(values))
	for i, v := range values {
		cells[i] = s.cell(v, i)
	}
	return s.put(cells)
}

func (s *sheet) put(cells []any) error {
	s.rows++
	if s.rows > sheetRows+1 {
		return tooLong()
	}
	place, err := excelize.CoordinatesToCellName(1, s.rows)
	if err != nil {
		return fmt.Errorf("write a workbook: %w", err)
	}
	if err := s.stream.SetRow(place, cells); err != nil {
		return fmt.Errorf("write a workbook: %w", err)
	}
	return nil
}

// cell is a value with its type: numbers that a double holds exactly, dates that Excel
// knows, and texts for all else.
func (s *sheet) cell(v any, column int) any {
	c := s.Columns[column]
	kind := c.Kind()
	switch v := v.(type) {
	case nil:
		return nil
	case bool:
		return v
	case int64:
		if v > 1e15 || v < -1e15 {
			s.asText++
			return s.literal(strconv.FormatInt(v, 10))
		}
		return excelize.Cell{StyleID: s.columnStyles[column], Value: v}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return s.literal(double(v))
		}
		return excelize.Cell{StyleID: s.columnStyles[column], Value: v}
	case string:
		if kind == result.KindDecimal || kind == result.KindInteger {
			return s.number(v, column)
		}
		if kind == result.KindDate || kind == result.KindTimestamp && !strings.Contains(c.Type, "with time zone") {
			return s.moment(v, column)
		}
	}
	return s.literal(exact(v))
}

// number is one that came as text, so that it kept all its digits.
func (s *sheet) number(text string, column int) any {
	digits := strings.TrimLeft(strings.NewReplacer("-", "", "+", "", ".", "").Replace(text), "0")
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return s.literal(text)
	}
	if len(digits) > exactDigits {
		s.asText++
		return s.literal(text)
	}
	return excelize.Cell{StyleID: s.columnStyles[column], Value: f}
}

// moment is a date or a time that Excel knows: from March 1900, since its calendar has a
// day before that never was.
func (s *sheet) moment(text string, column int) any {
	kind := s.Columns[column].Kind()
	at, _, ok := result.ParseMoment(text, time.UTC)
	if !ok || at.Before(time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)) || at.Year() > 9999 || at.Nanosecond()%int(time.Millisecond) != 0 {
		return s.literal(text)
	}
	style := s.styles.moment
	switch {
	case s.columnStyles[column] != 0:
		style = s.columnStyles[column]
	case kind == result.KindDate:
		style = s.styles.day
	}
	return excelize.Cell{StyleID: style, Value: at}
}

// literal is a cell of text. One that looks like a formula has the mark by which Excel
// keeps it as text, the text itself stays as it is.
func (s *sheet) literal(text string) any {
	text = s.text(text)
	if isFormula(text) {
		return excelize.Cell{StyleID: s.styles.literal, Value: text}
	}
	return text
}

// text is one that a cell can hold.
func (s *sheet) text(text string) string {
	out, cut := cellOf(text)
	if cut {
		s.cut++
	}
	return out
}

// cellOf leaves out what XML cannot hold and what is beyond a cell's length.
func cellOf(text string) (out string, cut bool) {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return r
		case r < 0x20 || r == 0xfffe || r == 0xffff:
			return utf8.RuneError
		}
		return r
	}, valid(text))
	units := 0
	for i, r := range text {
		size := 1
		if r > 0xffff {
			size = 2
		}
		if units += size; units > cellText {
			return text[:i], true
		}
	}
	return text, false
}

// tell notes what is not as it was.
func (s *sheet) tell() {
	if s.asText > 0 {
		s.note("%s with more than %d digits: written as text, since Excel would round them", plural(s.asText, "number", "numbers"), exactDigits)
	}
	if s.cut > 0 {
		s.note("%s cut at %d characters, which is what a cell holds", plural(s.cut, "text", "texts"), cellText)
	}
}

// about writes the sheet with the question, the SQL and the evidence.
func about(f *excelize.File, d report.Document, styles styles) error {
	if _, err := f.NewSheet(aboutName); err != nil {
		return err
	}
	if err := errors.Join(f.SetColWidth(aboutName, "A", "A", 24), f.SetColWidth(aboutName, "B", "B", 100)); err != nil {
		return err
	}
	for i, line := range report.Lines(d) {
		row := strconv.Itoa(i + 1)
		text, _ := cellOf(line.Text)
		style := styles.wrapped
		if isFormula(text) {
			style = styles.literal
		}
		if err := errors.Join(
			f.SetCellStr(aboutName, "A"+row, cmp.Or(line.Name, "")), f.SetCellStr(aboutName, "B"+row, text),
			f.SetCellStyle(aboutName, "A"+row, "A"+row, styles.title), f.SetCellStyle(aboutName, "B"+row, "B"+row, style),
		); err != nil {
			return err
		}
	}
	return nil
}
