package tools_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// clinic is a catalog with declared keys: owners, their pets, the pets' breeds, vets who are
// persons, and one row of settings.
type clinic struct{}

func (clinic) Tables(context.Context, string, []string) ([]catalog.Table, error) {
	name := func(t string) catalog.Name { return catalog.Name{Region: "eu", Schema: "clinic", Table: t} }
	key := func(c string) catalog.Column { return catalog.Column{Name: c, Type: "bigint", PrimaryKey: true} }
	number := func(c string) catalog.Column { return catalog.Column{Name: c, Type: "bigint"} }
	word := func(c string) catalog.Column { return catalog.Column{Name: c, Type: "varchar"} }
	to := func(c, t, r string) catalog.ForeignKey {
		return catalog.ForeignKey{Columns: []string{c}, RefTable: name(t), RefColumns: []string{r}}
	}
	return []catalog.Table{
		{Name: name("owners"), RowCount: 10, Columns: []catalog.Column{key("owner_id"), word("home town"), number("age")}},
		{
			Name: name("pets"), RowCount: 30, Columns: []catalog.Column{key("pet_id"), number("keeper"), number("breed_id"), word("status")},
			ForeignKeys: []catalog.ForeignKey{to("keeper", "owners", "owner_id"), to("breed_id", "breeds", "breed_id")},
		},
		{Name: name("breeds"), RowCount: 5, Columns: []catalog.Column{key("breed_id"), word("size")}},
		{Name: name("persons"), RowCount: 40, Columns: []catalog.Column{key("no"), word("name")}},
		{Name: name("vets"), RowCount: 4, Columns: []catalog.Column{key("person_id"), number("room")}},
		{
			Name: name("nurses"), RowCount: 4, Columns: []catalog.Column{key("badge"), number("shift")},
			ForeignKeys: []catalog.ForeignKey{to("badge", "persons", "no")},
		},
		{Name: name("settings"), RowCount: 1, Columns: []catalog.Column{number("goal")}},
	}, nil
}

func (clinic) Defaults(context.Context, string) (catalog.Defaults, error) {
	return catalog.Defaults{Region: "eu", Schema: "clinic"}, nil
}

func TestOdds(t *testing.T) {
	t.Parallel()
	set, err := tools.New(tools.Deps{Catalog: clinic{}, Guard: guard.New(guard.Config{})})
	require.NoError(t, err)
	unjoined := func(a, b string) []tools.Odd {
		return []tools.Odd{{Kind: tools.OddUnjoined, A: "eu.clinic." + a, B: "eu.clinic." + b}}
	}
	apart := func(a, b string) []tools.Odd { return []tools.Odd{{Kind: tools.OddApart, A: a, B: b}} }
	null := func(a string) []tools.Odd { return []tools.Odd{{Kind: tools.OddNull, A: a}} }
	column := func(a string) []tools.Odd { return []tools.Odd{{Kind: tools.OddName, A: a}} }
	for name, c := range map[string]struct {
		sql  string
		want []tools.Odd
	}{
		"no condition":                            {"SELECT count(*) FROM owners o, pets p", unjoined("pets", "owners")},
		"a cross join":                            {"SELECT count(*) FROM owners o CROSS JOIN pets p", unjoined("pets", "owners")},
		"conditions on one of them alone":         {"SELECT count(*) FROM owners o, pets p WHERE o.age > 3 AND p.status = 'x'", unjoined("pets", "owners")},
		"the third":                               {"SELECT count(*) FROM owners o JOIN pets p ON p.keeper = o.owner_id, breeds b", unjoined("breeds", "owners")},
		"within a subquery":                       {"SELECT * FROM (SELECT o.age FROM owners o, pets p) x", unjoined("pets", "owners")},
		"joined by WHERE":                         {"SELECT count(*) FROM owners o, pets p WHERE p.keeper = o.owner_id", nil},
		"joined by USING":                         {"SELECT count(*) FROM pets JOIN breeds USING (breed_id)", nil},
		"joined by size":                          {"SELECT count(*) FROM owners a JOIN owners b ON a.age < b.age", nil},
		"joined over a third":                     {"SELECT count(*) FROM owners o, breeds b, pets p WHERE p.keeper = o.owner_id AND p.breed_id = b.breed_id", nil},
		"joined over a query":                     {"SELECT count(*) FROM owners o, breeds b, (SELECT keeper, breed_id FROM pets) p WHERE p.keeper = o.owner_id AND p.breed_id = b.breed_id", nil},
		"a table of one row":                      {"SELECT count(*) FROM owners o, settings s WHERE o.age > 1", nil},
		"totals beside each other":                {"WITH a AS (SELECT count(*) n FROM owners), b AS (SELECT count(*) n FROM pets) SELECT a.n, b.n FROM a, b", nil},
		"keys of different things":                {"SELECT count(*) FROM owners o JOIN breeds b ON o.owner_id = b.breed_id", apart("o.owner_id", "b.breed_id")},
		"what points to another thing":            {"SELECT count(*) FROM pets p JOIN breeds b ON p.keeper = b.breed_id", apart("p.keeper", "b.breed_id")},
		"by WHERE":                                {"SELECT count(*) FROM pets p, breeds b WHERE p.keeper = b.breed_id", apart("p.keeper", "b.breed_id")},
		"a key and what points to it":             {"SELECT count(*) FROM pets p JOIN owners o ON p.keeper = o.owner_id", nil},
		"both point to one thing":                 {"SELECT count(*) FROM pets a JOIN pets b ON a.keeper = b.keeper", nil},
		"a key that is a key of another":          {"SELECT count(*) FROM nurses n JOIN persons p ON n.badge = p.no", nil},
		"no key is declared, but it is called so": {"SELECT count(*) FROM vets v JOIN persons p ON v.person_id = p.no", nil},
		"no key of anything":                      {"SELECT count(*) FROM owners o JOIN vets v ON o.age = v.room", nil},
		"= NULL":                                  {"SELECT count(*) FROM owners WHERE age = NULL", null("age = NULL")},
		"<> NULL":                                 {"SELECT count(*) FROM owners WHERE age <> NULL", null("age <> NULL")},
		"IS NULL":                                 {"SELECT count(*) FROM owners WHERE age IS NULL", nil},
		"a column shown as a text":                {"SELECT 'home town', count(*) FROM owners GROUP BY 1", column("home town")},
		"grouped by a text":                       {"SELECT count(*) FROM pets GROUP BY 'status'", column("status")},
		"ordered by a text":                       {"SELECT age FROM owners ORDER BY 'age'", column("age")},
		"the last column shown":                   {"SELECT count(*), 'size' FROM breeds", column("size")},
		"a part joined by USING":                  {"SELECT count(*) FROM pets JOIN breeds USING (breed_id), owners", unjoined("owners", "pets")},
		"a text that is no column":                {"SELECT 'home', count(*) FROM owners GROUP BY 1", nil},
		"a text that is compared":                 {"SELECT count(*) FROM pets WHERE status = 'age'", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := set.Validate(run.With(t.Context(), run.Context{Principal: run.Principal{ID: "ann"}}), tools.StatementArgs{SQL: c.sql})
			require.NoError(t, err)
			require.True(t, v.Valid, "%v", v.Problems)
			require.Equal(t, c.want, v.Odds)
		})
	}
}
