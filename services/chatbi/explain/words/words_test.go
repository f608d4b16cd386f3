package words_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/chatbi/explain"
	"github.com/dibrain/dibrain/services/chatbi/explain/words"
)

var labels = map[lang.Language]words.Labels{
	lang.English: {
		Metric: "GMV", Unit: "USD", Before: "1 to 7 May", After: "8 to 14 May", Filters: []string{"region is Asia"},
		Dimensions: map[string]string{"country": "country", "payment": "payment method"},
		Factors:    map[string]string{"orders": "orders", "aov": "average order value"}, FactorUnits: map[string]string{"aov": "USD"},
	},
	lang.Chinese: {
		Metric: "成交额", Unit: "USD", Before: "5月1日至7日", After: "5月8日至14日", Filters: []string{"地区为亚洲"},
		Dimensions: map[string]string{"country": "国家", "payment": "支付方式"},
		Factors:    map[string]string{"orders": "订单数", "aov": "客单价"}, FactorUnits: map[string]string{"aov": "USD"},
	},
}

// shop is sales by country and payment method; scale tells what becomes of a cell.
func shop(scale func(country, payment string) float64) explain.Input {
	in := explain.Input{Kind: explain.Additive, Dimensions: []string{"country", "payment"}}
	r := rand.New(rand.NewPCG(1, 1))
	for c, country := range []string{"Thailand", "Vietnam", "Brazil", "Mexico", "Chile", "Japan"} {
		for p, payment := range []string{"CARD", "COD", "BANK_TRANSFER", "WALLET"} {
			before := float64(1000*(6-c)*(4-p)) + 500*r.Float64()
			v := explain.Pair{Before: math.Round(before), After: math.Round(before * scale(country, payment) * (1 + 0.01*r.NormFloat64()))}
			in.Cells = append(in.Cells, explain.Cell{Keys: []string{country, payment}, Amount: explain.Amount{Value: v}})
			in.Total.Value.Before += v.Before
			in.Total.Value.After += v.After
		}
	}
	return in
}

func writer(t *testing.T) *words.Writer {
	t.Helper()
	w, err := words.New()
	require.NoError(t, err)
	return w
}

func said(t *testing.T, in explain.Input, l lang.Language) (explain.Explanation, words.Text) {
	t.Helper()
	e, err := explain.Explain(t.Context(), in, explain.Limits{})
	require.NoError(t, err)
	return e, writer(t).Say(e, labels[l], l)
}

func all(x words.Text) string {
	return strings.Join(slices.Concat([]string{x.Headline}, x.Factors, x.Cells, x.When, x.Notes), "\n")
}

func when(c string, scale float64) func(string, string) float64 {
	return func(country, _ string) float64 {
		if country == c {
			return scale
		}
		return 1
	}
}

func day(month time.Month, d int) time.Time { return time.Date(2024, month, d, 0, 0, 0, 0, time.UTC) }

// drop is a fall in one place with factors, a course and an event.
func drop() explain.Input {
	in := shop(func(country, payment string) float64 {
		if country == "Thailand" && payment == "BANK_TRANSFER" {
			return 0.2
		}
		return 0.98
	})
	total := in.Total.Value
	in.Factors = []explain.Factor{
		{ID: "orders", Pair: explain.Pair{Before: 10000, After: 9500}},
		{ID: "aov", Pair: explain.Pair{Before: total.Before / 10000, After: total.After / 9500}},
	}
	r := rand.New(rand.NewPCG(3, 3))
	for i := range 91 {
		v := 30000 + 100*r.NormFloat64()
		if i >= 84 {
			v -= 2000
		}
		in.Daily = append(in.Daily, explain.Day{Date: day(time.February, 13+i), Value: v})
	}
	in.Before = explain.Period{From: day(time.April, 30), To: day(time.May, 7)}
	in.After = explain.Period{From: day(time.May, 7), To: day(time.May, 14)}
	in.Events = []explain.Event{{Name: "Labour Day sale", Period: in.After}}
	return in
}

func TestADropInEnglish(t *testing.T) {
	t.Parallel()
	e, x := said(t, drop(), lang.English)
	require.Equal(t, explain.OneCause, e.Outcome)
	require.Equal(t, "GMV (region is Asia) fell from 216,075 USD (1 to 7 May) to 202,785 USD (8 to 14 May), by 13,290 USD (-6.2%). "+
		"Thailand · BANK_TRANSFER (country · payment method) accounts for 9,816 USD of that (73.9%); all else together changed by -1.7%.", x.Headline)
	require.Equal(t, []string{"Of the change of -13,290 USD, by factors: orders (10,000 to 9,500) -10,739 USD and average order value (21.61 USD to 21.35 USD) -2,551 USD."}, x.Factors)
	require.Equal(t, []string{"Thailand · BANK_TRANSFER (country · payment method): from 12,239 USD to 2,423 USD (-80.2%), 73.9% of the whole change; had it moved as most others did, it would be 12,023 USD."}, x.Cells)
	require.Equal(t, []string{"It set in on 7 May 2024: from about 29,999 USD to about 28,013 USD a day.", "At that time: Labour Day sale."}, x.When)
	require.Len(t, x.Notes, 1)
	require.Contains(t, x.Notes[0], "Between such periods it usually changes by")
}

func TestADropInChinese(t *testing.T) {
	t.Parallel()
	_, x := said(t, drop(), lang.Chinese)
	require.Equal(t, "成交额（地区为亚洲）从216,075 USD（5月1日至7日）降至202,785 USD（5月8日至14日），减少13,290 USD（-6.2%）。"+
		"Thailand · BANK_TRANSFER（国家 · 支付方式）占其中的9,816 USD（73.9%）；其余部分合计变化-1.7%。", x.Headline)
	require.Contains(t, x.When[0], "2024年5月7日")
}

func TestHeadlinesOfOutcomes(t *testing.T) {
	t.Parallel()
	unchanged := shop(when("", 1))
	for i := range unchanged.Cells {
		unchanged.Cells[i].Value.After = unchanged.Cells[i].Value.Before
	}
	unchanged.Total.Value.After = unchanged.Total.Value.Before
	opaque := shop(when("", 0.9))
	opaque.Kind = explain.Opaque
	bare := explain.Input{Kind: explain.Additive, Total: explain.Amount{Value: explain.Pair{Before: 5, After: 7}}}
	stable := drop()
	stable.Cells, stable.Factors, stable.Events = nil, nil, nil
	stable.Total.Value = explain.Pair{Before: 210000, After: 210100}
	for name, c := range map[string]struct {
		in      explain.Input
		outcome explain.Outcome
		en, zh  string // parts of the headline
	}{
		"several": {
			shop(func(country, payment string) float64 {
				if country == "Brazil" || payment == "WALLET" {
					return 0.5
				}
				return 1
			}),
			explain.SeveralCauses, "Brazil (country) without WALLET (payment method) accounts for 18,467 USD of that (62.4%); WALLET (payment method) accounts for 11,467 USD", "Brazil（国家），不含WALLET（支付方式）占其中的18,467 USD（62.4%）；WALLET",
		},
		"spread":    {shop(when("", 0.9)), explain.EvenlySpread, "No part stands out: all moved much alike.", "没有突出的部分"},
		"no change": {unchanged, explain.NoChange, "GMV (region is Asia) stayed at 216,075 USD (8 to 14 May).", "保持在216,075 USD"},
		"offsetting": {
			shop(func(country, _ string) float64 {
				return map[string]float64{"Thailand": 1.3, "Vietnam": 0.6, "Brazil": 1, "Mexico": 1, "Chile": 1, "Japan": 1}[country]
			}),
			explain.Offsetting, "Parts moved in both directions and hide one another: Thailand (country) (+18,425 USD) rose and Vietnam (country) (-20,265 USD) fell.", "相互抵消：上升的有Thailand",
		},
		"opaque":  {opaque, explain.NotDecomposable, "It cannot be split so: values of this metric do not add up.", "无法这样拆分：该指标的值不能相加。"},
		"bare":    {bare, explain.NotDecomposable, "It cannot be split so: there is nothing to split it by.", "没有可用于拆分的维度或因子"},
		"unusual": {stable, explain.NothingUnusual, "Nothing unusual: between such periods it usually changes by", "没有异常"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, en := said(t, c.in, lang.English)
			require.Equal(t, c.outcome, e.Outcome)
			require.Contains(t, en.Headline, c.en)
			_, zh := said(t, c.in, lang.Chinese)
			require.Contains(t, zh.Headline, c.zh)
		})
	}
}

// What is said never says what caused a change, has no unfilled slot and no unknown key.
func TestAllThatIsSaid(t *testing.T) {
	t.Parallel()
	ratio := shop(when("Chile", 1))
	ratio.Kind = explain.Ratio
	for i := range ratio.Cells {
		c := &ratio.Cells[i]
		c.Base = c.Value
		part := map[bool]float64{true: 0.5, false: 0.96}[c.Keys[0] == "Chile"]
		c.Value = explain.Pair{Before: math.Round(c.Base.Before * 0.96), After: math.Round(c.Base.After * part)}
	}
	ratio.Total = explain.Amount{}
	for _, c := range ratio.Cells {
		ratio.Total.Value.Before += c.Value.Before
		ratio.Total.Value.After += c.Value.After
		ratio.Total.Base.Before += c.Base.Before
		ratio.Total.Base.After += c.Base.After
	}
	refused := drop()
	refused.Factors[0].After, refused.Truncated, refused.Daily = 0, true, refused.Daily[80:]
	refused.Cells = refused.Cells[10:]
	come := shop(when("Thailand", 0))
	for _, in := range []explain.Input{drop(), ratio, refused, come, shop(when("Brazil", 3)), shop(when("", 0.9))} {
		for _, l := range []lang.Language{lang.English, lang.Chinese} {
			_, x := said(t, in, l)
			text := all(x)
			require.NotContains(t, text, "{")
			require.NotRegexp(t, `cause|导致|造成|NaN|Inf|_[a-z]+`, text)
			require.NotRegexp(t, `  |\.\.|。。| \.`, text)
			if l == lang.Chinese {
				require.NotRegexp(t, `[a-z]{3,} [a-z]{2,}`, strings.ReplaceAll(text, "Labour Day sale", ""))
			}
		}
	}
	_, x := said(t, come, lang.English)
	require.Contains(t, x.Cells[0], "Thailand (country): gone, it was")

	points := labels[lang.English]
	points.Metric, points.Unit = "on-time rate", "fraction"
	e, err := explain.Explain(t.Context(), ratio, explain.Limits{})
	require.NoError(t, err)
	text := writer(t).Say(e, points, lang.English)
	require.Contains(t, text.Headline, "percentage points. Chile (country) accounts for")
	require.Contains(t, text.Cells[0], "Chile (country): from 96% to 50%")
	require.Contains(t, text.Factors[0], "Rates within the values of country account for")
}

// Values and labels come from data and files of others.
func TestHostileNamesStayOnTheirLine(t *testing.T) {
	t.Parallel()
	in := shop(when("Brazil", 0.3))
	for i := range in.Cells {
		if in.Cells[i].Keys[0] == "Brazil" {
			in.Cells[i].Keys[0] = "Bra\x1b[31mzil\n{metric}\u202e"
		}
	}
	_, x := said(t, in, lang.English)
	require.Contains(t, x.Headline, "Brazil {metric} (country)")
	require.NotRegexp(t, "[\x00-\x1f\u202e]", x.Headline+x.Cells[0])

	for i := range in.Cells {
		in.Cells[i].Keys[0] = strings.ReplaceAll(in.Cells[i].Keys[0], "Bra\x1b[31mzil\n{metric}\u202e", "")
	}
	_, x = said(t, in, lang.Chinese)
	require.Contains(t, x.Headline, "（空白）（国家）")
}
