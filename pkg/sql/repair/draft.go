package repair

import (
	"maps"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// edit is one change of a text: bytes [start, end) become text.
type edit struct {
	start, end int
	text       string
	class      string            // id
	code       string            // Trino's error name where it is not that of the class
	args       map[string]string // of the message, beside {before} and {after}
	certainty  float64           // from 0 to 1
}

// draft is a statement on its way to repair. It knows where each byte of its
// text comes from, so that changes of later rounds have a place in the original.
type draft struct {
	original *tree.Source
	text     string
	from     []int // original offset of each byte of text, and of its end
	changes  []Change
}

func newDraft(text string) *draft {
	d := &draft{original: tree.NewSource(text), text: text, from: make([]int, len(text)+1)}
	for i := range d.from {
		d.from[i] = i
	}
	return d
}

// note adds an edit of the text as it is to the changes.
func (d *draft) note(e edit) {
	c := Change{Class: classOf(e.class), Start: d.from[e.start], End: max(d.from[e.start], d.from[e.end]), Before: d.text[e.start:e.end], After: e.text, Confidence: e.certainty}
	if e.code != "" {
		c.Class.Code = e.code
	}
	c.Line, c.Column = d.original.Position(c.Start)
	c.args = map[string]string{"before": c.Before, "after": c.After}
	maps.Copy(c.args, e.args)
	d.changes = append(d.changes, c)
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
	at, changed, last := 0, false, -1
	for _, e := range edits {
		if e.start < at || e.start == last || d.text[e.start:e.end] == e.text {
			continue
		}
		text.WriteString(d.text[at:e.start])
		from = append(from, d.from[at:e.start]...)
		for range len(e.text) {
			from = append(from, d.from[e.start])
		}
		text.WriteString(e.text)
		d.note(e)
		at, last, changed = e.end, e.start, true
	}
	if !changed {
		return false
	}
	text.WriteString(d.text[at:])
	d.from = append(from, d.from[at:]...)
	d.text = text.String()
	return true
}

// clone is a draft of its own with the same text and changes.
func (d *draft) clone() *draft {
	c := *d
	c.from, c.changes = slices.Clone(d.from), slices.Clone(d.changes)
	return &c
}

// sorted are the changes in the order of the original text.
func (d *draft) sorted() []Change {
	out := slices.Clone(d.changes)
	slices.SortStableFunc(out, func(a, b Change) int { return a.Start - b.Start })
	return out
}
