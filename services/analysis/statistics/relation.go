package statistics

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// MinPairs is the fewest rows, and MinGroup the fewest of a group, that a test is made of.
const (
	MinPairs = 10
	MinGroup = 5
	// welchRows is how many rows of each group make their means normal enough for Welch's
	// test; fewer are compared by their ranks.
	welchRows = 30
	// expectedRows is the least expected count for which shares are compared by the normal
	// distribution; below it Fisher's exact test is made.
	expectedRows = 5
	maxLags      = 30
)

// Significant is the p-value below which a difference is told as more than chance.
const Significant = .05

// Correlation is how far two figures go together.
type Correlation struct {
	Rows int
	// Effective is how many independent rows tell as much: fewer than Rows where each day
	// is much like the day before it.
	Effective float64
	// Pearson and Spearman are from -1 to 1: of the figures, and of their ranks.
	Pearson, Spearman float64
	// P is that of the one with less evidence, of two sides.
	P float64
}

// Correlate looks whether two figures go together over rows; inOrder says that rows follow
// each other in time. Errors: TooFewError; ConstantError where one never differs.
func Correlate(x, y []float64, inOrder bool) (Correlation, error) {
	if len(x) < MinPairs {
		return Correlation{}, &TooFewError{Have: len(x), Need: MinPairs}
	}
	if constant(x) || constant(y) {
		return Correlation{}, &ConstantError{}
	}
	rx, ry := ranks(x), ranks(y)
	c := Correlation{Rows: len(x), Effective: float64(len(x)), Pearson: stat.Correlation(x, y, nil), Spearman: stat.Correlation(rx, ry, nil)}
	n, ranked := c.Effective, c.Effective
	if inOrder {
		n, ranked = effective(x, y), effective(rx, ry)
		c.Effective = min(n, ranked)
	}
	c.P = max(correlationP(c.Pearson, n), correlationP(c.Spearman, ranked))
	return c, nil
}

// effective is how many independent pairs tell as much as those of two series: n divided by
// one and twice the sum of the products of their autocorrelations (Bartlett 1946; Pyper and
// Peterman 1998).
func effective(x, y []float64) float64 {
	n := len(x)
	inflated := 1.0
	for lag := 1; lag <= min(maxLags, n/4); lag++ {
		inflated += 2 * (1 - float64(lag)/float64(n)) * autocorrelation(x, lag) * autocorrelation(y, lag)
	}
	return min(float64(n), max(3, float64(n)/max(inflated, 1)))
}

func autocorrelation(x []float64, lag int) float64 {
	mean := stat.Mean(x, nil)
	above, below := 0.0, 0.0
	for i, v := range x {
		below += (v - mean) * (v - mean)
		if i >= lag {
			above += (v - mean) * (x[i-lag] - mean)
		}
	}
	if below == 0 {
		return 0
	}
	return above / below
}

// correlationP is the p-value of a correlation of n independent pairs by Student's t.
func correlationP(r, n float64) float64 {
	if n <= 3 {
		return 1
	}
	if math.Abs(r) >= 1 {
		return 0
	}
	return twoSided(r*math.Sqrt((n-2)/(1-r*r)), n-2)
}

func twoSided(t, freedom float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(math.Abs(t))
}

// Test is by what two groups are compared.
type Test string

// Tests.
const (
	Welch       Test = "welch"        // of means
	MannWhitney Test = "mann_whitney" // of ranks
	Paired      Test = "paired"       // of the differences of the same days
	ZTest       Test = "proportions"  // of shares
	Fisher      Test = "fisher"       // of shares, exact
)

// Difference is how two groups differ.
type Difference struct {
	Test       Test
	RowsA      int
	RowsB      int
	MeanA      float64 // of shares: the share
	MeanB      float64
	Difference float64 // of A from B
	// Low and High hold the difference of the means with 95 % confidence; NaN where the
	// test does not say.
	Low, High float64
	P         float64 // of two sides
}

// Compare compares the figures of two groups: their means by Welch's test where both have
// enough rows, else their ranks by the one of Mann and Whitney. Errors: TooFewError.
func Compare(a, b []float64) (Difference, error) {
	if few := min(len(a), len(b)); few < MinGroup {
		return Difference{}, &TooFewError{Have: few, Need: MinGroup}
	}
	d := Difference{RowsA: len(a), RowsB: len(b), MeanA: stat.Mean(a, nil), MeanB: stat.Mean(b, nil), Low: math.NaN(), High: math.NaN(), P: 1}
	d.Difference = d.MeanA - d.MeanB
	if min(len(a), len(b)) < welchRows {
		d.Test, d.P = MannWhitney, mannWhitney(a, b)
		return d, nil
	}
	d.Test = Welch
	va, vb := stat.Variance(a, nil)/float64(len(a)), stat.Variance(b, nil)/float64(len(b))
	if va+vb == 0 {
		d.Low, d.High = d.Difference, d.Difference
		if d.Difference != 0 {
			d.P = 0
		}
		return d, nil
	}
	freedom := (va + vb) * (va + vb) / (va*va/float64(len(a)-1) + vb*vb/float64(len(b)-1))
	d.within(math.Sqrt(va+vb), freedom)
	return d, nil
}

// within sets interval and p-value by Student's t.
func (d *Difference) within(deviation, freedom float64) {
	reach := deviation * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(.975)
	d.Low, d.High, d.P = d.Difference-reach, d.Difference+reach, twoSided(d.Difference/deviation, freedom)
}

// ComparePaired compares two figures of the same days, in their order, by the mean of their
// differences. A day is much like the day before it, so the rows count as fewer, by the
// autocorrelation of the differences. Errors: TooFewError.
func ComparePaired(a, b []float64) (Difference, error) {
	if len(a) < MinPairs {
		return Difference{}, &TooFewError{Have: len(a), Need: MinPairs}
	}
	by := make([]float64, len(a))
	for i := range a {
		by[i] = a[i] - b[i]
	}
	mean, deviation := stat.MeanStdDev(by, nil)
	d := Difference{Test: Paired, RowsA: len(a), RowsB: len(b), MeanA: stat.Mean(a, nil), MeanB: stat.Mean(b, nil), Difference: mean, Low: mean, High: mean, P: 1}
	if deviation == 0 {
		if mean != 0 {
			d.P = 0
		}
		return d, nil
	}
	n := float64(len(by))
	inflated := 1.0
	for lag := 1; lag <= min(maxLags, len(by)/4); lag++ { // up to where it is noise (Geyer 1992)
		r := autocorrelation(by, lag)
		if r <= 0 {
			break
		}
		inflated += 2 * (1 - float64(lag)/n) * r
	}
	// The first autocorrelation of a short series is too low (Kendall 1954).
	if r := min(.98, (n*autocorrelation(by, 1)+1)/(n-3)); r > 0 {
		inflated = max(inflated, (1+r)/(1-r))
	}
	n = max(2, n/inflated)
	d.within(deviation/math.Sqrt(n), n-1)
	return d, nil
}

// mannWhitney is the p-value of the normal approximation with ties and continuity.
func mannWhitney(a, b []float64) float64 {
	all := slices.Concat(a, b)
	r := ranks(all)
	na, nb, n := float64(len(a)), float64(len(b)), float64(len(all))
	sum := 0.0
	for i := range a {
		sum += r[i]
	}
	u := sum - na*(na+1)/2
	ties := 0.0
	for _, run := range runs(all) {
		ties += run*run*run - run
	}
	variance := na * nb / 12 * (n + 1 - ties/(n*(n-1)))
	if variance <= 0 {
		return 1
	}
	away := max(0, math.Abs(u-na*nb/2)-.5)
	return min(1, 2*distuv.UnitNormal.Survival(away/math.Sqrt(variance)))
}

// CompareShares compares the shares of rows that have something: by the normal distribution,
// or exactly by Fisher where few do or do not. Errors: TooFewError.
func CompareShares(haveA, rowsA, haveB, rowsB int) (Difference, error) {
	if few := min(rowsA, rowsB); few < MinGroup {
		return Difference{}, &TooFewError{Have: few, Need: MinGroup}
	}
	na, nb := float64(rowsA), float64(rowsB)
	d := Difference{Test: Fisher, RowsA: rowsA, RowsB: rowsB, MeanA: float64(haveA) / na, MeanB: float64(haveB) / nb, Low: math.NaN(), High: math.NaN(), P: 1}
	d.Difference = d.MeanA - d.MeanB
	pooled := float64(haveA+haveB) / (na + nb)
	if pooled == 0 || pooled == 1 {
		return d, nil
	}
	if min(na, nb)*min(pooled, 1-pooled) < expectedRows {
		d.P = fisher(haveA, rowsA, haveA+haveB, rowsA+rowsB)
		return d, nil
	}
	d.Test = ZTest
	d.P = min(1, 2*distuv.UnitNormal.Survival(math.Abs(d.Difference)/math.Sqrt(pooled*(1-pooled)*(1/na+1/nb))))
	reach := distuv.UnitNormal.Quantile(.975) * math.Sqrt(d.MeanA*(1-d.MeanA)/na+d.MeanB*(1-d.MeanB)/nb)
	d.Low, d.High = d.Difference-reach, d.Difference+reach
	return d, nil
}

// fisher adds up what is no likelier than what was seen, of have in n drawn from all.
func fisher(have, n, haveAll, all int) float64 {
	likelihood := func(k int) float64 {
		return math.Exp(combin.LogGeneralizedBinomial(float64(haveAll), float64(k)) +
			combin.LogGeneralizedBinomial(float64(all-haveAll), float64(n-k)) - combin.LogGeneralizedBinomial(float64(all), float64(n)))
	}
	seen, p := likelihood(have), 0.0
	for k := max(0, n-(all-haveAll)); k <= min(n, haveAll); k++ {
		if l := likelihood(k); l <= seen*(1+1e-7) {
			p += l
		}
	}
	return min(1, p)
}

// Adjusted are p-values of as many tests by Holm (1979): of many that look, one finds
// something by chance.
func Adjusted(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out, least := make([]float64, len(p)), 0.0
	for place, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-place)))
		out[i] = least
	}
	return out
}

func constant(x []float64) bool { return slices.Min(x) == slices.Max(x) }

// ranks are those of values from 1; equal ones share the mean of theirs.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	out := make([]float64, len(x))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && x[order[to]] == x[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return out
}

// runs are how often each value stands there.
func runs(x []float64) []float64 {
	count := make(map[float64]float64)
	for _, v := range x {
		count[v]++
	}
	out := make([]float64, 0, len(count))
	for _, n := range count {
		out = append(out, n)
	}
	slices.Sort(out) // so that sums are the same every time
	return out
}
