package chart_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/chart"
)

// TestThinnedSeriesKeepTheirExtremes: whatever the values, at most so many positions are
// kept, in order, each once, with the ends and the lowest and highest of each series.
func TestThinnedSeriesKeepTheirExtremes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 11))
	for range 300 {
		n, most, series := 1+random.IntN(3000), 4+random.IntN(200), 1+random.IntN(3)
		most = max(most, 2+2*series)
		s := chart.Spec{Kind: chart.Line, X: chart.Axis{Labels: make([]string, n)}}
		for i := range n {
			s.X.Labels[i] = string(rune(0x4e00 + i))
		}
		for range series {
			values := make([]float64, n)
			for i := range values {
				if values[i] = random.NormFloat64() * 100; random.IntN(10) == 0 {
					values[i] = math.NaN()
				}
			}
			s.Series = append(s.Series, chart.Series{Values: values})
		}
		got := s.Thinned(most)
		require.LessOrEqual(t, len(got.X.Labels), max(most, 1))
		require.True(t, slices.IsSorted(got.X.Labels))
		require.Len(t, slices.Compact(slices.Clone(got.X.Labels)), len(got.X.Labels))
		require.Equal(t, s.X.Labels[0], got.X.Labels[0])
		require.Equal(t, s.X.Labels[n-1], got.X.Labels[len(got.X.Labels)-1])
		for k := range s.Series {
			require.Len(t, got.Series[k].Values, len(got.X.Labels))
			one, thin := chart.Spec{Series: s.Series[k : k+1]}, chart.Spec{Series: got.Series[k : k+1]}
			low, high, ok := one.Range()
			gotLow, gotHigh, gotOK := thin.Range()
			require.Equal(t, []any{low, high, ok}, []any{gotLow, gotHigh, gotOK})
		}
	}
}

// TestPalettesAreToldApart: the colours of a palette differ by more than people with
// the common kinds of colour blindness lose. They are seen as Viénot, Brettel and Mollon
// ("Digital video colourmaps for checking the legibility of displays by dichromats",
// 1999) compute it, and compared by the distance in CIE L*a*b*.
func TestPalettesAreToldApart(t *testing.T) {
	t.Parallel()
	sight := map[string][3][3]float64{
		"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}},
		"deuteranopia": {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}},
	}
	for _, n := range []int{7, 12} {
		colours := chart.Palette(n)
		require.Len(t, colours, n)
		for name, m := range sight {
			for i := range colours {
				for j := range i {
					require.Greater(t, distance(seen(colours[i], m), seen(colours[j], m)), 15.0, "%s: %s and %s of %d", name, colours[i], colours[j], n)
				}
			}
		}
	}
}

// seen is a colour in L*a*b* after a linear change of its light.
func seen(hex string, m [3][3]float64) [3]float64 {
	var light, changed [3]float64
	for i := range light {
		v := float64(unhex(hex[1+2*i])*16+unhex(hex[2+2*i])) / 255
		if light[i] = v / 12.92; v > 0.04045 {
			light[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	for i := range changed {
		changed[i] = min(max(m[i][0]*light[0]+m[i][1]*light[1]+m[i][2]*light[2], 0), 1)
	}
	r, g, b := changed[0], changed[1], changed[2]
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x, y, z := f((0.4124*r+0.3576*g+0.1805*b)/0.95047), f(0.2126*r+0.7152*g+0.0722*b), f((0.0193*r+0.1192*g+0.9505*b)/1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func unhex(c byte) int {
	if c >= 'a' {
		return int(c-'a') + 10
	}
	return int(c - '0')
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
