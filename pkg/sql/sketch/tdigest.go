package sketch

import (
	"math"
	"slices"
	"sort"
)

// compression of a digest: a cluster in the middle holds about 1/50 of all.
const compression = 100

// digest is a t-digest (Dunning): clusters of values, small at the ends and large
// in the middle.
type digest struct {
	clusters []cluster
	weight   float64
	low      float64
	high     float64
	backward bool // the next compression goes from the top
}

type cluster struct{ mean, weight float64 }

// Percentiles returns the values at quantiles, from 0 to 1, of numbers without NaN
// and infinities. Weights are those of the numbers; nil: 1 each. There is a number
// at least.
//
// all: the numbers are so few that each is kept, so that neither their order nor how
// they are divided counts.
func Percentiles(numbers, weights []float64, quantiles []float64) (values []float64, all bool) {
	const full = 6 * (2*compression + 10)
	part := &digest{low: math.Inf(1), high: math.Inf(-1)}
	for i, x := range numbers {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		if len(part.clusters) == full {
			part.compress(2 * compression)
		}
		part.clusters = append(part.clusters, cluster{x, w})
		part.weight += w
		part.low, part.high = min(part.low, x), max(part.high, x)
	}
	part.compress(compression) // what is sent to where the parts are put together
	all = len(part.clusters) == len(numbers)
	part.backward = false
	part.compress(2 * compression)
	out := make([]float64, len(quantiles))
	for i, q := range quantiles {
		out[i] = part.at(q)
	}
	return out, all
}

// compress joins neighbours as long as the cluster stays small for its place.
func (d *digest) compress(factor float64) {
	sort.SliceStable(d.clusters, func(i, j int) bool { return d.clusters[i].mean < d.clusters[j].mean })
	if d.backward {
		slices.Reverse(d.clusters)
	}
	scale := (4*math.Log(d.weight/factor) + 24) / factor
	share := func(q float64) float64 { return q * (1 - q) * scale }
	out := []cluster{d.clusters[0]}
	before, here := 0.0, share(0)
	for _, c := range d.clusters[1:] {
		last := &out[len(out)-1]
		joined := last.weight + c.weight
		if joined <= d.weight*min(here, share(min((before+joined)/d.weight, 1))) {
			last.mean += (c.mean - last.mean) * c.weight / joined
			last.weight = joined
			continue
		}
		before += last.weight
		here = share(before / d.weight)
		out = append(out, c)
	}
	if d.backward {
		slices.Reverse(out)
	}
	d.backward = !d.backward
	d.clusters = out
}

// at returns the value at a quantile: clusters of one value are it, between others
// it is on a straight line.
func (d *digest) at(quantile float64) float64 {
	first, last := d.clusters[0], d.clusters[len(d.clusters)-1]
	place := quantile * d.weight
	switch {
	case len(d.clusters) == 1:
		return first.mean
	case place < 1:
		return d.low
	case place < first.weight/2:
		return line(place, 1, d.low, first.weight/2, first.mean)
	case place <= d.weight-1 && d.weight-place <= last.weight/2 && last.weight/2 > 1:
		return line(d.weight-place, 1, d.high, last.weight/2, last.mean)
	case place >= d.weight-1:
		return d.high
	}
	middle := first.weight / 2
	for i, c := range d.clusters[:len(d.clusters)-1] {
		next := d.clusters[i+1]
		gap := (c.weight + next.weight) / 2
		if middle+gap <= place {
			middle += gap
			continue
		}
		return between(c, next, place-middle, gap)
	}
	return d.high
}

func between(c, next cluster, offset, gap float64) float64 {
	switch {
	case c.weight == 1 && offset < c.weight/2:
		return c.mean
	case next.weight == 1 && offset >= c.weight/2:
		return next.mean
	case c.weight == 1:
		offset -= c.weight / 2
		gap = next.weight / 2
	case next.weight == 1:
		gap = c.weight / 2
	}
	return line(offset, 0, c.mean, gap, next.mean)
}

func line(x, x0, y0, x1, y1 float64) float64 { return y0 + (x-x0)/(x1-x0)*(y1-y0) }
