package chinese

import (
	_ "embed" // confidence.yaml
	"fmt"
	"math"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/services/text2sql/link"
)

//go:embed confidence.yaml
var confidenceFile []byte

// Confidence says how much less sure a reading is for having been asked in Chinese:
// its words went through a dictionary and into another order. It is read-only.
type Confidence struct {
	Level       float64 `yaml:"level"`
	Odds        float64 `yaml:"odds"`
	Condition   float64 `yaml:"condition"`
	Denial      float64 `yaml:"denial"`
	Superlative float64 `yaml:"superlative"`
}

// LoadConfidence reads the embedded weights.
func LoadConfidence() (*Confidence, error) {
	var c Confidence
	if err := yaml.Unmarshal(confidenceFile, &c); err != nil {
		return nil, fmt.Errorf("confidence in Chinese: %w", err)
	}
	return &c, nil
}

// surest bounds the probabilities of which the odds are taken.
const surest = 0.98

// Of returns the confidence, from 0 to 1, in a reading of the items that Order gave;
// as english is that in such a reading of an English question. It is never higher.
func (c *Confidence) Of(english float64, items []*link.Item) float64 {
	p := min(max(english, 1-surest), surest)
	z := c.Level + c.Odds*math.Log(p/(1-p))
	for _, it := range items {
		switch {
		case it.Is("rel") && it.Text == condition:
			z += c.Condition
		case it.Is("not"):
			z += c.Denial
		case it.Is("super"):
			z += c.Superlative
		}
	}
	return min(english, 1/(1+math.Exp(-z)))
}
