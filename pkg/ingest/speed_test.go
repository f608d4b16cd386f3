package ingest_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/source"
)

// BenchmarkCSV brings in a file of numbers, days, words and flags, and reports its processor time as a multiple of what
// encoding/csv takes to cut the same file up, in the same run: a figure that another machine has as well.
func BenchmarkCSV(b *testing.B) {
	const rows = 200_000
	path := filepath.Join(b.TempDir(), "rides.csv")
	file, err := os.Create(path)
	require.NoError(b, err)
	_, _ = fmt.Fprintln(file, "ride_id,started_at,ended_at,station,member,bike_type,distance_km,fare")
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		_, _ = fmt.Fprintf(file, "%d,%s,%s,Station %d,%s,%s,%d.%02d,%d.50\n", i, at.Format(time.DateTime), at.Add(time.Duration(i%90)*time.Minute).Format(time.DateTime),
			i*7%600, []string{"yes", "no"}[i%2], []string{"classic", "e-bike", "cargo"}[i%3], i%20, i%100, i%30)
		at = at.Add(6 * time.Second)
	}
	require.NoError(b, file.Close())
	var whole, cut time.Duration
	for b.Loop() {
		whole += processorTime(b, func() {
			store, err := source.Open(b.TempDir())
			require.NoError(b, err)
			_, err = ingest.CSV(b.Context(), store, "rides", path, ingest.Options{})
			require.NoError(b, err)
		})
		cut += processorTime(b, func() {
			file, err := os.Open(path)
			require.NoError(b, err)
			defer func() { _ = file.Close() }()
			for r := csv.NewReader(file); ; {
				if _, err := r.Read(); errors.Is(err, io.EOF) {
					return
				}
			}
		})
	}
	b.ReportMetric(whole.Seconds()/cut.Seconds(), "encoding/csv")
}

// processorTime is what the process takes of all processors while do runs.
func processorTime(b *testing.B, do func()) time.Duration {
	b.Helper()
	spent := func() time.Duration {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := spent()
	do()
	return spent() - before
}
