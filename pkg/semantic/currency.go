package semantic

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/written"
)

// CurrencyColumn is the column of a table that tells in which currency each row has a column's amounts, as
// "currency" beside "amount"; nil where there is none, and where the amounts have a currency of their own. Of several
// it is the one that is called for the amount, as fee_currency is for the fee, and else the first one.
func CurrencyColumn(words *written.Words, t *catalog.Table, amount *catalog.Column) *catalog.Column {
	if amount.Unit != "" || !isAmount(t, amount) {
		return nil
	}
	own := Words(amount.Name)
	var first, general *catalog.Column
	for i := range t.Columns {
		c := &t.Columns[i]
		name := Words(c.Name)
		named := slices.ContainsFunc(name, words.NamesCurrency)
		if !IsText(c.Type) || c.Distinct == 0 || int64(len(c.Samples)) < c.Distinct && !named || !words.HoldCurrencies(named, c.Samples) && (!named || len(c.Samples) > 0) {
			continue
		}
		rest := slices.DeleteFunc(name, words.NamesCurrency)
		switch {
		case len(rest) > 0 && slices.Equal(rest, own[:min(len(rest), len(own))]):
			return c
		case len(rest) == 0 && general == nil:
			general = c
		case first == nil:
			first = c
		}
	}
	if general != nil {
		return general
	}
	return first
}

// unpaid are the ends of Chinese names of numbers that are no amounts of money: how many, how much of them, how long.
var unpaid = []string{"量", "数", "率", "比", "比例", "占比", "折扣", "次", "龄", "天", "时", "时长", "分", "评分", "号", "等级", "重", "高", "长", "宽"}

// isAmount reports whether the numbers of a column may be amounts of money: they are no keys, counts, rates, sizes,
// flags and parts of dates.
func isAmount(t *catalog.Table, c *catalog.Column) bool {
	words := Words(c.Name)
	hasOne := func(of ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) || slices.Contains(of, Singular(w)) })
	}
	ends := func(end string) bool { return strings.HasSuffix(c.Name, end) }
	if !IsNumber(c.Type) || roleOf(t, c, words, keyColumns(t, t.Name.Table)) != RoleMeasure || slices.ContainsFunc(unpaid, ends) {
		return false
	}
	switch of := numberOf(t, c, words); {
	case of == noFigure || hasOne(countWords...):
		return false
	case of == averaged:
		return hasOne("price", "avg", "average", "mean")
	}
	return hasOne(moneyWords...) || !countsThings(words)
}
