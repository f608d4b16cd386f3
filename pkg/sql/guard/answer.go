package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Directory lists the tables of a source that the asker may see.
type Directory interface {
	// Tables returns up to limit tables that fit, by name, and
	// whether there are more.
	Tables(ctx context.Context, filter Filter, limit int) (tables []catalog.Table, more bool, err error)
}

// Filter bounds a list of tables. Names are lower case; empty fits all.
type Filter struct {
	Region, Schema, Table string
	// WithColumns asks for the columns of the tables too.
	WithColumns bool
}

// Fits reports whether a table's name fits.
func (f Filter) Fits(n catalog.Name) bool {
	return fitsPart(f.Region, n.Region) && fitsPart(f.Schema, n.Schema) && fitsPart(f.Table, n.Table)
}

func fitsPart(want, have string) bool { return want == "" || want == strings.ToLower(have) }

// asksAbout reports a statement that is answered from the catalog.
func asksAbout(stmt *tree.Statement) bool {
	switch stmt.Kind {
	case tree.KindShowCatalogs, tree.KindShowSchemas, tree.KindShowTables, tree.KindShowColumns, tree.KindShowStats,
		tree.KindShowCreateTable, tree.KindExplain:
		return true
	}
	return false
}

// answer returns a query over the rows that answer a SHOW, DESCRIBE or EXPLAIN
// statement. The rows are literals: nothing is read where it runs.
func (a *approval) answer(ctx context.Context, stmt *tree.Statement) (*tree.Statement, error) {
	rows, err := a.answerRows(ctx, stmt)
	if err != nil {
		return nil, err
	}
	q := rows.query()
	if s := stmt.Show; s != nil && s.Like != nil {
		like := &tree.Like{X: tree.Col(rows.names[0]), Pattern: tree.Str(s.Like.Value)}
		if s.Escape != nil {
			like.Escape = tree.Str(s.Escape.Value)
		}
		sel, _ := q.Body.(*tree.Select)
		sel.Where = tree.And(sel.Where, like)
	}
	a.changes = append(a.changes, Change{Rule: RuleAnswer, Message: string(stmt.Kind) + " is answered from the catalog, with what you may see"})
	return tree.StatementOf(q), nil
}

func (a *approval) answerRows(ctx context.Context, stmt *tree.Statement) (*literalRows, error) {
	switch stmt.Kind {
	case tree.KindShowCatalogs:
		return a.listed(ctx, stmt, Filter{}, "Catalog", func(n catalog.Name) string { return n.Region })
	case tree.KindShowSchemas:
		return a.schemas(ctx, stmt)
	case tree.KindShowTables:
		return a.listed(ctx, stmt, a.schemaFilter(stmt.Show.Name), "Table", func(n catalog.Name) string { return n.Table })
	case tree.KindExplain:
		return a.explained(ctx, stmt)
	}
	t, err := a.describedTable(ctx, stmt.Show.Name)
	if err != nil {
		return nil, err
	}
	switch stmt.Kind {
	case tree.KindShowColumns:
		return columnsOf(t), nil
	case tree.KindShowStats:
		if unmeasured(t) {
			line, column := stmt.Span().Position()
			return nil, &Refusal{Rule: "metadata", Code: CodeNotQuery, Line: line, Column: column, Message: fmt.Sprintf("the catalog has no statistics of all columns of %s", t.Name)}
		}
		return statsOf(t), nil
	}
	return createTable(t), nil
}

// listed answers with the names of tables, or of what holds them, each once.
func (a *approval) listed(ctx context.Context, stmt *tree.Statement, f Filter, column string, name func(catalog.Name) string) (*literalRows, error) {
	rows := &literalRows{names: []string{column}, types: []string{"varchar"}}
	tables, err := a.tables(ctx, f, stmt)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range tables {
		if n := name(tables[i].Name); !seen[n] {
			seen[n] = true
			rows.add(n)
		}
	}
	return rows, a.bounded(rows, stmt)
}

// schemas lists the schemas of a region with what the asker may see, and the one
// that tells of them.
func (a *approval) schemas(ctx context.Context, stmt *tree.Statement) (*literalRows, error) {
	rows, err := a.listed(ctx, stmt, Filter{Region: a.region(stmt.Show.Name, 1)}, "Schema", func(n catalog.Name) string { return n.Schema })
	if err != nil || len(rows.rows) == 0 {
		return rows, err
	}
	rows.add(informationSchema)
	slices.SortFunc(rows.rows, func(a, b []tree.Expr) int { return strings.Compare(textOf(a[0]), textOf(b[0])) })
	return rows, nil
}

func textOf(x tree.Expr) string {
	s, ok := x.(*tree.String)
	if !ok {
		return ""
	}
	return s.Value
}

// tables lists what the asker may see; the guard looks at it once more. The tables
// of information_schema are listed where it is asked for.
func (a *approval) tables(ctx context.Context, f Filter, at tree.Node) ([]catalog.Table, error) {
	all, more, err := a.terms.Directory.Tables(ctx, f, maxListed)
	if err != nil {
		return nil, fmt.Errorf("list the tables that may be seen: %w", err)
	}
	if more {
		return nil, tooLong(at)
	}
	var out []catalog.Table
	for i := range all {
		t := &all[i]
		if access := a.grants.Access(t.Name); f.Fits(t.Name) && access.Permits(t) {
			out = append(out, *access.Visible(t))
		}
	}
	if f.Schema == informationSchema && f.Region == strings.ToLower(a.scope.DefaultRegion) {
		out = append(out, slices.DeleteFunc(virtualTables(a.scope.DefaultRegion), func(t catalog.Table) bool { return !f.Fits(t.Name) })...)
	}
	return out, nil
}

// maxListed bounds the tables that one statement looks through.
const maxListed = 200_000

func (a *approval) bounded(rows *literalRows, at tree.Node) error {
	if len(rows.rows) > a.config.MaxAnswerRows {
		return tooLong(at)
	}
	return nil
}

func tooLong(at tree.Node) *Refusal {
	line, column := at.Span().Position()
	return &Refusal{
		Rule: "metadata", Code: CodeAnswerTooLong, Line: line, Column: column,
		Message: "the answer would be too long: ask about one schema or one table, as in WHERE table_schema = '...'",
	}
}

// region completes a name of a catalog, or one whose first of parts parts is it.
func (a *approval) region(n *tree.Name, parts int) string {
	if n != nil && len(n.Parts) == parts {
		return n.Parts[0].Key()
	}
	return strings.ToLower(a.scope.DefaultRegion)
}

func (a *approval) schemaFilter(n *tree.Name) Filter {
	f := Filter{Region: a.region(n, 2), Schema: strings.ToLower(a.scope.DefaultSchema)}
	if n != nil && len(n.Parts) > 0 {
		f.Schema = n.Parts[len(n.Parts)-1].Key()
	}
	return f
}

// describedTable finds the table that a statement names. What may not be seen is
// not found, as what does not exist.
func (a *approval) describedTable(ctx context.Context, n *tree.Name) (*catalog.Table, error) {
	full := catalog.Name{Region: a.scope.DefaultRegion, Schema: a.scope.DefaultSchema}
	switch p := n.Parts; len(p) {
	case 1:
		full.Table = p[0].Name
	case 2:
		full.Schema, full.Table = p[0].Name, p[1].Name
	case 3:
		full.Region, full.Schema, full.Table = p[0].Name, p[1].Name, p[2].Name
	}
	if full.Table != "" {
		tables, err := a.tables(ctx, Filter{
			Region: strings.ToLower(full.Region), Schema: strings.ToLower(full.Schema), Table: strings.ToLower(full.Table), WithColumns: true,
		}, n)
		if err != nil {
			return nil, err
		}
		if len(tables) == 1 {
			return &tables[0], nil
		}
	}
	refusal := &Refusal{Rule: "resolve", Code: string(resolve.TableNotFound), Message: fmt.Sprintf("there is no table '%s' that you may read", full)}
	refusal.Line, refusal.Column = n.Span().Position()
	return nil, refusal
}

// explained answers EXPLAIN (TYPE VALIDATE).
func (a *approval) explained(ctx context.Context, stmt *tree.Statement) (*literalRows, error) {
	validate := false
	for _, o := range stmt.Explain.Options {
		switch o.Name + " " + o.Value {
		case "TYPE VALIDATE":
			validate = true
		case "FORMAT TEXT":
		default:
			validate = false
		}
	}
	if !validate {
		refusal := &Refusal{Rule: "read_only", Code: CodeNotQuery, Message: "plans of Trino's are not written here: ask for the cost estimate, or EXPLAIN (TYPE VALIDATE)"}
		refusal.Line, refusal.Column = stmt.Span().Position()
		return nil, refusal
	}
	if asksAbout(stmt.Explain.Statement) {
		return nil, &Refusal{Rule: "read_only", Code: CodeNotQuery, Message: "only a query can be explained here", Line: 1, Column: 1}
	}
	inner := &approval{Guard: a.Guard, principal: a.principal, grants: a.grants, scope: a.scope, stored: a.stored}
	if _, err := inner.approve(ctx, stmt.Explain.Statement); err != nil {
		return nil, err
	}
	rows := &literalRows{names: []string{"Valid"}, types: []string{"boolean"}}
	rows.addExprs(&tree.Bool{Value: true})
	return rows, nil
}
