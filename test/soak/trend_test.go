package soak

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hour is an hour of samples, one in half a minute.
func hour(of func(minute float64, n int) sample) (samples []sample) {
	for n := range 120 {
		at := time.Duration(n) * 30 * time.Second
		s := of(at.Minutes(), n)
		s.at = at
		samples = append(samples, s)
	}
	return samples
}

func grows(t *testing.T, samples []sample) (names []string) {
	t.Helper()
	all, err := trends(samples, time.Hour)
	require.NoError(t, err)
	for _, tr := range all {
		if !tr.flat() {
			names = append(names, tr.name)
		}
	}
	return names
}

func TestWhatSwingsIsFlatAndWhatLeaksIsTold(t *testing.T) {
	// A heap between two collections, caches that fill in the first minutes, turns that come and go.
	steady := func(minute float64, n int) sample {
		full := min(minute, 8) * 5
		return sample{heap: 60 + float64(n*7%40) + full, resident: 200 + float64(n*13%30) + full, children: 100 + float64(n*11%50), goroutines: 40 + float64(n*5%30), files: 25 + float64(n*3%10)}
	}
	require.Empty(t, grows(t, hour(steady)))

	for name, leak := range map[string]func(s *sample, minute float64){
		"heap":        func(s *sample, minute float64) { s.heap += minute * 0.25 }, // 15 MB an hour: 200 bytes a turn
		"resident":    func(s *sample, minute float64) { s.resident += minute },
		"engines":     func(s *sample, minute float64) { s.children += minute * 2 },
		"goroutines":  func(s *sample, minute float64) { s.goroutines += minute * 0.3 },
		"descriptors": func(s *sample, minute float64) { s.files += minute * 0.2 },
	} {
		require.Equal(t, []string{name}, grows(t, hour(func(minute float64, n int) sample {
			s := steady(minute, n)
			leak(&s, minute)
			return s
		})))
	}
}

func TestTooFewSamplesAreNoVerdict(t *testing.T) {
	_, err := trends([]sample{{at: 30 * time.Minute}}, time.Hour)
	require.ErrorContains(t, err, "no sample in piece 1 of 6")
}
