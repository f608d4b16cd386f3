package guard

import (
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// plan is how covers are put into one statement.
type plan struct {
	asked  *resolve.Resolution
	covers covers

	aliased map[*tree.Table]bool // an alias follows
	bodies  map[*tree.TableQuery]bool
	alias   map[*tree.Table]*tree.Ident // of tables that get one
	named   []*tree.Table               // those tables, in the order of the text
	refs    map[*tree.ColumnRef]*tree.ColumnRef
	selects []*tree.Select
	columns []*tree.ColumnRef
	names   map[string]int // how often an alias or a table in FROM has a name
	words   map[string]bool
}

func newPlan(asked *resolve.Resolution, chosen covers) *plan {
	p := &plan{
		asked: asked, covers: chosen,
		aliased: map[*tree.Table]bool{}, bodies: map[*tree.TableQuery]bool{}, alias: map[*tree.Table]*tree.Ident{},
		refs: map[*tree.ColumnRef]*tree.ColumnRef{}, names: map[string]int{}, words: map[string]bool{},
	}
	var bare []*tree.Table
	tree.Walk(asked.Statement(), func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Aliased:
			p.names[n.Alias.Key()]++
			if t, ok := n.Relation.(*tree.Table); ok {
				p.aliased[t] = true
			}
		case *tree.TableQuery:
			if chosen[n.Table] != nil {
				p.bodies[n] = true
				p.aliased[n.Table] = true
			}
		case *tree.Table:
			if !p.aliased[n] {
				bare = append(bare, n)
			}
		case *tree.Select:
			p.selects = append(p.selects, n)
		case *tree.ColumnRef:
			p.columns = append(p.columns, n)
		case *tree.Ident:
			p.words[n.Key()] = true
		}
		return true
	})
	for _, t := range bare {
		last := t.Name.Parts[len(t.Name.Parts)-1]
		if chosen[t] != nil {
			p.alias[t] = &tree.Ident{Name: last.Name, Quoted: last.Quoted}
			p.named = append(p.named, t)
		} else {
			p.names[last.Key()]++
		}
	}
	return p
}

// protects reports that a cover leaves something out or replaces it.
func (p *plan) protects() bool {
	for _, c := range p.covers {
		if c.Filtered || c.Hidden > 0 || len(c.Masked) > 0 {
			return true
		}
	}
	return false
}

// apply returns the statement with the covers in it.
func (p *plan) apply(stmt *tree.Statement) (*tree.Statement, error) {
	return tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		switch n := n.(type) {
		case *tree.Table:
			c := p.covers[n]
			switch {
			case c == nil, p.aliased[n] && p.body(n):
				return n
			case p.aliased[n]:
				return &tree.Derived{Query: c.Query}
			}
			return &tree.Aliased{Relation: &tree.Derived{Query: c.Query}, Alias: p.alias[n]}
		case *tree.TableQuery:
			if p.bodies[n] {
				return p.bodyOf(n)
			}
		case *tree.ColumnRef:
			if ref := p.refs[n]; ref != nil {
				return ref
			}
		}
		return n
	})
}

func (p *plan) body(t *tree.Table) bool {
	for q := range p.bodies {
		if q.Table == t {
			return true
		}
	}
	return false
}

// bodyOf is what stands for TABLE name.
func (p *plan) bodyOf(q *tree.TableQuery) *tree.Select {
	last := q.Table.Name.Parts[len(q.Table.Name.Parts)-1]
	return &tree.Select{
		Items: []tree.SelectItem{&tree.Star{}},
		From: []tree.Relation{&tree.Aliased{
			Relation: &tree.Derived{Query: p.covers[q.Table].Query}, Alias: &tree.Ident{Name: last.Name, Quoted: last.Quoted},
		}},
	}
}

// rename finds the new names of columns that are written with the schema of a
// covered table, and other aliases where the table's own name would be taken for
// another relation.
func (p *plan) rename() {
	long := map[string]bool{} // tables, by key, that are written with their schema
	places := map[*tree.ColumnRef]*tree.Table{}
	for _, ref := range p.columns {
		if t := p.tableOf(ref); t != nil {
			places[ref] = t
			if p.qualifier(ref, t) > 1 {
				long[p.key(t)] = true
			}
		}
	}
	for _, s := range p.selects {
		for _, t := range p.stars(s, 2) {
			long[p.key(t)] = true
		}
	}
	if len(long) == 0 {
		return
	}
	other := map[string]string{} // other aliases, by the table's key
	for _, t := range p.named {
		key, alias := p.key(t), p.alias[t]
		if !long[key] || !p.taken(t, alias) {
			continue
		}
		if other[key] == "" {
			other[key] = p.free(alias.Name)
		}
		p.alias[t] = &tree.Ident{Name: other[key], Quoted: true}
	}
	for ref, t := range places {
		n := p.qualifier(ref, t)
		if n > 1 || n == 1 && other[p.key(t)] != "" {
			p.refs[ref] = &tree.ColumnRef{Parts: append([]*tree.Ident{p.alias[t]}, ref.Parts[n:]...)}
		}
	}
	p.renameStars(other)
}

func (p *plan) key(t *tree.Table) string {
	stored, _ := p.asked.Stored(t)
	return stored.Name.Key()
}

// tableOf returns the covered table without alias that a column is of.
func (p *plan) tableOf(ref *tree.ColumnRef) *tree.Table {
	for _, place := range p.asked.Places(ref) {
		if t, ok := place.Relation.(*tree.Table); ok && p.alias[t] != nil {
			return t
		}
	}
	if len(ref.Parts) < 3 || len(p.asked.Places(ref)) > 0 {
		return nil
	}
	for _, t := range p.named { // a field of a row in a column that is written with the schema
		if p.qualifier(ref, t) > 1 {
			return t
		}
	}
	return nil
}

// qualifier returns how many parts of a column's name are the table's.
func (p *plan) qualifier(ref *tree.ColumnRef, t *tree.Table) int {
	for n := min(3, len(ref.Parts)-1); n > 0; n-- {
		if p.suffix(ref.Parts[:n], t) {
			return n
		}
	}
	return 0
}

// suffix reports whether parts are the end of a table's full name.
func (p *plan) suffix(parts []*tree.Ident, t *tree.Table) bool {
	stored, ok := p.asked.Stored(t)
	if !ok || len(parts) > 3 {
		return false
	}
	full := []string{stored.Name.Region, stored.Name.Schema, stored.Name.Table}[3-len(parts):]
	for i, part := range parts {
		if part.Key() != strings.ToLower(full[i]) {
			return false
		}
	}
	return true
}

// taken reports whether a name stands for another relation of the statement too.
func (p *plan) taken(t *tree.Table, alias *tree.Ident) bool {
	if p.names[alias.Key()] > 0 {
		return true
	}
	for u, other := range p.alias {
		if other.Key() == alias.Key() && p.key(u) != p.key(t) {
			return true
		}
	}
	return false
}

// free returns a name that the statement does not have.
func (p *plan) free(name string) string {
	for i := 2; ; i++ {
		if candidate := name + "_" + strconv.Itoa(i); !p.words[strings.ToLower(candidate)] {
			p.words[strings.ToLower(candidate)] = true
			return candidate
		}
	}
}

// stars returns the covered tables in a SELECT's own FROM that it names in t.*
// with at least least parts.
func (p *plan) stars(s *tree.Select, least int) map[*tree.ColumnRef]*tree.Table {
	out := map[*tree.ColumnRef]*tree.Table{}
	for _, item := range s.Items {
		star, ok := item.(*tree.Star)
		if !ok {
			continue
		}
		ref, ok := star.Qualifier.(*tree.ColumnRef)
		if !ok || len(ref.Parts) < least {
			continue
		}
		for _, r := range s.From {
			leaves(r, func(t *tree.Table) {
				if p.alias[t] != nil && p.suffix(ref.Parts, t) {
					out[ref] = t
				}
			})
		}
	}
	return out
}

func (p *plan) renameStars(other map[string]string) {
	for _, s := range p.selects {
		for ref, t := range p.stars(s, 1) {
			if len(ref.Parts) > 1 || other[p.key(t)] != "" {
				p.refs[ref] = &tree.ColumnRef{Parts: []*tree.Ident{p.alias[t]}}
			}
		}
	}
}

// leaves calls visit for the tables of a FROM clause, without those of queries in
// it.
func leaves(r tree.Relation, visit func(*tree.Table)) {
	switch r := r.(type) {
	case *tree.Table:
		visit(r)
	case *tree.Aliased:
		leaves(r.Relation, visit)
	case *tree.ParenRelation:
		leaves(r.Relation, visit)
	case *tree.Sampled:
		leaves(r.Relation, visit)
	case *tree.Join:
		leaves(r.Left, visit)
		leaves(r.Right, visit)
	}
}
