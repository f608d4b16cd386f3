// Package rank weighs the readings of a question. A Model gives the probability
// that a reading is right from features of how it was read, what its names fit and
// what its SQL looks like; the best reading is answered with, and that probability
// is the answer's confidence. Package rank/train fits one on labelled questions.
//
// Features know nothing of any database, and none of them is a word of a question:
// they count and compare. A model file says what it was fitted on, and how good it
// was on databases that it had not seen.
package rank

import (
	_ "embed" // model.json
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Version of the file format.
const Version = 1

// Bounds of a model file.
const (
	maxFileBytes = 4 << 20
	maxTrees     = 2000
	maxNodes     = 255 // of a tree
	maxFeatures  = 1000
)

// ErrModel is the error of a file that is no model.
var ErrModel = errors.New("unusable model of readings")

//go:embed model.json
var defaultFile []byte

// Features of a reading by name; those that are not there are 0.
type Features map[string]float64

// Model is what a model file holds. It is read-only and may be used concurrently.
type Model struct {
	Version  int      `json:"version"`
	Features []string `json:"features"`
	// Base is the log of the odds that a reading of unknown features is right.
	Base  float64 `json:"base"`
	Trees []Tree  `json:"trees"`
	// Points lead from what the trees say to the share of answers that were right,
	// on databases that the trees had not seen. Both rise.
	Points []Point `json:"points"`
	// Threshold is the confidence from which on an answer is given: the lowest at
	// which the aimed-for share of the answers was right.
	Threshold float64 `json:"threshold"`
	Training  Record  `json:"training"`
}

// Point of a calibration.
type Point struct {
	Said  float64 `json:"said"`  // probability by the trees
	Right float64 `json:"right"` // share that was right
}

// Record tells how a model came to be.
type Record struct {
	Date   string  `json:"date"` // YYYY-MM-DD
	Seed   uint64  `json:"seed"`
	Folds  int     `json:"folds"` // of the cross-validation, by database
	Data   []Data  `json:"data"`
	Fit    Fit     `json:"fit"`
	Before Figures `json:"before"` // of the model before, which may have seen the databases
	After  Figures `json:"after"`  // by cross-validation
}

// Data names what a model was fitted on.
type Data struct {
	Name      string `json:"name"`
	SHA256    string `json:"sha256"` // of the questions' file
	Databases int    `json:"databases"`
	Questions int    `json:"questions"`
	// Cut is how many copies of questions were asked of tables from which a column
	// was taken that the answer needs.
	Cut int `json:"cut,omitempty"`
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
		return nil, fmt.Errorf("read a model of readings: %w", err)
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
	case len(m.Trees) > maxTrees:
		return nil, fmt.Errorf("%w: it has %d trees: at most %d are allowed", ErrModel, len(m.Trees), maxTrees)
	case len(m.Features) > maxFeatures:
		return nil, fmt.Errorf("%w: it has %d features: at most %d are allowed", ErrModel, len(m.Features), maxFeatures)
	case !finite(m.Base) || m.Threshold < 0 || m.Threshold > 1:
		return nil, fmt.Errorf("%w: base %g and threshold %g", ErrModel, m.Base, m.Threshold)
	}
	for i := range m.Trees {
		if err := m.Trees[i].check(len(m.Features)); err != nil {
			return nil, fmt.Errorf("%w: tree %d: %w", ErrModel, i, err)
		}
	}
	for i, p := range m.Points {
		if p.Said < 0 || p.Said > 1 || p.Right < 0 || p.Right > 1 || i > 0 && (p.Said <= m.Points[i-1].Said || p.Right < m.Points[i-1].Right) {
			return nil, fmt.Errorf("%w: point %d (%v, %v): points rise, from 0 to 1", ErrModel, i, p.Said, p.Right)
		}
	}
	return &m, nil
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// Write writes a model file, a tree a line.
func (m *Model) Write(w io.Writer) error {
	head := *m
	head.Trees = nil
	text, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		return fmt.Errorf("write a model of readings: %w", err)
	}
	trees := make([]string, len(m.Trees))
	for i := range m.Trees {
		line, err := json.Marshal(m.Trees[i])
		if err != nil {
			return fmt.Errorf("write a model of readings: %w", err)
		}
		trees[i] = string(line)
	}
	const none = `"trees": null`
	all := `"trees": [` + "\n" + strings.Join(trees, ",\n") + "]"
	if _, err := io.WriteString(w, strings.Replace(string(text), none, all, 1)+"\n"); err != nil {
		return fmt.Errorf("write a model of readings: %w", err)
	}
	return nil
}

// barred are features of readings that are never answered with, however well all else
// fits: they leave out a thing, a name, or a word that picks rows.
var barred = []string{"left/alone", "left/modifier", "left/name"}

// Probability is how likely a reading is right, from 0 to 1, by the trees alone; 0
// for one that leaves out what must not be.
func (m *Model) Probability(f Features) float64 {
	if slices.ContainsFunc(barred, func(name string) bool { return f[name] > 0 }) {
		return 0
	}
	return m.probability(m.Vector(f))
}

// Vector puts features into the model's order; those that it does not know are
// left out.
func (m *Model) Vector(f Features) []float64 {
	x := make([]float64, len(m.Features))
	for i, name := range m.Features {
		x[i] = f[name]
	}
	return x
}

func (m *Model) probability(x []float64) float64 {
	sum := m.Base
	for i := range m.Trees {
		sum += m.Trees[i].value(x)
	}
	return sigmoid(sum)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Confidence is the share of answers that were right where the trees said so
// much, between points in proportion. It rises with what the trees say. Without
// points it is what they say.
func (m *Model) Confidence(said float64) float64 {
	if len(m.Points) == 0 {
		return said
	}
	from := Point{}
	for _, to := range m.Points {
		if said <= to.Said {
			if to.Said == from.Said {
				return to.Right
			}
			return from.Right + (said-from.Said)/(to.Said-from.Said)*(to.Right-from.Right)
		}
		from = to
	}
	return from.Right
}
