package ingest

import (
	"bufio"
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest/charset"
	"github.com/dibrain/dibrain/pkg/ingest/ddl"
	"github.com/dibrain/dibrain/pkg/ingest/written"
)

const (
	sniffBytes    = 64 << 10 // of a file's head, to find out what it is
	sniffRecords  = 50       // records that are compared to find the delimiter
	shownProblems = 10       // faulty rows of one file that are reported one by one
)

// csvFile is a file of text, or a sheet of a workbook, ready to be read as often as
// needed.
type csvFile struct {
	path      string         // as people are told
	input     string         // the file
	packing   string         // see endingOf
	book      *excelize.File // nil: a file of text
	sheet     string
	options   *Options
	meter     *meter
	weight    int64 // of what is read now, see meter
	words     *written.Words
	delimiter byte
	encoding  encoding.Encoding // nil: UTF-8
	charset   string            // its name, "" for UTF-8
	examples  []string          // words as it reads them, where it was found out
	header    bool
	titles    int      // records above the header
	names     int      // records of the header; 0: there is none
	nameLine  int      // of the header
	headCells [][]cell // the header's records
	columns   []*column
	totals    []totalLine
	full      []int // columns that nearly all rows fill
	repeated  int64 // headers among the rows
	blank     int   // lines of nothing but separators
}

// usualDelimiters are those that programs write, the most usual first.
const usualDelimiters = ",;\t|"

// maxTotals bounds the lines of a file that may be sums.
const maxTotals = 1000

func (b *builder) loadCSV(ctx context.Context, f *csvFile, name string, declared *ddl.Table) error {
	info, err := b.statInput(f.input)
	if err != nil {
		return err
	}
	path := f.path
	f.options, f.words, f.meter = &b.options, b.words, &b.meter
	if err := f.sniff(ctx, declared); err != nil {
		return err
	}
	if declared != nil {
		name = declared.Name.Table
	}
	if f.book == nil && b.options.Delimiter == 0 && !strings.ContainsRune(usualDelimiters, rune(f.delimiter)) {
		b.problem(Problem{Kind: KindNote, File: path, Message: fmt.Sprintf("%q is taken for the delimiter; --delimiter says otherwise", f.delimiter)})
	}
	if len(f.examples) > 0 {
		b.problem(Problem{Kind: KindNote, File: path, Message: fmt.Sprintf("the file is not UTF-8 and is read as %s, which makes “%s” of it; --encoding says otherwise", f.charset, strings.Join(f.examples, "”, “"))})
	}
	if f.titles > 0 {
		b.problem(Problem{Kind: KindNote, File: path, Line: f.nameLine, Message: titlesMessage(f.titles)})
	}
	if f.names > 1 {
		b.problem(Problem{Kind: KindNote, File: path, Line: f.nameLine, Message: fmt.Sprintf("%d lines name the columns together", f.names)})
	}
	if !f.header {
		b.problem(Problem{Kind: KindNote, File: path, Line: f.nameLine, Message: "the first line holds values, not names of columns: the columns are named from the schema or by number"})
	}
	f.weight = weightLearn
	rows, err := b.learn(ctx, f)
	if err != nil {
		return err
	}
	b.settleColumns(f)
	f.judgeTotals(rows)
	columns := withMissing(f.kept(), declared)
	t := b.declare(mainSchema, name, path, info.ModTime())
	if t == nil {
		return &placed{message: "the table is left out"}
	}
	if err := b.create(ctx, t, columns); err != nil {
		return err
	}
	f.weight = weightLoad
	l := &csvLoad{builder: b, file: f, table: t.Name.Table, row: make([]driver.Value, len(columns))}
	if err := b.appendRows(ctx, t, func(add func([]driver.Value) error) error {
		l.add = add
		return l.load(ctx)
	}); err != nil {
		return errors.Join(err, b.drop(context.WithoutCancel(ctx), t))
	}
	l.tell()
	t.UnreadRows = l.skipped
	for i, c := range columns {
		c.toldOf.into(&t.Columns[i])
	}
	if declared != nil {
		b.describe(t, declared, inMain)
	}
	b.done(t, l.rows, l.skipped)
	return nil
}

func titlesMessage(n int) string {
	if n == 1 {
		return "the line above this one is taken for a title and is passed over; --skip-rows says otherwise"
	}
	return fmt.Sprintf("the %d lines above this one are taken for titles and are passed over; --skip-rows says otherwise", n)
}

// settleColumns chooses types and names, and reports what people should know.
func (b *builder) settleColumns(f *csvFile) {
	customs := customsOf(f.columns, f.options)
	for i, c := range f.columns {
		if message := c.settleFile(customs); message != "" {
			b.problem(Problem{Kind: KindChanged, File: f.path, Message: message})
		}
		c.settleAbsent(f.options.guessNulls)
		c.settleMarks(i == 0)
		c.dropped = f.header && c.name == "" && c.seen == 0 && len(f.columns) > 1
	}
	uniqueNames(f.columns, func(i int, from, to string) {
		if f.header && !f.columns[i].dropped {
			b.problem(Problem{Kind: KindChanged, File: f.path, Line: f.nameLine, Message: fmt.Sprintf("column %d is named %q, which is empty or taken: it becomes %q", i+1, from, to)})
		}
	})
	for i, c := range f.columns {
		switch {
		case c.dropped:
			b.problem(Problem{Kind: KindNote, File: f.path, Line: f.nameLine, Message: fmt.Sprintf("column %d has neither a name nor a value and is left out", i+1)})
		default:
			b.tellReading(c, f.path)
		}
		b.tellKept(c, f.path)
	}
}

// tellReading reports how the texts of a column are read, where they are not plain.
func (b *builder) tellReading(c *column, file string) {
	switch {
	case c.why != "" && (c.declared == nil || c.declared.Type == ""):
		b.problem(Problem{Kind: KindTextNumbers, File: file, Message: fmt.Sprintf("column %q looks like a %s and stays text: %s", c.name, c.resembles, c.why)})
	case c.written != "":
		b.problem(Problem{Kind: KindNote, File: file, Message: fmt.Sprintf("column %q is read as %s: %s", c.name, c.typ.presto(), c.written)})
	}
}

// kept are the columns that the table has, each with its place there.
func (f *csvFile) kept() []*column {
	kept := make([]*column, 0, len(f.columns))
	for _, c := range f.columns {
		if !c.dropped {
			c.at = len(kept)
			kept = append(kept, c)
		}
	}
	return kept
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

// learn reads the whole file and lets the columns see all values of the rows that
// have one for each. A file with too many others is broken.
func (b *builder) learn(ctx context.Context, f *csvFile) (rows int64, err error) {
	var first *placed
	var others int64
	for _, c := range f.columns {
		c.habit = newHabit(f.words)
	}
	err = f.batches(ctx, nil, func(some *batch) error {
		for i := range some.records {
			switch r := &some.records[i]; {
			case r.fault == nil:
				rows++
			case first == nil:
				first = r.fault
				fallthrough
			default:
				others++
			}
		}
		sideBySide(f.columns, b.options.Threads, func(at int, c *column) {
			for i := range some.records {
				c.learn(&some.records[i], at)
			}
		})
		return nil
	})
	if err != nil {
		return 0, err
	}
	if share := float64(others) / float64(max(rows+others, 1)); share > b.options.MaxBadRowShare {
		return 0, &placed{first.line, first.column, fmt.Sprintf("%d of %d rows cannot be read, so the file is left out; the first: %s", others, rows+others, first.message)}
	}
	return rows, nil
}

// learn takes the value of a record into account, which is its cell number at.
func (c *column) learn(r *record, at int) {
	if r.fault != nil {
		c.habit.runs.unknown()
		return
	}
	if r.cells[at].null || r.cells[at].text == "" {
		c.habit.empty = true
		c.habit.runs.gap()
		return
	}
	c.habit.runs.see(r.cells[at].text)
	c.observe(r.cells[at].text)
}

// open returns the file's text as UTF-8 without a byte order mark.
func (f *csvFile) open(ctx context.Context) (io.Reader, io.Closer, error) {
	file, err := openInput(ctx, f.input)
	if err != nil {
		return nil, nil, &placed{message: "the file cannot be read: " + err.Error()}
	}
	r, unpacker, err := unpack(f.meter.over(file, f.weight), f.packing, f.options.MaxFileBytes)
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	if f.encoding != nil {
		r = f.encoding.NewDecoder().Reader(r)
	}
	text := bufio.NewReaderSize(r, sniffBytes)
	if head, err := text.Peek(3); err == nil && bytes.Equal(head, []byte("\xEF\xBB\xBF")) {
		_, _ = text.Discard(3) // it was just peeked
	}
	for range f.options.SkipRows {
		skipLine(text)
	}
	return text, closers{unpacker, file}, nil
}

// skipLine passes over a line, however long. An error comes again with the next read.
func skipLine(text *bufio.Reader) {
	for {
		if _, err := text.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// recordReader reads a file record by record, as csvReader.read says.
type recordReader interface {
	read() ([]cell, error)
	at() int // line of the latest record
}

// records opens the file for reading.
func (f *csvFile) records(ctx context.Context) (recordReader, io.Closer, error) {
	if f.book != nil {
		r, closer, err := newSheetReader(f.words, f.book, f.sheet)
		for range f.options.SkipRows {
			if err == nil && r.stored.Next() && r.shown.Next() {
				r.line++
			}
		}
		return r, closer, err
	}
	text, closer, err := f.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	r := newCSVReader(text, f.delimiter, f.options.MaxFieldBytes)
	r.charset = f.charset
	r.line += f.options.SkipRows
	return r, closer, nil
}

// record is one of a file, after its header.
type record struct {
	number, line int
	cells        []cell      // good until the next one
	fault        *placed     // it does not fit the columns
	laid         bool        // it has too few or too many values, and may yet be laid
	values       []readValue // of the cells, where a batch has read them; good as long as they are
}

// each hands over the records after the header, but for headers that come again.
// Lines that may be totals are gathered in f.totals the first time.
func (f *csvFile) each(ctx context.Context, take func(record) error) error {
	r, closer, err := f.records(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = closer.Close() }()
	f.repeated, f.blank = 0, 0
	known := f.totals
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
		if p == nil && isRule(cells) {
			f.blank++
			n-- // as in headRecords
			continue
		}
		if n < f.titles+f.names {
			continue
		}
		if p == nil && f.isHeader(cells) {
			f.repeated++
			continue
		}
		if p == nil && blank(cells, len(f.columns)) {
			f.blank++
			continue
		}
		if p == nil && f.isTotal(cells) && f.noteTotal(known, n, r.at(), cells) {
			continue
		}
		rec := record{number: n, line: r.at(), cells: cells, fault: p}
		if p == nil {
			rec.cells, rec.fault = f.fit(cells, r.at())
			rec.laid = rec.fault != nil
		}
		if err := take(rec); err != nil {
			return err
		}
	}
}

// noteTotal keeps a line that may be a total; false where there are too many.
func (f *csvFile) noteTotal(known []totalLine, number, line int, cells []cell) bool {
	if known == nil && len(f.totals) < maxTotals {
		f.totals = append(f.totals, totalLine{record: number, line: line, cells: slices.Clone(cells)})
		return true
	}
	return slices.ContainsFunc(known, func(t totalLine) bool { return t.record == number })
}

// blank reports a line of nothing but separators, as spreadsheets write rows that are empty.
func blank(cells []cell, columns int) bool {
	return columns > 1 && !slices.ContainsFunc(cells, func(c cell) bool { return c.quoted || strings.TrimSpace(c.text) != "" })
}

// shortestRule is how many signs of a line make it a rule, and fewestRuled how many where it is divided as the rows
// are.
const (
	shortestRule = 5
	fewestRuled  = 2
)

// isRule reports a line that is drawn under others: "-----", "==== ====", "|---|---|".
func isRule(cells []cell) bool {
	if len(cells) == 0 {
		return false
	}
	if first := cells[0].text; first != "" && isLetterOrDigit(rune(first[0])) && first[0] < utf8.RuneSelf {
		return false // as nearly all records are
	}
	signs := 0
	for _, c := range cells {
		text := strings.TrimSpace(c.text)
		if c.quoted || text != "" && (strings.Trim(text, "-=_+:|* ─═") != "" || len(text) < fewestRuled && len(cells) > 1) {
			return false
		}
		signs += utf8.RuneCountInString(text)
	}
	return signs >= shortestRule
}

// isHeader reports the header among the rows, as in files that were joined.
func (f *csvFile) isHeader(cells []cell) bool {
	return f.names > 0 && len(cells) > 1 && slices.ContainsFunc(f.headCells, func(head []cell) bool {
		return slices.EqualFunc(cells, head, func(a, b cell) bool { return a.text == b.text })
	})
}

// fit checks a record's length and finds its NULLs.
func (f *csvFile) fit(cells []cell, line int) ([]cell, *placed) {
	want := len(f.columns)
	for len(cells) > want && cells[len(cells)-1].text == "" { // delimiters at the end of a line
		cells = cells[:len(cells)-1]
	}
	for i := range cells {
		if c := &cells[i]; !c.quoted {
			c.null = slices.Contains(f.options.NullTokens, c.text) || slices.Contains(f.options.NullTokens, strings.TrimSpace(c.text))
		}
	}
	if len(cells) != want {
		return cells, &placed{line, 1, fmt.Sprintf("it has %d values for %d columns", len(cells), want)}
	}
	return cells, nil
}

// sniff finds out encoding, delimiter, header and columns.
func (f *csvFile) sniff(ctx context.Context, declared *ddl.Table) error {
	if f.book != nil {
		f.delimiter = ','
		return f.sniffHeader(ctx, declared)
	}
	if err := f.sniffEncoding(ctx); err != nil {
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

func (f *csvFile) sniffEncoding(ctx context.Context) error {
	if f.options.Encoding != "" {
		e, err := namedEncoding(f.options.Encoding)
		if err != nil {
			return err
		}
		f.encoding, f.charset = e, f.options.Encoding
		return nil
	}
	file, closer, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = closer.Close() }()
	var mark [2]byte
	if n, err := io.ReadFull(file, mark[:]); err != nil && n == 0 {
		if p := (*placed)(nil); errors.As(err, &p) {
			return p
		}
		return &placed{message: "the file is empty"}
	}
	if mark == [2]byte{0xFF, 0xFE} || mark == [2]byte{0xFE, 0xFF} {
		f.encoding, f.charset = unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), "utf-16"
		return nil
	}
	return f.findEncoding(io.MultiReader(bytes.NewReader(mark[:]), file))
}

// findEncoding judges the encoding by the whole text, which is r. Where none is
// plausible it is read as UTF-8, and each value that is not is told.
func (f *csvFile) findEncoding(r io.Reader) error {
	found, err := charset.Find(r)
	if p := (*placed)(nil); errors.As(err, &p) {
		return p
	} else if err != nil {
		return &placed{message: "the file cannot be read: " + err.Error()}
	}
	if found.Encoding == "" || found.Encoding == charset.UTF8 {
		return nil
	}
	f.charset, f.examples = found.Encoding, found.Examples
	f.encoding, err = htmlindex.Get(found.Encoding)
	return err
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
	for _, d := range []byte(usualDelimiters) {
		records := headRecords(newCSVReader(bytes.NewReader(head), d, len(head)+1)).records
		width, alike := usualWidth(records), 0
		for _, cells := range records {
			if len(cells) == width && !(d == ',' && decimalCommas(cells)) {
				alike++
			}
		}
		if score := alike*1000 + min(width, 999); width > 1 && score > bestScore {
			best, bestScore = d, score
		}
	}
	if bestScore == 0 {
		best = rareDelimiter(head, best)
	}
	return best, nil
}

// rareDelimiter finds one that few programs write: a tilde, a circumflex, the separators of
// ASCII. It is taken where nothing else cuts the lines, each line has it as often, and
// all that stands in the first one has a name; else usual is.
func rareDelimiter(head []byte, usual byte) byte {
	for _, d := range []byte("~^#!\x01\x02\x03\x1c\x1d\x1e\x1f") {
		records := headRecords(newCSVReader(bytes.NewReader(head), d, len(head)+1)).records
		width := usualWidth(records)
		if width < 2 || len(records) < 2 {
			continue
		}
		alike := !slices.ContainsFunc(records, func(cells []cell) bool { return len(cells) != width })
		named := !slices.ContainsFunc(records[0], func(c cell) bool { return strings.TrimSpace(c.text) == "" })
		if alike && named {
			return d
		}
	}
	return usual
}

// decimalCommas reports commas of which each stands between two digits while something
// else divides the line: marks of decimals.
func decimalCommas(cells []cell) bool {
	divided := false
	for i, c := range cells {
		divided = divided || !c.quoted && strings.ContainsAny(c.text, ";\t|")
		if i > 0 && (!endsInDigit(cells[i-1].text) || c.text == "" || c.text[0] < '0' || c.text[0] > '9') {
			return false
		}
	}
	return divided
}

func endsInDigit(s string) bool { return s != "" && s[len(s)-1] >= '0' && s[len(s)-1] <= '9' }

// headRecords reads the first records, up to a fault.
func headRecords(r recordReader) head {
	var h head
	for len(h.records) < sniffRecords {
		cells, err := r.read()
		if err != nil {
			break
		}
		if isRule(cells) {
			continue
		}
		h.records, h.lines = append(h.records, slices.Clone(cells)), append(h.lines, r.at())
	}
	return h
}

// sniffHeader names the columns from the first records or from the declaration.
func (f *csvFile) sniffHeader(ctx context.Context, declared *ddl.Table) error {
	r, closer, err := f.records(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = closer.Close() }()
	h := headRecords(r)
	if len(h.records) == 0 {
		_, err := f.firstRecord(ctx)
		return err
	}
	if f.options.SkipRows == 0 {
		f.titles = h.titles()
	}
	cells := h.records[f.titles]
	f.nameLine = h.lines[f.titles]
	if len(cells) > f.options.MaxColumns {
		return &placed{f.nameLine, 1, fmt.Sprintf("%d columns: at most %d (MaxColumns)", len(cells), f.options.MaxColumns)}
	}
	f.header = f.options.Header == HeaderYes || f.options.Header == HeaderAuto && looksLikeNames(cells, declared)
	if f.header {
		f.names = h.headerRows(f.words, f.titles)
		rows := h.records[f.titles : f.titles+f.names]
		f.headCells = rows
		cells = joinedNames(rows)
		var following []cell
		if f.titles+f.names < len(h.records) {
			following = h.records[f.titles+f.names]
		}
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

// firstRecord tells why a file has none that can be read.
func (f *csvFile) firstRecord(ctx context.Context) ([]cell, error) {
	r, closer, err := f.records(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = closer.Close() }()
	cells, err := r.read()
	if errors.Is(err, io.EOF) {
		return nil, &placed{message: "the file is empty"}
	}
	return cells, err
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
