package explain

import (
	"flag"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/shorttest"
)

// Seeds of the generated cases: other seeds are other cases of the same kind, and more of
// them measure more exactly.
//
//	go test ./services/chatbi/explain -run TestDrivers -v -first 70000 -cases 300
var (
	firstSeed = flag.Uint64("first", 1, "first seed of the generated cases")
	cases     = flag.Int("cases", 0, "how many generated cases; 0: as many as each test says")
)

func howMany(n int) int {
	if *cases > 0 {
		return *cases
	}
	return n
}

// f1 explains cases and compares the elements of the causes with the planted ones.
func f1(t *testing.T, g generation, n int) float64 {
	t.Helper()
	right, wrong, missed := 0, 0, 0
	for i := range n {
		in, want := g.generate(*firstSeed + uint64(i))
		e, err := Explain(t.Context(), in, Limits{})
		require.NoError(t, err)
		got := map[string]bool{}
		for _, c := range e.Causes {
			for _, element := range c.Elements {
				got[element.text()] = true
			}
		}
		hit := 0
		for _, w := range want {
			if got[w] {
				hit++
			}
		}
		right, wrong, missed = right+hit, wrong+len(got)-hit, missed+len(want)-hit
	}
	score := 2 * float64(right) / float64(2*right+wrong+missed)
	t.Logf("F1 %.3f over %d cases: %d right, %d wrong, %d missed", score, n, right, wrong, missed)
	return score
}

func (e Element) text() string {
	parts := make([]string, len(e.Places))
	for i, p := range e.Places {
		parts[i] = p.Dimension + "=" + p.Value
	}
	return strings.Join(parts, "&")
}

// The figures hold with a margin on few cases; many are measured by hand (decision 33).
func TestDriversOfBusinessCases(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, f1(t, business(), howMany(120)), 0.9)
}

func TestDriversOfHardCases(t *testing.T) {
	shorttest.Rules(t, "the causes of the hard cases; those of the business cases run")
	t.Parallel()
	require.GreaterOrEqual(t, f1(t, hard(), howMany(6)), 0.7)
}

// Growth of the whole is no cause: what stands out is the same when all grew by half or
// shrank by a third.
func TestGrowthOfTheWholeIsBackground(t *testing.T) {
	shorttest.Rules(t, "what is told of growth")
	t.Parallel()
	g := business()
	g.growth = [2]float64{0.66, 1.5}
	require.GreaterOrEqual(t, f1(t, g, howMany(60)), 0.9)
}

func BenchmarkBusiness(b *testing.B) { benchmark(b, business()) }
func BenchmarkHard(b *testing.B)     { benchmark(b, hard()) }

// benchmark explains other cases one after another: some are searched longer than others.
func benchmark(b *testing.B, g generation) {
	b.Helper()
	seed, all, sorting := *firstSeed, time.Duration(0), time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		in, _ := g.generate(seed)
		seed++
		values := make([]float64, len(in.Cells))
		runtime.GC()
		before := spent()
		for range 5 {
			for i, c := range in.Cells {
				values[i] = c.Value.After - c.Value.Before
			}
			slices.Sort(values)
		}
		sorting += (spent() - before) / 5
		before = spent()
		b.StartTimer()
		_, err := Explain(b.Context(), in, Limits{})
		require.NoError(b, err)
		all += spent() - before
	}
	// What it costs on a machine that does other things too.
	b.ReportMetric(float64(all.Microseconds())/1000/float64(b.N), "cpu-ms/op")
	// The same in terms of what sorting the cells costs at the same time, whatever the machine.
	b.ReportMetric(float64(all)/float64(sorting), "sorts/op")
}

// spent is the processor time of this process so far.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
