package words

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// telling writes an explanation in English and in Chinese with the same labels.
func telling(t *testing.T, e explain.Explanation, labels Labels) (en, zh Text) {
	t.Helper()
	w, err := New()
	require.NoError(t, err)
	return w.Say(e, labels, lang.English), w.Say(e, labels, lang.Chinese)
}

func element(share, accounts, excess float64, places ...explain.Place) explain.Element {
	return explain.Element{Places: places, Accounts: accounts, Excess: excess, Share: share, Metric: explain.Pair{Before: 100, After: 100 + accounts}}
}

func in(country string) explain.Place { return explain.Place{Dimension: "country", Value: country} }

func causeOf(elements ...explain.Element) explain.Cause {
	c := explain.Cause{Elements: elements}
	for _, e := range elements {
		c.Accounts, c.Excess, c.Share = c.Accounts+e.Accounts, c.Excess+e.Excess, c.Share+e.Share
	}
	return c
}

func moved(before, after float64) explain.Explanation {
	e := explain.Explanation{Kind: explain.Additive, Metric: explain.Pair{Before: before, After: after}, Outcome: explain.EvenlySpread, Growth: 1}
	if before != 0 {
		relative := e.Metric.Change() / math.Abs(before)
		e.Relative = &relative
	}
	return e
}

// TestTheChangeOfAHeadline: both values with their period, how much, and the part of the
// value before; of a percentage that part is left out, as of a value that was zero.
func TestTheChangeOfAHeadline(t *testing.T) {
	t.Parallel()
	const spread, even = " No part stands out: all moved much alike.", "没有突出的部分，各部分变化相近。"
	for _, c := range []struct {
		e      explain.Explanation
		labels Labels
		en, zh string
	}{
		{moved(200, 150), Labels{Metric: "fees"}, "Fees fell from 200 to 150, by 50 (-25%)." + spread, "fees从200降至150，减少50（-25%）。" + even},
		{moved(200, 250), Labels{Metric: "fees", Unit: "USD", Before: "May", After: "June"}, "Fees rose from 200 USD (May) to 250 USD (June), by 50 USD (+25%)." + spread,
			"fees从200 USD（May）升至250 USD（June），增加50 USD（+25%）。" + even},
		{moved(0, 250), Labels{Metric: "fees", After: "June"}, "Fees rose from 0 to 250 (June), by 250." + spread, "fees从0升至250（June），增加250。" + even},
		{moved(200, 200), Labels{Metric: "fees", Filters: []string{"a is 1", "b is 2"}}, "Fees (a is 1, b is 2) stayed at 200." + spread, "fees（a is 1、b is 2）保持在200。" + even},
		{moved(0.5, 0.4), Labels{Metric: "fill rate", Unit: "fraction"}, "Fill rate fell from 50% to 40%, by 10 percentage points." + spread, "fill rate从50%降至40%，减少10个百分点。" + even},
		{moved(0.05, 0.0512), Labels{Metric: "loss", Unit: "fraction"}, "Loss rose from 5.00% to 5.12%, by 0.12 percentage points." + spread, "loss从5.00%升至5.12%，增加0.12个百分点。" + even},
		{moved(-1500.5, -1000.25), Labels{Metric: "balance"}, "Balance rose from -1,501 to -1,000, by 501 (+33.3%)." + spread, "balance从-1,501升至-1,000，增加501（+33.3%）。" + even},
	} {
		en, zh := telling(t, c.e, c.labels)
		require.Equal(t, c.en, en.Headline)
		require.Equal(t, c.zh, zh.Headline)
		require.Empty(t, en.Factors)
		require.Empty(t, en.Notes)
	}
	w, err := New()
	require.NoError(t, err)
	require.Equal(t, "It stayed at 1."+spread, w.Say(moved(1, 1), Labels{Metric: "it"}, "fr").Headline, "English where there is no other")
}

// TestWhatACauseAccountsFor: as a part of the change where it is one; what is more than the
// whole, went against it, or stands in a change of nothing is said so.
func TestWhatACauseAccountsFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e      explain.Explanation
		causes []explain.Cause
		en, zh string
	}{
		{moved(200, 100), []explain.Cause{causeOf(element(1, -100, -100, in("Peru")))}, "Peru (land) accounts for 100 of that (100%).", "Peru（land）占其中的100（100%）。"},
		{moved(200, 100), []explain.Cause{causeOf(element(0, 0, -1, in("Peru")))}, "Peru (land) accounts for 0 of that (0%); all else together changed by -100%.", "Peru（land）占其中的0（0%）；其余部分合计变化-100%。"},
		{moved(200, 100), []explain.Cause{causeOf(element(1.5, -150, -150, in("Peru")))}, "Peru (land) accounts for -150, more than the whole change: the rest moved the other way; all else together changed by +50%.", "Peru（land）变化-150，超过整体变化，其余部分方向相反；其余部分合计变化+50%。"},
		{moved(200, 100), []explain.Cause{causeOf(element(-0.5, 50, 50, in("Peru")))}, "Peru (land) moved the other way, by +50; all else together changed by -150%.", "Peru（land）方向相反，变化+50；其余部分合计变化-150%。"},
		{moved(200, 200), []explain.Cause{causeOf(element(0, 50, 50, in("Peru")))}, "Peru (land) changed by +50; all else together changed by -50%.", "Peru（land）变化+50；其余部分合计变化-50%。"},
		{moved(200, 100), []explain.Cause{causeOf(element(0.6, -60, -60, in("Peru"))), causeOf(element(0.3, -30, -30, in("Chile"), explain.Place{Dimension: "shop", Value: " "}))},
			"Peru (land) accounts for 60 of that (60%); Chile · (blank) (land · shop) accounts for 30 of that (30%).",
			"Peru（land）占其中的60（60%）；Chile · （空白）（land · shop）占其中的30（30%）。"},
		{moved(200, 100), []explain.Cause{causeOf(element(0.5, -20, -20, in("Peru")), element(0.25, -10, -10, in("Chile")), element(0.15, -5, -5, in("Cuba")))},
			"Peru, Chile and Cuba (land) account for 35 of that (90%).", "Peru、Chile和Cuba（land）占其中的35（90%）。"},
		{moved(200, 100), []explain.Cause{causeOf(element(0.5, -20, -20, in("Peru")), element(0.25, -10, -10, in("Chile")), element(0.125, -5, -5, in("Cuba")), element(0.125, -5, -5, in("Haiti")))},
			"Peru, Chile, Cuba and 1 more (land) account for 40 of that (100%).", "Peru、Chile、Cuba等另外1个（land）占其中的40（100%）。"},
	} {
		c.e.Causes, c.e.Outcome = c.causes, explain.SeveralCauses
		en, zh := telling(t, c.e, Labels{Metric: "it", Dimensions: map[string]string{"country": "land"}})
		require.Contains(t, en.Headline, ". "+c.en)
		require.Contains(t, zh.Headline, "。"+c.zh)
	}
	// Of a percentage the growth of the rest would be taken for points.
	rate := moved(0.5, 0.4)
	rate.Growth, rate.Causes, rate.Outcome = 0.8, []explain.Cause{causeOf(element(0.5, -0.05, -0.05, in("Peru")))}, explain.OneCause
	en, _ := telling(t, rate, Labels{Metric: "it", Unit: "fraction"})
	require.Contains(t, en.Headline, "Peru (country) accounts for 5 percentage points of that (50%).")
	require.NotContains(t, en.Headline, "all else")

	// What was told before is left out of a cause, and said once.
	within := causeOf(element(0.5, -20, -20, in("Peru")), element(0.25, -10, -10, in("Chile")))
	for i := range within.Elements {
		within.Elements[i].Without = [][]explain.Place{{{Dimension: "shop", Value: "A"}}, {{Dimension: "shop", Value: []string{"A", "B"}[i]}}}
	}
	both := moved(200, 100)
	both.Causes, both.Outcome = []explain.Cause{within}, explain.OneCause
	en, _ = telling(t, both, Labels{Metric: "it"})
	require.Contains(t, en.Headline, "Peru and Chile (country) without A (shop) and B (shop) account for")
}

// TestPartsThatHideOneAnother stand on the side to which they moved beyond the rest, with
// what they account for.
func TestPartsThatHideOneAnother(t *testing.T) {
	t.Parallel()
	e := moved(200, 190)
	e.Outcome = explain.Offsetting
	e.Causes = []explain.Cause{causeOf(element(3, -30, -25, in("Peru"))), causeOf(element(-2, 20, 22, in("Chile"))), causeOf(element(-0.5, 5, 8, in("Cuba")))}
	en, zh := telling(t, e, Labels{Metric: "it"})
	require.Contains(t, en.Headline, "hide one another: Chile (country) (+20) and Cuba (country) (+5) rose and Peru (country) (-30) fell.")
	require.Contains(t, zh.Headline, "上升的有Chile（country）（+20）和Cuba（country）（+5），下降的有Peru（country）（-30）。")
}

// TestWhatAGroupDid: its values, how much of the whole that is where it tells something,
// and what it would be had it moved as the rest.
func TestWhatAGroupDid(t *testing.T) {
	t.Parallel()
	peru := func(change func(*explain.Element)) explain.Element {
		e := element(0.5, -50, -50, in("Peru"))
		e.Expected = 98
		change(&e)
		return e
	}
	for _, c := range []struct {
		group explain.Element
		after float64 // of the whole, which was 200
		unit  string
		cause bool
		en    string
	}{
		{peru(func(*explain.Element) {}), 100, "", false, "Peru (country): from 100 to 50 (-50%), 50% of the whole change."},
		{peru(func(*explain.Element) {}), 100, "USD", true, "Peru (country): from 100 USD to 50 USD (-50%), 50% of the whole change; had it moved as most others did, it would be 98 USD."},
		{peru(func(e *explain.Element) { e.Share = 10 }), 100, "", false, "Peru (country): from 100 to 50 (-50%), 1,000% of the whole change."},
		{peru(func(e *explain.Element) { e.Share = 10.5 }), 100, "", false, "Peru (country): from 100 to 50 (-50%)."},
		{peru(func(e *explain.Element) { e.Share = -10.5 }), 100, "", false, "Peru (country): from 100 to 50 (-50%)."},
		{peru(func(e *explain.Element) { e.Share = -0.5 }), 300, "", false, "Peru (country): from 100 to 50 (-50%), -50 of the whole change of +100."},
		{peru(func(e *explain.Element) { e.Share = 0 }), 100, "", false, "Peru (country): from 100 to 50 (-50%), 0% of the whole change."},
		{peru(func(e *explain.Element) { e.Share = 0 }), 200, "", false, "Peru (country): from 100 to 50 (-50%)."},
		{peru(func(e *explain.Element) { e.Metric, e.New = explain.Pair{After: 50}, true }), 100, "", true, "Peru (country): new, 50, 50% of the whole change."},
		{peru(func(e *explain.Element) { e.Metric, e.Gone = explain.Pair{Before: 50}, true }), 100, "", true, "Peru (country): gone, it was 50, 50% of the whole change."},
		{peru(func(e *explain.Element) { e.Metric = explain.Pair{Before: -100, After: -50} }), 100, "", false, "Peru (country): from -100 to -50 (+50%), 50% of the whole change."},
		{peru(func(e *explain.Element) { e.Metric, e.Share = explain.Pair{Before: 0.5, After: 0.25}, 20 }), 100, "fraction", false, "Peru (country): from 50% to 25%."},
		{peru(func(e *explain.Element) { e.Without = [][]explain.Place{{in("Lima")}} }), 100, "", false, "Peru (country) without Lima (country): from 100 to 50 (-50%), 50% of the whole change."},
	} {
		e := moved(200, c.after)
		e.Telling = []explain.Element{c.group}
		if c.cause {
			e.Causes, e.Outcome = []explain.Cause{causeOf(c.group)}, explain.OneCause
		}
		en, _ := telling(t, e, Labels{Metric: "it", Unit: c.unit})
		require.Equal(t, []string{c.en}, en.Cells)
	}
}

// TestFactorsOfAChange: each with its own unit, parts of the change that add up; of a ratio
// its rate and mix instead where they are known, and what has no name by what it is.
func TestFactorsOfAChange(t *testing.T) {
	t.Parallel()
	e := moved(200, 100)
	e.Factors = []explain.Part{{ID: "orders", Pair: explain.Pair{Before: 10, After: 8}, Accounts: -40}, {ID: "price", Pair: explain.Pair{Before: 20, After: 12.5}, Accounts: -60}}
	labels := Labels{Metric: "it", Unit: "USD", Factors: map[string]string{"price": "mean\nprice"}, FactorUnits: map[string]string{"price": "EUR"}, Dimensions: map[string]string{"country": "land"}}
	en, _ := telling(t, e, labels)
	require.Equal(t, []string{"Of the change of -100 USD, by factors: orders (10 to 8) -40 USD and mean price (20.0 EUR to 12.5 EUR) -60 USD."}, en.Factors)

	ratio := moved(0.5, 0.4)
	ratio.Kind = explain.Ratio
	ratio.Factors = []explain.Part{{ID: explain.PartValue, Pair: explain.Pair{Before: 50, After: 40}, Accounts: -0.1}, {ID: explain.PartBase, Pair: explain.Pair{Before: 100, After: 100}}}
	en, zh := telling(t, ratio, Labels{Metric: "it", Unit: "fraction"})
	require.Equal(t, []string{"Of the change of -10 percentage points, by factors: the numerator (50 to 40) -10 percentage points and the denominator (100 to 100) 0 percentage points."}, en.Factors)
	require.Equal(t, []string{"变化-10个百分点按因子拆分：分子（50到40）-10个百分点和分母（100到100）0个百分点。"}, zh.Factors)
	en, _ = telling(t, ratio, Labels{Metric: "it", Unit: "fraction", Factors: map[string]string{explain.PartValue: "late orders"}})
	require.Contains(t, en.Factors[0], "late orders (50 to 40)")
	ratio.Kind = explain.Additive
	en, _ = telling(t, ratio, Labels{Metric: "it", Unit: "fraction"})
	require.Contains(t, en.Factors[0], "factors: "+explain.PartValue+" (50 to 40)")

	ratio.Mix = &explain.Mix{Dimension: "country", Rate: -0.08, Shift: -0.02}
	en, _ = telling(t, ratio, Labels{Metric: "it", Unit: "fraction", Dimensions: labels.Dimensions})
	require.Equal(t, []string{"Rates within the values of land account for -8 percentage points, the mix of its values for -2 percentage points."}, en.Factors)
}

// TestWhenAChangeSetIn: the day, the levels around it, whether it is over, and what happened.
func TestWhenAChangeSetIn(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2024, 5, d, 0, 0, 0, 0, time.UTC) }
	ended := day(9)
	e := moved(200, 100)
	e.Events = []explain.Event{{Name: "a\nsale"}, {Name: "a holiday"}}
	en, _ := telling(t, e, Labels{Metric: "it"})
	require.Equal(t, []string{"In one of the two periods only: a sale and a holiday."}, en.When)
	e.Onset = &explain.Onset{Date: day(7), Before: 20, After: 10}
	en, zh := telling(t, e, Labels{Metric: "it", Unit: "USD"})
	require.Equal(t, []string{"It set in on 7 May 2024: from about 20 USD to about 10 USD a day.", "At that time: a sale and a holiday."}, en.When)
	require.Equal(t, []string{"变化始于2024年5月7日：每日水平从约20 USD变为约10 USD。", "同一时间：a sale和a holiday。"}, zh.When)
	e.Kind, e.Events, e.Onset.Ended = explain.SemiAdditive, nil, &ended
	en, _ = telling(t, e, Labels{Metric: "it"})
	require.Equal(t, []string{"It set in on 7 May 2024: from about 20 to about 10.", "It ended on 9 May 2024."}, en.When)
	// A rise did not set in with a fall.
	e = moved(100, 200)
	e.Onset = &explain.Onset{Date: day(7), Before: 20, After: 10, Ended: &ended}
	en, zh = telling(t, e, Labels{Metric: "it"})
	require.Equal(t, []string{"From 7 May 2024 to 8 May 2024 it was at about 10 a day, before that at about 20."}, en.When)
	require.Equal(t, []string{"2024年5月7日至2024年5月8日的每日水平约为10，此前约为20。"}, zh.When)
	e.Onset.Ended, e.Kind = nil, explain.SemiAdditive
	en, _ = telling(t, e, Labels{Metric: "it"})
	require.Equal(t, []string{"It moved the other way on 7 May 2024: from about 20 to about 10."}, en.When)
}

// TestNotesOfAChange: what is usual where the headline does not say it, what is not
// covered where it is a tenth or more, and why something was not split, told once.
func TestNotesOfAChange(t *testing.T) {
	t.Parallel()
	usual := &explain.Usual{Low: -0.05, High: 0.1, Pairs: 12}
	cause := []explain.Cause{causeOf(element(0.9, -90, -90, in("Peru")))}
	groups := explain.Refusal{Split: explain.ByDimensions, Reason: explain.ReasonIncomplete}
	byTime := explain.Refusal{Split: explain.ByTime, Reason: explain.ReasonFewDays}
	factor := explain.Refusal{Split: explain.ByFactors, Reason: explain.ReasonZero, Subject: "price"}
	nobody := explain.Refusal{Split: explain.ByMix, Reason: explain.ReasonZero, Subject: " "}
	const notUsual = "Between such periods it usually changes by -5% to +10% (12 earlier pairs)."
	for _, c := range []struct {
		what   string
		after  float64 // was 200
		change explain.Explanation
		head   string
		notes  []string
	}{
		{"usual changes", 100, explain.Explanation{Usual: usual, Outcome: explain.EvenlySpread}, "No part stands out", []string{notUsual}},
		{"a usual one", 198, explain.Explanation{Usual: usual, Outcome: explain.NothingUnusual}, "Nothing unusual: between such periods it usually changes by -5% to +10%.", nil},
		{"a rest that the headline tells", 100, explain.Explanation{Causes: cause, Unexplained: -10, Outcome: explain.OneCause}, "Peru", nil},
		{"what was refused", 100, explain.Explanation{Refusals: []explain.Refusal{groups, byTime, factor, nobody}, Outcome: explain.EvenlySpread}, "No part stands out", []string{
			"The change cannot be split by groups: the groups do not add up to the whole.", "No day of onset can be told: there are too few days.",
			"The change cannot be split by factors: mean price is zero in one of the periods.", "The change cannot be split by rate and mix: a part of it is zero in one of the periods."}},
		{"all was refused", 100, explain.Explanation{Refusals: []explain.Refusal{groups, byTime, factor}, Outcome: explain.NotDecomposable},
			"It cannot be split so: the groups do not add up to the whole; mean price is zero in one of the periods.", []string{"No day of onset can be told: there are too few days."}},
		{"only the days were refused", 100, explain.Explanation{Refusals: []explain.Refusal{byTime}, Outcome: explain.NotDecomposable},
			"It cannot be split so: there is nothing to split it by.", []string{"No day of onset can be told: there are too few days."}},
	} {
		c.change.Metric, c.change.Growth = explain.Pair{Before: 200, After: c.after}, 1
		en, _ := telling(t, c.change, Labels{Metric: "it", Factors: map[string]string{"price": "mean price"}})
		require.Contains(t, en.Headline, c.head, c.what)
		require.Equal(t, c.notes, en.Notes, c.what)
	}
}

// TestFiguresBesideOneAnother have the digits that the largest of them needs, whatever its
// sign; what rounding leaves goes to the part that lost most by it.
func TestFiguresBesideOneAnother(t *testing.T) {
	t.Parallel()
	s := speaking(t)
	for _, c := range []struct {
		unit    string
		numbers []float64
		digits  int
	}{
		{"", []float64{-1000.5, 2}, 0}, {"", []float64{999.5, 2}, 2}, {"", []float64{1, 2}, 0}, {"", []float64{1.5}, 2}, {"", []float64{-0.5, 0.25}, 4},
		{"", []float64{1, 0.25}, 2}, {unitFraction, []float64{0.1, 0.01}, 1}, {unitFraction, []float64{-0.2}, 1}, {unitFraction, []float64{0.099}, 2},
	} {
		require.Equal(t, c.digits, figuresOf(c.unit, s, c.numbers...).digits, c.numbers)
	}
	whole := figures{}
	require.Equal(t, []string{"+1", "+2", "+1"}, whole.parts([]float64{1.2, 1.6, 1.2}, 4))
	require.Equal(t, []string{"+2", "+1", "+1"}, whole.parts([]float64{1.6, 1.2, 1.2}, 4))
	require.Equal(t, []string{"+2", "+2", "+1"}, whole.parts([]float64{1.5, 1.5, 1.5}, 4.5), "the first of equal ones")
	require.Equal(t, []string{"-1", "+3"}, whole.parts([]float64{-1.4, 3.4}, 2))
	require.Equal(t, "", s.list(nil))
	require.Equal(t, "a", s.list([]string{"a"}))
	require.Equal(t, "a, b and c", s.list([]string{"a", "b", "c"}))
	require.Equal(t, "+0.1%", result.Alike(percent(0.001)))
	require.Equal(t, "+0.00001%", result.Alike(percent(0.0000001)))
	require.Equal(t, "0%", percent(1e-12))
	require.Equal(t, "-0.1%", result.Alike(percent(-0.001)))
}

// TestSentencesInBothLanguages: a sentence that one language lacks is an error at the start.
func TestSentencesInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{a: {en: "one"}}`, `{a: {zh: "一"}}`, `{a: [}`} {
		_, err := loadMessages([]byte(raw))
		require.ErrorContains(t, err, "messages.yaml")
	}
	m, err := loadMessages([]byte(`{a: {en: "{x} and {y}", zh: "{y}和{x}"}}`))
	require.NoError(t, err)
	s := &saying{messages: m, language: lang.Chinese}
	require.Equal(t, "{y}和1", s.text("a", args{"x": "1", "y": "{y}"}), "a slot within a value stays text")
}

// TestDimensionsThatOverlap: those by which a number of things cannot be split are told in
// one sentence; where that is all that can be told it is said once.
func TestDimensionsThatOverlap(t *testing.T) {
	t.Parallel()
	e := moved(200, 150)
	for _, id := range []string{"kind", "shop"} {
		e.Refusals = append(e.Refusals, explain.Refusal{Split: explain.ByDimensions, Reason: explain.ReasonOverlap, Subject: id})
	}
	labels := Labels{Metric: "orders", Dimensions: map[string]string{"kind": "category"}}
	en, zh := telling(t, e, labels)
	require.Equal(t, []string{"The change cannot be split by category and shop: things are counted in more than one group."}, en.Notes)
	require.Equal(t, []string{"变化无法按category和shop拆分：同一对象被计入多个分组。"}, zh.Notes)
	e.Outcome = explain.NotDecomposable
	en, _ = telling(t, e, labels)
	require.Equal(t, "Orders fell from 200 to 150, by 50 (-25%). It cannot be split so: things are counted in more than one group.", en.Headline)
	require.Empty(t, en.Notes)
}

// TestValuesThatAreNone: what stands for no value, and for several, is said in words.
func TestValuesThatAreNone(t *testing.T) {
	t.Parallel()
	w, err := New()
	require.NoError(t, err)
	for value, want := range map[string][2]string{
		explain.ValueNull: {"(no value)", "（无值）"}, explain.ValueSeveral: {"(several)", "（多个）"}, " ": {"(blank)", "（空白）"}, "Oslo": {"Oslo", "Oslo"},
	} {
		require.Equal(t, want, [2]string{w.Value(value, lang.English), w.Value(value, lang.Chinese)})
	}
}
