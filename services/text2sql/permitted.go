package text2sql

import (
	"context"
	"slices"
	"sync"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/policy"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// maxPermitted bounds the layers that are kept as some askers may know them. Askers
// with the same rights share one.
const maxPermitted = 64

// permitted keeps semantic layers as askers may know them. People write stored values
// into a layer: as the values of a dimension, and in its conditions and formulas. Who
// may not read a column as it is stored is answered from a layer that has none of its
// values, by rules and by a model, so that neither SQL nor a suggestion, a restatement
// or a step can spell one.
type permitted struct {
	mu   sync.Mutex
	held map[permittedKey]heldLayer
}

type permittedKey struct {
	layer      *semantic.Layer
	generation string // of the source's tables
	rights     string
}

// permitted returns what the asker may know of a layer: the same one where nothing
// of it is withheld.
func (s *Service) permitted(ctx context.Context, source string, whole heldLayer) (heldLayer, error) {
	rules, err := s.deps.Policy.Current()
	if err != nil {
		return heldLayer{}, err
	}
	grants := rules.For(run.From(ctx).Principal, source)
	if grants == nil || whole.written == nil {
		return whole, nil
	}
	g, err := s.layers.store.Current(source)
	if err != nil {
		return heldLayer{}, err
	}
	key := permittedKey{whole.written, g.Generation, grants.Fingerprint()}
	s.byRights.mu.Lock()
	defer s.byRights.mu.Unlock() // two that ask at once for one layer want it made once
	if have, ok := s.byRights.held[key]; ok {
		return have, nil
	}
	snapshot, err := g.Snapshot()
	if err != nil {
		return heldLayer{}, err
	}
	part := whole
	if written := (&secrets{grants: grants, tables: snapshot.Tables}).without(whole.written); written != nil {
		part = heldLayer{written: written, layer: s.pipeline.PrepareLayer(written)}
	}
	if len(s.byRights.held) >= maxPermitted {
		clear(s.byRights.held)
	}
	s.byRights.held[key] = part
	return part, nil
}

// secrets tells which columns' stored values one asker may not know.
type secrets struct {
	grants *policy.Grants
	tables []catalog.Table
	known  map[string][]*catalog.Table // by the layer's name of a table: those that the asker may read
}

// may are the tables of a name in the layer that the asker may read.
func (s *secrets) may(name string) []*catalog.Table {
	found, ok := s.known[name]
	if !ok {
		found = slices.DeleteFunc(semantic.Tables(name, s.tables), func(t *catalog.Table) bool { return !s.grants.Access(t.Name).Permits(t) })
		if s.known == nil {
			s.known = map[string][]*catalog.Table{}
		}
		s.known[name] = found
	}
	return found
}

// withheld reports that the asker may not know the stored values of a column of a
// table: in one of those that he may read they are kept from him, or he may read none.
func (s *secrets) withheld(table, column string) bool {
	tables := s.may(table)
	return len(tables) == 0 || slices.ContainsFunc(tables, func(t *catalog.Table) bool { return s.grants.Access(t.Name).Withholds(t, column) })
}

// gone reports that a column does not exist for the asker.
func (s *secrets) gone(table, column string) bool {
	tables := s.may(table)
	return len(tables) == 0 || slices.ContainsFunc(tables, func(t *catalog.Table) bool { return s.grants.Access(t.Name).Denies(column) })
}

// spells reports that an expression may spell a stored value that is withheld: it
// reads such a column, and has a text in it or a number that something is compared
// with. One that cannot be read may.
func (s *secrets) spells(table string, exprs ...string) bool {
	return slices.ContainsFunc(exprs, func(text string) bool {
		if text == "" {
			return false
		}
		x, err := semantic.ParseExpr(text)
		return err != nil || reads(x, func(column string) bool { return s.withheld(table, column) }) && constants(x)
	})
}

func reads(x tree.Expr, is func(column string) bool) (does bool) {
	tree.Walk(x, func(n tree.Node) bool {
		if c, ok := n.(*tree.ColumnRef); ok {
			does = does || slices.ContainsFunc(c.Parts, func(part *tree.Ident) bool { return is(part.Name) })
		}
		return !does
	})
	return does
}

// constants reports that an expression has a text in it, or a number that something
// is compared with. The 100 of a percentage is none.
func constants(x tree.Expr) (has bool) {
	tree.Walk(x, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.String, *tree.Bytes, *tree.Typed, *tree.Bool:
			has = true
		case *tree.Between, *tree.InList, *tree.Case, *tree.Array:
			has = has || numbers(n)
		case *tree.Binary:
			switch n.Op {
			case tree.OpEq, tree.OpNe, tree.OpLt, tree.OpLe, tree.OpGt, tree.OpGe, tree.OpDistinct, tree.OpNotDistinct:
				has = has || numbers(n)
			}
		}
		return !has
	})
	return has
}

func numbers(x tree.Node) (has bool) {
	tree.Walk(x, func(n tree.Node) bool {
		if _, ok := n.(*tree.Number); ok {
			has = true
		}
		return !has
	})
	return has
}

// without returns a layer without what is withheld; nil: nothing of it is. Out go
// dimensions over columns that do not exist for the asker, the values of others over
// columns that are masked, and whatever spells a value of such a column; a metric
// that is made of one that is out is out.
func (s *secrets) without(layer *semantic.Layer) *semantic.Layer {
	out, changed := *layer, false
	drop := func(is bool) bool {
		changed = changed || is
		return is
	}
	out.Dimensions = slices.DeleteFunc(slices.Clone(layer.Dimensions), func(x semantic.Dimension) bool {
		return drop(slices.ContainsFunc(x.Reads().Columns, func(c string) bool { return s.gone(x.Table, c) }) || s.spells(x.Table, x.Expr))
	})
	for i, x := range out.Dimensions {
		if len(x.Values) > 0 && slices.ContainsFunc(x.Reads().Columns, func(c string) bool { return s.withheld(x.Table, c) }) {
			out.Dimensions[i].Values, out.Dimensions[i].Complete, changed = nil, false, true
		}
	}
	condition := func(x semantic.Filter) bool { return drop(s.spells(x.Table, x.Expr)) }
	out.Filters = slices.DeleteFunc(slices.Clone(layer.Filters), condition)
	out.Exclusions = slices.DeleteFunc(slices.Clone(layer.Exclusions), condition)
	out.Metrics = slices.DeleteFunc(slices.Clone(layer.Metrics), func(m semantic.Metric) bool {
		return drop(anyPart(layer, &m, 0, func(m *semantic.Metric) bool {
			return s.spells(m.Table, append([]string{m.Expr}, m.DefaultFilters...)...)
		}))
	})
	if !changed {
		return nil
	}
	return &out
}

// anyPart reports whether something holds of a metric that is not made of others, or
// of one of those that it is made of. It holds of one whose parts nobody can tell.
func anyPart(layer *semantic.Layer, m *semantic.Metric, depth int, is func(*semantic.Metric) bool) bool {
	if !m.Composed() {
		return is(m)
	}
	inputs, err := m.Inputs()
	return err != nil || depth > maxLayerDepth || slices.ContainsFunc(inputs, func(id string) bool {
		input, ok := layer.Metric(id)
		return !ok || anyPart(layer, input, depth+1, is)
	})
}

// newPermitted keeps none yet.
func newPermitted() *permitted { return &permitted{held: map[permittedKey]heldLayer{}} }
