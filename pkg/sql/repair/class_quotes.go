package repair

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

const (
	certainStored  = 0.9 // the column has that value
	certainCompare = 0.6 // it may be a value of the column, or a column that is nowhere
)

// quoteEdits make texts of what stands in double quotes and is no column.
func quoteEdits(_ *engine, now *reading) []edit {
	var edits []edit
	for _, d := range now.diagnostics {
		ref, ok := d.Node.(*tree.ColumnRef)
		if !ok || d.Code != resolve.ColumnNotFound || len(ref.Parts) != 1 || !ref.Parts[0].Quoted {
			continue
		}
		if _, named := now.columnEdit(ref); named {
			continue
		}
		edits = append(edits, signsEdit(now.stmt, ref)...)
		edits = append(edits, quotesEdit(now.stmt, now.resolution, now.scope, ref)...)
	}
	return edits
}

// quotesEdit makes a text of what stands in double quotes and is no column, as other
// dialects have it: country = "SG". It does so only where a text is compared with a
// column of texts. Anywhere else, and where the quotes hold a name as columns have
// them, a column is meant that does not exist: a text there would be an answer to
// another question.
func quotesEdit(stmt *tree.Statement, res *resolve.Resolution, scope resolve.Scope, c *tree.ColumnRef) []edit {
	column := comparedWith(stmt, c)
	if column == nil || !res.TypeOf(column).IsText() {
		return nil
	}
	text := c.Parts[0].Name
	certainty := certainCompare
	stored, complete := storedValues(res, scope, column)
	switch {
	case slices.ContainsFunc(stored, func(s string) bool { return strings.EqualFold(s, text) }):
		certainty = certainStored
	case complete && looksLikeName(scope, res, text), strings.Contains(text, "_"):
		return nil
	case complete:
		certainty = 0.5 // no row has it
	}
	span := c.Span()
	return []edit{{
		start: span.Start, end: span.End, text: printer.String(text),
		class: "double_quotes", certainty: certainty,
	}}
}

// looksLikeName reports whether a text is spelt as columns of the statement's tables
// are: what has a space in it, or a capital where they have none, is no column.
func looksLikeName(scope resolve.Scope, res *resolve.Resolution, text string) bool {
	if strings.ContainsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		return false
	}
	if !strings.ContainsFunc(text, unicode.IsUpper) {
		return true
	}
	for _, name := range res.Tables() {
		t, ok := scope.Catalog.Lookup(name)
		if !ok {
			continue
		}
		for _, c := range t.Columns {
			if strings.ContainsFunc(c.Name, unicode.IsUpper) {
				return true
			}
		}
	}
	return false
}

// signsEdit makes a text of double quotes around signs alone in what puts texts
// together, as in concat(a, " - ", b), and around formats such as "%Y-%m": no name of a
// column is missing there. Elsewhere a column may be called so: # and № are.
func signsEdit(stmt *tree.Statement, c *tree.ColumnRef) []edit {
	text := c.Parts[0].Name
	plain := strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if plain && !strings.Contains(text, "%") || !isArgument(stmt, c) {
		return nil
	}
	span := c.Span()
	return []edit{{
		start: span.Start, end: span.End, text: printer.String(text),
		class: "double_quotes", certainty: certainStored,
	}}
}

// isArgument reports whether an expression is an argument of a function of single
// values, after its first one or of concat, or a side of ||.
func isArgument(stmt *tree.Statement, value tree.Expr) bool {
	found := false
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			found = found || n.Op == "||" && (bare(n.Left) == value || bare(n.Right) == value)
		case *tree.Call:
			if at := slices.IndexFunc(n.Args, func(x tree.Expr) bool { return bare(x) == value }); at >= 0 && !resolve.Aggregates(n) {
				found = found || at > 0 || n.Name.Key() == "concat"
			}
		}
		return !found
	})
	return found
}

// comparedWith is the column on the other side of a comparison, of IN, of LIKE or of
// BETWEEN whose value an expression is; nil for none. The column stands first there.
func comparedWith(stmt *tree.Statement, value tree.Expr) tree.Expr {
	is := func(x tree.Expr) bool { return bare(x) == value }
	var column tree.Expr
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			if isComparison(n.Op) && is(n.Right) {
				column = bare(n.Left)
			}
		case *tree.InList:
			if slices.ContainsFunc(n.List, is) {
				column = bare(n.X)
			}
		case *tree.Like:
			if is(n.Pattern) {
				column = bare(n.X)
			}
		case *tree.Between:
			if is(n.Low) || is(n.High) {
				column = bare(n.X)
			}
		}
		return column == nil
	})
	return column
}

func bare(x tree.Expr) tree.Expr {
	for {
		p, ok := x.(*tree.Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

// storedValues are the values that are known of the stored column which an expression
// is, and whether they are all of them.
func storedValues(res *resolve.Resolution, scope resolve.Scope, x tree.Expr) (values []string, complete bool) {
	origins := res.Origins(x)
	if len(origins) != 1 {
		return nil, false
	}
	table, ok := scope.Catalog.Lookup(origins[0].Table)
	if !ok {
		return nil, false
	}
	for _, c := range table.Columns {
		if strings.EqualFold(c.Name, origins[0].Column) {
			return c.Samples, c.Distinct > 0 && c.Distinct <= int64(len(c.Samples))
		}
	}
	return nil, false
}

// ColumnsNear are the columns of the tables of a statement, the nearest to a name
// first: what may be meant where nothing is near enough to be it.
func ColumnsNear(stmt *tree.Statement, res *resolve.Resolution, name string) []string {
	var out []string
	tree.Walk(stmt, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok {
			if stored, ok := res.Stored(t); ok {
				for _, c := range stored.Columns {
					if !containsFold(out, c.Name) {
						out = append(out, c.Name)
					}
				}
			}
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b string) int {
		switch x, y := distance(name, a), distance(name, b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return out
}
