package guard

import (
	"context"
	"errors"
	"fmt"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Covering a table means to put a query in its place that gives only what the
// asker may read, under the names that the table had:
//
//	FROM shop.orders o   ->  FROM (SELECT id, ... FROM sg.shop.orders WHERE ...) o
//	FROM shop.orders     ->  FROM (SELECT id, ... FROM sg.shop.orders WHERE ...) AS orders
//
// So every expression of the statement, wherever it stands, works on values that
// the asker may see, and nothing else of the statement changes but the names that
// spell out the table's schema (names.go). What came out is read and resolved
// again, and has to mean the same but for the covers (twin.go). Where the statement
// has what can raise an error, a barrier goes around the query (barrier.go).

// covers are the tables of a statement that are covered, and by what.
type covers map[*tree.Table]*policy.Cover

// cover puts the covers into out. were are the tables that stand for covers which
// the text has already.
func (a *approval) cover(ctx context.Context, asked *resolve.Resolution, were map[*tree.Table]*tree.Derived, out *Approved) error {
	if a.grants == nil && a.terms.Directory == nil {
		return nil // nothing is covered
	}
	chosen, err := a.chosen(ctx, asked, were)
	if err != nil {
		return err
	}
	if len(chosen) == 0 && len(were) == 0 {
		return nil
	}
	a.raise(asked, chosen)
	if !asCovered(chosen, were) {
		return errOtherCover
	}
	plan := newPlan(asked, chosen)
	plan.rename()
	covered, err := plan.apply(asked.Statement())
	if err != nil {
		return fmt.Errorf("put the access policy into a statement: %w", err)
	}
	text := printer.Print(covered)
	stmt, err := parser.Parse(text)
	if err != nil {
		return notCoverable(asked)
	}
	resolution, diagnostics := a.resolve(stmt, resolve.Scope{
		Catalog: a.stored, DefaultRegion: a.scope.DefaultRegion, DefaultSchema: a.scope.DefaultSchema,
	})
	if len(diagnostics) > 0 || !plan.same(asked, resolution) {
		return notCoverable(asked)
	}
	out.sql, out.statement, out.resolution = text, stmt, resolution
	out.protected = out.protected || plan.protects()
	return nil
}

// errOtherCover says that a text has a cover which is not the one that it would get:
// it is a query like any other.
var errOtherCover = errors.New("the statement has another cover")

// notCoverable refuses what cannot be rewritten with certainty.
func notCoverable(asked *resolve.Resolution) *Refusal {
	names := ""
	for _, t := range asked.Tables() {
		if names != "" {
			names += ", "
		}
		names += t.String()
	}
	return &Refusal{
		Rule: "policy", Code: CodePolicyNotApplicable,
		Message: "the access policy of " + names + " cannot be put into this statement with certainty: give each table an alias, and write columns with it",
	}
}

// chosen are the tables to cover, and notes what is changed by it.
func (a *approval) chosen(ctx context.Context, asked *resolve.Resolution, were map[*tree.Table]*tree.Derived) (covers, error) {
	out := covers{}
	said := map[string]bool{}
	byTable := map[string]*policy.Cover{}
	var failed error
	tree.Walk(asked.Statement(), func(n tree.Node) bool {
		t, ok := n.(*tree.Table)
		if !ok || failed != nil {
			return failed == nil
		}
		seen, ok := asked.Stored(t)
		if !ok {
			return true
		}
		key := seen.Name.Key()
		c, known := byTable[key]
		if !known {
			if c, failed = a.coverOf(ctx, asked, t, seen.Name); failed != nil {
				return false
			}
			byTable[key] = c
		}
		if c == nil {
			return true
		}
		out[t] = c
		if were[t] == nil && !said[key] && !isVirtual(seen.Name) {
			said[key] = true
			a.tell(t, seen.Name, c)
		}
		return true
	})
	return out, failed
}

// coverOf returns what stands for a table, nil for the table itself.
func (a *approval) coverOf(ctx context.Context, asked *resolve.Resolution, t *tree.Table, name catalog.Name) (*policy.Cover, error) {
	if isVirtual(name) {
		return a.rowsOf(ctx, asked, t, name)
	}
	if a.grants == nil {
		return nil, nil
	}
	access := a.grants.Access(name)
	line, column := t.Span().Position()
	// A rule speaks of the table that is stored: one that the stored catalog lacks, or
	// that no rule lets be read, has no cover, and is not read for want of one.
	stored, ok := a.stored.Lookup(name)
	if ok && named(name, stored.Name) && access.Permits(stored) {
		if access.Whole() {
			return nil, nil
		}
		c, err := access.Cover(stored)
		if err == nil {
			return c, nil
		}
		var broken *policy.Broken
		if !errors.As(err, &broken) {
			return nil, err
		}
	}
	return nil, &Refusal{
		Rule: "policy", Code: CodePolicyBroken, Line: line, Column: column,
		Message: fmt.Sprintf("the access policy of %s cannot be applied, so the table cannot be read: an administrator has to mend it", name),
	}
}

// tell notes what a cover changes, in words for the asker.
func (a *approval) tell(t *tree.Table, name catalog.Name, c *policy.Cover) {
	note := func(rule, field, purpose, message string) {
		change := Change{Rule: rule, Message: message + ", by the access policy", Table: name, Field: field, Purpose: purpose}
		if purpose != "" {
			change.Message = message + ": " + purpose
		}
		change.Line, change.Column = t.Span().Position()
		a.changes = append(a.changes, change)
	}
	if c.Filtered {
		note(RuleRowFilter, "", c.Purpose, fmt.Sprintf("only rows of %s that you may read", name))
	}
	for _, m := range c.Masked {
		note(RuleMask, m.Name, m.Purpose, fmt.Sprintf("values of %s.%s are replaced", name, m.Name))
	}
	if c.Hidden > 0 {
		note(RuleColumns, "", "", fmt.Sprintf("only columns of %s that you may read", name))
	}
}

// uncover undoes the covers that a text has already, so that a statement that was
// guarded is decided as it was asked, and comes out as it went in. A query in FROM
// is taken for a cover only where it is, letter by letter, the one that would be
// put there; so nothing is gained by writing one. were are the tables in the
// places of the covers.
func (a *approval) uncover(stmt *tree.Statement, covering func(*tree.Derived) *tree.Table) (plain *tree.Statement, were map[*tree.Table]*tree.Derived, err error) {
	if a.grants == nil || a.scope.Catalog == nil {
		return stmt, nil, nil
	}
	found := map[*tree.Derived]*tree.Table{}
	tree.Walk(stmt, func(n tree.Node) bool {
		if aliased, ok := n.(*tree.Aliased); ok {
			if d, ok := aliased.Relation.(*tree.Derived); ok {
				if t := covering(d); t != nil {
					found[d] = t
					return false
				}
			}
		}
		return true
	})
	if len(found) == 0 {
		return stmt, nil, nil
	}
	were = map[*tree.Table]*tree.Derived{}
	plain, err = tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		if d, ok := n.(*tree.Derived); ok && found[d] != nil {
			were[found[d]] = d
			return found[d]
		}
		return n
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read the access policy in a statement: %w", err)
	}
	return plain, were, nil
}

// coveringBehind is covering that also looks behind what may be a barrier.
func (a *approval) coveringBehind(d *tree.Derived) *tree.Table {
	if inner := behindBarrier(d.Query); inner != nil {
		if t := a.covering(inner); t != nil {
			return t
		}
	}
	return a.covering(d)
}

// covering returns the table for which a query in FROM is the cover, else nil.
func (a *approval) covering(d *tree.Derived) *tree.Table {
	s, ok := d.Query.Body.(*tree.Select)
	if !ok || len(s.From) != 1 {
		return nil
	}
	t, ok := s.From[0].(*tree.Table)
	if !ok || len(t.Name.Parts) != 3 {
		return nil
	}
	name := catalog.Name{Region: t.Name.Parts[0].Name, Schema: t.Name.Parts[1].Name, Table: t.Name.Parts[2].Name}
	if _, ok := a.scope.Catalog.Lookup(name); !ok {
		return nil
	}
	stored, ok := a.stored.Lookup(name)
	if !ok {
		return nil
	}
	c, err := a.grants.Access(stored.Name).Cover(stored)
	if err != nil || c == nil || !isWritten(d, &tree.Derived{Query: c.Query}) {
		return nil
	}
	return tree.TableOf(stored.Name.Region, stored.Name.Schema, stored.Name.Table)
}
