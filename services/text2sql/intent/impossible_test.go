package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImpossible(t *testing.T) {
	t.Parallel()
	on := func(column string, op Op, values ...string) Cond {
		c := Cond{Op: op, Left: &Output{Field: Field{Kind: KindDimension, ID: column}}}
		for _, v := range values {
			c.Values = append(c.Values, Literal{Text: v, Number: v[0] < 'A'})
		}
		return c
	}
	for _, c := range []struct {
		name  string
		conds []Cond
		want  bool
	}{
		{"one", []Cond{on("color", Eq, "Black")}, false},
		{"is and is not", []Cond{on("color", Ne, "Black"), on("color", Eq, "Black")}, true},
		{"two values", []Cond{on("color", Eq, "Black"), on("color", Eq, "White")}, true},
		{"two columns", []Cond{on("color", Eq, "Black"), on("trim", Eq, "White")}, false},
		{"one value twice", []Cond{on("color", Eq, "Black"), on("color", Eq, "Black")}, false},
		{"a list that has it", []Cond{on("color", Eq, "Black"), on("color", In, "White", "Black")}, false},
		{"lists apart", []Cond{on("color", In, "Red"), on("color", In, "White", "Black")}, true},
		{"not another one", []Cond{on("color", Eq, "Black"), on("color", Ne, "White")}, false},
		{"a range", []Cond{on("price", Gt, "3"), on("price", Lt, "5")}, false},
		{"no range", []Cond{on("price", Gt, "5"), on("price", Lt, "3")}, true},
		{"its only point left out", []Cond{on("price", Ge, "5"), on("price", Lt, "5")}, true},
		{"its only point", []Cond{on("price", Ge, "5"), on("price", Le, "5.0")}, false},
		{"a value outside", []Cond{on("price", Eq, "2"), on("price", Gt, "3")}, true},
		{"a value inside", []Cond{on("price", Eq, "4"), on("price", Gt, "3")}, false},
		{"no value and one", []Cond{on("price", IsNull), on("price", Gt, "3")}, true},
		{"within and", []Cond{{Op: And, Args: []Cond{on("color", Eq, "Black"), on("color", Eq, "Red")}}}, true},
		{"within or", []Cond{{Op: Or, Args: []Cond{on("color", Eq, "Black"), on("color", Eq, "Red")}}}, false},
		{"of what is related", []Cond{{Op: Exists, Sub: &Intent{Filters: []Cond{on("color", Eq, "Black"), on("color", Eq, "Red")}}}}, true},
		{"texts are not compared by order", []Cond{on("name", Gt, "b"), on("name", Lt, "a")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, Impossible(c.conds) != nil)
		})
	}
}
