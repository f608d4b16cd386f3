// Package foreign reads metric definitions of other products into a semantic
// layer: dbt's semantic manifest, Cube's model files, OpenMetadata's metrics. What
// has no equivalent is left out and named with the reason; nothing is made up.
package foreign

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// MaxBytes bounds a file that is read.
const MaxBytes = 64 << 20

// Skipped is what was left out of an import.
type Skipped struct {
	What string `json:"what"` // "metric revenue_growth"
	Why  string `json:"why"`
}

// importer gathers a layer with unique ids.
type importer struct {
	layer   semantic.Layer
	ids     map[string]bool
	skipped []Skipped
}

func newImporter() *importer { return &importer{ids: map[string]bool{}} }

func (im *importer) skip(what, format string, args ...any) {
	im.skipped = append(im.skipped, Skipped{What: what, Why: fmt.Sprintf(format, args...)})
}

var noID = regexp.MustCompile(`[^a-z0-9]+`)

// idOf makes an id of a name.
func idOf(name string) string {
	id := strings.Trim(noID.ReplaceAllString(strings.ToLower(name), "_"), "_")
	if id == "" || id[0] >= '0' && id[0] <= '9' {
		return "x" + id
	}
	return id
}

// unique returns an id that the section has not; of tells whose it is.
func (im *importer) unique(section, id, of string) string {
	for _, candidate := range []string{id, idOf(of) + "_" + id} {
		if !im.ids[section+candidate] {
			im.ids[section+candidate] = true
			return candidate
		}
	}
	for n := 2; ; n++ {
		if candidate := fmt.Sprintf("%s_%s_%d", idOf(of), id, n); !im.ids[section+candidate] {
			im.ids[section+candidate] = true
			return candidate
		}
	}
}

// named is the name that people see: the label given, else the id's words.
func named(label, id string) semantic.Text {
	if label == "" {
		label = strings.Join(semantic.Words(id), " ")
	}
	return semantic.Text{EN: label}
}

// words are the synonyms of an item: those that its metadata lists, and the words of its
// own name where a label is shown in their place.
func words(label, name string, listed []string) []string {
	var out []string
	for _, w := range append(slices.Clone(listed), strings.Join(semantic.Words(name), " ")) {
		w = lang.OneLine(w)
		if w == "" || len(w) > maxSynonymBytes || strings.EqualFold(w, named(label, name).EN) || slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, w) }) {
			continue
		}
		if out = append(out, w); len(out) == maxSynonyms {
			break
		}
	}
	return out
}

// Bounds of what is taken of an item's synonyms: what is longer is no name.
const (
	maxSynonyms     = 50
	maxSynonymBytes = 100
)

// meta is free metadata of dbt and Cube; of it the synonyms are read, one text or a list.
type meta struct {
	Synonyms synonyms `yaml:"synonyms" json:"synonyms"`
}

// synonyms are a list of texts. Metadata is free in form: another form is none.
type synonyms []string

// UnmarshalJSON reads a text or a list of texts.
func (s *synonyms) UnmarshalJSON(text []byte) error {
	var any any
	if err := json.Unmarshal(text, &any); err != nil {
		return err
	}
	*s = textsOf(any)
	return nil
}

// UnmarshalYAML reads a text or a list of texts.
func (s *synonyms) UnmarshalYAML(node *yaml.Node) error {
	var any any
	if err := node.Decode(&any); err != nil {
		return err
	}
	*s = textsOf(any)
	return nil
}

func textsOf(v any) (out synonyms) {
	switch v := v.(type) {
	case string:
		return strings.Split(v, ",")
	case []any:
		for _, x := range v {
			if text, ok := x.(string); ok {
				out = append(out, text)
			}
		}
	}
	return out
}

// dates keeps the columns of time of each table that has several.
func (im *importer) dates() {
	for _, d := range im.layer.Dimensions {
		if d.Role != semantic.RoleTime {
			continue
		}
		several := slices.ContainsFunc(im.layer.Dimensions, func(o semantic.Dimension) bool {
			return o.Role == semantic.RoleTime && o.Table == d.Table && o.ID != d.ID
		})
		if several {
			im.layer.Dates = append(im.layer.Dates, semantic.DateColumn{ID: d.ID, Names: d.Names, Synonyms: d.Synonyms, Table: d.Table, Expr: d.Expr})
		}
	}
}

func described(text string) semantic.Text {
	return semantic.Text{EN: lang.OneLine(text)}
}

// readable reports whether an expression is one that a layer can hold, and notes
// why not.
func (im *importer) readable(what, expr string) bool {
	if strings.Contains(expr, "{{") || strings.Contains(expr, "${") {
		im.skip(what, "its expression has a template in it: %s", expr)
		return false
	}
	if _, err := semantic.ParseExpr(expr); err != nil {
		im.skip(what, "%v", err)
		return false
	}
	return true
}

// Settle leaves out the metrics of a layer that are made of others that are not there.
func Settle(layer *semantic.Layer) []Skipped {
	im := newImporter()
	im.layer = *layer
	im.settle()
	layer.Metrics = im.layer.Metrics
	return im.skipped
}

// settle leaves out metrics that are made of others that were left out.
func (im *importer) settle() {
	for {
		n := len(im.layer.Metrics)
		im.layer.Metrics = slices.DeleteFunc(im.layer.Metrics, func(m semantic.Metric) bool {
			inputs, err := m.Inputs()
			if err != nil {
				im.skip("metric "+m.ID, "%v", err)
				return true
			}
			for _, id := range inputs {
				if _, ok := im.layer.Metric(id); !ok {
					im.skip("metric "+m.ID, "it is made of %s, which is not there", id)
					return true
				}
			}
			return false
		})
		if len(im.layer.Metrics) == n {
			return
		}
	}
}
