package explain

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/shorttest"
)

// sold is a table of cells over dimensions of some sizes, of values that chance of
// counting moves; scale tells what becomes of a cell.
func sold(r *rand.Rand, sizes []int, typical float64, scale func(keys []string) float64) Input {
	in := Input{Kind: Additive}
	g := generation{sizes: sizes}
	for d := range sizes {
		in.Dimensions = append(in.Dimensions, fmt.Sprintf("d%d", d))
	}
	for cell := make([]int, len(sizes)); cell != nil; cell = g.following(cell) {
		keys := make([]string, len(cell))
		for d, v := range cell {
			keys[d] = fmt.Sprint(v)
		}
		expected := typical * math.Exp(r.NormFloat64())
		counted := func(mean float64) float64 { return max(math.Round(mean+math.Sqrt(mean)*r.NormFloat64()), 0) }
		in.Cells = append(in.Cells, Cell{Keys: keys, Amount: Amount{Value: Pair{counted(expected), counted(expected * scale(keys))}}})
	}
	in.Total = totalOf(in.Cells)
	return in
}

func totalOf(cells []Cell) (total Amount) {
	for _, c := range cells {
		total = total.plus(c.Amount)
	}
	return total
}

func explained(t *testing.T, in Input) Explanation {
	t.Helper()
	e, err := Explain(t.Context(), in, Limits{})
	require.NoError(t, err)
	return e
}

// elements are the texts of all elements of all causes.
func (e Explanation) elements() []string {
	var out []string
	for _, c := range e.Causes {
		for _, element := range c.Elements {
			out = append(out, element.text())
		}
	}
	return out
}

func same([]string) float64 { return 1 }

// Tables that only chance moved, or that grew as a whole, or whose values each grow a
// little differently, have no causes in 98 of 100.
func TestChanceIsNoCause(t *testing.T) {
	t.Parallel()
	twelve := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}
	for name, c := range map[string]struct {
		typical float64
		scale   func(r *rand.Rand) func([]string) float64
		most    int // of 100; 0: 2
	}{
		"large counts":   {1000, func(*rand.Rand) func([]string) float64 { return same }, 0},
		"small counts":   {4, func(*rand.Rand) func([]string) float64 { return same }, 0},
		"the whole fell": {100, func(*rand.Rand) func([]string) float64 { return func([]string) float64 { return 0.7 } }, 0},
		"values differ much": {300, func(r *rand.Rand) func([]string) float64 {
			var grew [12]float64
			for i := range grew {
				grew[i] = 0.9 + 0.3*r.Float64()
			}
			return func(keys []string) float64 { return grew[slices.Index(twelve, keys[2])] }
		}, 30}, // where all differ, one that differs most is told of some
		"values differ": {300, func(r *rand.Rand) func([]string) float64 {
			var grew [8]float64
			for i := range grew {
				grew[i] = 1.1 + 0.03*r.NormFloat64()
			}
			return func(keys []string) float64 { return grew[keys[0][0]-'0'] }
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong, n := 0, howMany(100)
			for i := range n {
				r := random(i, 20)
				if e := explained(t, sold(r, []int{8, 5, 12}, c.typical, c.scale(r))); len(e.Causes) > 0 {
					wrong++
				}
			}
			t.Logf("%d of %d", wrong, n)
			require.LessOrEqual(t, wrong, n*cmp.Or(c.most, 2)/100)
		})
	}
}

// amounts makes amounts of money of counts of orders: each order has a value of its own.
func amounts(r *rand.Rand, in Input) Input {
	money := func(orders float64) (sum float64) {
		for range int(orders) {
			sum += math.Round(2000*math.Exp(r.NormFloat64())) / 100
		}
		return sum
	}
	for i := range in.Cells {
		v := &in.Cells[i].Value
		*v = Pair{money(v.Before), money(v.After)}
	}
	in.Total = totalOf(in.Cells)
	return in
}

// Amounts vary more than counts. What fell or rose is found in them all the same, and
// chance is no cause.
func TestCausesOfAmounts(t *testing.T) {
	t.Parallel()
	sizes := []int{8, 6, 12} // countries, ways to pay, categories
	for name, c := range map[string]struct {
		scale func(k []string) float64
		want  []string
	}{
		"a way to pay in a country": {func(k []string) float64 {
			if k[0] == "3" && k[1] == "2" {
				return 0.15
			}
			return 1.04
		}, []string{"d0=3&d1=2"}},
		"a category everywhere": {func(k []string) float64 {
			if k[2] == "9" {
				return 2.5
			}
			return 0.97
		}, []string{"d2=9"}},
		"a country": {func(k []string) float64 {
			if k[0] == "5" {
				return 0.7
			}
			return 1
		}, []string{"d0=5"}},
		"chance": {same, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			right, n := 0, howMany(30)
			for i := range n {
				r := random(i, 90)
				e := explained(t, amounts(r, sold(r, sizes, 40, c.scale)))
				if slices.Equal(e.elements(), c.want) {
					right++
				} else {
					t.Log(i, e.elements())
				}
			}
			require.GreaterOrEqual(t, right, n*9/10)
		})
	}
}

// A cause of two dimensions moves neither of them much. It is named as what it is.
func TestACauseOfTwoDimensions(t *testing.T) {
	t.Parallel()
	in := sold(random(1, 30), []int{6, 5, 4}, 500, func(k []string) float64 {
		if k[0] == "2" && k[1] == "3" {
			return 0.3
		}
		return 1.05
	})
	e := explained(t, in)
	require.Equal(t, []string{"d0=2&d1=3"}, e.elements())
	require.Equal(t, OneCause, e.Outcome)
	require.Equal(t, []string{"d0", "d1"}, e.Causes[0].Dimensions)
	require.InDelta(t, 1.05, e.Growth, 0.02)
	require.Greater(t, e.Causes[0].Score, 0.9)

	element := e.Causes[0].Elements[0]
	require.Equal(t, element, e.Telling[0])
	require.InDelta(t, 0.3, element.Metric.After/element.Metric.Before, 0.05)
	require.InDelta(t, element.Metric.Before*e.Growth, element.Expected, 1e-6)
	require.InDelta(t, element.Value.Change(), element.Accounts, 1e-9)
	require.InDelta(t, element.Value.After-element.Expected, element.Excess, 1e-9)
}

// The growth of the background, the causes and the rest add up to the change.
func TestWhatIsNamedAndTheRestAddUp(t *testing.T) {
	shorttest.Rules(t, "sums over drawn cases")
	t.Parallel()
	for i := range 20 {
		in, _ := business().generate(*firstSeed + uint64(i))
		e := explained(t, in)
		sum := (e.Growth-1)*e.Metric.Before + e.Unexplained
		for _, c := range e.Causes {
			own := 0.0
			for _, element := range c.Elements {
				own += element.Excess
			}
			require.InDelta(t, own, c.Excess, 1e-6)
			sum += c.Excess
		}
		require.InDelta(t, e.Metric.Change(), sum, 0.005)
	}
}

// A place of which a part did not move is told as the parts that did.
func TestAPlaceOfWhichAPartDidNotMove(t *testing.T) {
	t.Parallel()
	e := explained(t, sold(random(8, 30), []int{6, 5, 8}, 2000, func(k []string) float64 {
		if k[0] == "1" && k[1] != "4" {
			return 0.4
		}
		return 1
	}))
	require.ElementsMatch(t, []string{"d0=1&d1=0", "d0=1&d1=1", "d0=1&d1=2", "d0=1&d1=3"}, e.elements())
	require.Len(t, e.Causes, 1)
}

// Of two causes that share cells one has them, and the other says so.
func TestCausesThatShareCells(t *testing.T) {
	t.Parallel()
	in := sold(random(2, 30), []int{8, 6, 5}, 800, func(k []string) float64 {
		switch {
		case k[0] == "1":
			return 0.3
		case k[1] == "2":
			return 0.6
		}
		return 1
	})
	e := explained(t, in)
	require.Equal(t, SeveralCauses, e.Outcome)
	require.ElementsMatch(t, []string{"d0=1", "d1=2"}, e.elements())
	var figures Amount
	without := 0
	for _, c := range e.Causes {
		figures = figures.plus(c.Elements[0].Amount)
		without += len(c.Elements[0].Without)
	}
	require.Equal(t, 1, without)
	var union Amount
	for _, c := range in.Cells {
		if c.Keys[0] == "1" || c.Keys[1] == "2" {
			union = union.plus(c.Amount)
		}
	}
	require.InDelta(t, union.Value.After, figures.Value.After, 1e-6)
	require.InDelta(t, union.Value.Before, figures.Value.Before, 1e-6)
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	at := func(scale map[string]float64, otherwise float64) func([]string) float64 {
		return func(k []string) float64 {
			if s, ok := scale[k[0]]; ok {
				return s
			}
			return otherwise
		}
	}
	for name, c := range map[string]struct {
		scale func([]string) float64
		want  Outcome
	}{
		"one":                 {at(map[string]float64{"3": 0.4}, 1), OneCause},
		"one of two elements": {at(map[string]float64{"3": 0.5, "4": 0.5}, 1), OneCause},
		"spread":              {at(nil, 0.8), EvenlySpread},
		"offsetting":          {at(map[string]float64{"3": 0.5, "4": 1.6}, 1), Offsetting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := explained(t, sold(random(3, 30), []int{9, 6, 4}, 2000, c.scale))
			require.Equal(t, c.want, e.Outcome, "%v", e.elements())
			require.NotEmpty(t, e.Telling)
		})
	}
}

func TestNoChange(t *testing.T) {
	t.Parallel()
	in := sold(random(4, 30), []int{4, 4}, 100, same)
	for i := range in.Cells {
		in.Cells[i].Value.After = in.Cells[i].Value.Before
	}
	in.Total = totalOf(in.Cells)
	e := explained(t, in)
	require.Equal(t, NoChange, e.Outcome)
	require.Empty(t, e.Causes)
}

// A dimension with one value has the whole change in it, and tells nothing of where it is.
func TestTheWholeIsNotTold(t *testing.T) {
	t.Parallel()
	in := sold(random(5, 30), []int{1}, 2000, func([]string) float64 { return 0.7 })
	e := explained(t, in)
	require.Empty(t, e.Telling)
	in = sold(random(5, 30), []int{1, 4}, 2000, func([]string) float64 { return 0.7 })
	for _, told := range explained(t, in).Telling {
		require.Equal(t, in.Dimensions[1], told.Places[0].Dimension)
	}
}

// What adds up decides what may be split.
func TestSplitsByWhatAddsUp(t *testing.T) {
	t.Parallel()
	whole := sold(random(5, 30), []int{6, 5}, 500, func(k []string) float64 {
		if k[0] == "2" {
			return 0.2
		}
		return 1
	})
	with := func(f func(*Input)) Input {
		in := whole
		in.Cells = slices.Clone(whole.Cells)
		f(&in)
		return in
	}
	for name, c := range map[string]struct {
		in   Input
		want Reason // empty: it is split
	}{
		"sums":                       {whole, ""},
		"stock":                      {with(func(in *Input) { in.Kind = SemiAdditive }), ""},
		"things counted in one cell": {with(func(in *Input) { in.Kind = Distinct }), ""},
		"things counted in many cells": {with(func(in *Input) {
			in.Kind, in.Total.Value = Distinct, Pair{whole.Total.Value.Before * 0.8, whole.Total.Value.After * 0.8}
		}), ReasonOverlap},
		"medians":                 {with(func(in *Input) { in.Kind = Opaque }), ReasonKind},
		"cells that are missing":  {with(func(in *Input) { in.Cells = in.Cells[1:] }), ReasonIncomplete},
		"cells cut off, not many": {with(func(in *Input) { in.Truncated, in.Cells = true, in.Cells[1:] }), ""},
		"cells cut off, too many": {with(func(in *Input) { in.Truncated, in.Cells = true, in.Cells[12:] }), ReasonTruncated},
		"things in cells cut off": {with(func(in *Input) { in.Kind, in.Truncated, in.Cells = Distinct, true, in.Cells[1:] }), ReasonTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := explained(t, c.in)
			if c.want == "" {
				require.Empty(t, e.Refusals)
				require.Equal(t, []string{"d0=2"}, e.elements())
				return
			}
			require.Equal(t, []Refusal{{Split: ByDimensions, Reason: c.want}}, e.Refusals)
			require.Equal(t, NotDecomposable, e.Outcome)
			require.Empty(t, e.Causes)
			require.Empty(t, e.Telling)
		})
	}
}

// rates is a table of a ratio: sizes of cells are bases, rate tells the quotients.
func rates(r *rand.Rand, rate func(keys []string, after bool) float64, share func(keys []string) float64) Input {
	in := sold(r, []int{6, 5, 4}, 3000, share)
	in.Kind = Ratio
	for i := range in.Cells {
		c := &in.Cells[i]
		c.Base = c.Value
		part := func(n float64, p float64) float64 {
			return min(max(math.Round(n*p+math.Sqrt(n*p*(1-p))*r.NormFloat64()), 0), n)
		}
		c.Value = Pair{part(c.Base.Before, rate(c.Keys, false)), part(c.Base.After, rate(c.Keys, true))}
	}
	in.Total = totalOf(in.Cells)
	return in
}

// A rate that falls from 97 % to 90 % in one place barely moves as a rate, but what fails
// there is threefold.
func TestHighRatesAreSearchedByWhatIsNotInThem(t *testing.T) {
	t.Parallel()
	in := rates(random(6, 30), func(k []string, after bool) float64 {
		if after && k[1] == "3" {
			return 0.9
		}
		return 0.97
	}, same)
	e := explained(t, in)
	require.Equal(t, []string{"d1=3"}, e.elements())
	require.Equal(t, OneCause, e.Outcome)
	element := e.Causes[0].Elements[0]
	require.InDelta(t, 0.97, element.Metric.Before, 0.005)
	require.InDelta(t, 0.90, element.Metric.After, 0.005)
	require.InDelta(t, 0.97, element.Expected, 0.01)
	require.Negative(t, element.Excess)
	require.InDelta(t, 1, element.Share, 0.2)
	require.InDelta(t, 1, e.Growth, 0.01)
	require.InDelta(t, 0, e.Unexplained, 0.2*math.Abs(e.Metric.Change()))
}

// Where each rate stays as it was and only the shares move, no rate is blamed: the mix is.
func TestAMixIsNoCause(t *testing.T) {
	t.Parallel()
	in := rates(random(7, 30), func(k []string, _ bool) float64 {
		if k[0] == "1" {
			return 0.05
		}
		return 0.2
	}, func(k []string) float64 {
		if k[0] == "1" {
			return 4
		}
		return 1
	})
	e := explained(t, in)
	require.Empty(t, e.elements())
	require.Equal(t, "d0", e.Mix.Dimension)
	require.InDelta(t, e.Metric.Change(), e.Mix.Shift, 0.1*math.Abs(e.Metric.Change()))
	require.Equal(t, "1", e.Mix.Values[0].Value)
	require.InDelta(t, e.Metric.Change(), e.Mix.Rate+e.Mix.Shift, 1e-12)
}

// Rate and mix add up to the change for whatever figures: values that come and go, groups
// that were cut off.
func TestRateAndMixAddUp(t *testing.T) {
	t.Parallel()
	for i := range 300 {
		r := random(i, 40)
		in := Input{Kind: Ratio, Dimensions: []string{"d0", "d1"}}
		for v := range 4 + r.IntN(30) {
			c := Cell{Keys: []string{fmt.Sprint(v % 4), fmt.Sprint(v)}}
			c.Base = Pair{1000 * r.Float64(), 1000 * r.Float64()}
			c.Value = Pair{c.Base.Before * r.Float64(), c.Base.After * r.Float64()}
			switch r.IntN(6) {
			case 0:
				c.Base.Before, c.Value.Before = 0, 0
			case 1:
				c.Base.After, c.Value.After = 0, 0
			}
			in.Cells = append(in.Cells, c)
		}
		in.Total = totalOf(in.Cells)
		if i%2 == 0 {
			in.Total = in.Total.plus(Amount{Value: Pair{1, 2}, Base: Pair{20, 10}})
		}
		change := quotients(in.Total).Change()
		m, refusal := splitMix(&in, nil, Limits{Values: 3})
		require.Nil(t, refusal)
		require.InDelta(t, change, m.Rate+m.Shift, 1e-9)
		sum := m.Rest
		require.LessOrEqual(t, len(m.Values), 3)
		for _, v := range m.Values {
			sum += v.Rate + v.Shift
		}
		require.InDelta(t, change, sum, 1e-9)
	}
}

// The order of cells and dimensions' values says nothing.
func TestOrderOfCellsDoesNotMatter(t *testing.T) {
	t.Parallel()
	in, _ := business().generate(*firstSeed + 3)
	want := explained(t, in)
	r := random(1, 50)
	r.Shuffle(len(in.Cells), func(a, b int) { in.Cells[a], in.Cells[b] = in.Cells[b], in.Cells[a] })
	got := explained(t, in)
	require.Equal(t, want.Outcome, got.Outcome)
	require.NotEmpty(t, want.elements())
	require.Equal(t, want.elements(), got.elements())
	require.InDelta(t, want.Growth, got.Growth, 1e-9)
	require.InDelta(t, want.Causes[0].Excess, got.Causes[0].Excess, 1e-6)
}

// New and gone places, negative values and tables of very few cells have an answer.
func TestSmallAndOddTables(t *testing.T) {
	t.Parallel()
	cells := func(pairs ...Pair) Input {
		in := Input{Kind: Additive, Dimensions: []string{"d"}}
		for i, p := range pairs {
			in.Cells = append(in.Cells, Cell{Keys: []string{fmt.Sprint(i)}, Amount: Amount{Value: p}})
		}
		in.Total = totalOf(in.Cells)
		return in
	}
	for name, c := range map[string]struct {
		in      Input
		outcome Outcome
		causes  []string
	}{
		"one cell":         {cells(Pair{5, 10}), NotDecomposable, nil},
		"two cells":        {cells(Pair{100, 100}, Pair{100, 50}), EvenlySpread, nil},
		"three cells":      {cells(Pair{100, 101}, Pair{200, 201}, Pair{100, 40}), OneCause, []string{"d=2"}},
		"a new place":      {cells(Pair{100, 101}, Pair{200, 199}, Pair{150, 151}, Pair{120, 119}, Pair{0, 90}), OneCause, []string{"d=4"}},
		"a place gone":     {cells(Pair{100, 101}, Pair{200, 199}, Pair{150, 151}, Pair{120, 119}, Pair{90, 0}), OneCause, []string{"d=4"}},
		"losses":           {cells(Pair{-100, -101}, Pair{200, 199}, Pair{150, 151}, Pair{120, 119}, Pair{-90, -300}), OneCause, []string{"d=4"}},
		"all from nothing": {cells(Pair{0, 10}, Pair{0, 20}, Pair{0, 30}), EvenlySpread, nil},
		"nothing at all":   {cells(Pair{}, Pair{}), NoChange, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := explained(t, c.in)
			require.Equal(t, c.causes, e.elements())
			require.Equal(t, c.outcome, e.Outcome)
			for _, element := range e.Telling {
				require.False(t, math.IsNaN(element.Expected+element.Excess+element.Share))
			}
		})
	}
	e := explained(t, cells(Pair{100, 101}, Pair{200, 199}, Pair{150, 151}, Pair{0, 90}, Pair{120, 119}))
	require.True(t, e.Telling[0].New)
	require.Nil(t, explained(t, cells(Pair{0, 1}, Pair{0, 3})).Relative)
}

// Neighbours that rise are pooled; what falls stays.
func TestLargerCellsDoNotVaryMore(t *testing.T) {
	t.Parallel()
	x := []float64{0, 5, 4, 6, 1, 2}
	falling(x)
	require.Equal(t, []float64{3.75, 3.75, 3.75, 3.75, 1.5, 1.5}, x)
}

// Many cells of one or two things look steady, and do not make all others look unsteady.
func TestSpreadsOfSmallCounts(t *testing.T) {
	t.Parallel()
	for i := range 40 {
		in := sold(random(i, 95), []int{8, 5, 12}, 4, same)
		require.Greater(t, newTable(in.Kind, cubeOf(in.Dimensions, in.Cells), false, 0).bySize, 0.5, "seed %d", i)
	}
}

// Spreads are told apart into that of all cells and that of counting.
func TestSpreadsOfCounts(t *testing.T) {
	t.Parallel()
	variance, inverse := make([]float64, 12), make([]float64, 12)
	for i := range variance {
		inverse[i] = 1 / float64(int(1)<<i)
		variance[i] = 0.02 + 1.8*inverse[i]
	}
	constant, bySize := fitVariance(variance, inverse)
	require.InDelta(t, 0.02, constant, 1e-9)
	require.InDelta(t, 1.8, bySize, 1e-9)
}
