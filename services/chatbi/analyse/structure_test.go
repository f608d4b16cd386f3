package analyse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
)

// noise are distributions that figures of a business have.
var noise = map[string]func(*rand.Rand) float64{
	"even":        func(r *rand.Rand) float64 { return 50 + 100*r.Float64() },
	"normal":      func(r *rand.Rand) float64 { return 1000 + 100*r.NormFloat64() },
	"around zero": (*rand.Rand).NormFloat64,
	"amounts":     func(r *rand.Rand) float64 { return 100 * math.Exp(r.NormFloat64()) },
	"waits":       func(r *rand.Rand) float64 { return 100 * r.ExpFloat64() },
	"few":         func(r *rand.Rand) float64 { return poisson(r, 1) },
	"some":        func(r *rand.Rand) float64 { return poisson(r, 5) },
	"many":        func(r *rand.Rand) float64 { return poisson(r, 60) },
}

func poisson(r *rand.Rand, mean float64) float64 {
	below, k, p := math.Exp(-mean), 0.0, 1.0
	for {
		if p *= r.Float64(); p <= below {
			return k
		}
		k++
	}
}

// TestNoiseHasNoFindings: of random results of many shapes, at most 2 of 100 get a finding.
func TestNoiseHasNoFindings(t *testing.T) {
	t.Parallel()
	a, err := New(DefaultThresholds())
	require.NoError(t, err)
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	all, found := 0, 0
	told := map[string]int{}
	for name, draw := range noise {
		r := rand.New(rand.NewPCG(19, uint64(len(name))))
		for shape, make := range map[string]func(i int) result.Table{
			"days": func(i int) result.Table {
				t := result.Table{Columns: []result.Column{{Name: "day", Type: "date"}, {Name: "amount", Type: "double"}}}
				for d := range []int{5, 8, 14, 30, 62, 91}[i%6] {
					t.Rows = append(t.Rows, []any{start.AddDate(0, 0, d).Format(time.DateOnly), draw(r)})
				}
				return t
			},
			"months": func(i int) result.Table {
				t := result.Table{Columns: []result.Column{{Name: "month", Type: "date"}, {Name: "amount", Type: "double"}}}
				for m := range []int{3, 9, 12, 24, 36}[i%5] {
					t.Rows = append(t.Rows, []any{start.AddDate(0, m, 0).Format(time.DateOnly), draw(r)})
				}
				return t
			},
			"days of shops": func(i int) result.Table {
				t := result.Table{Columns: []result.Column{{Name: "day", Type: "date"}, {Name: "shop", Type: "varchar"}, {Name: "amount", Type: "double"}}}
				for d := range []int{10, 28, 40}[i%3] {
					for s := range 2 + i%5 {
						t.Rows = append(t.Rows, []any{start.AddDate(0, 0, d).Format(time.DateOnly), fmt.Sprint("shop ", s), draw(r)})
					}
				}
				return t
			},
			"shops": func(i int) result.Table {
				t := result.Table{Columns: []result.Column{{Name: "shop", Type: "varchar"}, {Name: "amount", Type: "double"}}}
				for s := range 2 + i%30 {
					t.Rows = append(t.Rows, []any{fmt.Sprint("shop ", s), draw(r)})
				}
				return t
			},
			"rows": func(i int) result.Table {
				t := result.Table{Columns: []result.Column{
					{Name: "opened", Type: "timestamp(3)"}, {Name: "team", Type: "varchar"}, {Name: "state", Type: "varchar"},
					{Name: "amount", Type: "double"}, {Name: "hours", Type: "double"},
				}}
				for range 60 + 40*(i%5) {
					t.Rows = append(t.Rows, []any{
						start.Add(time.Duration(r.IntN(365*24*60)) * time.Minute).Format(time.DateTime), fmt.Sprint("team ", r.IntN(4)), fmt.Sprint("state ", r.IntN(3)), draw(r), draw(r),
					})
				}
				return t
			},
		} {
			for i := range 24 {
				out := a.Analyse(Input{Table: make(i), Language: lang.English, Now: start.AddDate(5, 0, 0), MaxPoints: 10})
				all++
				if len(out.Findings) > 0 {
					found++
					told[shape+" of "+name+": "+out.Findings[0].Kind]++
				}
			}
		}
	}
	require.LessOrEqual(t, float64(found), 0.02*float64(all), "%d of %d: %v", found, all, told)
}

// TestStructureIsFound: what is put into noise is found, as what it is, and nothing else.
func TestStructureIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n     int
		value func(i int) float64
		check func(t *testing.T, s structure)
	}{
		"a rise": {40, func(i int) float64 { return 1000 + 10*float64(i) }, func(t *testing.T, s structure) {
			t.Helper()
			require.NotNil(t, s.trend)
			require.InDelta(t, 10, s.trend.slope, 2)
			require.Nil(t, s.shift)
		}},
		"a new level": {40, func(i int) float64 { return 1000 - 200*float64(i/25) }, func(t *testing.T, s structure) {
			t.Helper()
			require.NotNil(t, s.shift)
			require.Equal(t, 25, s.shift.at)
			require.InDelta(t, 1000, s.shift.before, 40)
			require.InDelta(t, 800, s.shift.after, 40)
			require.Nil(t, s.trend)
		}},
		"a week": {56, func(i int) float64 { return 1000 + 300*float64(i%7/5) }, func(t *testing.T, s structure) {
			t.Helper()
			require.NotNil(t, s.season)
			require.Nil(t, s.trend)
			require.Nil(t, s.shift)
			require.Greater(t, s.season.by[0], s.season.by[2]+200) // the first day is a Monday
		}},
		"one day": {30, func(i int) float64 { return 1000 + 600*float64(i/20*(29-i)/9*(20/max(i, 1))) }, func(t *testing.T, s structure) {
			t.Helper()
			require.Len(t, s.outliers, 1)
			require.Equal(t, 20, s.outliers[0].at)
			require.InDelta(t, 1000, s.outliers[0].usual, 50)
			require.Nil(t, s.trend)
		}},
		"one day of a week's pattern": {56, func(i int) float64 { return 1000 + 300*float64(i%7/5) - 700*float64(min(i/40, 1)*min(40/max(i, 1), 1)) }, func(t *testing.T, s structure) {
			t.Helper()
			require.NotNil(t, s.season)
			require.Len(t, s.outliers, 1)
			require.Equal(t, 40, s.outliers[0].at)
		}},
		"a day off a rise": {40, func(i int) float64 { return 1000 + 20*float64(i) - 500*float64(min(i/30, 1)*min(30/max(i, 1), 1)) }, func(t *testing.T, s structure) {
			t.Helper()
			require.NotNil(t, s.trend)
			require.Len(t, s.outliers, 1)
			require.Equal(t, 30, s.outliers[0].at)
			require.InDelta(t, 1600, s.outliers[0].usual, 60)
		}},
		"too little": {7, func(i int) float64 { return 1000 * float64(i) }, func(t *testing.T, s structure) {
			t.Helper()
			require.Equal(t, structure{}, s)
		}},
		"always the same": {40, func(int) float64 { return math.NaN() }, func(t *testing.T, s structure) {
			t.Helper()
			require.Equal(t, structure{}, s)
		}},
	} {
		r := rand.New(rand.NewPCG(3, 7))
		var in course
		for i := range c.n {
			v := c.value(i) + 15*r.NormFloat64()
			if name == "always the same" {
				v = 5
			}
			in.index, in.values, in.weekday = append(in.index, i), append(in.values, v), append(in.weekday, (i+1)%7)
		}
		t.Run(name, func(t *testing.T) { c.check(t, structureOf(in, 1)) })
	}
}

// TestPettittOfAKnownSeries: of ten low values before ten high ones, K is 100 of the
// greatest 100, and p is 2 exp(-6 K² / (n³ + n²)).
func TestPettittOfAKnownSeries(t *testing.T) {
	t.Parallel()
	var values []float64
	for i := range 20 {
		values = append(values, float64(i*7%10+100*(i/10)))
	}
	s, ok := testShift(values)
	require.True(t, ok)
	require.Equal(t, 10, s.at)
	require.InDelta(t, 2*math.Exp(-6*100*100/(8000.0+400)), s.p, 1e-9)
	_, ok = testShift(values[:minShiftPoints-1])
	require.False(t, ok)
}

func TestRanksShareTies(t *testing.T) {
	t.Parallel()
	ranks, ties := ranksOf([]float64{3, 1, 3, 2, 3})
	require.Equal(t, []float64{4, 1, 4, 2, 4}, ranks)
	require.InDelta(t, 24, ties, 0)
	together := func(y []float64) float64 {
		ranks, _ := ranksOf(y)
		return correlation([]float64{1, 2, 3}, ranks)
	}
	require.InDelta(t, 1, together([]float64{10, 100, 1000}), 1e-12)
	require.InDelta(t, -0.5, together([]float64{30, 10, 20}), 1e-12)
	require.InDelta(t, 0, together([]float64{5, 5, 5}), 0)
}

// TestRowsTellWhatGoesTogether: of rows as they are stored, what is put into them is told,
// in both languages, with its numbers.
func TestRowsTellWhatGoesTogether(t *testing.T) {
	t.Parallel()
	a, err := New(DefaultThresholds())
	require.NoError(t, err)
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	r := rand.New(rand.NewPCG(5, 5))
	in := Input{Now: start.AddDate(5, 0, 0), MaxPoints: 10, Table: result.Table{Columns: []result.Column{
		{Name: "ticket_id", Type: "bigint"}, {Name: "opened", Type: "timestamp(3)"}, {Name: "closed", Type: "timestamp(3)"},
		{Name: "team", Type: "varchar"}, {Name: "topic", Type: "varchar"}, {Name: "cost", Type: "double"}, {Name: "effort", Type: "double"},
	}}}
	for i := range 400 {
		opened := start.Add(time.Duration(math.Sqrt(r.Float64())*365*24) * time.Hour) // more and more
		team, topic, days := fmt.Sprint("team ", r.IntN(4)), fmt.Sprint("topic ", r.IntN(4)), 5+r.IntN(5)
		if team == "team 1" {
			days *= 3
			if r.IntN(2) == 0 {
				topic = "topic 2"
			}
		}
		cost := 100 + 50*r.Float64()
		in.Table.Rows = append(in.Table.Rows, []any{
			int64(i), opened.Format(time.DateTime), opened.AddDate(0, 0, days).Format(time.DateTime), team, topic, cost, cost*2 + 20*r.Float64(),
		})
	}
	for l, want := range map[lang.Language][]string{
		lang.English: {
			"Days from opened to closed is higher where team is team 1:", "Where team is team 1, topic is topic 2 in ", "Cost and effort rise together over the 400 rows (Spearman 0.9",
			"Rows are rising by opened: by about ",
		},
		lang.Chinese: {"team为team 1时从opened到closed的天数更高：", "team为team 1时，topic为topic 2的占", "在400行中，cost与effort同向变化", "按opened，行数呈上升趋势："},
	} {
		in.Language = l
		out := a.Analyse(in)
		for _, text := range want {
			require.True(t, slices.ContainsFunc(out.Findings, func(f Finding) bool { return len(f.Text) > len(text) && f.Text[:len(text)] == text }), "%s: %v", text, out.Findings)
		}
	}
	in.Limited = true
	require.Empty(t, a.Analyse(in).Findings, "some of the rows tell of no others")
}

// TestOutliersBesideASeason: where weekdays differ, at most 2 of 100 series of noise have an
// outlier, of a few weeks as of many; one that is far off is found beside the season.
func TestOutliersBesideASeason(t *testing.T) {
	t.Parallel()
	const series, sd = 300, 20.0
	for _, c := range []struct {
		weeks int
		found float64 // least share of outliers of 8 standard deviations that are found
	}{{4, 0.2}, {8, 0.8}, {16, 0.98}} {
		r := rand.New(rand.NewPCG(7, uint64(c.weeks)))
		seasons, ofNoise, found := 0, 0, 0
		for range series {
			var course course
			for i := range c.weeks * week {
				course.index, course.weekday = append(course.index, i), append(course.weekday, i%week)
				course.values = append(course.values, 1000+200*float64(i%week)/week+sd*r.NormFloat64())
			}
			s := structureOf(course, 1)
			if s.season == nil {
				continue
			}
			if seasons++; len(s.outliers) > 0 {
				ofNoise++
			}
			at := r.IntN(len(course.values))
			course.values[at] = 1000 + 200*float64(at%week)/week + 8*sd
			if s = structureOf(course, 1); slices.ContainsFunc(s.outliers, func(o outlier) bool { return o.at == at }) {
				found++
			}
		}
		t.Logf("%d weeks: %d seasons, %d outliers of noise, %d of 8 standard deviations found", c.weeks, seasons, ofNoise, found)
		require.Greater(t, seasons, series*9/10)
		require.LessOrEqual(t, float64(ofNoise), 0.02*float64(seasons), "%d weeks", c.weeks)
		require.GreaterOrEqual(t, float64(found), c.found*float64(seasons), "%d weeks", c.weeks)
	}
}
