package ingest

import (
	"bufio"
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
)

const (
	sniffBytes    = 64 << 10 // of a file's head, to find out what it is
	sniffRecords  = 50       // records that are compared to find the delimiter
	shownProblems = 10       // faulty rows of one file that are reported one by one
)

// csvFile is a CSV file, ready to be read as often as needed.
type csvFile struct {
	path      string
	options   *Options
	delimiter byte
	encoding  encoding.Encoding // nil: UTF-8
	header    bool
	columns   []*column
}

func (b *builder) loadCSV(ctx context.Context, path, name string, declared *ddl.Table) error {
	info, err := b.statInput(path)
	if err != nil {
		return err
	}
	f := &csvFile{path: path, options: &b.options}
	if err := f.sniff(ctx, declared); err != nil {
		return err
	}
	if declared != nil {
		name = declared.Name.Table
	}
	uniqueNames(f.columns, func(i int, from, to string) {
		if f.header {
			b.problem(Problem{Kind: KindChanged, File: path, Line: 1, Message: fmt.Sprintf("column %d is named %q, which is empty or taken: it becomes %q", i+1, from, to)})
		}
	})
	if !f.header {
		b.problem(Problem{Kind: KindNote, File: path, Line: 1, Message: "the first line holds values, not names of columns: the columns are named from the schema or by number"})
	}
	rows, skipped, err := b.learn(ctx, f)
	if err != nil {
		return err
	}
	columns := b.settleAll(withMissing(f.columns, declared), path)
	t := b.declare(mainSchema, name, path, info.ModTime())
	if t == nil {
		return &placed{message: "the table is left out"}
	}
	if err := b.create(ctx, t, columns); err != nil {
		return err
	}
	if err := b.fillFromCSV(ctx, f, func(write func(add func([]driver.Value) error) error) error {
		return b.appendRows(ctx, t, write)
	}, len(columns)); err != nil {
		return errors.Join(err, b.drop(context.WithoutCancel(ctx), t))
	}
	if declared != nil {
		b.describe(t, declared, inMain)
	}
	b.done(t, rows, skipped)
	return nil
}

// withMissing adds the declared columns that the file does not have; they are empty.
func withMissing(columns []*column, declared *ddl.Table) []*column {
	if declared == nil {
		return columns
	}
	all := slices.Clone(columns)
	for i := range declared.Columns {
		d := &declared.Columns[i]
		if !slices.ContainsFunc(columns, func(c *column) bool { return strings.EqualFold(c.name, d.Name) }) {
			all = append(all, newColumn(d.Name, d))
		}
	}
	return uniqueNames(all, nil)
}

// learn reads the whole file, lets the columns see all values, and reports rows
// that are left out. A file with too many of them is broken.
func (b *builder) learn(ctx context.Context, f *csvFile) (rows, skipped int64, err error) {
	var first *placed
	err = f.each(ctx, func(cells []cell) error {
		rows++
		for i, c := range f.columns {
			if !cells[i].null {
				c.observe(cells[i].text)
			}
		}
		return nil
	}, func(p *placed) {
		if first == nil {
			first = p
		}
		if skipped++; skipped <= shownProblems {
			b.problem(Problem{Kind: KindRowSkipped, File: f.path, Line: p.line, Column: p.column, Message: "this row is left out: " + p.message})
		}
	})
	if err != nil {
		return 0, 0, err
	}
	if skipped > shownProblems {
		b.problem(Problem{Kind: KindRowSkipped, File: f.path, Message: fmt.Sprintf("%d more rows are left out for such reasons", skipped-shownProblems)})
	}
	if share := float64(skipped) / float64(max(rows+skipped, 1)); share > b.options.MaxBadRowShare {
		return 0, 0, &placed{first.line, first.column, fmt.Sprintf("%d of %d rows cannot be read, so the file is left out; the first: %s", skipped, rows+skipped, first.message)}
	}
	return rows, skipped, nil
}

// fillFromCSV reads the file again and appends its rows.
func (b *builder) fillFromCSV(ctx context.Context, f *csvFile, appendRows func(func(add func([]driver.Value) error) error) error, width int) error {
	return appendRows(func(add func([]driver.Value) error) error {
		row := make([]driver.Value, width)
		return f.each(ctx, func(cells []cell) error {
			for i, c := range f.columns {
				row[i] = nil
				if cells[i].null {
					continue
				}
				v, err := c.typ.value(cells[i].text)
				if err != nil {
					return &placed{message: fmt.Sprintf("the file changed while it was read: column %q: %v", c.name, err)}
				}
				row[i] = v
			}
			return add(row)
		}, func(*placed) {})
	})
}

// open returns the file's text as UTF-8 without a byte order mark.
func (f *csvFile) open(ctx context.Context) (io.Reader, io.Closer, error) {
	file, err := openInput(ctx, f.path)
	if err != nil {
		return nil, nil, &placed{message: "the file cannot be read: " + err.Error()}
	}
	var r io.Reader = file
	if f.encoding != nil {
		r = f.encoding.NewDecoder().Reader(file)
	}
	text := bufio.NewReaderSize(r, sniffBytes)
	if head, err := text.Peek(3); err == nil && bytes.Equal(head, []byte("\xEF\xBB\xBF")) {
		_, _ = text.Discard(3) // it was just peeked
	}
	return text, file, nil
}

// each hands over the good records after the header, and the faults of the others.
func (f *csvFile) each(ctx context.Context, record func([]cell) error, faulty func(*placed)) error {
	text, closer, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = closer.Close() }()
	r := newCSVReader(text, f.delimiter, f.options.MaxFieldBytes)
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		cells, err := r.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var p *placed
		if err != nil && (!errors.As(err, &p) || cells == nil) {
			return err // nothing can be read any more
		}
		if n == 0 && f.header {
			continue
		}
		if p == nil {
			cells, p = f.fit(cells, r.start)
		}
		if p != nil {
			faulty(p)
			continue
		}
		if err := record(cells); err != nil {
			return err
		}
	}
}

// fit checks a record's length and finds its NULLs.
func (f *csvFile) fit(cells []cell, line int) ([]cell, *placed) {
	want := len(f.columns)
	for len(cells) > want && cells[len(cells)-1].text == "" { // delimiters at the end of a line
		cells = cells[:len(cells)-1]
	}
	if len(cells) != want {
		return nil, &placed{line, 1, fmt.Sprintf("it has %d values for %d columns", len(cells), want)}
	}
	for i := range cells {
		cells[i].null = !cells[i].quoted && slices.Contains(f.options.NullTokens, cells[i].text)
	}
	return cells, nil
}

// sniff finds out encoding, delimiter, header and columns.
func (f *csvFile) sniff(ctx context.Context, declared *ddl.Table) error {
	if err := f.sniffEncoding(); err != nil {
		return err
	}
	text, closer, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = closer.Close() }()
	head, err := io.ReadAll(io.LimitReader(text, sniffBytes))
	if err != nil {
		return &placed{message: "the file cannot be read: " + err.Error()}
	}
	if i := bytes.IndexByte(head, 0); i >= 0 {
		return &placed{bytes.Count(head[:i], []byte("\n")) + 1, i - bytes.LastIndexByte(head[:i], '\n'), "this is not a text file: it holds a zero byte here"}
	}
	if f.delimiter, err = f.sniffDelimiter(head); err != nil {
		return err
	}
	return f.sniffHeader(ctx, declared)
}

func (f *csvFile) sniffEncoding() error {
	if f.options.Encoding != "" {
		e, err := htmlindex.Get(f.options.Encoding)
		if err != nil {
			return fault.Invalid("encoding", "ENCODING_UNKNOWN", "there is no encoding %q: for example utf-8, gb18030 or windows-1252", f.options.Encoding)
		}
		f.encoding = e
		return nil
	}
	file, err := os.Open(f.path)
	if err != nil {
		return &placed{message: "the file cannot be read: " + err.Error()}
	}
	defer func() { _ = file.Close() }()
	var mark [2]byte
	if n, err := io.ReadFull(file, mark[:]); err != nil && n == 0 {
		return &placed{message: "the file is empty"}
	}
	if mark == [2]byte{0xFF, 0xFE} || mark == [2]byte{0xFE, 0xFF} {
		f.encoding = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
	}
	return nil
}

// sniffDelimiter takes the one that cuts the most records into the same number
// of values.
func (f *csvFile) sniffDelimiter(head []byte) (byte, error) {
	if d := f.options.Delimiter; d != 0 {
		if d > 127 || d == '"' || d == '\n' || d == '\r' {
			return 0, fault.Invalid("delimiter", "DELIMITER_INVALID", "the delimiter %q is none: give one ASCII character", d)
		}
		return byte(d), nil
	}
	best, bestScore := byte(','), 0
	for _, d := range []byte{',', ';', '\t', '|'} {
		r := newCSVReader(bytes.NewReader(head), d, len(head)+1)
		width, alike := 0, 0
		for range sniffRecords {
			cells, err := r.read()
			if err != nil {
				break
			}
			if width == 0 {
				width = len(cells)
			}
			if len(cells) == width {
				alike++
			}
		}
		if score := alike*1000 + min(width, 999); width > 1 && score > bestScore {
			best, bestScore = d, score
		}
	}
	return best, nil
}

// sniffHeader names the columns from the first record or from the declaration.
func (f *csvFile) sniffHeader(ctx context.Context, declared *ddl.Table) error {
	text, closer, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = closer.Close() }()
	r := newCSVReader(text, f.delimiter, f.options.MaxFieldBytes)
	cells, err := r.read()
	if errors.Is(err, io.EOF) {
		return &placed{message: "the file is empty"}
	}
	if err != nil {
		return err
	}
	if len(cells) > f.options.MaxColumns {
		return &placed{r.start, 1, fmt.Sprintf("%d columns: at most %d (MaxColumns)", len(cells), f.options.MaxColumns)}
	}
	f.header = f.options.Header == HeaderYes || f.options.Header == HeaderAuto && looksLikeNames(cells, declared)
	if f.header {
		cells = slices.Clone(cells)
		following, _ := r.read() // a fault of it is found when the rows are read
		// A delimiter at the end of the lines makes no column.
		for last := len(cells) - 1; last > 0 && cells[last].text == "" && (last >= len(following) || following[last].text == ""); last-- {
			cells = cells[:last]
		}
	}
	f.columns = make([]*column, len(cells))
	for i, c := range cells {
		name := ""
		if f.header {
			name = strings.TrimSpace(c.text)
		} else if declared != nil && len(declared.Columns) == len(cells) {
			name = declared.Columns[i].Name
		}
		f.columns[i] = newColumn(name, nil)
		if declared != nil {
			if at := declared.Column(name); at >= 0 {
				f.columns[i] = newColumn(declared.Columns[at].Name, &declared.Columns[at])
			}
		}
	}
	return nil
}

// looksLikeNames tells a header from values: names that are declared are one; a
// first value that is a number or a date is none.
func looksLikeNames(cells []cell, declared *ddl.Table) bool {
	if declared != nil {
		for _, c := range cells {
			if declared.Column(strings.TrimSpace(c.text)) >= 0 {
				return true
			}
		}
		if len(declared.Columns) == len(cells) {
			return false
		}
	}
	_, _, isTime := readTime(cells[0].text)
	return !isNumber(cells[0].text) && !isTime
}
