package explain

import (
	"cmp"
	"math"
	"slices"
)

// Constants of the noise of cells.
const (
	// leastSpread is the least spread of deviations that is believed: data of a
	// warehouse that moved alike to the percent are rare, and so is chance below it.
	leastSpread = 0.01
	// binCells is how many cells make one point of the fit of spread against size.
	binCells = 40
	// fewCells is the number of cells at which spreads are taken to be twice as large.
	fewCells = 8
	// unsureChance is by how much the chance of finer cells may be higher than fitted.
	unsureChance = 1.3
	// settled is by which part of the spread a centre moves that is found.
	settled = 1e-9
	// anywhere is the robust variance of deviations that are anywhere in [-1, 1]. The ends
	// press greater ones down to it.
	anywhere = 0.55
)

// background is the growth that most cells share: the mode of their growth, so that it is
// not moved by the cells that stand out as the growth of the whole is. The centre of the
// shortest interval that holds half of the weight (Rousseeuw's and Leroy's shorth, 1988)
// is where Tukey's biweight starts. The weight of a cell is the root of its size: chance
// moves small cells most, and a single large one must not be the background.
func background(before, after []float64) float64 {
	logs, weights := make([]float64, len(before)), make([]float64, len(before))
	each((len(before)+cellsOfPart-1)/cellsOfPart, func(_, part int) {
		for i := part * cellsOfPart; i < min((part+1)*cellsOfPart, len(before)); i++ {
			if b := before[i]; b > 0 && after[i] > 0 {
				logs[i], weights[i] = math.Log(after[i]/b), math.Sqrt(math.Sqrt(b*after[i]))
			}
		}
	})
	n := 0
	for i, w := range weights {
		if w > 0 {
			logs[n], weights[n] = logs[i], w
			n++
		}
	}
	if logs, weights = logs[:n], weights[:n]; n == 0 {
		return 1
	}
	centre, spread := shorth(logs, weights)
	spread = max(spread, leastSpread)
	for range 10 {
		sum, weight := 0.0, 0.0
		for i, l := range logs {
			if u := (l - centre) / (4 * spread); math.Abs(u) < 1 {
				w := weights[i] * (1 - u*u) * (1 - u*u)
				sum, weight = sum+w*l, weight+w
			}
		}
		if weight == 0 {
			break
		}
		was := centre
		if centre = sum / weight; math.Abs(centre-was) < settled*spread {
			break
		}
	}
	return math.Exp(centre)
}

// shorth returns the middle of the shortest interval with half of the weight, and the
// spread (standard deviation, of a normal distribution) that its length tells. There is one
// number at least.
func shorth(numbers, weights []float64) (centre, spread float64) {
	order := ordered(numbers)
	total := 0.0
	for _, i := range order {
		total += weights[i]
	}
	length, inside, to := math.Inf(1), 0.0, 0
	for _, from := range order {
		for to < len(order) && inside < total/2 {
			inside += weights[order[to]]
			to++
		}
		if inside < total/2 {
			break
		}
		if last := numbers[order[to-1]]; last-numbers[from] < length {
			length, centre = last-numbers[from], (last+numbers[from])/2
		}
		inside -= weights[from]
	}
	return centre, length / (2 * 0.6745)
}

// weighted is a number and how much it counts.
type weighted struct{ value, weight float64 }

// spreads fits the variance of deviations as constant + bySize/size: the first is what
// cells of any size vary by, the second the chance of counting, which small cells have
// more of. Each bin of cells of about a size gives one robust variance; the fit is by
// least squares of relative errors, both parts zero or more.
func spreads(deviations, size []float64) (constant, bySize float64) {
	order := ordered(size)
	bins := min(max(len(order)/binCells, 1), 24)
	var variance, inverse []float64
	for b := range bins {
		in := order[b*len(order)/bins : (b+1)*len(order)/bins]
		x := make([]float64, len(in))
		inv := 0.0
		for k, i := range in {
			x[k] = math.Abs(deviations[i])
			inv += 1 / size[i]
		}
		v := square(lowest(x, 0.5) / 0.6745)
		v = min(v, 0.9*anywhere)
		variance, inverse = append(variance, max(v/(1-v/anywhere), square(leastSpread))), append(inverse, inv/float64(max(len(in), 1)))
	}
	falling(variance)
	return fitVariance(variance, inverse)
}

// falling makes each number at least the next by giving neighbours that are not their
// mean (isotonic regression by pooling): larger cells do not vary more by chance. Cells of
// one or two things can look steady, since most are the same by chance.
func falling(x []float64) {
	type pool struct {
		sum float64
		n   int
	}
	var pools []pool
	for _, v := range x {
		p := pool{v, 1}
		for len(pools) > 0 {
			last := pools[len(pools)-1]
			if last.sum/float64(last.n) >= p.sum/float64(p.n) {
				break
			}
			p = pool{p.sum + last.sum, p.n + last.n}
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for range p.n {
			x[i] = p.sum / float64(p.n)
			i++
		}
	}
}

// fitVariance is the least-squares fit of variance = a + b*inverse with errors relative
// to the variance; neither a nor b is below zero.
func fitVariance(variance, inverse []float64) (a, b float64) {
	var s11, s12, s22, y1, y2 float64
	for i, v := range variance {
		p, q := 1/v, inverse[i]/v
		s11, s12, s22 = s11+p*p, s12+p*q, s22+q*q
		y1, y2 = y1+p, y2+q
	}
	if det := s11*s22 - s12*s12; det > 1e-9*s11*s22 {
		a, b = (y1*s22-y2*s12)/det, (y2*s11-y1*s12)/det
		if a >= 0 && b >= 0 {
			return a, b
		}
		if a < 0 {
			return 0, y2 / s22
		}
	}
	return y1 / s11, 0
}

func square(x float64) float64 { return x * x }

// quantile sorts its argument by value and returns the value at which the part q of the
// weight is reached; 0 where there is none.
func quantile(x []weighted, q float64) float64 {
	slices.SortFunc(x, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	total, sum := 0.0, 0.0
	for _, v := range x {
		total += v.weight
	}
	for _, v := range x {
		if sum += v.weight; sum >= q*total {
			return v.value
		}
	}
	return 0
}

// ordered returns the numbers of values in order of the values, equal ones as they come: a
// radix sort, whose time is proportional to how many there are. No value is NaN. The upper
// half of a value tells most apart, so that it alone is sorted by, with the number in place of
// the lower one; what that leaves out of order is moved, and where it is much all are
// compared.
func ordered(x []float64) []int32 {
	const lower = 1<<32 - 1
	from, to := make([]uint64, len(x)), make([]uint64, len(x))
	for i, v := range x {
		key := math.Float64bits(v + 0) // -0 is 0
		if key>>63 != 0 {
			key = ^key
		} else {
			key |= 1 << 63
		}
		from[i] = key&^lower | uint64(i)
	}
	from = sortDigits(from, to, 32, 43, 54)
	out := make([]int32, len(x))
	for i, v := range from {
		out[i] = int32(v & lower) //nolint:gosec // Limits.Cells bounds it
	}
	if !settle(out, x, mayMove*len(x)) {
		slices.SortFunc(out, func(a, b int32) int { return cmp.Or(cmp.Compare(x[a], x[b]), cmp.Compare(a, b)) })
	}
	return out
}

// digitBits is how many bits of a key are sorted by at a time.
const digitBits = 11

// sortDigits sorts by the digits of keys that begin at some bits, the last first of all. The
// sorted keys are in one of both lists.
func sortDigits(from, to []uint64, at ...int) []uint64 {
	const digits = 1 << digitBits
	for _, bit := range at {
		var count [digits]int32
		for _, key := range from {
			count[key>>bit%digits]++
		}
		if len(from) > 0 && int(count[from[0]>>bit%digits]) == len(from) {
			continue // all have the same digit
		}
		sum := int32(0)
		for k, n := range count {
			count[k], sum = sum, sum+n
		}
		for _, key := range from {
			digit := key >> bit % digits
			to[count[digit]] = key
			count[digit]++
		}
		from, to = to, from
	}
	return from
}

// mayMove is by how many places a value is moved on average, before comparing all takes less
// time.
const mayMove = 4

// settle moves numbers of values that are not in order yet, by so many places in all at most,
// and reports whether all are in order then.
func settle(order []int32, x []float64, most int) bool {
	for i := 1; i < len(order); i++ {
		at, k := order[i], i
		for v := x[at]; k > 0 && x[order[k-1]] > v; k-- {
			order[k] = order[k-1]
		}
		order[k] = at
		if most -= i - k; most < 0 {
			return false
		}
	}
	return true
}

// lowest returns the value that the part q of values does not exceed, as quantile does where all
// weigh the same, without sorting them all (Hoare's selection). It changes their order; 0
// where there are none.
func lowest(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	k := max(int(math.Ceil(q*float64(len(x))))-1, 0)
	for from, to := 0, len(x)-1; from < to; {
		// The middle of three is the pivot, so that sorted values take no longer.
		a, b, c := x[from], x[from+(to-from)/2], x[to]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := from, to
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			to = j
		case k >= i:
			from = i
		default:
			return x[k]
		}
	}
	return x[k]
}
