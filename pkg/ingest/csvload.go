package ingest

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
)

// csvLoad puts the rows of a file into its table, and notes what has no place there.
type csvLoad struct {
	*builder
	file  *csvFile
	table string
	add   func([]driver.Value) error
	row   []driver.Value
	sums  []float64 // of the numbers, by column of the file; only where totals are in doubt

	rows, skipped, laid int64
}

// load reads the file again.
func (l *csvLoad) load(ctx context.Context) error {
	f := l.file
	for _, t := range f.totals {
		if !t.sure && l.sums == nil {
			l.sums = make([]float64, len(f.columns))
		}
	}
	err := f.each(ctx, func(r record) error {
		if r.fault == nil {
			return l.put(r.line, r.cells)
		}
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
		return l.put(r.line, laid)
	})
	if err != nil {
		return err
	}
	return l.judge()
}

func (l *csvLoad) leaveOut(r record) {
	if l.skipped++; l.skipped <= shownProblems {
		l.problem(Problem{Kind: KindRowSkipped, File: l.file.path, Line: r.fault.line, Column: r.fault.column, Message: "this row is left out: " + r.fault.message})
	}
	l.unread.keep(Unread{Table: l.table, Line: r.line, Text: l.file.rejoin(r.cells), Why: "left out: " + r.fault.message})
}

// put adds a row; values that do not fit are NULL and noted.
func (l *csvLoad) put(line int, cells []cell) error {
	clear(l.row)
	for i, c := range l.file.columns {
		if cells[i].null || c.dropped {
			continue
		}
		v, ok := c.value(cells[i].text)
		if !ok {
			if c.unread++; c.unread <= shownProblems {
				l.problem(Problem{Kind: KindValueUnread, File: l.file.path, Line: line, Message: fmt.Sprintf("column %q: %q is no %s; it is NULL in the table", c.name, clip(cells[i].text), c.typ.presto())})
			}
			l.unread.keep(Unread{Table: l.table, Line: line, Column: c.name, Text: cells[i].text, Why: "not a " + c.typ.presto()})
		}
		l.row[c.at] = v
		if l.sums != nil {
			l.sums[i] += number(v)
		}
	}
	l.rows++
	l.meter.now.Rows++
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
			l.problem(Problem{Kind: KindNote, File: l.file.path, Line: t.line, Message: "this line is called a total, but its numbers are not the sums of the others: it is kept as a row"})
			if err := l.put(t.line, cells); err != nil {
				return err
			}
			continue
		}
		l.problem(Problem{Kind: KindNote, File: l.file.path, Line: t.line, Message: "this line is a total of others and is left out: --keep-totals keeps it"})
		l.unread.keep(Unread{Table: l.table, Line: t.line, Text: l.file.rejoin(t.cells), Why: "a total of other lines"})
	}
	return nil
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
		more(KindValueUnread, c.unread, "column "+strings.ReplaceAll(lang.Shorten(c.name, 80), "%", "%%")+": %d more values do not fit")
	}
	if l.file.repeated > 0 {
		l.problem(Problem{Kind: KindNote, File: l.file.path, Message: fmt.Sprintf("the header comes again %d times among the rows and is left out there", l.file.repeated)})
	}
}
