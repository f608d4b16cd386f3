package reader

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// A table may point to another more than once: who raised a work order, and who led it. Which of the
// columns joins the two is said by the name of one, "the reviewer", by a verb of it, "led", or by
// nothing, where one of them is called as the things themselves are.

// costDefault is what it costs to join over the column that is called as the things are, where
// another points to them too.
const costDefault = 0.2

// through decides over which of several columns that point from one table to another the two are
// joined, and returns whether it is decided.
func (b *composer) through(from, to *schema.Table) bool {
	list := b.view.Pointers(from, to)
	if len(list) < 2 {
		return false
	}
	if slices.ContainsFunc(list, func(c *schema.Column) bool { return slices.Contains(b.in.Via, c.ID) }) {
		return true
	}
	for _, t := range slices.Concat(b.d.mentions, b.d.targets) {
		if t.column != nil && slices.Contains(list, t.column) {
			b.in.Via = append(b.in.Via, t.column.ID)
			return true
		}
	}
	var said, plain *schema.Column
	word := ""
	for _, c := range list {
		role := b.view.Role(c, to)
		if len(role) == 0 && plain == nil {
			plain = c
		}
		text := b.sayRole(role)
		switch {
		case text == "":
		case said != nil:
			return false
		default:
			said, word = c, text
		}
	}
	switch {
	case said != nil:
		b.found(0, func(it *item) bool { return it.text == word })
	case plain != nil:
		said = plain
		b.cost += costDefault
	default:
		return false
	}
	b.note("via", to.Names.EN, said.Expr)
	b.in.Via = append(b.in.Via, said.ID)
	return true
}

// sayRole is what the question says of a role, as it is called or in the past; "": nothing.
func (b *composer) sayRole(role []string) string {
	for _, t := range b.l.tokens {
		base := t.Lower
		if found, ok := b.reader.bases[base]; ok {
			base = found
		}
		if slices.Contains(role, token.Stem(base)) {
			return t.Text
		}
	}
	for _, w := range role {
		if inHan(w) && strings.Contains(b.l.text, w) {
			return w
		}
	}
	return ""
}

// found takes unread words for read, each of which then costs so much.
func (b *composer) found(cost float64, its func(*item) bool) {
	b.d.unread = slices.DeleteFunc(b.d.unread, func(it *item) bool {
		if !its(it) {
			return false
		}
		b.saved += it.cost + costRow - cost
		return true
	})
}

// pointing decides over which column rows are joined that there have to be, or not to be, of the
// root's.
func (b *composer) pointing() {
	for _, c := range b.in.Filters {
		if c.Op != intent.Exists && c.Op != intent.NotExists || c.Sub == nil {
			continue
		}
		t := b.view.ByID(c.Sub.Entity)
		if t != nil && len(b.view.Pointers(t, b.root)) > 1 && !b.through(t, b.root) {
			b.cost += costWays
			b.note("ways", b.root.Names.EN)
		}
	}
}

// neverPointed takes what people never did, where a column that points to them is called so, for the
// lack of the rows that have it: "people who never edited a manuscript".
func (b *composer) neverPointed() {
	tables := b.d.tables()
	for i, x := range b.d.lacks {
		if c := x.column; x.never && c != nil && c.Points && x.value == nil {
			if t := b.view.ThingOf(c); t != nil && t != c.Of && slices.Contains(tables, t) {
				b.d.lacks[i].thing = thing{table: c.Of}
				b.d.mentions = slices.DeleteFunc(b.d.mentions, func(m thing) bool { return m.table == c.Of && m.column == nil })
			}
		}
	}
}

// thingsOfKeys takes the key of a table of which the thing alone was said for the things: "which
// teacher teaches" asks for their names, and not for a teacher_id.
func (b *composer) thingsOfKeys() {
	thingOf := func(t *thing) {
		if c := t.column; c != nil && c.Unique() && t.partly && !t.key && !t.many && len(c.Of.Label) > 0 && !slices.Contains(c.Of.Label, c) {
			*t = thing{table: c.Of}
		}
	}
	for i := range b.d.targets {
		thingOf(&b.d.targets[i])
	}
	for i := range b.d.groups {
		thingOf(&b.d.groups[i].thing)
	}
}

// ofRole is the table of the things that a column of the root points to, which are to be shown by
// what they are called; nil: there is none, or their keys are asked for.
func (b *composer) ofRole(g thing) *schema.Table {
	c := g.column
	if c == nil || g.key || c.Of != b.root {
		return nil
	}
	t := b.view.ThingOf(c)
	if t == nil || t == c.Of || len(t.Label) == 0 {
		return nil
	}
	if b.view.Ways(b.root, t) == 1 {
		return t
	}
	list := b.view.Pointers(b.root, t)
	if !slices.Contains(list, c) || slices.ContainsFunc(list, func(o *schema.Column) bool { return o != c && slices.Contains(b.in.Via, o.ID) }) {
		return nil
	}
	if !slices.Contains(b.in.Via, c.ID) {
		b.in.Via = append(b.in.Via, c.ID)
	}
	return t
}
