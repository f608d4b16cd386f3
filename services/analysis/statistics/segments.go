// Package statistics computes over rows what no SQL of a question says: groups of rows that
// are alike (segments.go), and whether figures move together or groups differ by more than
// chance (relation.go). It is arithmetic over what a step came to; it knows no service.
package statistics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Bounds of a search for segments.
const (
	// MinMembers is how many rows each segment needs on average, so that its mean says something.
	MinMembers = 5
	// MinRows is the fewest rows that are divided.
	MinRows = 4 * MinMembers
	// MaxSegments bounds how many there are; more than a few cannot be told apart by words.
	MaxSegments = 8
	// MaxFeatures bounds the columns that are looked at, MaxRows the rows.
	MaxFeatures = 10
	MaxRows     = 10_000

	restarts    = 6   // of k-means; the best one counts
	iterations  = 60  // of one start
	sampleRows  = 300 // rows of which silhouettes are taken, which cost their square
	references  = 20  // sets without segments, of each of two kinds
	logSkew     = 1   // skewness from which a figure that is not negative is read by its logarithm
	minContrast = .25 // below it Kaufman and Rousseeuw (1990) see no substantial structure
	minAbove    = .05 // above the best silhouette of chance, which more references would raise
)

// TooFewError says that there are too few rows for what is asked of them.
type TooFewError struct{ Have, Need int }

// Error implements error.
func (e *TooFewError) Error() string {
	return fmt.Sprintf("%d rows, and %d are needed", e.Have, e.Need)
}

// TooManyError says that there are more rows than are divided.
type TooManyError struct{ Have, Most int }

// Error implements error.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d rows, and the most is %d", e.Have, e.Most)
}

// ConstantError says that no column differs from row to row.
type ConstantError struct{}

// Error implements error.
func (*ConstantError) Error() string { return "no column differs from row to row" }

// Segments is a division of rows.
type Segments struct {
	// Of is the segment of each row, from 0; nil where the rows have no segments. Segments
	// are in the order of their means in the first column, highest first.
	Of []int
	// Count is how many there are; 0 where the rows have none.
	Count int
	// Silhouette is the mean silhouette of the best division, from -1 to 1, Chance the
	// highest one of sets of as many rows that have no segments.
	Silhouette, Chance float64
	// Scores are the standardised means: by segment and column. A column that does not
	// differ from row to row has zeros.
	Scores [][]float64
	// Logs says which columns were read by their logarithm, since few rows have most of them.
	Logs []bool
}

// Segment divides rows of as many figures each into segments by k-means over standardised
// columns; the number of segments is the one with the highest mean silhouette (Rousseeuw
// 1987). Every set of rows can be divided, so the silhouette has to be above those of sets
// that have no segments: normal ones of the same covariance, and even ones within the same
// bounds along the principal axes (Tibshirani, Walther and Hastie 2001). Rows and figures
// are finite. Errors: TooFewError, TooManyError, ConstantError.
func Segment(rows [][]float64, random *rand.Rand) (Segments, error) {
	if len(rows) < MinRows {
		return Segments{}, &TooFewError{Have: len(rows), Need: MinRows}
	}
	if len(rows) > MaxRows {
		return Segments{}, &TooManyError{Have: len(rows), Most: MaxRows}
	}
	points, used, logs := standardised(rows)
	if len(used) == 0 {
		return Segments{}, &ConstantError{}
	}
	most := min(MaxSegments, len(rows)/MinMembers, distinct(points))
	out := Segments{Logs: logs}
	if most < 2 {
		return out, nil
	}
	best, score := divide(points, most, random)
	out.Silhouette, out.Chance = score, -1
	for i := range references {
		for _, reference := range [][][]float64{normalLike(points, random), evenLike(points, random)} {
			// A reference needs no more rows than silhouettes are taken of.
			_, s := divide(reference[:min(len(reference), 4*sampleRows)], most, random)
			out.Chance = max(out.Chance, s)
		}
		if out.Chance >= score && i > 2 {
			break // no more references can make it a finding
		}
	}
	if score < minContrast || score < out.Chance+minAbove {
		return out, nil
	}
	out.Count = slices.Max(best) + 1
	out.Of = ordered(best, out.Count, rows)
	out.Scores = make([][]float64, out.Count)
	sizes := make([]float64, out.Count)
	for i := range out.Scores {
		out.Scores[i] = make([]float64, len(rows[0]))
	}
	for i, p := range points {
		sizes[out.Of[i]]++
		for j, v := range p {
			out.Scores[out.Of[i]][used[j]] += v
		}
	}
	for i := range out.Scores {
		for j := range out.Scores[i] {
			out.Scores[i][j] /= sizes[i]
		}
	}
	return out, nil
}

// standardised are the columns that differ, with mean zero and deviation one; used says
// which columns they are. What is very skewed and not negative is read by its logarithm:
// else the few largest rows would be the only segment.
func standardised(rows [][]float64) (points [][]float64, used []int, logs []bool) {
	width := len(rows[0])
	points, logs = make([][]float64, len(rows)), make([]bool, width)
	for j := range width {
		column := make([]float64, len(rows))
		for i, row := range rows {
			column[i] = row[j]
		}
		if skew := stat.Skew(column, nil); slices.Min(column) >= 0 && skew > logSkew {
			if changed := logarithms(column); math.Abs(stat.Skew(changed, nil)) < skew {
				column, logs[j] = changed, true
			}
		}
		mean, deviation := stat.MeanStdDev(column, nil)
		if deviation <= 1e-9*max(1, math.Abs(mean)) {
			logs[j] = false
			continue
		}
		used = append(used, j)
		for i, v := range column {
			points[i] = append(points[i], (v-mean)/deviation)
		}
	}
	return points, used, logs
}

// logarithms are those of figures that are not negative. Where there are zeros, the least
// of the others is added to all.
func logarithms(column []float64) []float64 {
	shift := 0.0
	if slices.Min(column) == 0 {
		shift = slices.Max(column)
		for _, v := range column {
			if v > 0 {
				shift = min(shift, v)
			}
		}
	}
	out := make([]float64, len(column))
	for i, v := range column {
		out[i] = math.Log(v + shift)
	}
	return out
}

// distinct counts different rows.
func distinct(points [][]float64) int {
	sorted := slices.Clone(points)
	slices.SortFunc(sorted, slices.Compare[[]float64])
	return len(slices.CompactFunc(sorted, slices.Equal[[]float64]))
}

// divide is the division with the highest mean silhouette among those into two to most.
func divide(points [][]float64, most int, random *rand.Rand) (of []int, silhouette float64) {
	silhouette = -1
	sample := random.Perm(len(points))
	sample = sample[:min(len(sample), sampleRows)]
	for k := 2; k <= most; k++ {
		try := kMeans(points, k, random)
		if s := silhouettes(points, try, sample, k); s > silhouette {
			of, silhouette = try, s
		}
	}
	return of, silhouette
}

func distance2(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}

func nearest(p []float64, centres [][]float64) (at int, distance float64) {
	distance = math.Inf(1)
	for i, c := range centres {
		if d := distance2(p, c); d < distance {
			at, distance = i, d
		}
	}
	return at, distance
}

// kMeans is Lloyd's algorithm from starts by k-means++ (Arthur and Vassilvitskii 2007).
// Every segment has a row.
func kMeans(points [][]float64, k int, random *rand.Rand) []int {
	var best []int
	least := math.Inf(1)
	for range restarts {
		of, spread := lloyd(points, starts(points, k, random))
		if spread < least {
			best, least = of, spread
		}
	}
	return best
}

// starts are k different rows, each drawn by its squared distance to those before.
func starts(points [][]float64, k int, random *rand.Rand) [][]float64 {
	centres := [][]float64{points[random.IntN(len(points))]}
	far := make([]float64, len(points))
	for len(centres) < k {
		total := 0.0
		for i, p := range points {
			_, far[i] = nearest(p, centres)
			total += far[i]
		}
		at, left := 0, random.Float64()*total
		for i, d := range far {
			if d == 0 {
				continue
			}
			at = i
			if left -= d; left < 0 {
				break
			}
		}
		centres = append(centres, points[at])
	}
	return centres
}

func lloyd(points, centres [][]float64) (of []int, spread float64) {
	of = make([]int, len(points))
	for range iterations {
		spread = 0
		sums, sizes := make([][]float64, len(centres)), make([]float64, len(centres))
		worst, farthest, moved := 0, -1.0, false
		for i, p := range points {
			at, d := nearest(p, centres)
			moved = moved || at != of[i]
			of[i] = at
			spread += d
			if d > farthest {
				worst, farthest = i, d
			}
			if sums[at] == nil {
				sums[at] = make([]float64, len(p))
			}
			sizes[at]++
			for j, v := range p {
				sums[at][j] += v
			}
		}
		next := make([][]float64, len(centres))
		for c := range centres {
			if sizes[c] == 0 { // nobody is nearest to it: it goes where it is needed most
				next[c], moved = points[worst], true
				continue
			}
			next[c] = sums[c]
			for j := range next[c] {
				next[c][j] /= sizes[c]
			}
		}
		if centres = next; !moved {
			break
		}
	}
	return of, spread
}

// silhouettes is the mean silhouette of the rows of a sample, to the rows of the sample.
func silhouettes(points [][]float64, of, sample []int, k int) float64 {
	sizes := make([]int, k)
	for _, i := range sample {
		sizes[of[i]]++
	}
	total := 0.0
	sums := make([]float64, k)
	for _, i := range sample {
		clear(sums)
		for _, j := range sample {
			sums[of[j]] += math.Sqrt(distance2(points[i], points[j]))
		}
		own, other := of[i], math.Inf(1)
		if sizes[own] < 2 {
			continue // a segment of one row counts as zero
		}
		within := sums[own] / float64(sizes[own]-1)
		for c, sum := range sums {
			if c != own && sizes[c] > 0 {
				other = min(other, sum/float64(sizes[c]))
			}
		}
		if wide := max(within, other); wide > 0 && !math.IsInf(other, 1) {
			total += (other - within) / wide
		}
	}
	return total / float64(len(sample))
}

// matrix are the points as gonum reads them.
func matrix(points [][]float64) *mat.Dense {
	flat := make([]float64, 0, len(points)*len(points[0]))
	for _, p := range points {
		flat = append(flat, p...)
	}
	return mat.NewDense(len(points), len(points[0]), flat)
}

// axes are the principal axes of points, as columns, and the deviation along each.
func axes(points [][]float64) (*mat.Dense, []float64) {
	width := len(points[0])
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, matrix(points), nil)
	var eigen mat.EigenSym
	if !eigen.Factorize(&covariance, true) { // of finite numbers it does not fail
		identity := mat.NewDense(width, width, nil)
		for i := range width {
			identity.Set(i, i, 1)
		}
		return identity, slices.Repeat([]float64{1}, width)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	deviations := eigen.Values(nil)
	for i, v := range deviations {
		deviations[i] = math.Sqrt(max(v, 0))
	}
	return &vectors, deviations
}

// normalLike are as many points of one normal distribution with the same covariance.
func normalLike(points [][]float64, random *rand.Rand) [][]float64 {
	vectors, deviations := axes(points)
	return drawn(len(points), vectors, func(axis int) float64 { return deviations[axis] * random.NormFloat64() })
}

// evenLike are as many points, spread evenly within the bounds along the principal axes.
func evenLike(points [][]float64, random *rand.Rand) [][]float64 {
	vectors, _ := axes(points)
	var along mat.Dense
	along.Mul(matrix(points), vectors)
	lows, highs := make([]float64, len(points[0])), make([]float64, len(points[0]))
	for axis := range lows {
		column := mat.Col(nil, axis, &along)
		lows[axis], highs[axis] = slices.Min(column), slices.Max(column)
	}
	return drawn(len(points), vectors, func(axis int) float64 { return lows[axis] + (highs[axis]-lows[axis])*random.Float64() })
}

// drawn are points whose places along axes are drawn.
func drawn(n int, vectors *mat.Dense, along func(axis int) float64) [][]float64 {
	width, _ := vectors.Dims()
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, width)
		for axis := range width {
			place := along(axis)
			for j := range width {
				out[i][j] += place * vectors.At(j, axis)
			}
		}
	}
	return out
}

// ordered numbers segments by their means in the first column, highest first, then in the
// second: the same division has the same numbers, whatever it started from.
func ordered(of []int, count int, rows [][]float64) []int {
	means, sizes := make([][]float64, count), make([]float64, count)
	for i := range means {
		means[i] = make([]float64, len(rows[0]))
	}
	for i, row := range rows {
		sizes[of[i]]++
		for j, v := range row {
			means[of[i]][j] += v
		}
	}
	places := make([]int, count)
	for i := range places {
		places[i] = i
		for j := range means[i] {
			means[i][j] /= sizes[i]
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return slices.Compare(means[b], means[a]) })
	number := make([]int, count)
	for n, c := range places {
		number[c] = n
	}
	out := make([]int, len(of))
	for i, c := range of {
		out[i] = number[c]
	}
	return out
}
