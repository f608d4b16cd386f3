package policy

import (
	"fmt"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Cover is a query that stands for a table: it gives the rows that the asker may
// read, with the values that the asker may see, under the table's column names.
type Cover struct {
	Query *tree.Query
	// Filtered says that rows may be left out, and Purpose why; it may be empty.
	Filtered bool
	Purpose  string
	// Masked are the columns whose values are replaced, with the reasons.
	Masked []MaskedColumn
	// Hidden is the number of columns left out.
	Hidden int
}

// MaskedColumn is a column whose values are replaced.
type MaskedColumn struct{ Name, Purpose string }

// Broken is a rule that cannot be applied to a table: nobody to whom the rule
// applies reads the table until it is mended.
type Broken struct {
	Rule    string
	Line    int // of the policy's file
	Table   catalog.Name
	Message string
}

// Error says what is wrong, for whoever keeps the policy.
func (b *Broken) Error() string {
	return fmt.Sprintf("line %d: rule %s on %s: %s", b.Line, b.Rule, b.Table, b.Message)
}

// Cover returns what stands for a table; nil where the table is read as it is
// stored. The error is a *Broken.
func (a *Access) Cover(t *catalog.Table) (*Cover, error) {
	if a.Whole() {
		return nil, nil
	}
	if err := a.checkColumns(t); err != nil {
		return nil, err
	}
	now := a.moment.now()
	scope := resolve.Scope{Catalog: resolve.NewTables([]catalog.Table{*t})}
	cover := &Cover{Filtered: a.filter != nil, Purpose: a.Purpose}
	s := &tree.Select{From: []tree.Relation{stored(t.Name)}}
	for _, c := range t.Columns {
		said, ok := a.column(c.Name)
		switch {
		case ok && said.deny:
			cover.Hidden++
		case ok: // a rule that says neither cannot be read
			masked, err := a.masked(said, c, t, scope, now)
			if err != nil {
				return nil, err
			}
			s.Items = append(s.Items, masked)
			cover.Masked = append(cover.Masked, MaskedColumn{Name: c.Name, Purpose: said.purpose})
		default:
			s.Items = append(s.Items, tree.Item(tree.Col(c.Name), ""))
		}
	}
	if len(s.Items) == 0 {
		return nil, &Broken{Rule: a.Rule, Line: a.columns[0].line, Table: t.Name, Message: "it denies every column: deny the table"}
	}
	if a.filter != nil {
		filter, err := a.rowFilter(t, scope, now)
		if err != nil {
			return nil, err
		}
		s.Where = filter
	}
	cover.Query = tree.QueryOf(s)
	return cover, nil
}

// checkColumns refuses a rule about a column that the table has not: a mask that
// silently does nothing is a leak after the next renaming.
func (a *Access) checkColumns(t *catalog.Table) error {
	for _, c := range a.columns {
		if _, ok := t.Column(c.name); !ok && !c.ifPresent {
			return &Broken{Rule: a.Rule, Line: c.line, Table: t.Name, Message: fmt.Sprintf("there is no column %s", c.name)}
		}
	}
	return nil
}

// rowFilter returns the condition on rows as of now.
func (a *Access) rowFilter(t *catalog.Table, scope resolve.Scope, now time.Time) (tree.Expr, error) {
	broken := &Broken{Rule: a.Rule, Line: a.filterLine, Table: t.Name}
	filter := timed(a.filter, now)
	typ, err := typeOf(filter, t, scope)
	switch {
	case err != nil:
		broken.Message = "filter: " + err.Error()
	case typ.Base != "boolean":
		broken.Message = fmt.Sprintf("filter: it is %s and has to be a condition", typ)
	default:
		return filter, nil
	}
	return nil, broken
}

// masked returns the item that stands for a masked column, of exactly its type.
func (a *Access) masked(said column, c catalog.Column, t *catalog.Table, scope resolve.Scope, now time.Time) (*tree.SelectExpr, error) {
	broken := &Broken{Rule: a.Rule, Line: said.line, Table: t.Name}
	mask := timed(said.mask, now)
	typ, err := typeOf(mask, t, scope)
	if err != nil {
		broken.Message = fmt.Sprintf("mask of %s: %s", c.Name, err)
		return nil, broken
	}
	want := types.Parse(c.Type)
	if !fitsColumn(typ, want) {
		broken.Message = fmt.Sprintf("mask of %s: it is %s and the column is %s: write a cast", c.Name, typ, want)
		return nil, broken
	}
	if cast, ok := mask.(*tree.Cast); ok && types.Parse(cast.Type.Text).Equal(want) {
		return tree.Item(mask, c.Name), nil
	}
	return tree.Item(tree.CastTo(mask, c.Type), c.Name), nil
}

// fitsColumn reports whether a value can stand for one of a column's type without
// a conversion that could fail or surprise. Text is cut to the column's length.
func fitsColumn(have, want types.Type) bool {
	if have.IsNull() || have.Equal(want) || have.IsText() && want.IsText() {
		return true
	}
	return types.Coercible(have, want)
}

// typeOf resolves an expression over the columns of a table.
func typeOf(x tree.Expr, t *catalog.Table, scope resolve.Scope) (types.Type, error) {
	stmt := tree.StatementOf(tree.QueryOf(&tree.Select{
		Items: []tree.SelectItem{tree.Item(x, "")}, From: []tree.Relation{stored(t.Name)},
	}))
	resolution, diagnostics := resolve.Resolve(stmt, scope)
	if len(diagnostics) > 0 {
		return types.Unknown(), fmt.Errorf("%s: %s", diagnostics[0].Code, diagnostics[0].Message)
	}
	out := resolution.Output()
	if len(out) != 1 {
		return types.Unknown(), errNotOne
	}
	return out[0].Type, nil
}

// stored is a table by its full name, which no common table can take.
func stored(name catalog.Name) *tree.Table { return tree.TableOf(name.Region, name.Schema, name.Table) }
