package words

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/chatbi/explain"
)

// TestCausesAndTheRestAreTheWhole: what is told of all else is what is left of the whole once
// the causes are taken out, and never what most cells did.
func TestCausesAndTheRestAreTheWhole(t *testing.T) {
	t.Parallel()
	e := moved(1000, 700)
	peru := element(1.2, -360, -330, in("Peru"))
	peru.Metric = explain.Pair{Before: 400, After: 40}
	e.Causes, e.Growth, e.Outcome = []explain.Cause{causeOf(peru)}, 0.92, explain.OneCause
	en, zh := telling(t, e, Labels{Metric: "it"})
	require.Contains(t, en.Headline, "; all else together changed by +10%.", "600 to 660, though most parts fell")
	require.Contains(t, zh.Headline, "；其余部分合计变化+10%。")
	require.Empty(t, en.Notes)

	peru.Metric.Before = 995 // what is left is nearly nothing, and its change tells nothing
	e.Causes = []explain.Cause{causeOf(peru)}
	en, _ = telling(t, e, Labels{Metric: "it"})
	require.NotContains(t, en.Headline, "all else")
}

// TestTheRestOfARate: parts of a rate add up in points, and what is usual is in points too.
func TestTheRestOfARate(t *testing.T) {
	t.Parallel()
	e := moved(0.8, 0.6)
	e.Kind, e.Outcome, e.Usual = explain.Ratio, explain.OneCause, &explain.Usual{Low: -0.05, High: 0.1, Pairs: 12}
	for accounts, note := range map[float64]string{-0.15: "All else accounts for -5 percentage points of the change.", -0.25: "All else accounts for +5 percentage points of the change.", -0.195: ""} {
		e.Causes = []explain.Cause{causeOf(element(0.75, accounts, accounts, in("Peru")))}
		en, zh := telling(t, e, Labels{Metric: "it", Unit: unitFraction})
		require.NotContains(t, en.Headline, "all else")
		require.Equal(t, "Between such periods it usually changes by -4 percentage points to +8 percentage points (12 earlier pairs).", en.Notes[0])
		if note == "" {
			require.Len(t, en.Notes, 1)
			continue
		}
		require.Equal(t, []string{note}, en.Notes[1:])
		require.Contains(t, zh.Notes[1], "其余部分占变化中的")
	}
	e.Causes = []explain.Cause{causeOf(element(0.75, -0.04, -0.04, in("Peru")))}
	en, zh := telling(t, e, Labels{Metric: "it", Unit: unitFraction})
	require.Contains(t, en.Headline, "accounts for 4 percentage points of that (75%); most of it, 16 percentage points, is spread over all else.", "a cause of a small part is not the reason of the whole")
	require.Contains(t, zh.Headline, "；其余16个百分点分散在其他各部分。")
	require.Len(t, en.Notes, 1, "and it is said once")
	e.Causes, e.Outcome = nil, explain.NothingUnusual
	en, _ = telling(t, e, Labels{Metric: "it", Unit: unitFraction})
	require.Contains(t, en.Headline, "usually changes by -4 percentage points to +8 percentage points.")
}

// TestUnitsBesideNames: a unit that says again what is counted, or an English word among
// Chinese ones, is left out.
func TestUnitsBesideNames(t *testing.T) {
	t.Parallel()
	e := moved(200, 100)
	e.Factors = []explain.Part{
		{ID: "orders", Pair: explain.Pair{Before: 20, After: 10}, Accounts: -100}, {ID: "aov", Pair: explain.Pair{Before: 10, After: 10}},
		{ID: "way", Pair: explain.Pair{Before: 10, After: 10}},
	}
	units := map[string]string{"orders": "orders", "aov": "USD", "way": "km"}
	en, zh := telling(t, e, Labels{Metric: "it", Factors: map[string]string{"orders": "paid orders", "aov": "value", "way": "way"}, FactorUnits: units})
	require.Contains(t, en.Factors[0], "paid orders (20 to 10) -100, value (10 USD to 10 USD) 0 and way (10 km to 10 km) 0")
	require.Contains(t, zh.Factors[0], "paid orders（20到10）-100、value（10 USD到10 USD）0和way（10 km到10 km）0")
	units["orders"] = "baskets"
	en, zh = telling(t, e, Labels{Metric: "it", Factors: map[string]string{"orders": "paid orders"}, FactorUnits: units})
	require.Contains(t, en.Factors[0], "paid orders (20 baskets to 10 baskets)")
	require.Contains(t, zh.Factors[0], "paid orders（20到10）")
}

// TestWhatMovedLessThanTheRest is not told as a reason of what the rest did.
func TestWhatMovedLessThanTheRest(t *testing.T) {
	t.Parallel()
	e := moved(1000, 2800)
	peru := element(150.0/1800, 150, -210, in("Peru"))
	peru.Metric = explain.Pair{Before: 200, After: 350}
	e.Causes, e.Growth, e.Outcome = []explain.Cause{causeOf(peru)}, 3, explain.OneCause
	en, zh := telling(t, e, Labels{Metric: "it"})
	require.Contains(t, en.Headline, "Most parts moved much alike; Peru (country) moved less than the rest: 150 of that (8.3%); all else together changed by +206.2%.")
	require.Contains(t, zh.Headline, "多数部分变化相近；Peru（country）的变化小于其余部分：占其中的150（8.3%）；")

	chile := element(600.0/1800, 600, 90, in("Chile"))
	chile.Metric = explain.Pair{Before: 200, After: 800}
	e.Causes = []explain.Cause{causeOf(chile), causeOf(peru)}
	en, _ = telling(t, e, Labels{Metric: "it"})
	require.NotContains(t, en.Headline, "much alike")
	require.Contains(t, en.Headline, "Chile (country) accounts for 600 of that (33.3%); Peru (country) moved less than the rest")
}
