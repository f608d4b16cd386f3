package eval_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/internal/eval"
)

// BenchmarkTables asks each question of synth50k once in an iteration, over its 50,000 tables. It
// reports the distribution of one search in ms (the first round, in which caches fill, is not
// counted), how long the corpus takes until it can be asked in s, and the heap that it then
// keeps in MB.
func BenchmarkTables(b *testing.B) {
	data := filepath.Join("..", "..", "..", "shared", "data", "table_discovery", "synth50k")
	if _, err := os.Stat(data); err != nil {
		b.Skip("../shared/data is absent: there is no corpus of 50,000 tables")
	}
	before := heap()
	started := time.Now()
	r, err := eval.Tables{}.Open(b.Context(), eval.Options{Data: data})
	require.NoError(b, err)
	defer func() { require.NoError(b, r.Close()) }()
	open := time.Since(started)
	ask := func() (took []time.Duration) {
		for i := range r.Len() {
			at := time.Now()
			_, err := r.Answer(b.Context(), i)
			took = append(took, time.Since(at))
			require.NoError(b, err)
		}
		return took
	}
	ask()
	kept := heap() - before
	var took []time.Duration
	for b.Loop() {
		took = append(took, ask()...)
	}
	slices.Sort(took)
	at := func(share float64) float64 { return took[int(share*float64(len(took)-1))].Seconds() * 1e3 }
	b.ReportMetric(at(.5), "p50-ms")
	b.ReportMetric(at(.95), "p95-ms")
	b.ReportMetric(at(.99), "p99-ms")
	b.ReportMetric(at(1), "max-ms")
	b.ReportMetric(open.Seconds(), "open-s")
	b.ReportMetric(kept, "heap-MB")
}

// heap is what the program keeps, in MB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}
