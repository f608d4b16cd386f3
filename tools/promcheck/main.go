// Command promcheck reads Prometheus rule files (*.yaml) and Grafana dashboards (*.json)
// with Prometheus's own parsers, and prints a line of JSON for each metric that an
// expression names: where, which, and with which labels. It ends with 1 and says what is
// wrong where one cannot be read. It is a module of its own, so that Prometheus is no
// dependency of the product.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// Use is a metric that an expression names.
type Use struct {
	File, Where, Metric string
	// Labels of matchers, and of groupings around the metric.
	Labels []string
	// Values are the matchers of a label, as they are written: `code=~"Internal|Unknown"`.
	Matchers []string
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(files []string, out io.Writer) error {
	encoder := json.NewEncoder(out)
	var errs []error
	for _, file := range files {
		expressions, err := read(file)
		errs = append(errs, err)
		for _, e := range expressions {
			uses, err := usesOf(file, e)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %s: %w", file, e.where, err))
			}
			for _, u := range uses {
				errs = append(errs, encoder.Encode(u))
			}
		}
	}
	return errors.Join(errs...)
}

type expression struct{ where, text string }

func read(file string) ([]expression, error) {
	if filepath.Ext(file) == ".json" {
		return dashboard(file)
	}
	groups, errs := rulefmt.ParseFile(file, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var all []expression
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			all = append(all, expression{r.Alert, r.Expr})
		}
	}
	return all, nil
}

// dashboard reads the expressions of a dashboard's panels; Grafana's variables are
// replaced by what they may stand for.
func dashboard(file string) ([]expression, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	variables := strings.NewReplacer("$__rate_interval", "5m", "$job", "dibrain")
	var all []expression
	for _, p := range d.Panels {
		for _, t := range p.Targets {
			all = append(all, expression{p.Title, variables.Replace(t.Expr)})
		}
	}
	return all, nil
}

func usesOf(file string, e expression) ([]Use, error) {
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(e.text)
	if err != nil {
		return nil, err
	}
	var uses []Use
	parser.Inspect(tree, func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		u := Use{File: filepath.Base(file), Where: e.where, Metric: selector.Name}
		for _, m := range selector.LabelMatchers {
			if m.Name == labels.MetricName {
				continue
			}
			u.Labels, u.Matchers = append(u.Labels, m.Name), append(u.Matchers, m.String())
		}
		for _, above := range path {
			if a, ok := above.(*parser.AggregateExpr); ok {
				u.Labels = append(u.Labels, a.Grouping...)
			}
		}
		slices.Sort(u.Labels)
		u.Labels = slices.Compact(u.Labels)
		uses = append(uses, u)
		return nil
	})
	return uses, nil
}
