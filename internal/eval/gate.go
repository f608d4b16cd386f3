package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Gate is one run with the figures that it has to keep. Beside the suite's
// metrics, "n" and "errors" of the report may be bounded.
type Gate struct {
	Suite   string             `yaml:"suite"`
	Data    string             `yaml:"data"`    // below the folder of all data; "./" begins a path beside the gate file
	Queries string             `yaml:"queries"` // likewise; empty: the suite's own
	Lang    string             `yaml:"lang"`
	Limit   int                `yaml:"limit"`
	Min     map[string]float64 `yaml:"min"`
	Max     map[string]float64 `yaml:"max"`

	beside string // folder of the gate file
}

// Check is one figure beside its bound.
type Check struct {
	Suite  string  `json:"suite"`
	Data   string  `json:"data"`
	Lang   string  `json:"lang,omitempty"`
	Metric string  `json:"metric"`
	Figure float64 `json:"figure"`
	Bound  float64 `json:"bound"`
	Max    bool    `json:"max"` // Bound is a maximum, else a minimum
	OK     bool    `json:"ok"`
}

// ReadGates reads a gate file: a list "gates". What is wrong in it wraps ErrData.
func ReadGates(path string) ([]Gate, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	var file struct {
		Gates []Gate `yaml:"gates"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %s: %w", ErrData, path, err)
	}
	if len(file.Gates) == 0 {
		return nil, fmt.Errorf("%w: %s lists no gates", ErrData, path)
	}
	for i, g := range file.Gates {
		if g.Suite == "" || g.Data == "" || len(g.Min)+len(g.Max) == 0 {
			return nil, fmt.Errorf("%w: %s: gate %d needs suite, data, and min or max", ErrData, path, i+1)
		}
		file.Gates[i].beside = filepath.Dir(path)
	}
	return file.Gates, nil
}

// Options returns those of the gate's run.
func (g Gate) Options(all Options) Options {
	dir := all.Data
	all.Data = g.path(dir, g.Data)
	all.Queries, all.Lang, all.Limit = "", g.Lang, g.Limit
	if g.Queries != "" {
		all.Queries = g.path(dir, g.Queries)
	}
	return all
}

// path is below the folder of all data, or beside the gate file.
func (g Gate) path(dir, path string) string {
	if strings.HasPrefix(path, "./") {
		dir = g.beside
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// Hold runs a gate and compares. all.Data is the folder of all data.
func (g Gate) Hold(ctx context.Context, suites []Suite, all Options) ([]Check, Report, error) {
	suite, err := Find(suites, g.Suite)
	if err != nil {
		return nil, Report{}, err
	}
	report, err := Execute(ctx, suite, g.Options(all))
	if err != nil {
		return nil, Report{}, fmt.Errorf("suite %s over %s: %w", g.Suite, g.Data, err)
	}
	return g.compare(report), report, nil
}

// compare checks every bound, in the order of their names. A metric that the
// suite does not report is below every minimum.
func (g Gate) compare(r Report) []Check {
	figures := maps.Clone(r.Metrics)
	if figures == nil {
		figures = make(map[string]float64)
	}
	figures["n"], figures["errors"] = float64(r.N), float64(r.Errors)
	var checks []Check
	add := func(bounds map[string]float64, isMax bool) {
		for _, metric := range slices.Sorted(maps.Keys(bounds)) {
			figure, reported := figures[metric]
			bound := bounds[metric]
			ok := reported && (isMax && figure <= bound || !isMax && figure >= bound)
			checks = append(checks, Check{Suite: g.Suite, Data: g.Data, Lang: g.Lang, Metric: metric, Figure: figure, Bound: bound, Max: isMax, OK: ok})
		}
	}
	add(g.Min, false)
	add(g.Max, true)
	return checks
}
