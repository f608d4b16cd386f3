package foreign

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// manifest is the part of dbt's semantic_manifest.json that is read.
type manifest struct {
	Models  []dbtModel  `json:"semantic_models"`
	Metrics []dbtMetric `json:"metrics"`
}

// dbtMeta is where dbt keeps free metadata: config.meta.
type dbtMeta struct {
	Config struct {
		Meta meta `json:"meta"`
	} `json:"config"`
}

type dbtModel struct {
	Name string `json:"name"`
	dbtMeta
	Label    string `json:"label"`
	Defaults struct {
		Time string `json:"agg_time_dimension"`
	} `json:"defaults"`
	Relation struct {
		Alias  string `json:"alias"`
		Schema string `json:"schema_name"`
	} `json:"node_relation"`
	PrimaryEntity string         `json:"primary_entity"`
	Entities      []dbtEntity    `json:"entities"`
	Measures      []dbtMeasure   `json:"measures"`
	Dimensions    []dbtDimension `json:"dimensions"`
}

type dbtEntity struct {
	Name string `json:"name"`
	Type string `json:"type"` // primary, unique, natural, foreign
	Expr string `json:"expr"`
}

type dbtMeasure struct {
	Name        string `json:"name"`
	Label       string `json:"label"`
	Description string `json:"description"`
	Agg         string `json:"agg"`
	Expr        string `json:"expr"`
	Time        string `json:"agg_time_dimension"`
	Params      *struct {
		Percentile *float64 `json:"percentile"`
	} `json:"agg_params"`
	Level *struct {
		Name   string   `json:"name"`
		Choice string   `json:"window_choice"`
		Groups []string `json:"window_groupings"`
	} `json:"non_additive_dimension"`
}

type dbtDimension struct {
	Name string `json:"name"`
	dbtMeta
	Label       string `json:"label"`
	Description string `json:"description"`
	Type        string `json:"type"` // categorical, time
	Expr        string `json:"expr"`
	Params      *struct {
		Grain string `json:"time_granularity"`
	} `json:"type_params"`
}

type dbtFilter struct {
	Where []struct {
		SQL string `json:"where_sql_template"`
	} `json:"where_filters"`
}

type dbtInput struct {
	Name        string     `json:"name"`
	Filter      *dbtFilter `json:"filter"`
	Alias       string     `json:"alias"`
	Offset      any        `json:"offset_window"`
	OffsetGrain any        `json:"offset_to_grain"`
}

type dbtWindow struct {
	Count int    `json:"count"`
	Grain string `json:"granularity"`
}

type dbtMetric struct {
	Name string `json:"name"`
	dbtMeta
	Label       string     `json:"label"`
	Description string     `json:"description"`
	Type        string     `json:"type"`
	Filter      *dbtFilter `json:"filter"`
	Params      struct {
		Measure     *dbtInput  `json:"measure"`
		Numerator   *dbtInput  `json:"numerator"`
		Denominator *dbtInput  `json:"denominator"`
		Expr        string     `json:"expr"`
		Metrics     []dbtInput `json:"metrics"`
		Window      *dbtWindow `json:"window"`
		ToDate      string     `json:"grain_to_date"`
		Cumulative  *struct {
			Window *dbtWindow `json:"window"`
			ToDate string     `json:"grain_to_date"`
		} `json:"cumulative_type_params"`
	} `json:"type_params"`
}

// DBT reads dbt's semantic_manifest.json: semantic models become entities,
// dimensions and joins, measures with their metrics become metrics. The database
// of a relation is left out, as names of a layer have no data centre.
func DBT(text []byte) (*semantic.Layer, []Skipped, error) {
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, nil, fmt.Errorf("read the semantic manifest: %w", err)
	}
	if len(m.Models) == 0 {
		return nil, nil, fmt.Errorf("read the semantic manifest: it has no semantic_models; dbt writes it to target/semantic_manifest.json")
	}
	d := dbt{importer: newImporter(), measures: map[string]measureOf{}, dimensions: map[string]dimensionOf{}}
	for i := range m.Models {
		d.model(&m.Models[i])
	}
	d.joins(m.Models)
	for i := range m.Metrics {
		d.metric(&m.Metrics[i])
	}
	d.settle()
	d.dates()
	return &d.layer, d.skipped, nil
}

type dbt struct {
	*importer
	measures   map[string]measureOf   // by name
	dimensions map[string]dimensionOf // by "entity__name", as filters write them
}

type measureOf struct {
	metric semantic.Metric // without id and names
	model  string
	why    string // not empty: it cannot be imported
}

type dimensionOf struct{ model, expr string }

func (m *dbtModel) table() string {
	if m.Relation.Schema == "" {
		return cmp.Or(m.Relation.Alias, m.Name)
	}
	return m.Relation.Schema + "." + cmp.Or(m.Relation.Alias, m.Name)
}

func (d *dbt) model(m *dbtModel) {
	primary := m.PrimaryEntity
	for _, e := range m.Entities {
		if e.Type != "primary" {
			continue
		}
		primary = e.Name
		expr := cmp.Or(e.Expr, e.Name)
		if d.readable("entity "+e.Name, expr) {
			id := d.unique("entities", idOf(m.Name), m.Name)
			d.layer.Entities = append(d.layer.Entities, semantic.Entity{ID: id, Names: named(m.Label, id), Synonyms: words(m.Label, m.Name, m.Config.Meta.Synonyms), Table: m.table(), Key: []string{expr}})
		}
	}
	times := map[string]dbtDimension{}
	for _, x := range m.Dimensions {
		expr := cmp.Or(x.Expr, x.Name)
		d.dimensions[primary+"__"+x.Name] = dimensionOf{m.Name, expr}
		if x.Type == "time" {
			times[x.Name] = x
		}
		if !d.readable("dimension "+m.Name+"."+x.Name, expr) {
			continue
		}
		out := semantic.Dimension{
			ID: d.unique("dimensions", idOf(x.Name), m.Name), Names: named(x.Label, x.Name), Synonyms: words(x.Label, x.Name, x.Config.Meta.Synonyms), Description: described(x.Description), Table: m.table(), Expr: expr,
		}
		if x.Type == "time" {
			out.Role = semantic.RoleTime
		}
		d.layer.Dimensions = append(d.layer.Dimensions, out)
	}
	for i := range m.Measures {
		d.measures[m.Measures[i].Name] = m.measure(&m.Measures[i], times)
	}
}

// measure turns a measure into a metric that has no id yet.
func (m *dbtModel) measure(x *dbtMeasure, times map[string]dbtDimension) measureOf {
	out := measureOf{model: m.Name, metric: semantic.Metric{Description: described(x.Description), Table: m.table()}}
	expr := cmp.Or(x.Expr, x.Name)
	metric := &out.metric
	switch x.Agg {
	case "sum":
		metric.Expr = "SUM(" + expr + ")"
	case "sum_boolean":
		metric.Expr = "COUNT_IF(" + expr + ")"
	case "count":
		metric.Expr = "COUNT(" + expr + ")"
	case "count_distinct":
		metric.Type, metric.Distinct = semantic.DistinctCount, expr
	case "average":
		metric.Expr, metric.Additivity = "AVG("+expr+")", semantic.NonAdditive
	case "min", "max":
		metric.Expr, metric.Additivity = strings.ToUpper(x.Agg)+"("+expr+")", semantic.NonAdditive
	case "median", "percentile":
		at := 0.5
		if x.Params != nil && x.Params.Percentile != nil {
			at = *x.Params.Percentile
		}
		metric.Expr, metric.Additivity = "APPROX_PERCENTILE("+expr+", "+strconv.FormatFloat(at, 'f', -1, 64)+")", semantic.NonAdditive
	default:
		out.why = "it aggregates by " + x.Agg
	}
	if time := cmp.Or(x.Time, m.Defaults.Time); time != "" {
		t := times[time]
		metric.Time = cmp.Or(t.Expr, time)
		if t.Params != nil && slices.Contains([]string{"hour", "day", "week", "month"}, t.Params.Grain) {
			metric.Grain = t.Params.Grain
		}
	}
	if l := x.Level; l != nil {
		switch {
		case len(l.Groups) > 0:
			out.why = "its value over time is chosen for each " + strings.Join(l.Groups, ", ")
		case metric.Expr == "" || metric.Additivity != "":
			out.why = "it is a level that is not summed"
		default:
			metric.Additivity, metric.OverTime = semantic.SemiAdditive, semantic.TakeFirst
			if l.Choice == "max" {
				metric.OverTime = semantic.TakeLast
			}
			metric.Time = cmp.Or(times[l.Name].Expr, l.Name)
		}
	}
	return out
}

// joins follow dbt's rule: entities of one name meet, from where it is foreign to
// where it is primary or unique.
func (d *dbt) joins(models []dbtModel) {
	for i := range models {
		for _, from := range models[i].Entities {
			if from.Type != "foreign" {
				continue
			}
			for j := range models {
				for _, to := range models[j].Entities {
					if j == i || to.Name != from.Name || to.Type != "primary" && to.Type != "unique" {
						continue
					}
					d.layer.Joins = append(d.layer.Joins, semantic.Join{
						From: models[i].table(), Columns: []string{cmp.Or(from.Expr, from.Name)},
						To: models[j].table(), ToColumns: []string{cmp.Or(to.Expr, to.Name)}, Cardinality: semantic.ManyToOne,
					})
				}
			}
		}
	}
}

func (d *dbt) metric(x *dbtMetric) {
	what := "metric " + x.Name
	out := semantic.Metric{ID: idOf(x.Name), Names: named(x.Label, x.Name), Synonyms: words(x.Label, x.Name, x.Config.Meta.Synonyms), Description: described(x.Description)}
	if x.Type != "simple" && x.Filter != nil {
		d.skip(what, "a %s metric with a filter of its own", x.Type)
		return
	}
	switch x.Type {
	case "simple":
		if !d.simple(what, x, &out) {
			return
		}
	case "ratio":
		n, m := x.Params.Numerator, x.Params.Denominator
		if n == nil || m == nil || n.special() || m.special() {
			d.skip(what, "its parts have filters or offsets")
			return
		}
		out.Type, out.Numerator, out.Denominator = semantic.Ratio, idOf(n.Name), idOf(m.Name)
	case "derived":
		expr := x.Params.Expr
		for _, in := range x.Params.Metrics {
			if in.special() {
				d.skip(what, "%s has a filter or an offset", in.Name)
				return
			}
			expr = replaceWord(expr, cmp.Or(in.Alias, in.Name), idOf(in.Name))
		}
		if !d.readable(what, expr) {
			return
		}
		out.Type, out.Expr = semantic.Derived, expr
	case "cumulative":
		if !d.cumulative(what, x, &out) {
			return
		}
	default:
		d.skip(what, "metrics of type %s have no equivalent", x.Type)
		return
	}
	if d.ids["metrics"+out.ID] {
		d.skip(what, "there is another metric %s", out.ID)
		return
	}
	d.ids["metrics"+out.ID] = true
	d.layer.Metrics = append(d.layer.Metrics, out)
}

func (in *dbtInput) special() bool {
	return in.Filter != nil || in.Offset != nil || in.OffsetGrain != nil
}

// simple fills a metric over one measure.
func (d *dbt) simple(what string, x *dbtMetric, out *semantic.Metric) bool {
	in := x.Params.Measure
	if in == nil {
		d.skip(what, "it names no measure")
		return false
	}
	measure, ok := d.measures[in.Name]
	switch {
	case !ok:
		d.skip(what, "there is no measure %s", in.Name)
		return false
	case measure.why != "":
		d.skip(what, "measure %s: %s", in.Name, measure.why)
		return false
	}
	metric := measure.metric
	metric.ID, metric.Names, metric.Synonyms = out.ID, out.Names, out.Synonyms
	if out.Description != (semantic.Text{}) {
		metric.Description = out.Description
	}
	for _, f := range []*dbtFilter{x.Filter, in.Filter} {
		if f == nil {
			continue
		}
		for _, w := range f.Where {
			cond, why := d.condition(w.SQL, measure.model)
			if why != "" {
				d.skip(what, "%s", why)
				return false
			}
			if !d.readable(what, cond) {
				return false
			}
			metric.DefaultFilters = append(metric.DefaultFilters, cond)
		}
	}
	if !d.readable(what, cmp.Or(metric.Expr, metric.Distinct)) {
		return false
	}
	*out = metric
	return true
}

var dimensionCall = regexp.MustCompile(`\{\{\s*(?:Time)?Dimension\(\s*['"]([A-Za-z0-9_]+)['"](?:\s*,\s*['"]\w+['"])?\s*\)\s*\}\}`)

// condition puts the columns of the measure's own table into a filter's template.
func (d *dbt) condition(template, model string) (cond, why string) {
	cond = dimensionCall.ReplaceAllStringFunc(template, func(call string) string {
		name := dimensionCall.FindStringSubmatch(call)[1]
		of, ok := d.dimensions[name]
		if !ok || of.model != model {
			why = "its filter is on " + name + ", which is in another table"
			return call
		}
		if _, err := semantic.ParseExpr(of.expr); err != nil || strings.ContainsAny(of.expr, " ") {
			return "(" + of.expr + ")"
		}
		return of.expr
	})
	return lang.OneLine(cond), why
}

func (d *dbt) cumulative(what string, x *dbtMetric, out *semantic.Metric) bool {
	in := x.Params.Measure
	if in == nil || in.special() {
		d.skip(what, "it accumulates no plain measure")
		return false
	}
	of := idOf(in.Name)
	if _, ok := d.layer.Metric(of); !ok { // the measure itself, as a metric
		measure := dbtMetric{Name: in.Name, Type: "simple"}
		measure.Params.Measure = &dbtInput{Name: in.Name}
		d.metric(&measure)
	}
	window, toDate := x.Params.Window, x.Params.ToDate
	if p := x.Params.Cumulative; p != nil {
		toDate = cmp.Or(p.ToDate, toDate)
		if p.Window != nil {
			window = p.Window
		}
	}
	out.Type, out.Of, out.ToDate = semantic.Cumulative, of, toDate
	if window != nil {
		out.Window = &semantic.Window{Count: window.Count, Unit: strings.TrimSuffix(window.Grain, "s")}
	}
	return true
}

// replaceWord replaces an identifier in an expression.
func replaceWord(text, word, by string) string {
	if word == by {
		return text
	}
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(word)+`\b`).ReplaceAllString(text, by)
}
