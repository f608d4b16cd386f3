package resolve

import (
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Column tells the column of a reference from the fields of its row: for t.r.a it
// returns the type of r and [a]. ok is false where the reference names nothing.
func (r *Resolution) Column(x *tree.ColumnRef) (t types.Type, fields []*tree.Ident, ok bool) {
	f := r.fields[x]
	if f == nil {
		return types.Unknown(), nil, false
	}
	for n := len(x.Parts); n > 0; n-- { // as names are looked up: longest first
		if x.Parts[n-1].Key() == tree.ID(f.name).Key() && qualifies(f.qualifier, x.Parts[:n-1]) {
			return f.typ, x.Parts[n:], true
		}
	}
	return f.typ, nil, true
}
