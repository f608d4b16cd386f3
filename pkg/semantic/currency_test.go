package semantic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// TestTheCurrencyOfAnAmount: amounts are in the currency that another column of the row tells, and numbers that are
// no amounts, or have a unit of their own, are in none.
func TestTheCurrencyOfAnAmount(t *testing.T) {
	t.Parallel()
	words := written.NewWords()
	text := func(name string, values ...string) catalog.Column {
		return catalog.Column{Name: name, Type: "varchar", Distinct: int64(len(values)), Samples: values}
	}
	number := func(name, kind, unit string) catalog.Column {
		return catalog.Column{Name: name, Type: kind, Distinct: 50, Unit: unit}
	}
	for why, c := range map[string]struct {
		amount catalog.Column
		others []catalog.Column
		want   string
	}{
		"amount":                        {number("amount", "double", ""), []catalog.Column{text("currency", "EUR", "USD")}, "currency"},
		"codes that nobody listed":      {number("amount", "double", ""), []catalog.Column{text("ccy", "XOF", "ARS")}, "ccy"},
		"another name, known codes":     {number("fee", "bigint", ""), []catalog.Column{text("paid_in", "EUR", "USD")}, "paid_in"},
		"another name, unknown codes":   {number("fee", "bigint", ""), []catalog.Column{text("airport", "XOF", "ARS")}, ""},
		"a unit of length":              {number("cost", "double", ""), []catalog.Column{text("unit", "ft")}, ""},
		"Chinese":                       {number("金额", "double", ""), []catalog.Column{text("结算币种", "人民币", "美元", "欧元")}, "结算币种"},
		"values are not kept":           {number("amount", "double", ""), []catalog.Column{{Name: "Currency", Type: "varchar", Distinct: 3}}, "Currency"},
		"its own currency before":       {number("fee", "double", ""), []catalog.Column{text("currency", "EUR", "USD"), text("fee_currency", "EUR", "USD")}, "fee_currency"},
		"the general before another's":  {number("amount", "double", ""), []catalog.Column{text("fee_currency", "EUR", "USD"), text("currency", "EUR", "USD")}, "currency"},
		"price":                         {number("unit_price", "double", ""), []catalog.Column{text("currency", "EUR", "USD")}, "currency"},
		"sales":                         {number("sales", "bigint", ""), []catalog.Column{text("currency", "EUR", "USD")}, "currency"},
		"quantity":                      {number("quantity", "bigint", ""), []catalog.Column{text("currency", "EUR", "USD")}, ""},
		"number of things":              {number("items", "bigint", ""), []catalog.Column{text("currency", "EUR", "USD")}, ""},
		"数量":                            {number("数量", "bigint", ""), []catalog.Column{text("币种", "人民币", "美元")}, ""},
		"rate":                          {number("tax_rate", "double", ""), []catalog.Column{text("currency", "EUR", "USD")}, ""},
		"key":                           {number("order_id", "bigint", ""), []catalog.Column{text("currency", "EUR", "USD")}, ""},
		"weight":                        {number("weight", "double", "kg"), []catalog.Column{text("currency", "EUR", "USD")}, ""},
		"a currency of its own":         {number("amount", "double", "USD"), []catalog.Column{text("currency", "EUR", "USD")}, ""},
		"values that are no currencies": {number("amount", "double", ""), []catalog.Column{text("currency", "strong", "weak")}, ""},
	} {
		table := catalog.Table{Name: catalog.Name{Schema: "main", Table: "payments"}, RowCount: 100, Columns: append([]catalog.Column{c.amount}, c.others...)}
		got := ""
		if found := semantic.CurrencyColumn(words, &table, &table.Columns[0]); found != nil {
			got = found.Name
		}
		require.Equal(t, c.want, got, why)
	}
}
