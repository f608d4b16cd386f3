package bind

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

func mines() *Layer {
	name := func(t string) catalog.Name { return catalog.Name{Table: t} }
	l := semantic.Derive([]catalog.Table{
		{Name: name("mine"), RowCount: 40, Columns: []catalog.Column{
			{Name: "mine_id", Type: "bigint", PrimaryKey: true, Distinct: 40}, {Name: "name", Type: "varchar", Distinct: 40},
			{Name: "depth", Type: "double"}, {Name: "opening_year", Type: "integer"}, {Name: "years_open", Type: "integer"},
			{Name: "postal_code", Type: "integer"}, {Name: "phone_number", Type: "bigint"}, {Name: "latitude", Type: "double"},
			{Name: "number_of_shafts", Type: "integer"}, {Name: "permit_number", Type: "integer"}, {Name: "accident_rate", Type: "double"},
			{Name: "total_phone", Type: "double"}, {Name: "owner", Type: "bigint"},
		}, ForeignKeys: []catalog.ForeignKey{{Columns: []string{"owner"}, RefTable: name("company"), RefColumns: []string{"standing"}}}},
		{Name: name("company"), RowCount: 9, Columns: []catalog.Column{{Name: "standing", Type: "bigint", PrimaryKey: true, Distinct: 9}, {Name: "title", Type: "varchar"}}},
	})
	return NewLayer(l, plan.New([]string{"mine", "company"}, l.Joins))
}

func TestNatures(t *testing.T) {
	t.Parallel()
	l := mines()
	for id, want := range map[string]nature{
		"mine.mine_id":          identifier,
		"mine.depth":            amount,
		"mine.opening_year":     calendar,
		"mine.years_open":       amount,
		"mine.postal_code":      identifier,
		"mine.phone_number":     identifier,
		"mine.permit_number":    identifier,
		"mine.latitude":         place,
		"mine.number_of_shafts": amount,
		"mine.accident_rate":    level,
		"mine.total_phone":      amount,
		"mine.owner":            identifier, // points to a company
		"company.standing":      identifier, // the only key
	} {
		require.Equal(t, want, l.natures[id], id)
	}
	require.Equal(t, map[string]bool{"mine.owner": true}, l.points)
}

func TestUses(t *testing.T) {
	t.Parallel()
	l := mines()
	cases := []struct {
		column string
		use    use
		asked  bool // by its name
		may    bool
	}{
		{"mine.depth", summed, false, true},
		{"mine.accident_rate", summed, false, true}, // somebody said so
		{"mine.accident_rate", implied, true, false},
		{"mine.accident_rate", averaged, false, true},
		{"mine.opening_year", summed, true, false},
		{"mine.opening_year", averaged, true, true},
		{"mine.opening_year", picked, false, true},
		{"mine.latitude", summed, true, false},
		{"mine.mine_id", summed, true, false},
		{"mine.mine_id", averaged, true, false},
		{"mine.mine_id", picked, false, false},
		{"mine.mine_id", picked, true, true},
		{"mine.owner", picked, false, false},
		{"mine.owner", compared, false, false},
		{"mine.postal_code", summed, true, false},
	}
	for _, c := range cases {
		require.Equal(t, c.may, l.may(l.byID[c.column], c.use, c.asked), "%s %d", c.column, c.use)
	}
}

func TestWordsForIdentifiers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"vet id": true, "IDs": true, "postal codes": true, "account number": true, "订单编号": true, "电话": true,
		"vets": false, "county": false, "surgeries": false, "兽医": false, "": false,
	} {
		require.Equal(t, want, saysIdentifier(text), text)
	}
}
