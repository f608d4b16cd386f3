package ingest

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

const (
	excelEnding = ".xlsx"
	// maxUnzipped bounds what an Excel file holds when it is unpacked, in bytes.
	maxUnzipped = 4 << 30
	// widthRows is of how many rows the width of a sheet is found out.
	widthRows = 200
)

// excelFile loads each sheet of a workbook as a table.
func (b *builder) excelFile(ctx context.Context, path, name string) error {
	book, err := excelize.OpenFile(path, excelize.Options{UnzipSizeLimit: maxUnzipped})
	if err != nil {
		b.problem(Problem{Kind: KindTableSkipped, File: path, Message: "this cannot be opened as an Excel workbook: save it again as .xlsx, without a password (" + clip(err.Error()) + ")"})
		return nil
	}
	defer func() { _ = book.Close() }() // it was only read
	sheets := book.GetSheetList()
	for _, sheet := range sheets {
		table := name
		if len(sheets) > 1 {
			table = sheet
		}
		place := path + "[" + sheet + "]"
		if empty, err := isEmptySheet(book, sheet); err == nil && empty {
			b.problem(Problem{Kind: KindNote, File: place, Message: "this sheet is empty and is passed over"})
			continue
		}
		if err := b.csvFile(ctx, csvFile{path: place, input: path, book: book, sheet: sheet}, table, nil); err != nil {
			return err
		}
	}
	return nil
}

func isEmptySheet(book *excelize.File, sheet string) (bool, error) {
	rows, err := book.Rows(sheet)
	if err != nil {
		return false, err
	}
	defer func() { _ = rows.Close() }()
	for range widthRows {
		if !rows.Next() {
			return true, nil
		}
		cells, err := rows.Columns()
		if err != nil || len(cells) > 0 {
			return false, err
		}
	}
	return false, nil
}

// sheetReader reads the rows of a sheet as records. It reads each value twice: as it
// is stored and as it is shown. What is shown may be rounded; what is stored does
// not tell that a number is a day or has a currency.
type sheetReader struct {
	words         *written.Words
	stored, shown *excelize.Rows
	from1904      bool
	width         int
	line          int
	cells         []cell
}

func newSheetReader(words *written.Words, book *excelize.File, sheet string) (*sheetReader, io.Closer, error) {
	width := 0
	sizes, err := book.Rows(sheet)
	if err != nil {
		return nil, nil, &placed{message: fmt.Sprintf("the sheet %q cannot be read: %v", sheet, err)}
	}
	for n := 0; n < widthRows && sizes.Next(); n++ {
		cells, _ := sizes.Columns() // an error comes again when the rows are read
		width = max(width, len(cells))
	}
	_ = sizes.Close()
	r := &sheetReader{words: words, width: width}
	if r.stored, err = book.Rows(sheet); err == nil {
		r.shown, err = book.Rows(sheet)
	}
	if err != nil {
		return nil, nil, &placed{message: fmt.Sprintf("the sheet %q cannot be read: %v", sheet, err)}
	}
	if properties, err := book.GetWorkbookProps(); err == nil && properties.Date1904 != nil {
		r.from1904 = *properties.Date1904
	}
	return r, closers{r.stored, r.shown}, nil
}

// at is the row of the latest record.
func (r *sheetReader) at() int { return r.line }

// read returns the next row that is not empty, as wide as the sheet.
func (r *sheetReader) read() ([]cell, error) {
	for r.stored.Next() && r.shown.Next() {
		r.line++
		stored, err := r.stored.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return nil, &placed{r.line, 1, err.Error()}
		}
		shown, err := r.shown.Columns()
		if err != nil {
			return nil, &placed{r.line, 1, err.Error()}
		}
		r.cells = r.cells[:0]
		blank := true
		for i, s := range stored {
			if i < len(shown) {
				s = r.text(s, shown[i])
			}
			s = strings.ToValidUTF8(s, "\uFFFD")
			blank = blank && strings.TrimSpace(s) == ""
			r.cells = append(r.cells, cell{text: s})
		}
		for len(r.cells) < r.width {
			r.cells = append(r.cells, cell{})
		}
		if !blank {
			return r.cells, nil
		}
	}
	if err := r.stored.Error(); err != nil {
		return nil, &placed{r.line, 1, err.Error()}
	}
	return nil, io.EOF
}

// sheetDigits are the significant digits of a spreadsheet's number: the last two of the 17 that are stored
// tell one binary fraction from the next, 8.6999999999999993 for 8.7.
const sheetDigits = 15

// asTyped is a stored number with a fraction as it was typed in or calculated; whole numbers stay as they
// are, since other programs write keys of more digits.
func asTyped(stored string) string {
	if !strings.Contains(stored, ".") {
		return stored
	}
	n, err := strconv.ParseFloat(stored, 64)
	if err != nil || math.Abs(n) >= 1e15 || math.Abs(n) < 1e-15 {
		return stored
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(n, 'g', sheetDigits, 64), 64)
	if err != nil {
		return stored
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// text is a value as a file of text would have it.
func (r *sheetReader) text(stored, shown string) string {
	if !isNumber(stored) {
		return shown
	}
	if stored == shown {
		return asTyped(stored)
	}
	number, isNumeric := r.words.ReadNumber(shown)
	if _, ok := r.words.ReadMoment(shown); ok && !isNumeric {
		serial, err := strconv.ParseFloat(stored, 64)
		if err != nil {
			return shown
		}
		t, err := excelize.ExcelDateToTime(serial, r.from1904)
		if err != nil {
			return shown
		}
		t = t.Round(time.Second) // serials are binary fractions of a day
		return momentText(t, serial == float64(int64(serial)))
	}
	if clock, ok := r.clock(stored, shown); ok {
		return clock
	}
	stored = asTyped(stored)
	switch {
	case !isNumeric && !isNumber(shown):
		return shown // such as a time of day, or TRUE: readable, and no number
	case number.Unit != "" && number.Unit != written.Percent:
		return stored + " " + number.Unit
	}
	return stored
}

// clock writes a part of a day, or a number of days, that is shown as hours or minutes, as hours, minutes and seconds:
// "09:05:00" for "9:05 AM", "00:03:45" for "03:45" of minutes, "26:15:00" for itself. ok is false for what is shown
// otherwise, and for a day of which the time alone is shown.
func (r *sheetReader) clock(stored, shown string) (text string, ok bool) {
	days, err := strconv.ParseFloat(stored, 64)
	if err != nil || days < 0 || !strings.Contains(shown, ":") || !r.words.IsSpan(shown) {
		return "", false
	}
	first, _, _ := strings.Cut(shown, ":")
	if hours, err := strconv.Atoi(first); err != nil || days >= 1 && hours < 24 {
		return "", false
	}
	seconds := int64(math.Round(days * 24 * 60 * 60))
	return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60), true
}
