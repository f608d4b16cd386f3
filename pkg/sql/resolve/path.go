package resolve

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Column tells the column of a reference from the fields of its row: for t.r.a it
// returns the type of r and [a]. ok is false where the reference names nothing.
func (r *Resolution) Column(x *tree.ColumnRef) (t types.Type, fields []*tree.Ident, ok bool) {
	i := r.exprs[x]
	if i == nil || i.field == nil {
		return types.Unknown(), nil, false
	}
	return i.field.typ, x.Parts[i.parts:], true
}
