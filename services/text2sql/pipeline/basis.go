package pipeline

import (
	"reflect"
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/sqlgen"
)

// showBasis adds to an answer what its rows were chosen by, where that can be
// written beside them.
func (res *Result) showBasis(gen *sqlgen.Generator) {
	shown, ok := withBasis(res.Intent)
	if !ok {
		return
	}
	if stmt, err := gen.Statement(shown); err == nil { // else the answer stays as it was asked for
		res.Statement, res.Intent = stmt, shown
	}
}

// withBasis returns an intent of the first rows of an order with what they are
// ordered by behind the columns that were asked for; ok is false where all of that
// is there, and where another column would change the rows.
func withBasis(in *intent.Intent) (shown *intent.Intent, ok bool) {
	if in.Limit <= 0 || len(in.LimitPer) > 0 || in.Set != nil || in.Distinct {
		return in, false
	}
	out := *in
	out.Select = slices.Clone(in.Select)
	for _, o := range in.OrderBy {
		if !slices.ContainsFunc(out.Select, func(s intent.Output) bool { return reflect.DeepEqual(s, o.By) }) {
			out.Select = append(out.Select, o.By)
		}
	}
	return &out, len(out.Select) > len(in.Select)
}
