package facet

import (
	_ "embed"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog/mark"
)

//go:embed fit.yaml
var fitFile []byte

// later is what each place further down in an order costs: less than any fit.
const later = 0.01

// worth is what one facet gives or takes.
type worth struct {
	Equal   float64 `yaml:"equal"`
	Other   float64 `yaml:"other"`
	Unasked float64 `yaml:"unasked"`
}

// weights are the figures of fit.yaml.
type weights struct {
	worth [mark.Facets]worth
	near  [mark.Facets]map[string]map[string]float64
	order [mark.Facets][]string
}

func loadWeights() (*weights, error) {
	var f struct {
		Worth map[string]worth                         `yaml:",inline"`
		Near  map[string]map[string]map[string]float64 `yaml:"near"`
		Order map[string][]string                      `yaml:"order"`
	}
	if err := yaml.Unmarshal(fitFile, &f); err != nil {
		return nil, fmt.Errorf("read the embedded worths of facets: %w", err)
	}
	var w weights
	for facet := range mark.Facets {
		name := facet.String()
		one, ok := f.Worth[name]
		if !ok {
			return nil, fmt.Errorf("worths of facets: %s is missing", name)
		}
		w.worth[facet], w.near[facet], w.order[facet] = one, f.Near[name], f.Order[name]
	}
	return &w, nil
}

// fit values one facet of a table, "" for no mark.
func (w *weights) fit(facet mark.Facet, value string, wants []Want) float64 {
	worth := w.worth[facet]
	var best, worst float64
	asked := false
	for _, want := range wants {
		if want.Not {
			if want.Value == value {
				worst = min(worst, worth.Other*want.Strength)
			}
			continue
		}
		gain := w.gain(facet, value, want) * want.Strength
		if !asked || gain > best {
			best = gain
		}
		asked = true
	}
	if asked {
		return best + worst
	}
	if value == "" {
		return worst
	}
	place := max(0, slices.Index(w.order[facet], value))
	return worst + worth.Unasked - later*float64(place)
}

// gain is what a value is worth where another one may be asked for.
func (w *weights) gain(facet mark.Facet, value string, want Want) float64 {
	worth := w.worth[facet]
	if want.Value == value || want.Value == EveryCountry && value == "" {
		return worth.Equal
	}
	if want.Value == EveryCountry {
		return 0
	}
	if near, ok := w.near[facet][want.Value]; ok {
		if n, ok := near[value]; ok {
			if n < 0 {
				return -n * worth.Other
			}
			return n * worth.Equal
		}
		return worth.Other
	}
	if value == "" {
		return 0 // it may have what is asked for
	}
	return worth.Other
}
