package learn

import (
	_ "embed" // data/prior.yaml
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed data/prior.yaml
var priorFile []byte

// Prior returns the weights that a fit begins with.
func Prior() (map[string]float64, error) {
	out := map[string]float64{}
	if err := yaml.Unmarshal(priorFile, &out); err != nil {
		return nil, fmt.Errorf("prior weights: %w", err)
	}
	return out, nil
}

// Write writes weights as the grammar reads them, under lines of comment.
func Write(out io.Writer, comment string, weights map[string]float64) error {
	var b strings.Builder
	for line := range strings.Lines(comment) {
		b.WriteString("# " + line)
	}
	b.WriteString("\n")
	names := make([]string, 0, len(weights))
	for name := range weights {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		line, err := yaml.Marshal(map[string]float64{name: weights[name]})
		if err != nil {
			return fmt.Errorf("weight %s: %w", name, err)
		}
		b.Write(line)
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("write weights: %w", err)
	}
	return nil
}
