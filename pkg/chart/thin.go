package chart

import (
	"math"
	"slices"
)

// Thin picks at most most positions of a series of n values by its values, in their
// order: the lowest and the highest of each share, so that no peak is lost, with the
// first and the last. NaN is no value; a share without any keeps one position as a gap.
// most below 4 counts as 4.
func Thin(values []float64, most int) []int {
	return thin([]Series{{Values: values}}, len(values), max(most, 4))
}

// Thinned is the chart with at most most points on its axis, the same for all series:
// those at which one of them is lowest or highest among its neighbours.
func (s Spec) Thinned(most int) Spec {
	n := len(s.X.Labels)
	if n <= most {
		return s
	}
	kept := thin(s.Series, n, max(most, 2+2*len(s.Series)))
	out := s
	out.X.Labels, out.Series = nil, slices.Clone(s.Series)
	for _, i := range kept {
		out.X.Labels = append(out.X.Labels, s.X.Labels[i])
	}
	for k := range out.Series {
		values := make([]float64, len(kept))
		for j, i := range kept {
			values[j] = math.NaN()
			if i < len(s.Series[k].Values) {
				values[j] = s.Series[k].Values[i]
			}
		}
		out.Series[k].Values = values
	}
	return out
}

func thin(series []Series, n, most int) []int {
	if n <= most {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	shares := max(1, (most-2)/(2*len(series)))
	kept := []int{0, n - 1}
	for share := range shares {
		from, to := share*n/shares, (share+1)*n/shares
		for _, s := range series {
			low, high := -1, -1
			for i := from; i < min(to, len(s.Values)); i++ {
				v := s.Values[i]
				if math.IsNaN(v) {
					continue
				}
				if low < 0 || v < s.Values[low] {
					low = i
				}
				if high < 0 || v > s.Values[high] {
					high = i
				}
			}
			if low < 0 {
				low, high = from, from
			}
			kept = append(kept, low, high)
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}
