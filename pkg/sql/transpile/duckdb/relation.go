package duckdb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

func (e *emitter) relation(r tree.Relation) string {
	switch r := r.(type) {
	case *tree.Table:
		if stored, ok := e.r.Stored(r); ok {
			text, derived := e.stored(stored)
			if derived {
				text += " AS " + printer.Quote(stored.Name.Table)
			}
			return text
		}
		if text, ok := e.fromRecursion(r); ok {
			return text + " AS " + name(r.Name.Parts[0])
		}
		return dotted(r.Name.Parts)
	case *tree.Aliased:
		return e.aliased(r)
	case *tree.Derived:
		return "(" + e.query(r.Query) + ")" + e.madeAlias(r)
	case *tree.Lateral:
		return "LATERAL (" + e.query(r.Query) + ")" + e.madeAlias(r)
	case *tree.Unnest:
		return e.unnest(r) + " AS " + e.leafAlias(r) + e.unnestAlias(r, nil)
	case *tree.ParenRelation:
		inner := bare(r)
		if _, isJoin := inner.(*tree.Join); isJoin {
			return "(" + e.relation(inner) + ")"
		}
		return e.relation(inner)
	case *tree.Join:
		return e.join(r)
	case *tree.Sampled:
		return e.sampled(r)
	case *tree.JSONTable:
		return e.jsonTable(r) + e.madeAlias(r)
	case *tree.TableFunction:
		return e.tableFunction(r) + e.madeAlias(r)
	}
	return e.no(r, "this kind of relation")
}

// aliased writes a relation under another name.
func (e *emitter) aliased(a *tree.Aliased) string {
	inner := bare(a.Relation)
	var text string
	switch r := inner.(type) {
	case *tree.Unnest:
		return e.unnest(r) + " AS " + name(a.Alias) + e.unnestAlias(r, a.Columns)
	case *tree.Join:
		text = "(" + e.relation(r) + ")"
	case *tree.Aliased, *tree.Sampled:
		text = "(SELECT * FROM " + e.relation(r) + ")"
	case *tree.Table:
		if from, ok := e.fromRecursion(r); ok {
			text = from
		} else if stored, ok := e.r.Stored(r); ok {
			text, _ = e.stored(stored)
		} else {
			text = e.relation(r)
		}
	default:
		text = e.relation(r)
	}
	text += " AS " + name(a.Alias)
	if len(a.Columns) > 0 {
		text += "(" + names(a.Columns) + ")"
	}
	return text
}

// bare returns a relation without the parentheses around it: DuckDB has them around
// joins alone.
func bare(r tree.Relation) tree.Relation {
	for {
		p, ok := r.(*tree.ParenRelation)
		if !ok {
			return r
		}
		r = p.Relation
	}
}

// stored writes a table of the catalog, or a query over it where its rows have to
// get the names of fields that rows have here, and its timestamps their zone.
func (e *emitter) stored(table *catalog.Table) (text string, derived bool) {
	n := table.Name
	text = dotted([]*tree.Ident{tree.ID(n.Region), tree.ID(n.Schema), tree.ID(n.Table)})
	var replaced []string
	for _, c := range table.Columns {
		if form := e.canonical(printer.Quote(c.Name), types.Parse(c.Type)); form != "" {
			replaced = append(replaced, form+" AS "+printer.Quote(c.Name))
		}
	}
	if len(replaced) == 0 {
		return text, false
	}
	return "(SELECT * REPLACE (" + strings.Join(replaced, ", ") + ") FROM " + text + ")", true
}

// sampled writes TABLESAMPLE: which rows come is left to chance on both engines.
// SYSTEM takes or leaves parts of a table, whose size is the engine's own.
func (e *emitter) sampled(s *tree.Sampled) string {
	n, ok := tree.Unparen(s.Percentage).(*tree.Number)
	if !ok {
		return e.no(s, "TABLESAMPLE of a percentage that is no literal")
	}
	if p, err := strconv.ParseFloat(n.Text, 64); err != nil || s.Method != "BERNOULLI" && p != 0 && p != 100 {
		return e.no(s, "TABLESAMPLE SYSTEM")
	}
	if _, isJoin := bare(s.Relation).(*tree.Join); isJoin {
		return e.no(s, "TABLESAMPLE of a join")
	}
	return e.relation(s.Relation) + " TABLESAMPLE bernoulli(" + n.Text + " PERCENT)"
}

// leafAlias returns a name of our own for a relation that has none.
func (e *emitter) leafAlias(r tree.Relation) string {
	if e.leaves[r] == "" {
		e.leaves[r] = "presto_r" + e.suffix()
	}
	return e.leaves[r]
}

// madeAlias writes that name where it was given.
func (e *emitter) madeAlias(r tree.Relation) string {
	if e.leaves[r] == "" {
		return ""
	}
	return " AS " + e.leaves[r]
}

// unnestAlias writes the names of the columns of an UNNEST.
func (e *emitter) unnestAlias(u *tree.Unnest, columns []*tree.Ident) string {
	if len(columns) > 0 {
		return "(" + names(columns) + ")"
	}
	i := 0
	return "(" + join(e.unnestNames(u), ", ", func(name string) string {
		i++
		if name == "" {
			return fmt.Sprintf("presto_c%d", i)
		}
		return printer.Quote(name)
	}) + ")"
}
