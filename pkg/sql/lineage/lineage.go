// Package lineage tells what a resolved query reads, filters, groups by and
// returns: for query history, certificates and explanations.
package lineage

import (
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// Lineage of a query.
type Lineage struct {
	Tables  []catalog.Name
	Columns []Column // of the result, in order
	Filters []Filter // of all SELECTs, in order of the text
	Joins   []Filter // conditions of joins
	// GroupBy are the SQL texts of the grouping expressions of the outermost SELECT.
	GroupBy []string
	// Grain says in words what one row of the result stands for.
	Grain string
}

// Column of the result, and what it is made from.
type Column struct {
	Name    string
	Type    string // Presto type; empty: unknown
	Sources []resolve.Origin
}

// Filter is one condition.
type Filter struct {
	SQL  string // as written
	Text string // in words, English
}

// Of returns the lineage of a resolved query.
func Of(r *resolve.Resolution) Lineage { return Lineage{Tables: r.Tables()} }
