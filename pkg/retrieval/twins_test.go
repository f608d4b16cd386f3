package retrieval_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval"
)

// TestBestTwin: of near twins the one is best that the question asks for and the asker may
// see, and the table itself where none fits better.
func TestBestTwin(t *testing.T) {
	t.Parallel()
	c := build(t, snapshot("a.parcel | depot", "a.parcel_sg | depot", "a.parcel_br | depot", "b.parcel_br | depot"))
	tables := make(map[string]*catalog.Table)
	for _, one := range c.Index().All().Tables() {
		tables[one.Name.Schema+"."+one.Name.Table] = one
	}
	noBrazil := func(one *catalog.Table) bool { return one != tables["a.parcel_br"] }
	for _, k := range []struct {
		text, of, want string
		visible        func(*catalog.Table) bool
	}{
		{"parcels for the Brazilian market", "a.parcel", "a.parcel_br", nil},
		{"parcels for the Brazilian market", "a.parcel_sg", "a.parcel_br", nil},
		{"parcels for the Brazilian market", "a.parcel", "a.parcel", noBrazil},
		{"parcels", "a.parcel", "a.parcel", nil},
		{"parcels in Singapore", "b.parcel_br", "b.parcel_br", nil},
	} {
		twins := c.Twins(c.Parse(k.text, nil), k.visible)
		require.Same(t, tables[k.want], twins.Best(tables[k.of]), "%s, %s", k.text, k.of)
	}
	unknown := &catalog.Table{}
	require.Same(t, unknown, c.Twins(retrieval.Query{}, nil).Best(unknown), "a table of another catalog")
}
