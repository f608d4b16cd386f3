package analyse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestAnswersSayWhatTheyAreOf: the sentence names the place, the conditions and the days,
// in both languages; several places only where the rows do not have them.
func TestAnswersSayWhatTheyAreOf(t *testing.T) {
	t.Parallel()
	a, err := analyse.New(analyse.DefaultThresholds())
	require.NoError(t, err)
	date := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	october := analyse.Range{From: date(10, 1), To: date(11, 1)}
	orders := result.Column{Name: "orders", Type: "bigint"}
	one := result.Table{Columns: []result.Column{orders}, Rows: [][]any{{int64(141)}}}
	ranked := result.Table{Columns: []result.Column{{Name: "country", Type: "varchar"}, orders}, Rows: [][]any{{"TH", int64(9)}, {"MY", int64(4)}}}
	paid := result.Table{Columns: []result.Column{{Name: "payment", Type: "varchar"}, orders}, Rows: [][]any{{"COD", int64(9)}, {"CARD", int64(4)}}}
	for name, c := range map[string]struct {
		in     analyse.Input
		en, zh string
	}{
		"nothing":               {analyse.Input{Table: one}, "There are 141 orders.", "订单数为141。"},
		"a place":               {analyse.Input{Table: one, Countries: []string{"MY"}}, "There are 141 orders in Malaysia.", "马来西亚订单数为141。"},
		"two places":            {analyse.Input{Table: one, Countries: []string{"MY", "TH"}, Asked: october}, "There were 141 orders in Malaysia and Thailand from 1 Oct 2026 to 31 Oct 2026.", "2026年10月1日至2026年10月31日马来西亚和泰国的订单数为141。"},
		"too many places":       {analyse.Input{Table: one, Countries: []string{"MY", "TH", "SG", "ID", "BR"}}, "There are 141 orders.", "订单数为141。"},
		"since":                 {analyse.Input{Table: one, Asked: analyse.Range{From: date(10, 1)}}, "There are 141 orders since 1 Oct 2026.", "2026年10月1日以来订单数为141。"},
		"until":                 {analyse.Input{Table: one, Asked: analyse.Range{To: date(11, 1)}}, "There are 141 orders until 31 Oct 2026.", "截至2026年10月31日订单数为141。"},
		"since hours":           {analyse.Input{Table: one, Asked: analyse.Range{From: date(10, 1).Add(time.Hour)}}, "There are 141 orders.", "订单数为141。"},
		"conditions":            {analyse.Input{Table: one, Conditions: []string{"app is 'IOS'", "paid"}}, "There are 141 orders (app is 'IOS'; paid).", "订单数（app is 'IOS'；paid）为141。"},
		"many conditions":       {analyse.Input{Table: one, Conditions: []string{"a", "b", "c", "d"}}, "There are 141 orders (a; b; c and 1 more condition).", "订单数（a；b；c等，另有1个条件）为141。"},
		"a slot in a condition": {analyse.Input{Table: one, Conditions: []string{"app is '{value}'"}}, "There are 141 orders (app is '{value}').", "订单数（app is '{value}'）为141。"},
		"places in rows":        {analyse.Input{Table: ranked, Countries: []string{"TH", "MY"}, Asked: october}, "Thailand has the highest orders from 1 Oct 2026 to 31 Oct 2026: 9, 69.2% of 13; then Malaysia (4).", "2026年10月1日至2026年10月31日泰国的订单数最高，为9，占合计13的69.2%；其次是马来西亚（4）。"},
		"a ranking": {analyse.Input{Table: paid, Countries: []string{"TH"}, Conditions: []string{"app is 'IOS'"}, Asked: analyse.Range{From: date(10, 1), To: date(10, 2)}},
			"COD has the highest orders in Thailand (app is 'IOS') on 1 Oct 2026: 9, 69.2% of 13; then CARD (4).", "2026年10月1日泰国COD的订单数（app is 'IOS'）最高，为9，占合计13的69.2%；其次是CARD（4）。"},
		"rows": {analyse.Input{Table: result.Table{Columns: []result.Column{{Name: "name", Type: "varchar"}}, Rows: [][]any{{"Ann"}, {"Ben"}}}, Conditions: []string{"city is 'Bern'"}},
			"There are 2 (city is 'Bern'): Ann and Ben.", "（city is 'Bern'）共2个：Ann和Ben。"},
	} {
		c.in.Now = date(11, 20)
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			in := c.in
			in.Language = l
			in.Columns = make([]analyse.Column, len(in.Table.Columns))
			for i := range in.Columns {
				if in.Table.Columns[i].Name == "orders" {
					in.Columns[i] = analyse.Column{Label: l.Pick("orders", "订单数"), Aggregate: analyse.AggregateCount, Figure: true}
				}
			}
			require.Equal(t, l.Pick(c.en, c.zh), a.Analyse(in).Answer, "%s, %s", name, l)
		}
	}
}
