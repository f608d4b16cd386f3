package explain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/shorttest"
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
	shorttest.Rules(t, "how many of hundreds of drawn breaks are found")
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
		require.InDelta(t, 4, math.Abs(o.Size), 3)
	}
	t.Logf("%d of %d shifts", within, n)
	require.GreaterOrEqual(t, within, n*95/100)
}

// dropped is a course of 91 days that falls by a tenth on day 84.
func dropped(r *rand.Rand) []float64 {
	return noisy(r, 91, 0, func(t int) float64 {
		if t >= 84 {
			return -10
		}
		return 0
	})
}

func TestSpikesAreNoBreak(t *testing.T) {
	shorttest.Rules(t, "breaks of drawn courses")
	t.Parallel()
	found := 0
	for i := range 50 {
		r := random(i, 60)
		values := noisy(r, 91, 0, func(int) float64 { return 0 })
		values[30], values[60], values[88] = 300, 20, 250
		in := courseIn(values)
		o, refusal := onset(&in, DefaultLimits())
		require.Nil(t, refusal)
		if o != nil {
			found++
		}
	}
	require.LessOrEqual(t, found, 1)
}

// Campaign days do not hide a break.
func TestABreakAmongSpikes(t *testing.T) {
	shorttest.Rules(t, "breaks of drawn courses")
	t.Parallel()
	for i := range 5 {
		values := noisy(random(i, 64), 91, 0, func(t int) float64 {
			if t >= 70 {
				return -4
			}
			return 0
		})
		values[11], values[37], values[59] = 300, 250, 280
		in := courseIn(values)
		o, _ := onset(&in, DefaultLimits())
		require.NotNil(t, o)
		require.InDelta(t, 70, days(monday, o.Date), 1)
	}
}

// A level that passes has an end.
func TestALevelThatEnds(t *testing.T) {
	t.Parallel()
	in := courseIn(noisy(random(1, 61), 91, 0, func(t int) float64 {
		if t >= 40 && t < 61 {
			return -8
		}
		return 0
	}))
	o, _ := onset(&in, DefaultLimits())
	require.NotNil(t, o)
	require.Equal(t, monday.AddDate(0, 0, 40), o.Date)
	require.Equal(t, monday.AddDate(0, 0, 61), *o.Ended)
	require.InDelta(t, 100, o.Before, 1)
	require.InDelta(t, 92, o.After, 1)
}

// A break is told where it lies between the periods in question, and only there.
func TestABreakOfAnotherTimeIsNotTold(t *testing.T) {
	t.Parallel()
	in := courseIn(dropped(random(1, 62)))
	in.Before, in.After = Period{monday.AddDate(0, 0, 77), monday.AddDate(0, 0, 84)}, Period{monday.AddDate(0, 0, 84), monday.AddDate(0, 0, 91)}
	o, _ := onset(&in, DefaultLimits())
	require.NotNil(t, o)
	require.Equal(t, in.After.From, o.Date)
	require.LessOrEqual(t, o.P, greatestP)
	in.Before, in.After = in.Before.back(28), in.After.back(28)
	o, _ = onset(&in, DefaultLimits())
	require.Nil(t, o)
}

func TestBreaksOfRatios(t *testing.T) {
	t.Parallel()
	in := courseIn(dropped(random(2, 62)))
	in.Kind = Ratio
	r := random(3, 62)
	for i := range in.Daily {
		d := &in.Daily[i]
		d.Base = 1000 * (1 + r.Float64()) // the base wanders, the quotient breaks
		d.Value *= d.Base / 200
	}
	in.Daily[5].Base = 0 // no quotient on that day
	o, _ := onset(&in, DefaultLimits())
	require.NotNil(t, o)
	require.Equal(t, monday.AddDate(0, 0, 84), o.Date)
	require.InDelta(t, 0.5, o.Before, 0.01)
	require.InDelta(t, 0.45, o.After, 0.01)
}

func TestCoursesThatTellNoBreak(t *testing.T) {
	t.Parallel()
	short := courseIn(dropped(random(1, 63))[:fewestDays-1])
	o, refusal := onset(&short, DefaultLimits())
	require.Nil(t, o)
	require.Equal(t, &Refusal{Split: ByTime, Reason: ReasonFewDays}, refusal)

	flat := courseIn(slices.Repeat([]float64{5}, 91))
	_, refusal = onset(&flat, DefaultLimits())
	require.Equal(t, &Refusal{Split: ByTime, Reason: ReasonFlat}, refusal)

	none := courseIn(nil)
	o, refusal = onset(&none, DefaultLimits())
	require.Nil(t, o)
	require.Nil(t, refusal)
}

// The same input has the same p-value; another seed may have another.
func TestChanceComesFromTheSeed(t *testing.T) {
	t.Parallel()
	in := courseIn(dropped(random(4, 62)))
	a, _ := onset(&in, DefaultLimits())
	b, _ := onset(&in, DefaultLimits())
	require.Equal(t, a, b)
}

// Events are told at the onset; without one those that are in one period only.
func TestEvents(t *testing.T) {
	t.Parallel()
	in := courseIn(dropped(random(1, 62)))
	in.Before, in.After = Period{monday.AddDate(0, 0, 77), monday.AddDate(0, 0, 84)}, Period{monday.AddDate(0, 0, 84), monday.AddDate(0, 0, 91)}
	in.Total.Value = Pair{700, 630}
	event := func(name string, from, to int) Event {
		return Event{name, Period{monday.AddDate(0, 0, from), monday.AddDate(0, 0, to)}}
	}
	in.Events = []Event{event("campaign", 84, 86), event("holiday", 79, 80), event("season", 70, 95), event("past", 3, 4)}
	names := func(events []Event) (out []string) {
		for _, e := range events {
			out = append(out, e.Name)
		}
		return out
	}
	require.Equal(t, []string{"campaign", "season"}, names(explained(t, in).Events))
	all := in.Events
	in.Events = []Event{event("old version", 60, 84), event("new version", 84, 91)}
	require.Equal(t, []string{"new version"}, names(explained(t, in).Events), "what gives way to another is not told beside it")
	in.Events = []Event{event("sale", 70, 84)}
	require.Equal(t, []string{"sale"}, names(explained(t, in).Events), "it ended then")
	early := in
	early.Before, early.After = in.Before.back(14), in.After
	early.Before.To = monday.AddDate(0, 0, 84)
	early.After.From = monday.AddDate(0, 0, 86)
	early.Events = []Event{event("old version", 60, 84), event("new version", 86, 91)}
	require.Empty(t, names(explained(t, early).Events), "of the days between the periods nothing was read")
	in.Events, in.Daily = all, nil
	require.Equal(t, []string{"campaign", "holiday"}, names(explained(t, in).Events))
}
