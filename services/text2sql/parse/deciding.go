package parse

import (
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// asValue decides between a stored value and a name for the same span.
func (r *reader) asValue(it *link.Item) bool {
	if len(it.Values) == 0 {
		return false
	}
	if len(it.Columns) == 0 && len(it.Tables) == 0 {
		return true
	}
	names := 0.0
	if len(it.Columns) > 0 {
		names = it.Columns[0].Score
	}
	if len(it.Tables) > 0 {
		names = max(names, it.Tables[0].Score)
	}
	if it.Tokens[0].Capital() && it.From > 0 {
		return true
	}
	return names < 0.8
}

// asTable decides between a table and a column of the same name.
func (r *reader) asTable(it *link.Item) bool {
	if len(it.Tables) == 0 {
		return false
	}
	if len(it.Columns) == 0 {
		return true
	}
	if r.columnOfDefinite(it) {
		return false
	}
	t, c := it.Tables[0].Score, it.Columns[0].Score
	if r.prep != "" && len(r.draft.Outputs) > 0 && !r.filter && c < 0.95 {
		return true
	}
	if len(r.aggs) > 0 && r.aggs[len(r.aggs)-1] != intent.AggCount {
		return t >= 0.9 && r.startsCompound() || t > c+0.2
	}
	if t >= c-0.05 {
		return true
	}
	return false
}

func (r *reader) startsCompound() bool {
	n := r.peek(1)
	return n != nil && len(n.Columns) > 0
}

// settle notes the tables that the question names with words that can be nothing
// else.
func (r *reader) settle() {
	r.definite = map[string]bool{}
	for _, it := range r.items {
		if len(it.Tables) > 0 && (len(it.Columns) == 0 || it.Columns[0].Score < 0.9) && it.Tables[0].Score > 0.75 {
			r.definite[it.Tables[0].Entity.Table] = true
		}
	}
}

// columnOfDefinite reports whether a span that names both a table and a column
// is a column of a table that the question surely names: the country of singers,
// not the table of countries.
func (r *reader) columnOfDefinite(it *link.Item) bool {
	for _, c := range it.Columns {
		if c.Score >= 0.95 && r.definite[c.Dim.Table] && c.Dim.Role != semantic.RoleKey && c.Dim.Table != it.Tables[0].Entity.Table {
			return true
		}
	}
	return false
}
