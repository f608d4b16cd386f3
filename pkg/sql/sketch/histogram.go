package sketch

import (
	"cmp"
	"slices"
)

// Bucket is a value that stands for those around it, and their weight.
type Bucket struct{ Value, Weight float64 }

// histogramBuffer is how many values Trino takes up before it merges buckets.
const histogramBuffer = 100

// Histogram returns at most limit buckets, by value, that numeric_histogram makes of
// values with weights. The order of the values counts, as it does on a server.
func Histogram(values, weights []float64, limit int) []Bucket {
	var kept []Bucket
	for i, v := range values {
		if len(kept) == limit+histogramBuffer {
			kept = merged(kept, limit)
		}
		kept = append(kept, Bucket{v, weights[i]})
	}
	return merged(kept, limit)
}

// merged joins neighbours, those first whose union costs least.
func merged(buckets []Bucket, limit int) []Bucket {
	slices.SortStableFunc(buckets, func(a, b Bucket) int { return cmp.Compare(a.Value, b.Value) })
	out := buckets[:0]
	for _, b := range buckets {
		if last := len(out) - 1; last >= 0 && out[last].Value == b.Value {
			out[last].Weight += b.Weight
			continue
		}
		out = append(out, b)
	}
	for len(out) > limit {
		best := 0
		for i := 1; i+1 < len(out); i++ {
			if cost(out[i], out[i+1]) < cost(out[best], out[best+1]) {
				best = i
			}
		}
		a, b := out[best], out[best+1]
		weight := a.Weight + b.Weight
		out[best] = Bucket{(a.Value*a.Weight + b.Value*b.Weight) / weight, weight}
		out = slices.Delete(out, best+1, best+2)
	}
	return out
}

func cost(a, b Bucket) float64 {
	weight, apart := a.Weight+b.Weight, a.Value-b.Value
	return weight * (apart * apart) * (a.Weight * b.Weight / (weight * weight))
}
