package explain

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The parts of factors add up to the change to the cent, whatever the figures are, and do
// not depend on the order of the factors.
func TestFactorsAddUpToTheCent(t *testing.T) {
	t.Parallel()
	for i := range 2000 {
		r := random(i, 10)
		in := Input{Kind: Additive, Total: Amount{Value: Pair{1, 1}}}
		for k := range 2 + r.IntN(4) {
			f := Factor{ID: string(rune('a' + k)), Pair: Pair{math.Exp(5 * r.NormFloat64()), math.Exp(5 * r.NormFloat64())}}
			if r.IntN(4) == 0 { // barely moved
				f.After = f.Before * (1 + 1e-12*r.NormFloat64())
			}
			in.Factors = append(in.Factors, f)
			in.Total.Value = Pair{in.Total.Value.Before * f.Before, in.Total.Value.After * f.After}
		}
		if max(in.Total.Value.Before, in.Total.Value.After) > 1e12 {
			continue // cents are beyond the digits of a double
		}
		parts, refusal := splitFactors(&in)
		require.Nil(t, refusal)
		sum, cents := 0.0, 0.005
		for _, p := range parts {
			sum += p.Accounts
		}
		require.InDelta(t, in.Total.Value.Change(), sum, cents)

		turned := in
		turned.Factors = slices.Clone(in.Factors)
		slices.Reverse(turned.Factors)
		again, _ := splitFactors(&turned)
		for k, p := range parts {
			require.InDelta(t, p.Accounts, again[len(again)-1-k].Accounts, cents)
		}
	}
}

// GMV = orders x average order value: both up by a tenth share the change alike.
func TestFactorsOfAKnownProduct(t *testing.T) {
	t.Parallel()
	in := Input{Kind: Additive, Total: Amount{Value: Pair{1000, 1210}}, Factors: []Factor{{"orders", Pair{100, 110}}, {"aov", Pair{10, 11}}}}
	parts, refusal := splitFactors(&in)
	require.Nil(t, refusal)
	require.InDelta(t, 105, parts[0].Accounts, 1e-9)
	require.InDelta(t, 0.5, parts[1].Share, 1e-9)

	// Factors that offset each other account for what they moved, though nothing changed.
	in = Input{Kind: Additive, Total: Amount{Value: Pair{1000, 1000}}, Factors: []Factor{{"orders", Pair{100, 200}}, {"aov", Pair{10, 5}}}}
	parts, refusal = splitFactors(&in)
	require.Nil(t, refusal)
	require.InDelta(t, 1000*math.Ln2, parts[0].Accounts, 1e-9)
	require.InDelta(t, -1000*math.Ln2, parts[1].Accounts, 1e-9)
	require.Zero(t, parts[0].Share)
}

// An engine rounds averages; the parts add up to the change of the metric all the same.
func TestRoundedFactorsAddUp(t *testing.T) {
	t.Parallel()
	in := Input{Kind: Additive, Total: Amount{Value: Pair{2_000_000, 3_000_000}}, Factors: []Factor{{"orders", Pair{30_000, 41_000}}, {"aov", Pair{66.66667, 73.17073}}}}
	parts, refusal := splitFactors(&in)
	require.Nil(t, refusal)
	require.InDelta(t, 1_000_000, parts[0].Accounts+parts[1].Accounts, 1e-6)
}

func TestARatioIsSplitIntoNumeratorAndDenominator(t *testing.T) {
	t.Parallel()
	in := Input{Kind: Ratio, Total: Amount{Value: Pair{10, 20}, Base: Pair{100, 100}}}
	parts, refusal := splitFactors(&in)
	require.Nil(t, refusal)
	require.Equal(t, []string{PartValue, PartBase}, []string{parts[0].ID, parts[1].ID})
	require.InDelta(t, 0.1, parts[0].Accounts, 1e-12)
	require.InDelta(t, 0, parts[1].Accounts, 1e-12)

	in.Total = Amount{Value: Pair{10, 20}, Base: Pair{100, 50}} // both double it
	parts, _ = splitFactors(&in)
	require.InDelta(t, 0.15, parts[0].Accounts, 1e-12)
	require.InDelta(t, 0.15, parts[1].Accounts, 1e-12)

	in.Total = Amount{Value: Pair{10, 10}, Base: Pair{100, 50}} // fewer in the base raise it
	parts, _ = splitFactors(&in)
	require.InDelta(t, 0.1, parts[1].Accounts, 1e-12)
}

func TestFactorsThatCannotBeSplitAreRefusedByName(t *testing.T) {
	t.Parallel()
	product := func(total Pair, factors ...Factor) Input {
		return Input{Kind: Additive, Total: Amount{Value: total}, Factors: factors}
	}
	for name, c := range map[string]struct {
		in   Input
		want Refusal
	}{
		"zero":        {product(Pair{100, 0}, Factor{"orders", Pair{10, 0}}, Factor{"aov", Pair{10, 7}}), Refusal{ByFactors, ReasonZero, "orders"}},
		"zero before": {product(Pair{0, 100}, Factor{"aov", Pair{5, 10}}, Factor{"orders", Pair{0, 10}}), Refusal{ByFactors, ReasonZero, "orders"}},
		"negative":    {product(Pair{100, -70}, Factor{"orders", Pair{10, 10}}, Factor{"margin", Pair{10, -7}}), Refusal{ByFactors, ReasonNegative, "margin"}},
		"no product":  {product(Pair{100, 120}, Factor{"orders", Pair{10, 11}}, Factor{"aov", Pair{10, 10}}), Refusal{Split: ByFactors, Reason: ReasonProduct}},
		"no base": {
			Input{Kind: Ratio, Total: Amount{Value: Pair{1, 1}, Base: Pair{5, 0}}},
			Refusal{ByFactors, ReasonZero, PartBase},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := Explain(t.Context(), c.in, Limits{})
			require.NoError(t, err)
			require.Empty(t, e.Factors)
			require.Contains(t, e.Refusals, c.want)
		})
	}
}
