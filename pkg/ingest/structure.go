package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// titleShare is up to which part of the usual number of values a line at the top of
// a file is a title.
const titleShare = 1.0 / 3

// head is what stands at the top of a file.
type head struct {
	records [][]cell
	lines   []int
}

// usualWidth is the number of values that most records have; the larger of two.
func usualWidth(records [][]cell) int {
	counts := map[int]int{}
	best := 0
	for _, r := range records {
		n := len(r)
		if counts[n]++; counts[n] > counts[best] || counts[n] == counts[best] && n > best {
			best = n
		}
	}
	return best
}

func filled(cells []cell) int {
	n := 0
	for _, c := range cells {
		if strings.TrimSpace(c.text) != "" {
			n++
		}
	}
	return n
}

// titles counts the records before the names of the columns: those with hardly any
// of the values that the others have. Where all are so there are no titles.
func (h head) titles() int {
	width := usualWidth(h.records)
	used := min(width, len(h.used()))
	for i, r := range h.records {
		few := float64(filled(r)) <= max(1, titleShare*float64(used))
		if width < 2 || !few || len(r) >= width && width < 3 {
			return h.afterPairs(i, width)
		}
	}
	return 0
}

// used are the columns that have a value in some record.
func (h head) used() map[int]bool {
	has := map[int]bool{}
	for _, r := range h.records {
		for i, c := range r {
			if !has[i] && strings.TrimSpace(c.text) != "" {
				has[i] = true
			}
		}
	}
	return has
}

// pairShare is up to which part of the usual number of values a line may have that says something of the file,
// as a word and its value at the left.
const pairShare = 0.5

// fewestNamed is how many names a line has to have for those above it to say something of the file.
const fewestNamed = 4

// afterPairs passes over lines such as "Account;DE12;;;" from the one at first on, where a full line of
// names follows them.
func (h head) afterPairs(first, width int) int {
	at := first
	for at < len(h.records) {
		r := h.records[at]
		n := filled(r)
		if float64(n) > pairShare*float64(width) || n > 0 && filled(r[:n]) < n {
			break
		}
		at++
	}
	if at == len(h.records) || at == first || filled(h.records[at]) < max(width, fewestNamed) {
		return first
	}
	for _, c := range h.records[at] {
		if _, _, isTime := readTime(c.text); isTime || isNumber(c.text) {
			return first // values, not names
		}
	}
	return at
}

// headerRows counts the records, from the one at first on, that name the columns
// together: groups above names, units below them, or both.
func (h head) headerRows(words *written.Words, first int) int {
	if len(h.records) < first+4 {
		return 1 // too few rows to tell
	}
	top, below, rows := h.records[first], h.records[first+1], h.records[first+2:]
	if len(top) != len(below) {
		return 1
	}
	named, numeric := false, false
	grouped, units := filled(top) < len(top), filled(below) > 0
	used := h.used()
	for i, c := range below {
		text := strings.TrimSpace(c.text)
		switch classOf(words, text) {
		case classNumber, classMoment:
			return 1
		case classEmpty:
			grouped = grouped && (strings.TrimSpace(top[i].text) != "" || !used[i])
			continue
		}
		units = units && (words.IsUnit(strings.Trim(text, "()[]")) || bracketed(text))
		if h.mostlyValues(words, rows, i) {
			numeric = true
			named = named || !words.IsNull(text)
		}
	}
	if !numeric || !named || !grouped && !units {
		return 1
	}
	if !units && len(rows) > 2 && onlyUnits(words, rows[0]) {
		return 3
	}
	return 2
}

// onlyUnits reports a record of units and nothing else.
func onlyUnits(words *written.Words, cells []cell) bool {
	for _, c := range cells {
		text := strings.TrimSpace(c.text)
		if text != "" && !words.IsUnit(strings.Trim(text, "()[]")) && !bracketed(text) {
			return false
		}
	}
	return filled(cells) > 0
}

func bracketed(s string) bool {
	return len(s) > 2 && (s[0] == '(' && s[len(s)-1] == ')' || s[0] == '[' && s[len(s)-1] == ']')
}

// mostlyValues reports a column of numbers or days.
func (h head) mostlyValues(words *written.Words, rows [][]cell, column int) bool {
	values, seen := 0, 0
	for _, r := range rows {
		if column >= len(r) {
			continue
		}
		switch classOf(words, strings.TrimSpace(r[column].text)) {
		case classNumber, classMoment:
			values, seen = values+1, seen+1
		case classOther:
			seen++
		}
	}
	return values > 0 && 2*values > seen
}

// joinedNames makes one name of the header's rows. A group stands over the columns
// to its right until the next.
func joinedNames(rows [][]cell) []cell {
	names := slices.Clone(rows[0])
	if len(rows) == 1 {
		return names
	}
	if len(rows) > 2 {
		return joinedNames([][]cell{joinedNames(rows[:2]), rows[2]})
	}
	group := ""
	for i := range names {
		if text := strings.TrimSpace(names[i].text); text != "" {
			group = text
		}
		below := strings.TrimSpace(rows[1][i].text)
		switch {
		case below == "":
			names[i].text = group
		case !strings.EqualFold(below, group):
			names[i].text = strings.TrimSpace(group + " " + below)
		}
	}
	return names
}

// isTotal reports a record that names a sum and has nothing else but numbers.
func (f *csvFile) isTotal(cells []cell) bool {
	if f.options.KeepTotals || len(f.columns) < 2 {
		return false
	}
	named, numbers := false, 0
	if f.isSum(cells) {
		return true
	}
	for _, c := range cells {
		text := strings.TrimSpace(c.text)
		switch {
		case text == "":
		case !named:
			if !f.words.IsTotal(text) {
				return false
			}
			named = true
		case f.hasAmount(text):
			numbers++
		case !f.words.IsNull(text):
			return false
		}
	}
	return named && numbers > 0
}

// isSum reports a record that names a sum in any column, has a number and lacks other values: ledgers write
// the day and the side of the sum beside it. It asks the cheapest first, for it is asked of every row.
func (f *csvFile) isSum(cells []cell) bool {
	if len(cells) >= len(f.columns) && !slices.ContainsFunc(cells[:len(f.columns)], func(c cell) bool { return strings.TrimSpace(c.text) == "" }) {
		return false
	}
	name := slices.IndexFunc(cells, func(c cell) bool { return f.words.IsSum(strings.TrimSpace(c.text)) })
	if name < 0 {
		return false
	}
	for i, c := range cells {
		if text := strings.TrimSpace(c.text); i != name && text != "" && f.hasAmount(text) {
			return true
		}
	}
	return false
}

// hasAmount reports a number, also one that words stand beside.
func (f *csvFile) hasAmount(text string) bool {
	return classOf(f.words, text) == classNumber || f.words.HoldsAmount(text)
}

// totalLine is a line that seems to add up others.
type totalLine struct {
	record, line int
	cells        []cell
	sure         bool // it lacks what nearly all rows have
}

// judgeTotals tells the lines that are sums for sure: they lack what the rows have.
func (f *csvFile) judgeTotals(rows int64) {
	for i, c := range f.columns {
		if float64(c.seen) >= fitShare*float64(rows) {
			f.full = append(f.full, i)
		}
	}
	for i := range f.totals {
		t := &f.totals[i]
		for at, c := range f.columns {
			empty := at >= len(t.cells) || strings.TrimSpace(t.cells[at].text) == ""
			if empty && float64(c.seen) >= fitShare*float64(rows) && c.typ.kind != kindDouble && c.typ.kind != kindDecimal {
				t.sure = true
			}
		}
	}
}

// lay puts the values of a line that is too short or too long under the columns. It
// succeeds only where one way of doing so fits all types, for a shifted value is a
// wrong one. The result says what was done.
func (f *csvFile) lay(cells []cell) (laid []cell, how string, ok bool) {
	want := len(f.columns)
	short := want - len(cells)
	fits := func(column int, c cell) bool { return f.columns[column].takes(f.words, c) }
	// before[i]: the first i values fit from the left; after[i]: those from i on fit from the right.
	before := make([]bool, len(cells)+1)
	after := make([]bool, len(cells)+1)
	before[0], after[len(cells)] = true, true
	for i := range cells {
		before[i+1] = before[i] && i < want && fits(i, cells[i])
	}
	for i := len(cells) - 1; i >= 0; i-- {
		after[i] = after[i+1] && i+short >= 0 && fits(i+short, cells[i])
	}
	try := func(row []cell, what string) bool {
		// What stands behind the last column may belong to its text: the figures are the same.
		if laid != nil && (slices.Equal(laid, row) || short < 0 && slices.Equal(laid[:want-1], row[:want-1])) {
			return true
		}
		if laid != nil {
			return false
		}
		laid, how = row, what
		return true
	}
	if short > 0 {
		missing := make([]cell, short)
		for i := range missing {
			missing[i].null = true
		}
		for p := len(cells); p >= 0; p-- {
			if before[p] && after[p] && !try(slices.Concat(cells[:p], missing, cells[p:]), fmt.Sprintf("the values of %d columns are missing", short)) {
				return nil, "", false
			}
		}
		if laid != nil && !f.mayMiss(laid, short) {
			return nil, "", false
		}
		return laid, how, laid != nil
	}
	if before[want] && !try(slices.Clone(cells[:want]), fmt.Sprintf("%d values stand behind the last column and are left out", -short)) {
		return nil, "", false
	}
	for p := range want {
		merged, plain := f.merged(cells[p : p-short+1])
		if before[p] && after[p-short+1] && plain && fits(p, merged) &&
			!try(slices.Concat(cells[:p], []cell{merged}, cells[p-short+1:]), fmt.Sprintf("the value of %q has the delimiter in it", f.columns[p].name)) {
			return nil, "", false
		}
	}
	return laid, how, laid != nil
}

// mayMiss reports whether a row may lack so many values: fewer than half of all, or such as other rows lack, too.
// A line with less is a remark.
func (f *csvFile) mayMiss(laid []cell, missing int) bool {
	if 2*missing <= len(f.columns) {
		return true
	}
	for i, c := range f.columns {
		if laid[i].null && !c.habit.empty {
			return false
		}
	}
	return true
}

// merged is one value that delimiters cut up; plain is false where quotes say that
// they are several.
func (f *csvFile) merged(cells []cell) (merged cell, plain bool) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		if c.quoted {
			return cell{}, false
		}
		texts[i] = c.text
	}
	return cell{text: strings.Join(texts, string(rune(f.delimiter)))}, true
}

// takes reports whether a value may stand in the column: one of its type, or, in a
// text column, of a class that others there have.
func (c *column) takes(words *written.Words, v cell) bool {
	if v.null || v.text == "" {
		return c.habit.empty
	}
	if c.typ.kind == kindVarchar {
		return c.habit.classes&classOf(words, v.text) != 0
	}
	_, ok := c.value(v.text)
	return ok
}
