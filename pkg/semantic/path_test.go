package semantic

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPath(t *testing.T) {
	t.Parallel()
	one := func(from, to string) Join {
		return Join{From: from, Columns: []string{to + "_id"}, To: to, ToColumns: []string{"id"}}
	}
	l := &Layer{Joins: []Join{
		one("line", "order"), one("line", "product"), one("product", "category"), one("order", "customer"), one("order", "store"),
		one("customer", "city"), one("store", "city"), one("city", "country"),
		{From: "product", Columns: []string{"id"}, To: "picture", ToColumns: []string{"product_id"}, Cardinality: OneToMany},
		{From: "product", Columns: []string{"id"}, To: "stock", ToColumns: []string{"product_id"}, Cardinality: OneToOne},
		{From: "order", Columns: []string{"day"}, To: "holiday", ToColumns: []string{"day"}, Cardinality: ManyToMany},
	}}
	for _, c := range []struct {
		from, to, via string
		want          []string // nil: none
	}{
		{"line", "category", "", []string{"product", "category"}},
		{"line", "customer", "", []string{"order", "customer"}},
		{"line", "city", "", nil}, // of the customer, or of the store
		{"line", "country", "", nil},
		{"line", "country", "customer", []string{"order", "customer", "city", "country"}},
		{"line", "country", "store", []string{"order", "store", "city", "country"}},
		{"customer", "country", "", []string{"city", "country"}},
		{"picture", "category", "", []string{"product", "category"}}, // against the direction in which it is written
		{"stock", "category", "", []string{"product", "category"}},
		{"line", "picture", "", nil}, // several pictures of a product
		{"order", "holiday", "", nil},
		{"order", "line", "", nil},
		{"line", "nowhere", "", nil},
		{"line", "line", "", []string{}},
	} {
		path, ok := l.Path(c.from, c.to, c.via)
		require.Equal(t, c.want != nil, ok, "%v", c)
		if !ok {
			continue
		}
		got, at := []string{}, c.from
		for _, j := range path {
			require.Equal(t, at, j.From, "%v", c)
			at = j.To
			got = append(got, j.To)
		}
		require.Equal(t, c.want, got, "%v", c)
	}
}
