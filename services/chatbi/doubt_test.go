package chatbi_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/services/chatbi"
)

// unreadShop is the shop whose files could not be read wholly.
func unreadShop() []catalog.Table {
	all := tables()
	all[0].UnreadRows = 3
	for i := range all[0].Columns {
		switch c := &all[0].Columns[i]; c.Name {
		case "amount":
			c.Unread, c.Unit = 2, "EUR"
		case "fee_sgd":
			c.Absent, c.Missing = 4, 7
		case "note":
			c.Resembles = catalog.ResemblesNumber
		case "country":
			c.Distinct, c.Samples = 2, []string{"80", "2,400"}
		}
	}
	return all
}

func TestAnAnswerTellsWhatItsFilesDidNotGive(t *testing.T) {
	t.Parallel()
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
		d.Catalog = fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: unreadShop()}, catalog.Defaults{Region: "sg", Schema: "shop"})}
	})
	for sql, want := range map[string]map[string]string{
		"SELECT count(*) FROM orders":                                   {chatbi.WarnRowsUnread: "3 lines of the file of orders"},
		"SELECT sum(amount) FROM orders":                                {chatbi.WarnValuesUnread: "2 values of the column amount"},
		"SELECT sum(fee_sgd) / 2 FROM orders":                           {chatbi.WarnValuesMissing: "7 of 900 rows of orders have no fee_sgd"},
		"SELECT avg(f + 1) FROM (SELECT fee_sgd AS f FROM orders) AS o": {chatbi.WarnValuesMissing: "7 of 900 rows of orders have no fee_sgd"},
		"SELECT count(*) FROM orders WHERE fee_sgd IS NULL":             {chatbi.WarnValuesMissing: "4 values of the column fee_sgd were words"},
		"SELECT note FROM orders":                                       {chatbi.WarnTextColumn: "note is text that looks like numbers"},
		"SELECT sum(TRY_CAST(country AS double)) FROM orders":           {chatbi.WarnTextColumn: "what cannot be read that way is left out"},
		"SELECT max(country) FROM orders":                               {chatbi.WarnTextColumn: "compared and ordered by its letters"},
		"SELECT order_id FROM orders ORDER BY country":                  {chatbi.WarnTextColumn: "compared and ordered by its letters"},
		"SELECT order_id FROM orders WHERE country > '5'":               {chatbi.WarnTextColumn: "compared and ordered by its letters"},
	} {
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: sql, UserQuestion: "how many?"})
		got := map[string]string{}
		for _, w := range r.GetWarnings() {
			got[w.GetCode()] = w.GetMessage()
		}
		for code, part := range want {
			require.Contains(t, got[code], part, sql)
		}
	}
	r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT country, count(*) FROM orders GROUP BY country", UserQuestion: "orders by country"})
	require.NotContains(t, warnings(r), chatbi.WarnTextColumn, "grouping by a text is no comparison")
	r = execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT sum(amount) AS total FROM orders", UserQuestion: "total amount"})
	require.Contains(t, r.GetAnswer(), "EUR")
}

// TestGroupsOfSpellingsAreTold: where values that rows are grouped by differ by case and blanks alone, one thing is
// in several groups, which is told; where they do not, nothing is.
func TestGroupsOfSpellingsAreTold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []string
		sql    string
		told   bool
	}{
		{[]string{"Card", "cash", "card"}, "SELECT note, count(*) FROM orders GROUP BY note", true},
		{[]string{"Card", "cash"}, "SELECT note, count(*) FROM orders GROUP BY note", false},
		{[]string{"Card", "cash", "card"}, "SELECT lower(note), count(*) FROM orders GROUP BY lower(note)", false},
		{[]string{"Card", "cash", "card"}, "SELECT count(*) FROM orders WHERE note = 'card'", false},
	} {
		all := tables()
		for i := range all[0].Columns {
			if k := &all[0].Columns[i]; k.Name == "note" {
				k.Distinct, k.Samples = int64(len(c.values)), c.values
			}
		}
		s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
			d.Catalog = fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: all}, catalog.Defaults{Region: "sg", Schema: "shop"})}
		})
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: c.sql, UserQuestion: "orders by note"})
		message := ""
		for _, w := range r.GetWarnings() {
			if w.GetCode() == chatbi.WarnSpellings {
				message = w.GetMessage()
			}
		}
		require.Equal(t, c.told, message != "", c.sql)
		if c.told {
			require.Contains(t, message, "“Card” and “card”")
		}
	}
}

// TestACastThatReadsAllLeavesNothingOut: where all values of a text are known and can be
// cast, nobody is told that some are left out; where one may be another, who asks is told.
func TestACastThatReadsAllLeavesNothingOut(t *testing.T) {
	t.Parallel()
	for distinct, told := range map[int64]bool{2: false, 3: true} {
		all := tables()
		for i := range all[0].Columns {
			if c := &all[0].Columns[i]; c.Name == "note" {
				c.Distinct, c.Samples = distinct, []string{"80", "75"}
			}
		}
		s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
			d.Catalog = fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: all}, catalog.Defaults{Region: "sg", Schema: "shop"})}
		})
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT sum(TRY_CAST(note AS double)) FROM orders", UserQuestion: "how many?"})
		if told {
			require.Contains(t, warnings(r), chatbi.WarnTextColumn)
		} else {
			require.NotContains(t, warnings(r), chatbi.WarnTextColumn)
		}
	}
}

// TestSeveralCurrenciesAreTold: where a column tells the currency of each row, amounts of several of them are not
// added up, compared or put in order without a word; by themselves nothing is said.
func TestSeveralCurrenciesAreTold(t *testing.T) {
	t.Parallel()
	all := tables()
	for i := range all[0].Columns {
		if c := &all[0].Columns[i]; c.Name == "note" {
			c.Distinct, c.Samples = 3, []string{"EUR", "USD", "GBP"}
		}
	}
	s := newService(t, func(_ *chatbi.Config, d *chatbi.Deps) {
		d.Catalog = fakeCatalog{index: catalog.NewIndex(&catalog.Snapshot{Tables: all}, catalog.Defaults{Region: "sg", Schema: "shop"})}
	})
	for sql, told := range map[string]bool{
		"SELECT sum(amount) FROM orders":                                                                         true,
		"SELECT country, avg(amount) FROM orders GROUP BY country":                                               true,
		"SELECT max(amount) FROM orders":                                                                         true,
		"SELECT order_id FROM orders ORDER BY amount DESC":                                                       true,
		"SELECT count(*) FROM orders WHERE amount > 5":                                                           true,
		"SELECT sum(a) FROM (SELECT amount AS a FROM orders) AS o":                                               true,
		"SELECT sum(amount) FROM orders WHERE note IN ('EUR', 'USD')":                                            true,
		"SELECT sum(amount) FROM orders WHERE note <> 'EUR'":                                                     true,
		"SELECT sum(amount) FROM orders WHERE note = 'EUR'":                                                      false,
		"SELECT note, sum(amount) FROM orders GROUP BY note":                                                     false,
		"SELECT count(*) FROM orders":                                                                            false,
		"SELECT order_id, amount FROM orders":                                                                    false,
		"SELECT max(order_id) FROM orders":                                                                       false,
		"SELECT sum(a.amount) FROM orders AS a JOIN orders AS b ON a.order_id = b.order_id WHERE b.note = 'EUR'": true,
	} {
		r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: sql, UserQuestion: "how many?"})
		require.Equal(t, told, slices.Contains(warnings(r), chatbi.WarnCurrencies), "%s %v", sql, r)
	}
	r := execute(t, s, &chatbiv1.ExecuteQuery{Sql: "SELECT sum(amount) FROM orders", UserQuestion: "how much?"})
	require.Contains(t, r.GetWarnings()[0].GetMessage(), "The amounts of amount are in several currencies, as note tells (EUR, USD, GBP)")
}
