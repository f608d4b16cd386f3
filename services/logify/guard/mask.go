package guard

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/logql"
)

//go:embed masks.yaml
var defaultMasks []byte

// Masks replace secrets in what logs say.
type Masks struct{ rules []maskRule }

type maskRule struct {
	Name    string `yaml:"name"`
	Pattern string `yaml:"pattern"`
	Replace string `yaml:"replace"`

	re *regexp.Regexp
}

// NewMasks reads the rules of the product and, after them, those of a file; nil: none.
func NewMasks(own []byte) (*Masks, error) {
	m := &Masks{}
	for _, text := range [][]byte{defaultMasks, own} {
		if len(text) == 0 {
			continue
		}
		var file struct {
			Masks []maskRule `yaml:"masks"`
		}
		dec := yaml.NewDecoder(bytes.NewReader(text))
		dec.KnownFields(true)
		if err := dec.Decode(&file); err != nil {
			return nil, fmt.Errorf("the masks are no YAML of rules: %w", err)
		}
		for _, r := range file.Masks {
			re, err := regexp.Compile(r.Pattern)
			if err != nil {
				return nil, fmt.Errorf("mask %q: %w", r.Name, err)
			}
			if re.MatchString("") {
				return nil, fmt.Errorf("mask %q fits everywhere: its pattern has to want a character", r.Name)
			}
			r.re = re
			m.rules = append(m.rules, r)
		}
	}
	return m, nil
}

// Text returns a text with its secrets masked.
func (m *Masks) Text(text string) string {
	for _, r := range m.rules {
		text = r.re.ReplaceAllString(text, r.Replace)
	}
	return text
}

// Labels returns labels with the secrets of their values masked, also where the
// label's name says that its value is one.
func (m *Masks) Labels(labels map[string]string) map[string]string {
	out := maps.Clone(labels)
	for name, value := range out {
		masked := m.Text(value)
		if pair := m.Text(name + "=" + value); masked == value && pair != name+"="+value {
			masked = "[masked]"
		}
		out[name] = masked
	}
	return out
}

// Entry returns a line with its secrets masked.
func (m *Masks) Entry(e logql.Entry) logql.Entry {
	e.Line, e.Labels = m.Text(e.Line), m.Labels(e.Labels)
	return e
}
