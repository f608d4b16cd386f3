package chinese

import (
	_ "embed" // confidence.yaml
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"
)

//go:embed confidence.yaml
var confidenceFile []byte

// Confidence says how much less sure a reading is for having been asked in Chinese:
// its words went through a dictionary and into another order. It is read-only.
// Package rank/train fits one on translated questions.
type Confidence struct {
	Level float64 `yaml:"level"`
	// Odds is the weight of the log of the odds of the same reading in English.
	Odds float64 `yaml:"odds"`
	// Weights of what is counted, by name: of Facts, and of the features of readings
	// (package rank/facts).
	Weights  map[string]float64 `yaml:"weights"`
	Training Record             `yaml:"training"`
}

// Record tells how the weights came to be, and what they are worth on databases that
// neither they nor the model of readings had seen.
type Record struct {
	Date      string   `yaml:"date"`  // YYYY-MM-DD
	Sets      []string `yaml:"sets"`  // of questions
	Fresh     []string `yaml:"fresh"` // those whose failures nobody had read: the level is theirs
	Questions int      `yaml:"questions"`
	Databases int      `yaml:"databases"`
	Aim       float64  `yaml:"aim"`
	// Shares of all questions and of the answered ones, and the same of the fresh sets.
	Right          float64 `yaml:"right"`
	Precision      float64 `yaml:"precision"`
	FreshRight     float64 `yaml:"fresh_right"`
	FreshPrecision float64 `yaml:"fresh_precision"`
}

// ErrConfidence is the error of weights that cannot be used.
var ErrConfidence = errors.New("unusable confidence in Chinese")

// maxWeights bounds a file.
const maxWeights = 100

// LoadConfidence reads the embedded weights.
func LoadConfidence() (*Confidence, error) {
	c, err := ReadConfidence(confidenceFile)
	if err != nil {
		return nil, fmt.Errorf("the embedded one: %w", err)
	}
	return c, nil
}

// ReadConfidence reads weights. Errors: ErrConfidence.
func ReadConfidence(text []byte) (*Confidence, error) {
	var c Confidence
	if err := yaml.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfidence, err)
	}
	if len(c.Weights) > maxWeights {
		return nil, fmt.Errorf("%w: it has %d weights: at most %d are allowed", ErrConfidence, len(c.Weights), maxWeights)
	}
	if c.Odds < 0 || math.IsNaN(c.Odds) {
		return nil, fmt.Errorf("%w: odds %g: what is surer in English is not less sure in Chinese", ErrConfidence, c.Odds)
	}
	return &c, nil
}

// confidenceHead explains the file.
const confidenceHead = `# How sure a reading of a Chinese question is, from how sure the same reading of an
# English one would be: log odds, fitted by "dibrain-lab text2sql chinese" on questions of
# the training set put into Chinese (testdata). Whether a set had been worked on is a
# feature of the fit whose weight is left out, so that the level is that of questions
# which nobody has looked at. What is counted: facts.go here and in ../rank/facts.
`

// Write writes the weights as a file.
func (c *Confidence) Write(w io.Writer) error {
	text, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Errorf("write the confidence in Chinese: %w", err)
	}
	if _, err := io.WriteString(w, confidenceHead+string(text)); err != nil {
		return fmt.Errorf("write the confidence in Chinese: %w", err)
	}
	return nil
}

// Names of what has a weight, in order.
func (c *Confidence) Names() []string {
	names := make([]string, 0, len(c.Weights))
	for name := range c.Weights {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

const (
	surest = 0.98 // bounds the probabilities of which the odds are taken
	most   = 3    // of a thing that are counted: a fourth tells no more
)

// LogOdds of a probability, within bounds.
func LogOdds(p float64) float64 {
	p = min(max(p, 1-surest), surest)
	return math.Log(p / (1 - p))
}

// Count is how much of a thing is counted.
func Count(n float64) float64 { return min(n, most) }

// Of returns the confidence, from 0 to 1, in a reading with these features; as english
// is that in such a reading of an English question. It is never higher.
func (c *Confidence) Of(english float64, features map[string]float64) float64 {
	return min(english, c.Share(english, features))
}

// Share is the share of such readings that were right, by the weights alone.
func (c *Confidence) Share(english float64, features map[string]float64) float64 {
	z := c.Level + c.Odds*LogOdds(english)
	for _, name := range c.Names() { // in order: a sum of floats depends on it
		z += c.Weights[name] * Count(features[name])
	}
	return 1 / (1 + math.Exp(-z))
}
