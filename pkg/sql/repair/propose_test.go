package repair_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sql/repair"
)

// TestPropose: what somebody else makes of a statement is taken where it changes only what
// is wrong, and refused with the reason where it does more.
func TestPropose(t *testing.T) {
	t.Parallel()
	options := repair.Options{Scopes: repair.Fixed(shop()), Known: shopTables()}
	for _, c := range []struct{ name, broken, proposed, refused string }{
		{"a column", "SELECT o.country, revenue FROM orders o WHERE o.qty > 1", "SELECT o.country, o.amount FROM orders o WHERE o.qty > 1", ""},
		{"another alias", "SELECT o.country, revenue FROM orders o WHERE o.qty > 1", "SELECT x.country, x.amount FROM orders AS x WHERE (x.qty > 1)", ""},
		{"a join", "SELECT item_code FROM orders", "SELECT i.sku FROM orders o JOIN items i ON i.order_id = o.order_id", ""},
		{"a table that is called otherwise", "SELECT country, qty FROM sales_of_all WHERE qty > 1 ORDER BY qty", "SELECT country, qty FROM orders WHERE qty > 1 ORDER BY qty", ""},
		{"another column of a table that is called otherwise", "SELECT country, qty FROM sales_of_all WHERE qty > 1", "SELECT status, qty FROM orders WHERE qty > 1", "changes the show part"},
		{"FROM is missing", "SELECT order_id WHERE qty > 1", "SELECT order_id FROM orders WHERE qty > 1", ""},
		{"words of a text that cannot be read", "SELECT country, sum(qty FROM orders WHERE > 3 BY country", "SELECT country, sum(qty) FROM orders WHERE qty > 3 GROUP BY country", ""},
		{"the filter is gone", "SELECT revenue FROM orders WHERE qty > 1", "SELECT amount FROM orders", "changes the filter part"},
		{"the filter is another", "SELECT revenue FROM orders WHERE qty > 1", "SELECT amount FROM orders WHERE qty > 2", "changes the filter part"},
		{"the wrong filter is gone", "SELECT qty FROM orders WHERE region = 'SG'", "SELECT qty FROM orders", "leaves a filter part out"},
		{"another value", "SELECT qty FROM orders WHERE region = 'SG'", "SELECT qty FROM orders WHERE country = 'BR'", "a value that the statement has not"},
		{"a filter more", "SELECT revenue FROM orders", "SELECT amount FROM orders WHERE qty > 0", "adds a filter part"},
		{"a column more", "SELECT revenue FROM orders", "SELECT amount, status FROM orders", "adds a show part"},
		{"another group", "SELECT country, sum(revenue) FROM orders GROUP BY country", "SELECT status, sum(amount) FROM orders GROUP BY status", "which was right"},
		{"another table", "SELECT revenue FROM orders", "SELECT buyer_id FROM buyers", "changes the read part"},
		{"a limit", "SELECT revenue FROM orders", "SELECT amount FROM orders LIMIT 5", "adds a shape part"},
		{"sorted the other way", "SELECT revenue FROM orders ORDER BY qty DESC", "SELECT amount FROM orders ORDER BY qty", "changes the order part"},
		{"a filter inside a subquery", "SELECT qty FROM orders WHERE order_id IN (SELECT revenue FROM items WHERE line > 1)", "SELECT qty FROM orders WHERE order_id IN (SELECT order_id FROM items WHERE line > 2)", "changes the filter part"},
		{"a join that is an outer one", "SELECT item_code FROM orders", "SELECT i.sku FROM orders o LEFT JOIN items i ON i.order_id = o.order_id", "adds a shape part"},
		{"a table more", "SELECT revenue FROM orders", "SELECT amount FROM orders, items", "adds a table"},
		{"a table joined for nothing", "SELECT revenue FROM orders", "SELECT o.amount FROM orders o JOIN items i ON i.order_id = o.order_id", "adds a table"},
		{"still wrong", "SELECT revenue FROM orders", "SELECT turnover FROM orders", "COLUMN_NOT_FOUND"},
		{"a write", "SELECT revenue FROM orders", "DROP TABLE orders", "not one query"},
		{"two statements", "SELECT revenue FROM orders", "SELECT amount FROM orders; SELECT 1", "not one query"},
		{"prose", "SELECT revenue FROM orders", "Sure! Use the column amount.", "not one query"},
		{"nothing", "SELECT revenue FROM orders", "", "not one query"},
		{"another text altogether", "SELECT country, sum(qty FROM orders WHERE > 3 BY country", "SELECT buyer_id FROM buyers WHERE home_id IS NULL ORDER BY buyer_id", "leaves the value 3 out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			was := repair.Result{Text: c.broken}
			r, problems, err := repair.Propose(t.Context(), was, c.proposed, "because", options)
			require.NoError(t, err)
			if c.refused != "" {
				require.NotEmpty(t, problems)
				require.Contains(t, problems[0], c.refused)
				require.Equal(t, c.broken, r.Text)
				return
			}
			require.Empty(t, problems)
			require.True(t, r.Valid())
			require.False(t, r.Certain())
			require.NotEmpty(t, r.Diff)
			got, ok := meaning(r.Text, shop())
			require.True(t, ok, r.Text)
			want, _ := meaning(c.proposed, shop())
			require.Equal(t, want, got, "the words that both have stay as they were: %s", r.Text)
		})
	}
}

// TestProposeForWhatCannotBeRead: of a text that cannot be read a proposal keeps the
// operators, the words of its conditions and its tables; what it guesses is a candidate.
func TestProposeForWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	options := repair.Options{Scopes: repair.Fixed(shop()), Known: shopTables()}
	for _, c := range []struct{ name, broken, proposed, refused string }{
		{"a parenthesis", "SELECT country, sum(qty FROM orders WHERE qty <> 3 GROUP country", "SELECT country, sum(qty) FROM orders WHERE qty <> 3 GROUP BY country", ""},
		{"misspelt words", "SELCT country FORM orders WEHRE qty > 3 3", "SELECT country FROM orders WHERE qty > 3", ""},
		{"another way to write an operator", "SELECT qty FROM orders WHERE qty != 3 AND GROUP BY qty", "SELECT qty FROM orders WHERE qty <> 3 GROUP BY qty", ""},
		{"a doubled operator", "SELECT qty FROM orders WHERE qty = = 3", "SELECT qty FROM orders WHERE qty = 3", ""},
		{"a divided operator", "SELECT qty FROM orders WHERE qty > = 3", "SELECT qty FROM orders WHERE qty >= 3", ""},
		{"columns of a join", "SELECT o.qty FROM orders o JOIN items i ON o.order_id i.order_id WHERE WHERE o.qty > 3", "SELECT o.qty FROM orders o JOIN items i ON o.order_id = i.order_id WHERE o.qty > 3", ""},
		{"an operator is gone", "SELECT qty FROM orders WHERE qty <> 3 AND , status = 'A'", "SELECT qty FROM orders WHERE qty = 3 AND status = 'A'", "leaves `<>` out"},
		{"NOT is gone", "SELECT qty FROM FROM WHERE orders country NOT IN ('SG')", "SELECT qty FROM orders WHERE country IN ('SG')", "leaves `not` out"},
		{"OR for AND", "SELECT qty FROM orders WHERE (qty > 3 AND status = 'A'", "SELECT qty FROM orders WHERE (qty > 3 OR status = 'A')", "leaves `and` out"},
		{"a condition is gone", "SELECT qty FROM orders WHERE qty > 3 AND country IS NULL NULL ) BY", "SELECT qty FROM orders WHERE qty > 3", "leaves `and` out"},
		{"a table is gone", "SELECT o.qty FROM orders o JOIN items i ON o.order_id = i.order_id WHERE > o.qty", "SELECT o.qty FROM orders o JOIN orders i ON o.order_id = i.order_id WHERE o.qty > o.qty", "no longer reads `sg.shop.items`"},
		{"a join is gone", "SELECT o.qty FROM orders o JOIN items i ON o.order_id = i.order_id WHERE", "SELECT o.qty FROM orders o WHERE o.order_id = o.order_id", "leaves `join` out"},
		{"a column is gone", "SELECT country, status, FROM orders GROUP country", "SELECT country FROM orders GROUP BY country", "leaves `status` out"},
		{"the other order", "SELECT qty FROM orders ORDER qty DESC", "SELECT qty FROM orders ORDER BY qty", "leaves `desc` out"},
		{"the one table with the columns", "SELECT city FROM GROUP BY city", "SELECT city FROM places GROUP BY city", ""},
		{"a guessed operator of a text that can be read", "SELECT country FROM orders WHERE status 'A'", "SELECT country FROM orders WHERE status = 'A'", "candidate"},
		{"a guessed table without columns", "SELECT count(*) FROM", "SELECT count(*) FROM orders", "candidate"},
		{"a guessed operator", "SELECT qty FROM orders WHERE status 'A' GROUP qty", "SELECT qty FROM orders WHERE status = 'A' GROUP BY qty", "candidate"},
		{"a guessed table", "SELECT order_id FROM EXCEPT SELECT order_id FROM items", "SELECT order_id FROM orders EXCEPT SELECT order_id FROM items", "candidate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, problems, err := repair.Propose(t.Context(), repair.Result{Text: c.broken}, c.proposed, "because", options)
			require.NoError(t, err)
			switch c.refused {
			case "":
				require.Empty(t, problems)
				require.True(t, r.Valid(), r.Text)
			case "candidate":
				require.Empty(t, problems)
				require.Equal(t, c.broken, r.Text)
				require.Len(t, r.Candidates, 1)
				require.NotEmpty(t, r.Candidates[0].Changes)
			default:
				require.Contains(t, strings.Join(problems, "; "), c.refused)
				require.Equal(t, c.broken, r.Text)
				require.Empty(t, r.Candidates)
			}
		})
	}
}
