package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// takings are two tables of a club, one called as money is.
func takings() []catalog.Table {
	return []catalog.Table{
		{Name: catalog.Name{Table: "members"}, RowCount: 400, Columns: []catalog.Column{key("member_no"), col("full_name", "varchar"), texts("town", "Leith", "Marchmont")}},
		{Name: catalog.Name{Table: "payments"}, RowCount: 1600, Columns: []catalog.Column{key("receipt"), {Name: "member_no", Type: "bigint", Distinct: 400}, col("paid_on", "date"), col("amount", "double"), texts("method", "Card", "Cash")},
			ForeignKeys: []catalog.ForeignKey{to("member_no", "members")}},
		{Name: catalog.Name{Table: "loans"}, RowCount: 3200, Columns: []catalog.Column{key("loan_id"), {Name: "member_no", Type: "bigint", Distinct: 400}, col("lent_on", "date"), texts("category", "Garden", "Access")},
			ForeignKeys: []catalog.ForeignKey{to("member_no", "members")}},
	}
}

func TestXX(t *testing.T) {
	s := open(t, takings()...)
	for _, q := range []string{"Compare payments in the first half of 2030 with the first half of 2029", "payments this year versus last", "payments this year versus last year", "how do loans in October differ from September",
		"how many more loans in October 2030 than in October 2029", "2030年10月的借出次数比2029年10月多多少？", "Compare loans in 2029 with 2030", "H1 2030 vs H1 2029 payments", "payments in Q1 compared with Q2 2030",
		"今年的付款金额与去年相比", "2030年上半年和2029年上半年的付款对比", "average amount in 2030 compared with 2029", "loans by town in 2030 compared with 2029", "Compare payments by method in 2030 and 2029", "Compare loans in Leith and Marchmont", "how many more loans in Leith than in Marchmont",
		"how many more loans in 2030 by town than in 2029", "how many more loans are there", "loans in 2030 and 2029", "loans by month 2030 vs 2029", "how much more did we take in payments in 2030 than in 2029", "total amount by town this month compared with last month"} {
		got, x := s.ask(t, q)
		t.Log(q, "\n    ", got, x.Notes, x.Unread, x.Cost)
	}
	_ = require.Equal
}
