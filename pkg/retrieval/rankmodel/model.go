// Package rankmodel weighs the features of candidates. A Model is a file: named
// weights with the record of how they were fitted. Package train fits one on
// labelled questions.
//
// The model is linear on purpose: over the same features a tree ensemble ranked
// no better, neither in cross-validation by source database nor on other corpora.
package rankmodel

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Version of the file format.
const Version = 1

// KindLinear is the kind of model that scores by a weighted sum.
const KindLinear = "linear"

// Bounds of a model file.
const (
	maxFileBytes = 1 << 20
	maxWeights   = 1000
)

// ErrModel is the error of a file that is no model, or not one for these features.
var ErrModel = errors.New("unusable ranking model")

//go:embed default.json
var defaultFile []byte

// Model is what a model file holds.
type Model struct {
	Version  int      `json:"version"`
	Kind     string   `json:"kind"`
	Weights  []Weight `json:"weights"`
	Training Record   `json:"training"`
}

// Weight is what a feature counts.
type Weight struct {
	Feature string  `json:"feature"`
	Weight  float64 `json:"weight"`
}

// Record tells how a model came to be.
type Record struct {
	Date  string  `json:"date"` // YYYY-MM-DD
	Seed  uint64  `json:"seed"`
	Folds int     `json:"folds"` // of the cross-validation, by group (source database)
	L2    float64 `json:"l2"`
	Data  []Data  `json:"data"`
	// Before is measured with the model that was there before, After by
	// cross-validation: each question by a model that has not seen its group.
	Before Figures `json:"before"`
	After  Figures `json:"after"`
}

// Data names what a model was fitted on.
type Data struct {
	Name       string `json:"name"`
	SHA256     string `json:"sha256"` // of the questions' file
	Tables     int    `json:"tables"`
	Questions  int    `json:"questions"`
	Distortion string `json:"distortion,omitempty"` // how the tables were changed; empty: not at all
	Vectors    bool   `json:"vectors,omitempty"`    // the questions were read with an embedder
	History    bool   `json:"history,omitempty"`    // the tables of a part of the databases had a history of queries
}

// Default returns the embedded model.
func Default() (*Model, error) {
	m, err := parse(defaultFile)
	if err != nil {
		return nil, fmt.Errorf("the embedded one: %w", err)
	}
	return m, nil
}

// Read reads a model file. Errors: ErrModel.
func Read(r io.Reader) (*Model, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read a ranking model: %w", err)
	}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("%w: it is larger than %d bytes", ErrModel, maxFileBytes)
	}
	return parse(text)
}

func parse(text []byte) (*Model, error) {
	var m Model
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	switch {
	case m.Version != Version:
		return nil, fmt.Errorf("%w: its version is %d: this program reads %d", ErrModel, m.Version, Version)
	case m.Kind != KindLinear:
		return nil, fmt.Errorf("%w: its kind is %q: this program reads %q", ErrModel, m.Kind, KindLinear)
	case len(m.Weights) == 0 || len(m.Weights) > maxWeights:
		return nil, fmt.Errorf("%w: it has %d weights: 1 to %d are allowed", ErrModel, len(m.Weights), maxWeights)
	}
	for i, w := range m.Weights {
		if math.IsNaN(w.Weight) || math.IsInf(w.Weight, 0) {
			return nil, fmt.Errorf("%w: the weight of %q is no number", ErrModel, w.Feature)
		}
		if slices.ContainsFunc(m.Weights[:i], func(o Weight) bool { return o.Feature == w.Feature }) {
			return nil, fmt.Errorf("%w: %q is weighed twice", ErrModel, w.Feature)
		}
	}
	return &m, nil
}

// Write writes a model file, a weight a line.
func (m *Model) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return fmt.Errorf("write a ranking model: %w", err)
	}
	return nil
}

// Scorer scores candidates whose features have a fixed order. It may be used
// concurrently.
type Scorer struct {
	weights []float64 // by feature number
}

// Bind makes a scorer for features that are numbered by names. A model that
// weighs a feature that is not among them is refused: it was fitted for others.
func (m *Model) Bind(names []string) (*Scorer, error) {
	s := &Scorer{weights: make([]float64, len(names))}
	for _, w := range m.Weights {
		i := slices.Index(names, w.Feature)
		if i < 0 {
			return nil, fmt.Errorf("%w: there is no feature %q", ErrModel, w.Feature)
		}
		s.weights[i] = w.Weight
	}
	return s, nil
}

// Score returns the log of what speaks for a candidate, up to a constant that is
// the same for all of a question. Parts together are its features in their order.
func (s *Scorer) Score(parts ...[]float64) float64 {
	var sum float64
	weights := s.weights
	for _, features := range parts {
		features = features[:min(len(weights), len(features))]
		for i, f := range features {
			sum += weights[i] * f
		}
		weights = weights[len(features):]
	}
	return sum
}

// Weights returns the weight of each feature by its number. Nobody may change
// the list.
func (s *Scorer) Weights() []float64 { return s.weights }
