package knowledge_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/knowledge"
)

// manyDocuments are those of the benchmark.
const manyDocuments = 10_000

// BenchmarkTenThousandDocuments reads ten thousand documents of four sections each, in
// words as frequent as those of a language, and asks them.
func BenchmarkTenThousandDocuments(b *testing.B) {
	l := newLibrary(b, handbook)
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.1, 3, 40_000)
	syllables := []string{"ka", "lo", "mi", "ner", "sta", "vo", "pra", "dun"}
	word := func() string {
		n := z.Uint64()
		return syllables[n%8] + syllables[n/8%8] + syllables[n/64%8] + syllables[n/512%8] + syllables[n/4096%8]
	}
	words := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = word()
		}
		return strings.Join(out, " ")
	}
	for i := range manyDocuments {
		var text strings.Builder
		fmt.Fprintf(&text, "# %s\n", words(4))
		for range 4 {
			fmt.Fprintf(&text, "## %s\n%s. %s. %s.\n\n", words(4), words(25), words(25), words(25))
		}
		l.write(fmt.Sprintf("handbook/%d/%d.md", i%100, i), text.String())
	}
	started := time.Now()
	in, err := l.service.Ingest(b.Context(), run.Principal{ID: "root", Admin: true}, "handbook", func(int, int, string) {})
	require.NoError(b, err)
	took := time.Since(started)
	var latencies, processor []time.Duration
	for b.Loop() {
		question := "how do I " + words(7) + "?"
		asked, used := time.Now(), processorTime(b)
		_, err := l.service.AnswerFAQ(b.Context(), alice, knowledge.FAQ{Question: question})
		latencies, processor = append(latencies, time.Since(asked)), append(processor, processorTime(b)-used)
		require.NoError(b, err)
	}
	slices.Sort(latencies)
	slices.Sort(processor)
	at := func(times []time.Duration, percent int) float64 {
		return float64(times[min(len(times)*percent/100, len(times)-1)].Microseconds()) / 1000
	}
	b.ReportMetric(took.Seconds(), "s/ingest")
	b.ReportMetric(float64(in.Passages), "passages")
	b.ReportMetric(at(latencies, 99), "ms/p99")
	b.ReportMetric(at(processor, 50), "cpu-ms/p50")
	b.ReportMetric(at(processor, 99), "cpu-ms/p99")
	b.ReportMetric(at(processor, 100), "cpu-ms/max")
}

// processorTime is what the whole process used so far, the collection of garbage too:
// on a machine that others use, the time that passes says little of an answer.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
