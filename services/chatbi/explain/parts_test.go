package explain

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// evenly gives each value the same weight.
func evenly(values ...float64) (out []weighted) {
	for _, v := range values {
		out = append(out, weighted{v, 1})
	}
	return out
}

// TestQuantiles are values that are there, by weight; a median between two is their middle.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 2, quantile([]weighted{{3, 2}, {1, 1}, {2, 1}}, 0.5), 0)
	require.InDelta(t, 3, quantile([]weighted{{3, 3}, {1, 1}, {2, 1}}, 0.5), 0)
	require.InDelta(t, 1, quantile(evenly(4, 3, 2, 1), 0.25), 0)
	require.InDelta(t, 2, quantile(evenly(4, 3, 2, 1), 0.26), 0)
	require.InDelta(t, 4, quantile(evenly(4, 3, 2, 1), 1), 0)
	require.Zero(t, quantile(nil, 0.5))
	given := []float64{9, 1, 5}
	require.InDelta(t, 5, medianOf(given), 0)
	require.Equal(t, []float64{9, 1, 5}, given, "the course stays in its order")
	require.InDelta(t, 3, medianOf([]float64{9, 1, 5, 1}), 0)
	require.Zero(t, medianOf(nil))
	require.InDelta(t, 2/0.6745, spreadOf([]float64{-2, 1, 3}), 1e-9)
	require.Equal(t, []float64{-8, 4}, differences(given))
}

// TestTheShortestHalf is where most of the weight is close together.
func TestTheShortestHalf(t *testing.T) {
	t.Parallel()
	centre, spread := shorth([]float64{10, 1, 1.2, 1.4, -9}, []float64{1, 1, 1, 1, 1})
	require.InDelta(t, 1.2, centre, 1e-9)
	require.InDelta(t, 0.4/(2*0.6745), spread, 1e-9)
	centre, _ = shorth([]float64{1, 1.1, 5}, []float64{1, 1, 3})
	require.InDelta(t, 5, centre, 1e-9, "by weight, not by number")
}

// TestVariancesFall with size: neighbours that rise are pooled.
func TestVariancesFall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, want []float64 }{
		{[]float64{3, 2, 1}, []float64{3, 2, 1}}, {[]float64{1, 2, 3}, []float64{2, 2, 2}}, {[]float64{3, 1, 2}, []float64{3, 1.5, 1.5}},
		{[]float64{1, 3, 2}, []float64{2, 2, 2}}, {[]float64{4, 1, 3, 2}, []float64{4, 2, 2, 2}}, {nil, nil},
	} {
		falling(c.given)
		require.Equal(t, c.want, c.given)
	}
}

// TestTheFitOfVariances finds both parts where both are there, and no part below zero.
func TestTheFitOfVariances(t *testing.T) {
	t.Parallel()
	inverse := []float64{1, 0.5, 0.25, 0.1}
	of := func(f func(float64) float64) (out []float64) {
		for _, x := range inverse {
			out = append(out, f(x))
		}
		return out
	}
	a, b := fitVariance(of(func(x float64) float64 { return 0.04 + 0.2*x }), inverse)
	require.InDelta(t, 0.04, a, 1e-9)
	require.InDelta(t, 0.2, b, 1e-9)
	a, b = fitVariance(of(func(x float64) float64 { return x * x }), inverse)
	require.Zero(t, a)
	require.Positive(t, b)
	a, b = fitVariance(of(func(x float64) float64 { return 2 - x }), inverse)
	require.Positive(t, a)
	require.Zero(t, b)
	a, b = fitVariance([]float64{0.5}, []float64{1})
	require.InDelta(t, 0.5, a, 1e-9)
	require.Zero(t, b)
}

// TestDeviations are parts of the greater of both, the same from both sides.
func TestDeviations(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]float64{{100, 50, -0.5}, {50, 100, 0.5}, {0, 10, 1}, {10, 0, -1}, {0, 0, 0}, {10, -10, -1}, {-10, 10, 1}, {-100, -50, 0.5}} {
		require.InDelta(t, c[2], deviation(c[0], c[1]), 1e-12, "%v", c)
	}
}

// TestWhatIsComparedOfACell: values, or of a ratio its numerator at the base after; with
// the complement what is not in it.
func TestWhatIsComparedOfACell(t *testing.T) {
	t.Parallel()
	cell := Amount{Value: Pair{50, 30}, Base: Pair{100, 200}}
	for name, c := range map[string]struct {
		kind          Kind
		a             Amount
		complement    bool
		before, after float64
		ok            bool
	}{
		"a sum":               {Additive, cell, false, 50, 30, true},
		"new":                 {Additive, Amount{Value: Pair{0, 30}}, false, 0, 30, true},
		"gone":                {Additive, Amount{Value: Pair{50, 0}}, false, 50, 0, true},
		"nothing":             {Additive, Amount{}, false, 0, 0, false},
		"a ratio":             {Ratio, cell, false, 100, 30, true},
		"what is not in it":   {Ratio, cell, true, 100, 170, true},
		"no base before":      {Ratio, Amount{Value: Pair{50, 30}, Base: Pair{0, 200}}, false, 0, 0, false},
		"no base after":       {Ratio, Amount{Value: Pair{50, 30}, Base: Pair{100, 0}}, false, 0, 0, false},
		"a base below zero":   {Ratio, Amount{Value: Pair{50, 30}, Base: Pair{100, -1}}, false, 0, 0, false},
		"a ratio of nothing":  {Ratio, Amount{Base: Pair{100, 200}}, false, 0, 0, false},
		"a ratio of all":      {Ratio, Amount{Value: Pair{100, 200}, Base: Pair{100, 200}}, true, 0, 0, false},
		"of nothing but once": {Ratio, Amount{Value: Pair{0, 20}, Base: Pair{100, 200}}, false, 0, 20, true},
	} {
		before, after, ok := compared(c.kind, c.a, c.complement)
		require.Equal(t, c.ok, ok, name)
		require.InDelta(t, c.before, before, 1e-9, name)
		require.InDelta(t, c.after, after, 1e-9, name)
	}
}

// TestWhetherCellsAreTheWhole: all of it, or nearly where some were cut off; the worse
// period counts, and of a ratio both of its parts.
func TestWhetherCellsAreTheWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind       Kind
		sum, total Amount
		truncated  bool
		want       Reason
	}{
		"all":                       {Additive, Amount{Value: Pair{10, 20}}, Amount{Value: Pair{10, 20}}, false, ""},
		"another order of adding":   {Additive, Amount{Value: Pair{1e9, 20}}, Amount{Value: Pair{1e9 + 900, 20}}, false, ""},
		"a thing missing before":    {Additive, Amount{Value: Pair{95, 20}}, Amount{Value: Pair{100, 20}}, false, ReasonIncomplete},
		"a thing missing after":     {Additive, Amount{Value: Pair{10, 95}}, Amount{Value: Pair{10, 100}}, false, ReasonIncomplete},
		"too much":                  {Additive, Amount{Value: Pair{10, 105}}, Amount{Value: Pair{10, 100}}, false, ReasonIncomplete},
		"a tenth cut off":           {Additive, Amount{Value: Pair{10, 90}}, Amount{Value: Pair{10, 100}}, true, ""},
		"more cut off":              {Additive, Amount{Value: Pair{10, 89}}, Amount{Value: Pair{10, 100}}, true, ReasonTruncated},
		"one counted twice":         {Distinct, Amount{Value: Pair{10, 105}}, Amount{Value: Pair{10, 100}}, false, ReasonOverlap},
		"one counted twice before":  {Distinct, Amount{Value: Pair{11, 99}}, Amount{Value: Pair{10, 100}}, false, ReasonOverlap},
		"different ones cut off":    {Distinct, Amount{Value: Pair{10, 99}}, Amount{Value: Pair{10, 100}}, true, ReasonTruncated},
		"different ones missing":    {Distinct, Amount{Value: Pair{10, 99}}, Amount{Value: Pair{10, 100}}, false, ReasonIncomplete},
		"different ones, each once": {Distinct, Amount{Value: Pair{10, 100}}, Amount{Value: Pair{10, 100}}, false, ""},
		"a base that is missing":    {Ratio, Amount{Value: Pair{1, 1}, Base: Pair{10, 8}}, Amount{Value: Pair{1, 1}, Base: Pair{10, 10}}, false, ReasonIncomplete},
		"a base of no ratio":        {Additive, Amount{Value: Pair{1, 1}, Base: Pair{10, 8}}, Amount{Value: Pair{1, 1}, Base: Pair{10, 10}}, false, ""},
		"what adds up to nothing":   {Opaque, Amount{Value: Pair{1, 1}}, Amount{Value: Pair{1, 1}}, false, ReasonKind},
		"nothing of nothing":        {Additive, Amount{}, Amount{}, false, ""},
		"nothing of something":      {Additive, Amount{}, Amount{Value: Pair{0, 5}}, true, ReasonTruncated},
	} {
		require.Equal(t, c.want, addUp(&Input{Kind: c.kind, Total: c.total, Cells: []Cell{{Amount: c.sum}}, Truncated: c.truncated}), name)
	}
}

// TestHighParts: a rate that is mostly full, each numerator a part of its base.
func TestHighParts(t *testing.T) {
	t.Parallel()
	in := func(total, cell Amount) bool {
		return highParts(&Input{Kind: Ratio, Total: total, Cells: []Cell{{Amount: total}, {Amount: cell}}})
	}
	full := Amount{Value: Pair{90, 96}, Base: Pair{100, 100}}
	require.True(t, in(full, full))
	require.False(t, in(Amount{Value: Pair{50, 50}, Base: Pair{100, 100}}, full), "no more than half")
	require.False(t, in(full, Amount{Value: Pair{11, 9}, Base: Pair{10, 10}}))
	require.False(t, in(full, Amount{Value: Pair{9, 11}, Base: Pair{10, 10}}))
	require.False(t, in(full, Amount{Value: Pair{-1, 9}, Base: Pair{10, 10}}))
	require.False(t, in(full, Amount{Value: Pair{9, -1}, Base: Pair{10, 10}}))
}

// TestWhichEventsAreTold: those on the day of the onset or next to it; without an onset
// those of one period alone.
func TestWhichEventsAreTold(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2024, 5, d, 0, 0, 0, 0, time.UTC) }
	event := func(from, to int) Event { return Event{Period: Period{From: day(from), To: day(to)}} }
	in := &Input{Before: Period{day(1), day(5)}, After: Period{day(8), day(12)}}
	told := func(o *Onset, e Event) bool {
		in.Events = []Event{e}
		return len(eventsAt(in, o)) == 1
	}
	at := &Onset{Date: day(10)}
	for e, want := range map[[2]int]bool{{8, 9}: false, {9, 10}: true, {11, 12}: true, {12, 13}: false, {1, 30}: true} {
		require.Equal(t, want, told(at, event(e[0], e[1])), "%v", e)
	}
	for e, want := range map[[2]int]bool{{1, 2}: true, {8, 9}: true, {5, 8}: false, {4, 9}: false, {4, 8}: true, {7, 8}: false, {12, 13}: false, {11, 13}: true} {
		require.Equal(t, want, told(nil, event(e[0], e[1])), "%v", e)
	}
}

// TestHowAChangeCameAbout: by what its causes add up to, and without any by what else is known.
func TestHowAChangeCameAbout(t *testing.T) {
	t.Parallel()
	of := func(excess ...float64) (out []Cause) {
		for _, e := range excess {
			out = append(out, Cause{Excess: e})
		}
		return out
	}
	usual, change := &Usual{Low: -0.1, High: 0.1}, 0.1
	low, more := -0.1, 0.11
	telling, factors := []Element{{}}, []Part{{}}
	for name, c := range map[string]struct {
		kind Kind
		e    Explanation
		want Outcome
	}{
		"half of the other direction":  {Additive, Explanation{Causes: of(10, -5)}, Offsetting},
		"less than half":               {Additive, Explanation{Causes: of(10, -4)}, SeveralCauses},
		"half, the other way round":    {Additive, Explanation{Causes: of(-10, 3, 2)}, Offsetting},
		"one of most":                  {Additive, Explanation{Causes: of(80, 20)}, OneCause},
		"one of less":                  {Additive, Explanation{Causes: of(79, 21)}, SeveralCauses},
		"one down":                     {Additive, Explanation{Causes: of(-80, -20)}, OneCause},
		"nothing changed":              {Additive, Explanation{Usual: usual, Relative: new(float64), Telling: telling}, NoChange},
		"a usual change":               {Additive, Explanation{Metric: Pair{10, 11}, Usual: usual, Relative: &change, Telling: telling}, NothingUnusual},
		"a usual drop":                 {Additive, Explanation{Metric: Pair{10, 9}, Usual: usual, Relative: &low, Telling: telling}, NothingUnusual},
		"an unusual one":               {Additive, Explanation{Metric: Pair{10, 12}, Usual: usual, Relative: &more, Telling: telling}, EvenlySpread},
		"nothing to split":             {Additive, Explanation{Metric: Pair{10, 12}, Usual: usual, Relative: &more}, NotDecomposable},
		"split into factors":           {Additive, Explanation{Metric: Pair{10, 12}, Factors: factors}, EvenlySpread},
		"the parts of a ratio alone":   {Ratio, Explanation{Metric: Pair{10, 12}, Factors: factors}, NotDecomposable},
		"a ratio with telling places":  {Ratio, Explanation{Metric: Pair{10, 12}, Telling: telling}, EvenlySpread},
		"from nothing, with a history": {Additive, Explanation{Metric: Pair{0, 12}, Usual: usual, Telling: telling}, EvenlySpread},
	} {
		require.Equal(t, c.want, c.e.outcome(&Input{Kind: c.kind}), name)
	}
}

// TestRateAndShift: what a part's own quotient did, and what its share in the base did; a
// part that was not there before, or is no more, has no quotient that changed.
func TestRateAndShift(t *testing.T) {
	t.Parallel()
	whole := Amount{Value: Pair{50, 60}, Base: Pair{100, 100}}
	for _, c := range []struct {
		part        Amount
		rate, shift float64
	}{
		{Amount{Value: Pair{30, 20}, Base: Pair{50, 40}}, -0.045, 0},
		{Amount{Value: Pair{0, 10}, Base: Pair{0, 20}}, 0, -0.01},
		{Amount{Value: Pair{10, 0}, Base: Pair{20, 0}}, 0, 0.01},
		{whole, 0.1, 0},
	} {
		rate, shift := rateAndShift(c.part, whole)
		require.InDelta(t, c.rate, rate, 1e-12)
		require.InDelta(t, c.shift, shift, 1e-12)
	}
	m := Mix{Rate: 10, Shift: -1, Values: []MixValue{{Value: "a", Rate: 1, Shift: 1}, {Value: "b", Rate: -4}, {Value: "c", Rate: 1, Shift: 2}, {Value: "d", Rate: 2}}}
	m.bound(2)
	require.Equal(t, []string{"b", "c"}, []string{m.Values[0].Value, m.Values[1].Value})
	require.Len(t, m.Values, 2)
	require.InDelta(t, 9-(-4)-3, m.Rest, 1e-12)
	for _, c := range []struct {
		total, cell Amount
		want        Reason
	}{
		{whole, Amount{Base: Pair{-1, 1}}, ReasonNegative}, {whole, Amount{Base: Pair{1, -1}}, ReasonNegative},
		{Amount{Base: Pair{0, 1}}, Amount{}, ReasonZero}, {Amount{Base: Pair{1, 0}}, Amount{}, ReasonZero},
	} {
		mix, refusal := splitMix(&Input{Kind: Ratio, Total: c.total, Cells: []Cell{{Amount: c.cell}}}, nil, Limits{})
		require.Nil(t, mix)
		require.Equal(t, &Refusal{Split: ByMix, Reason: c.want}, refusal)
	}
}

// TestTheMetricOverAPeriod: the sum of what adds up, the quotient of the sums of a ratio,
// the mean of what does not add up; nothing where a day is missing.
func TestTheMetricOverAPeriod(t *testing.T) {
	t.Parallel()
	day := func(d int) time.Time { return time.Date(2024, 5, d, 0, 0, 0, 0, time.UTC) }
	c := courseOf(&Input{Daily: []Day{{Date: day(1), Value: 1, Base: 2}, {Date: day(2), Value: 2, Base: 2}, {Date: day(3), Value: 6, Base: 8}, {Date: day(5), Value: 9}}})
	for kind, want := range map[Kind]float64{Additive: 9, Ratio: 0.75, SemiAdditive: 3, Distinct: 3} {
		got, ok := c.over(Period{day(1), day(4)}, kind)
		require.True(t, ok)
		require.InDelta(t, want, got, 1e-12, kind)
	}
	_, ok := c.over(Period{day(3), day(6)}, Additive)
	require.False(t, ok, "a day is missing")
	_, ok = c.over(Period{day(5), day(6)}, Ratio)
	require.False(t, ok, "there is no base")
	got, ok := c.over(Period{day(5), day(6)}, Additive)
	require.True(t, ok)
	require.InDelta(t, 9, got, 0)
	require.Equal(t, Period{day(1), day(3)}, Period{day(8), day(10)}.back(7))
}

// TestNumbersThatAreNone are refused in each place.
func TestNumbersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, a := range []Amount{{Value: Pair{bad, 1}}, {Value: Pair{1, bad}}, {Base: Pair{bad, 1}}, {Base: Pair{1, bad}}} {
			require.False(t, finite(a))
		}
	}
	require.True(t, finite(Amount{Value: Pair{1, -1}}))
}

// TestHowMuchHistoryTellsWhatIsUsual: six earlier pairs of periods, none of which has the
// change in it.
func TestHowMuchHistoryTellsWhatIsUsual(t *testing.T) {
	t.Parallel()
	first := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for before, pairs := range map[int]int{11: 0, 12: 6, 20: 14} { // days before the first of the periods
		in := &Input{Kind: Additive, Before: Period{first.AddDate(0, 0, before), first.AddDate(0, 0, before+7)}, After: Period{first.AddDate(0, 0, before+7), first.AddDate(0, 0, before+14)}}
		for i := range before + 14 {
			in.Daily = append(in.Daily, Day{Date: first.AddDate(0, 0, i), Value: float64(100 + i%3)})
		}
		if u := usual(in); pairs == 0 {
			require.Nil(t, u)
		} else {
			require.Equal(t, pairs, u.Pairs)
			require.Less(t, u.Low, u.High)
		}
	}
}
