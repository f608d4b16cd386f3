package explain

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var monday = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// random courses without a break, by name.
var breakless = map[string]func(r *rand.Rand, n int) []float64{
	"white noise": func(r *rand.Rand, n int) []float64 { return noisy(r, n, 0, func(int) float64 { return 0 }) },
	"days that hang together": func(r *rand.Rand, n int) []float64 {
		return noisy(r, n, 0.5, func(int) float64 { return 0 })
	},
	"weekly season": func(r *rand.Rand, n int) []float64 {
		return noisy(r, n, 0, func(t int) float64 { return []float64{0, 0, 0, 0, 3, 8, 5}[t%7] })
	},
	"trend": func(r *rand.Rand, n int) []float64 {
		return noisy(r, n, 0, func(t int) float64 { return 0.1 * float64(t) })
	},
}

// noisy is 100 plus a shape plus noise of spread 1.
func noisy(r *rand.Rand, n int, sticky float64, shape func(int) float64) []float64 {
	out := make([]float64, n)
	v := r.NormFloat64()
	for t := range out {
		out[t] = 100 + shape(t) + v
		v = sticky*v + math.Sqrt(1-sticky*sticky)*r.NormFloat64()
	}
	return out
}

func courseIn(values []float64) Input {
	in := Input{Kind: Additive, Seed: 7}
	for i, v := range values {
		in.Daily = append(in.Daily, Day{Date: monday.AddDate(0, 0, i), Value: v})
	}
	in.Before = Period{monday, monday.AddDate(0, 0, 1)}
	in.After = Period{monday.AddDate(0, 0, 1), monday.AddDate(0, 0, len(values))}
	return in
}

// random is a source that differs from seed to seed of the command line and of the loop.
func random(i, stream int) *rand.Rand {
	return rand.New(rand.NewPCG(*firstSeed+uint64(i), uint64(stream)))
}

// Of random courses without a break at most 2 in 100 get a finding.
func TestCoursesWithoutABreakHaveNone(t *testing.T) {
	t.Parallel()
	for name, course := range breakless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, length := range []int{56, 91} {
				found, n := 0, howMany(200)
				for i := range n {
					in := courseIn(course(random(i, length), length))
					o, refusal := onset(&in, DefaultLimits())
					require.Nil(t, refusal)
					if o != nil {
						found++
					}
				}
				t.Logf("%d of %d courses of %d days", found, n, length)
				require.LessOrEqual(t, found, n*2/100, "%d days", length)
			}
		})
	}
}

// A shift by four spreads is found within a day, whatever the weekday's season and the
// trend are.
func TestShiftsAreFound(t *testing.T) {
	t.Parallel()
	week := []float64{0, 0, 0, 0, 3, 8, 5}
	const length = 91
	within, n := 0, howMany(60)
	for i := range n {
		r := random(i, 2)
		at, step := 7+r.IntN(length-14), 4.0
		if r.IntN(2) == 0 {
			step = -4
		}
		in := courseIn(noisy(r, length, 0, func(t int) float64 {
			v := week[t%7] + 0.05*float64(t)
			if t >= at {
				v += step
			}
			return v
		}))
		o, _ := onset(&in, DefaultLimits())
		if o == nil {
			continue
		}
		off := days(monday, o.Date) - at
		if off < -1 || off > 1 {
			continue
		}
		within++
		require.Equal(t, step > 0, o.Size > 0)
		require.Equal(t, step > 0, o.After > o.Before)
		require.InDelta(t, 4, math.Abs(o.Size), 2)
	}
	t.Logf("%d of %d shifts", within, n)
	require.GreaterOrEqual(t, within, n*95/100)
}
