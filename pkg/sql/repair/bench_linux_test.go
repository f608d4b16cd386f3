package repair_test

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/dibrain/dibrain/pkg/sql/repair"
)

// BenchmarkBrokenStatements repairs the statements that a Trino server took, each with one
// word dropped, doubled or misspelt, and reports the processor time of a repair, which the
// load of a machine does not change: the median, and the 99th of 100. Run it with
//
//	go test ./pkg/sql/repair -run xxx -bench BrokenStatements -benchtime 3x
func BenchmarkBrokenStatements(b *testing.B) {
	_, err := os.Stat("../resolve/testdata/trino_valid.jsonl")
	require.NoError(b, err)
	statements, scope := corpus(b)
	var broken []string
	for _, sql := range statements {
		if _, ok := meaning(sql, scope); !ok {
			continue
		}
		seed := fnv.New64a()
		_, _ = seed.Write([]byte(sql)) // cannot fail
		text, _ := oneWordWrong(rand.New(rand.NewPCG(seed.Sum64(), 7)), sql)
		if _, ok := meaning(text, scope); !ok {
			broken = append(broken, text)
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var times []time.Duration
	for b.Loop() {
		for _, sql := range broken {
			began := processorTime(b)
			_, err := repair.Run(context.Background(), sql, repair.Options{Scopes: repair.Fixed(scope)})
			require.NoError(b, err)
			times = append(times, processorTime(b)-began)
		}
	}
	slices.Sort(times)
	milliseconds := func(q float64) float64 {
		return float64(times[min(len(times)-1, int(q*float64(len(times))))].Microseconds()) / 1000
	}
	b.ReportMetric(milliseconds(0.5), "p50-ms")
	b.ReportMetric(milliseconds(0.99), "p99-ms")
	b.ReportMetric(milliseconds(1), "max-ms")
	b.ReportMetric(float64(len(broken)), "statements")
}

// processorTime is that of this thread.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var clock unix.Timespec
	require.NoError(b, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &clock))
	return time.Duration(clock.Nano())
}
