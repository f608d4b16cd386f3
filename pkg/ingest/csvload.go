package ingest

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"slices"
	"strings"
)

// csvLoad puts the rows of a file into its table, and notes what has no place there.
type csvLoad struct {
	*builder
	file  *csvFile
	table string
	add   func([]driver.Value) error
	row   []driver.Value
	sums  []float64 // of the numbers, by column of the file

	below []record // that may be remarks below the last row
	mixed bool     // there are too many such for them to be remarks

	rows, skipped, laid, kept int64
}

// maxRemarks bounds the lines below the last row.
const maxRemarks = 100

// load reads the file again.
func (l *csvLoad) load(ctx context.Context) error {
	f := l.file
	l.sums = make([]float64, len(f.columns))
	err := f.batches(ctx, func(b *batch) { b.readValues(f.columns) }, func(b *batch) error {
		before := l.rows
		for i := range b.records {
			if err := l.record(b.records[i]); err != nil {
				return err
			}
		}
		l.meter.addRows(l.rows - before)
		return nil
	})
	if err != nil {
		return err
	}
	before := l.rows
	for _, r := range l.below {
		if l.onlyNumbers(r.cells) {
			if err := l.unnamed(r); err != nil {
				return err
			}
			continue
		}
		r.fault = &placed{r.line, 1, "it stands below the last row, lacks what the rows have, and has words in place of their values"}
		l.leaveOut(r)
	}
	if err := l.judge(); err != nil {
		return err
	}
	l.meter.addRows(l.rows - before)
	return nil
}

// record puts one record, whole or laid, or leaves it out.
func (l *csvLoad) record(r record) error {
	if r.fault == nil {
		return l.take(r)
	}
	f := l.file
	laid, how, ok := []cell(nil), "", false
	if r.laid {
		laid, how, ok = f.lay(r.cells)
	}
	if !ok {
		l.leaveOut(r)
		return nil
	}
	if l.laid++; l.laid <= shownProblems {
		l.problem(Problem{Kind: KindChanged, File: f.path, Line: r.line, Column: r.fault.column, Message: "this row is kept: " + r.fault.message + ", and " + how})
	}
	l.unread.keep(Unread{Table: l.table, Line: r.line, Text: f.rejoin(r.cells), Why: "kept as a row: " + how})
	return l.put(r.line, laid, nil)
}

// take puts a record that has a value for each column. Those that are unlike the rows
// wait: when no row follows, they are remarks about the rows, such as their average, and
// counting them would make sums wrong.
func (l *csvLoad) take(r record) error {
	if !l.mixed && l.unlikeRows(r.cells) {
		l.mixed = len(l.below) == maxRemarks
		r.cells, r.values = slices.Clone(r.cells), nil
		l.below = append(l.below, r)
		if !l.mixed {
			return nil
		}
		return l.flush()
	}
	if err := l.flush(); err != nil {
		return err
	}
	return l.put(r.line, r.cells, r.values)
}

// unnamed decides about a line of nothing but numbers below the last row: it is their sum, or a row.
func (l *csvLoad) unnamed(r record) error {
	if !l.adds(r.cells) {
		return l.put(r.line, r.cells, nil)
	}
	l.leaveOutTotal(r.line, r.cells)
	return nil
}

// onlyNumbers reports a record that has nothing but numbers, and lacks what nearly all rows have.
func (l *csvLoad) onlyNumbers(cells []cell) bool {
	numbers := 0
	for i, c := range cells {
		if text := strings.TrimSpace(c.text); c.null || text == "" {
			continue
		}
		if k := l.file.columns[i]; k.dropped || k.typ.kind == kindDate || k.typ.kind == kindTimestamp || classOf(l.file.words, c.text)&(classNumber|classEmpty) == 0 && !isClock(c.text) {
			return false
		}
		numbers++
	}
	return numbers > 0
}

// isClock reports hours and minutes, which sums have as well: "00:03:10".
func isClock(text string) bool {
	return strings.Contains(text, ":") && strings.Trim(text, "0123456789: ") == ""
}

// flush makes rows of the records that wait.
func (l *csvLoad) flush() error {
	for _, b := range l.below {
		if err := l.put(b.line, b.cells, nil); err != nil {
			return err
		}
	}
	l.below = l.below[:0]
	return nil
}

// unlikeRows reports a record without a value that nearly all rows have, which has words
// in a column of numbers, days or flags.
func (l *csvLoad) unlikeRows(cells []cell) bool {
	empty := func(i int) bool { return cells[i].null || strings.TrimSpace(cells[i].text) == "" }
	f := l.file
	if f.options.KeepTotals || !slices.ContainsFunc(f.full, empty) {
		return false
	}
	if l.onlyNumbers(cells) {
		return true
	}
	for i, c := range f.columns {
		if c.typ.kind == kindVarchar || c.dropped || empty(i) || classOf(f.words, cells[i].text) != classOther {
			continue
		}
		if _, ok := c.value(cells[i].text); !ok {
			return true
		}
	}
	return false
}

func (l *csvLoad) leaveOut(r record) {
	for _, c := range l.file.columns {
		if c.fills { // the line may have had the value of those below it
			c.last, c.lost = nil, true
		}
	}
	if l.skipped++; l.skipped <= shownProblems {
		l.problem(Problem{Kind: KindRowSkipped, File: l.file.path, Line: r.fault.line, Column: r.fault.column, Message: "this row is left out: " + r.fault.message})
	}
	l.unread.keep(Unread{Table: l.table, Line: r.line, Text: l.file.rejoin(r.cells), Why: "left out: " + r.fault.message})
}

// put adds a row; values that do not fit are NULL and noted. values are those of the cells where they are read
// already, else nil.
func (l *csvLoad) put(line int, cells []cell, values []readValue) error {
	clear(l.row)
	for i, c := range l.file.columns {
		if c.fills && (cells[i].null || strings.TrimSpace(cells[i].text) == "") {
			if l.row[c.at] = c.last; c.lost {
				if c.unread++; c.unread <= shownProblems {
					l.problem(Problem{Kind: KindValueUnread, File: l.file.path, Line: line, Message: fmt.Sprintf("column %q: the value that holds for this row may be in a line above that is left out; it is NULL in the table", c.name)})
				}
			}
			continue
		}
		if cells[i].null || c.dropped {
			continue
		}
		var v driver.Value
		var ok bool
		if values != nil {
			v, ok = values[i].value, values[i].ok
		} else {
			v, ok = c.value(cells[i].text)
		}
		if !ok {
			l.unreadValue(c, Unread{Table: l.table, Line: line, Column: c.name, Text: cells[i].text}, l.file.path)
		} else if v == nil && strings.TrimSpace(cells[i].text) != "" {
			c.absentRows++
		}
		l.row[c.at], c.last, c.lost = v, v, false
		if l.sums != nil {
			l.sums[i] += number(v)
		}
	}
	l.rows++
	return l.add(l.row)
}

func number(v driver.Value) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

// judge decides about the lines that may be sums of others: those that lack what
// the rows have are, and those whose numbers are the sums. The others are rows.
func (l *csvLoad) judge() error {
	for _, t := range l.file.totals {
		cells, fault := l.file.fit(t.cells, t.line)
		if !t.sure && !l.adds(cells) && fault == nil {
			if l.kept++; l.kept <= shownProblems {
				l.problem(Problem{Kind: KindNote, File: l.file.path, Line: t.line, Message: "this line is called a total or an average, but it has all that the rows have, and its numbers are not their sums: it is kept as a row"})
			}
			if err := l.put(t.line, cells, nil); err != nil {
				return err
			}
			continue
		}
		l.leaveOutTotal(t.line, t.cells)
	}
	return nil
}

func (l *csvLoad) leaveOutTotal(line int, cells []cell) {
	l.problem(Problem{Kind: KindNote, File: l.file.path, Line: line, Message: "this line is a total or an average of others and is left out: --keep-totals keeps it"})
	l.unread.keep(Unread{Table: l.table, Line: line, Text: l.file.rejoin(cells), Why: "a total or an average of other lines"})
}

// sumTolerance is by how much a printed sum may differ from the sum of the rows.
const sumTolerance = 1e-3

// adds reports a line of which a number is the sum of its column.
func (l *csvLoad) adds(cells []cell) bool {
	for i, c := range l.file.columns {
		if i >= len(cells) || cells[i].text == "" {
			continue
		}
		v, ok := c.value(cells[i].text)
		n := number(v)
		if ok && n != 0 && math.Abs(n-l.sums[i]) <= sumTolerance*math.Abs(n) {
			return true
		}
	}
	return false
}

// rejoin is a record as a line.
func (f *csvFile) rejoin(cells []cell) string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = c.text
		if c.quoted {
			texts[i] = `"` + strings.ReplaceAll(c.text, `"`, `""`) + `"`
		}
	}
	return strings.Join(texts, string(rune(f.delimiter)))
}

// tell sums up what was told line by line only at first.
func (l *csvLoad) tell() {
	more := func(kind Kind, n int64, message string) {
		if n > shownProblems {
			l.problem(Problem{Kind: kind, File: l.file.path, Message: fmt.Sprintf(message, n-shownProblems)})
		}
	}
	more(KindRowSkipped, l.skipped, "%d more rows are left out for such reasons")
	more(KindChanged, l.laid, "%d more rows with too few or too many values are kept")
	for _, c := range l.file.columns {
		l.moreUnread(c, l.file.path)
	}
	if n := l.file.blank; n > 0 {
		l.problem(Problem{Kind: KindNote, File: l.file.path, Message: linesMessage(n)})
	}
	if l.file.repeated > 0 {
		l.problem(Problem{Kind: KindNote, File: l.file.path, Message: fmt.Sprintf("the header comes again %d times among the rows and is left out there", l.file.repeated)})
	}
}

// linesMessage says how many lines were empty.
func linesMessage(n int) string {
	if n == 1 {
		return "1 line of nothing but separators is left out"
	}
	return fmt.Sprintf("%d lines of nothing but separators are left out", n)
}
