// Package distort makes other warehouses out of one. A model fitted on a tidy
// catalog leans on what only tidy catalogs have: readable names, descriptions,
// small schemas. Distorted copies take these away one by one, so that weights
// fitted on all of them together hold in warehouses of other habits. Questions
// and right answers stay the same: the tables keep their order.
package distort

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Recipe says what is changed.
type Recipe struct {
	Name string
	// Undescribed drops descriptions and comments.
	Undescribed bool
	// Glued runs the words of names together.
	Glued bool
	// Cryptic shortens words of names, in a style of each schema's own.
	Cryptic bool
	// Wide adds columns of other schemas' tables and house-keeping ones.
	Wide bool
	// Merged makes few large schemas of many small ones.
	Merged bool
}

// Plain changes nothing.
const Plain = "plain"

// Recipes returns all that training uses, the plain one first.
func Recipes() []Recipe {
	return []Recipe{
		{Name: Plain},
		{Name: "undescribed", Undescribed: true},
		{Name: "glued", Undescribed: true, Glued: true},
		{Name: "wide", Undescribed: true, Wide: true},
		{Name: "cryptic", Undescribed: true, Cryptic: true, Wide: true},
		{Name: "cryptic-described", Cryptic: true, Wide: true},
		{Name: "merged", Merged: true},
		{Name: "merged-wide", Undescribed: true, Wide: true, Merged: true},
		{Name: "merged-cryptic", Undescribed: true, Cryptic: true, Wide: true, Merged: true},
		{Name: "merged-cryptic-described", Cryptic: true, Wide: true, Merged: true},
	}
}

// Apply returns changed copies of tables, in their order. The same seed makes the
// same copies.
func Apply(tables []catalog.Table, r Recipe, seed uint64) []catalog.Table {
	if r.Name == Plain {
		return tables
	}
	d := &distorter{recipe: r, seed: seed, tables: tables}
	out := make([]catalog.Table, len(tables))
	for i := range tables {
		out[i] = d.table(&tables[i])
	}
	if r.Merged {
		d.merge(out)
	}
	distinguish(out)
	return out
}

type distorter struct {
	recipe Recipe
	seed   uint64
	tables []catalog.Table
}

// random returns a source of its own for something by name, so that a word is
// shortened the same way wherever it stands in a schema.
func (d *distorter) random(about ...string) *rand.Rand {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s\x00%s", d.recipe.Name, strings.Join(about, "\x00")) // a hash takes everything
	return rand.New(rand.NewPCG(d.seed, h.Sum64()))
}

func (d *distorter) table(t *catalog.Table) catalog.Table {
	out := *t
	out.Columns = slices.Clone(t.Columns)
	out.ForeignKeys = nil // names of their tables and columns change
	if d.recipe.Undescribed {
		out.Description = ""
		for i := range out.Columns {
			out.Columns[i].Comment = ""
		}
	}
	switch {
	case d.recipe.Cryptic:
		d.rename(&out)
	case d.recipe.Glued:
		out.Name.Table = glue(out.Name.Table)
		for i := range out.Columns {
			out.Columns[i].Name = glue(out.Columns[i].Name)
		}
	default:
		if !d.recipe.Merged {
			out.ForeignKeys = t.ForeignKeys
		}
	}
	if d.recipe.Wide {
		d.widen(&out)
	}
	return out
}

// distinguish numbers tables that came to have the same name.
func distinguish(tables []catalog.Table) {
	seen := make(map[string]int, len(tables))
	for i := range tables {
		name := &tables[i].Name
		key := name.Key()
		seen[key]++
		if n := seen[key]; n > 1 {
			name.Table = fmt.Sprintf("%s_%d", name.Table, n)
			seen[name.Key()]++
		}
	}
}
