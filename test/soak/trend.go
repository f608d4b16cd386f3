// Package soak holds one server under a steady load for as long as somebody asks for, and
// says whether its memory, goroutines and descriptors stay where they were.
package soak

import (
	"fmt"
	"slices"
	"time"
)

// sample is what a server has at a moment.
type sample struct {
	at         time.Duration // since the load began
	heap       float64       // objects of the runtime's heap with what is not collected yet, MB
	resident   float64       // RssAnon of the server, MB: without pages of its file
	children   float64       // the same of the processes of its engines, MB
	goroutines float64
	files      float64 // open descriptors
}

// windows is how many pieces the time after the warm-up is cut into. A piece has one value,
// so that a moment of load or of garbage does not count.
const windows = 6

// warmUp is the part of the whole time in which caches fill.
const warmUp = 6

// measure is one figure of the server, and how much it may grow from the first piece to the last.
type measure struct {
	name  string
	unit  string
	of    func(sample) float64
	piece func([]float64) float64
	// most is the growth, in units, between the first and the last piece.
	most float64
}

// measures are taken of each soak. The heap right after a collection and the goroutines and
// descriptors between two turns are what lives, so a piece is its least value; the resident
// memory is what a node pays, so a piece is its median.
var measures = []measure{
	{"heap", "MB", func(s sample) float64 { return s.heap }, slices.Min[[]float64], 8},
	{"resident", "MB", func(s sample) float64 { return s.resident }, median, 24},
	{"engines", "MB", func(s sample) float64 { return s.children }, median, 48},
	{"goroutines", "", func(s sample) float64 { return s.goroutines }, slices.Min[[]float64], 8},
	{"descriptors", "", func(s sample) float64 { return s.files }, slices.Min[[]float64], 4},
}

// trend is a measure over the time after the warm-up.
type trend struct {
	measure
	pieces []float64 // one value a window, in order
	growth float64   // of a line through them, from the first to the last
}

// String is a line of the report.
func (t trend) String() string {
	line := fmt.Sprintf("%-11s %+6.1f %-2s (at most %.0f):", t.name, t.growth, t.unit, t.most)
	for _, v := range t.pieces {
		line += fmt.Sprintf(" %.0f", v)
	}
	return line
}

// flat says whether the figure stays where it was.
func (t trend) flat() bool { return t.growth <= t.most }

// trends are those of all measures over samples in the order of time, over a load of the
// given length. Errors: too few samples for a value in each window.
func trends(samples []sample, length time.Duration) ([]trend, error) {
	from := length / warmUp
	width := (length - from) / windows
	cut := make([][]sample, windows)
	for _, s := range samples {
		if s.at < from {
			continue
		}
		i := min(int((s.at-from)/width), windows-1)
		cut[i] = append(cut[i], s)
	}
	var all []trend
	for _, m := range measures {
		t := trend{measure: m}
		for i, of := range cut {
			if len(of) == 0 {
				return nil, fmt.Errorf("no sample in piece %d of %d: %s is too short a soak, or samples are too far apart", i+1, windows, length)
			}
			values := make([]float64, len(of))
			for j, s := range of {
				values[j] = m.of(s)
			}
			t.pieces = append(t.pieces, m.piece(values))
		}
		t.growth = slope(t.pieces) * (windows - 1)
		all = append(all, t)
	}
	return all, nil
}

// slope is that of the least squares' line through values at 0, 1, 2, …
func slope(values []float64) float64 {
	n := float64(len(values))
	var meanX, meanY float64
	for i, v := range values {
		meanX += float64(i) / n
		meanY += v / n
	}
	var over, under float64
	for i, v := range values {
		over += (float64(i) - meanX) * (v - meanY)
		under += (float64(i) - meanX) * (float64(i) - meanX)
	}
	return over / under
}

// median is the middle value of at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
