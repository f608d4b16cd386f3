package fixsql

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Classes of errors, as Trino names them.
const (
	classFunction  = "FUNCTION_NOT_FOUND"
	classColumn    = "COLUMN_NOT_FOUND"
	classTable     = "TABLE_NOT_FOUND"
	classAggregate = "EXPRESSION_NOT_AGGREGATE"
	classDivision  = "DIVISION_BY_ZERO"
	classCast      = "INVALID_CAST_ARGUMENT"
)

// edit is one change of a text: bytes [start, end) become text.
type edit struct {
	start, end int
	text       string
	class      string            // Trino's error name of what it repairs
	why        string            // key of the message
	args       map[string]string // of the message, beside {before} and {after}
	certainty  float64           // from 0 to 1
}

// change is an edit that was made, in terms of the original text.
type change struct {
	edit
	before       string
	line, column int // in the original
	offset       int // there
}

// draft is a statement on its way to repair. It knows where each byte of its
// text comes from, so that changes of later rounds have a place in the original.
type draft struct {
	original *tree.Source
	text     string
	from     []int // original offset of each byte of text, and of its end
	changes  []change
}

func newDraft(text string) *draft {
	d := &draft{original: tree.NewSource(text), text: text, from: make([]int, len(text)+1)}
	for i := range d.from {
		d.from[i] = i
	}
	return d
}

// apply makes edits that do not overlap; of two that do, the one that begins
// first, and of those the longer. The others are left for the next round. It
// reports whether the text changed.
func (d *draft) apply(edits []edit) bool {
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var text strings.Builder
	var from []int
	at, changed := 0, false
	for _, e := range edits {
		if e.start < at || d.text[e.start:e.end] == e.text {
			continue
		}
		text.WriteString(d.text[at:e.start])
		from = append(from, d.from[at:e.start]...)
		origin := d.from[e.start]
		for range len(e.text) {
			from = append(from, origin)
		}
		text.WriteString(e.text)
		line, column := d.original.Position(origin)
		d.changes = append(d.changes, change{edit: e, before: d.text[e.start:e.end], line: line, column: column, offset: origin})
		at, changed = e.end, true
	}
	if !changed {
		return false
	}
	text.WriteString(d.text[at:])
	d.from = append(from, d.from[at:]...)
	d.text = text.String()
	return true
}

// sorted are the changes in the order of the original text.
func (d *draft) sorted() []change {
	out := slices.Clone(d.changes)
	slices.SortStableFunc(out, func(a, b change) int { return a.offset - b.offset })
	return out
}
