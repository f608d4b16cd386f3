package resolve

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// keyer makes keys of expressions: two expressions have the same key where they
// are the same but for layout, case of names, parentheses and how columns are
// qualified. Keys of parts are kept, so that those of all parts of an expression
// cost no more than its own.
type keyer struct {
	r     *resolver
	seed  maphash.Seed
	ids   map[*field]int // of columns
	cache map[tree.Node]uint64
}

func (k *keyer) of(x tree.Expr) uint64 {
	if k.cache == nil {
		k.seed, k.cache, k.ids = maphash.MakeSeed(), map[tree.Node]uint64{}, map[*field]int{}
	}
	return k.node(x)
}

func (k *keyer) node(n tree.Node) uint64 {
	if p, ok := n.(*tree.Paren); ok {
		n = tree.Unparen(p)
	}
	if key, ok := k.cache[n]; ok {
		return key
	}
	var h maphash.Hash
	h.SetSeed(k.seed)
	label, whole := k.label(n)
	_, _ = h.WriteString(label)
	if !whole {
		var buffer [8]byte
		tree.Walk(n, func(child tree.Node) bool {
			if child == n {
				return true
			}
			binary.LittleEndian.PutUint64(buffer[:], k.node(child))
			_, _ = h.Write(buffer[:])
			return false
		})
	}
	key := h.Sum64()
	k.cache[n] = key
	return key
}

// label is what tells a node from others beside its parts; whole where it tells
// all of it.
func (k *keyer) label(n tree.Node) (label string, whole bool) {
	switch n := n.(type) {
	case *tree.ColumnRef:
		return k.column(n), true
	case *tree.Number:
		return "number " + n.Text, true
	case *tree.String:
		return "string " + n.Value, true
	case *tree.Bool:
		return "bool " + strconv.FormatBool(n.Value), true
	case *tree.Typed:
		return "typed " + n.Type + " " + n.Value, true
	case *tree.Binary:
		return "binary " + n.Op, false
	case *tree.Unary:
		return "unary " + n.Op, false
	case *tree.IsNull:
		return "null " + strconv.FormatBool(n.Not), false
	case *tree.Between:
		return "between " + strconv.FormatBool(n.Not), false
	case *tree.InList:
		return "in " + strconv.FormatBool(n.Not), false
	case *tree.Like:
		return "like " + strconv.FormatBool(n.Not), false
	case *tree.Case:
		return "case " + strconv.FormatBool(n.Operand != nil) + strconv.FormatBool(n.Else != nil), false
	case *tree.Cast:
		return "cast " + n.Type.Text + strconv.FormatBool(n.Try), false
	case *tree.Extract:
		return "extract " + n.Field, false
	case *tree.Call:
		return "call " + n.Name.Key() + " " + string(n.Quantifier) + n.Nulls + strconv.FormatBool(n.Star) + n.Mode, false
	case *tree.SortItem:
		return "sort " + strconv.FormatBool(n.Desc) + n.Nulls, false
	case *tree.Ident:
		return "name " + n.Key(), true
	case *tree.Name:
		return "", true // of a call, and in its label
	case *tree.Null, *tree.Not, *tree.When, *tree.Subscript, *tree.Array, *tree.Row, *tree.Field, *tree.AtTimeZone, *tree.Over, *tree.Window:
		return fmt.Sprintf("%T", n), false
	}
	if text := n.Span().Text(); text != "" {
		return strings.ToLower(text), true
	}
	return strings.ToLower(printer.Format(n)), true
}

// column is a label of the column that a reference means, and of the field in it
// that is asked for.
func (k *keyer) column(ref *tree.ColumnRef) string {
	i := k.r.out.exprs[ref]
	if i == nil || i.field == nil {
		return "column " + (&tree.Name{Parts: ref.Parts}).Key()
	}
	id, ok := k.ids[i.field]
	if !ok {
		id = len(k.ids)
		k.ids[i.field] = id
	}
	label := "column #" + strconv.Itoa(id)
	for _, part := range ref.Parts[i.parts:] {
		label += "." + part.Key()
	}
	return label
}
