package semantic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// Kinds of changes.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
)

// Change is one difference in meaning between two layers.
type Change struct {
	Kind    string `json:"kind"`            // Added, Removed or Changed
	Section string `json:"section"`         // "metrics"
	ID      string `json:"id"`              // of joins: "from(columns) -> to(columns)"
	Field   string `json:"field,omitempty"` // of Changed: "expr"
	Old     string `json:"old,omitempty"`
	New     string `json:"new,omitempty"`
	// Numbers reports that answers may get other numbers, not only other words.
	Numbers bool `json:"numbers"`
}

// Diff returns the changes of meaning from one layer to another, by section and
// id. Where items stand, how expressions are laid out, the order of lists that are
// sets and defaults that are written out change nothing.
func Diff(before, after *Layer) ([]Change, error) {
	a, err := meanings(before)
	if err != nil {
		return nil, err
	}
	b, err := meanings(after)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for _, section := range sections {
		changes = append(changes, diffSection(section, a[section], b[section])...)
	}
	return changes, nil
}

var sections = []string{"countries", "entities", "dimensions", "metrics", "filters", "exclusions", "joins", "time", "rules", "glossary", "examples"}

// item is what an item of a layer means, field by field.
type item map[string]string

func diffSection(section string, before, after map[string]item) []Change {
	var changes []Change
	for _, id := range sortedKeys(before, after) {
		a, had := before[id]
		b, has := after[id]
		switch {
		case !had:
			changes = append(changes, Change{Kind: Added, Section: section, ID: id, New: b["expr"], Numbers: numeric(section, "")})
		case !has:
			changes = append(changes, Change{Kind: Removed, Section: section, ID: id, Old: a["expr"], Numbers: numeric(section, "")})
		default:
			for _, field := range sortedKeys(a, b) {
				if a[field] != b[field] {
					changes = append(changes, Change{Kind: Changed, Section: section, ID: id, Field: field, Old: a[field], New: b[field], Numbers: numeric(section, field)})
				}
			}
		}
	}
	return changes
}

func sortedKeys[T any](maps ...map[string]T) []string {
	var keys []string
	for _, m := range maps {
		for k := range m {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// wordFields change how things are said and found, never what a number is.
var wordFields = []string{"names", "synonyms", "description", "text", "unit", "mart", "better", "comparisons", "label", "question", "role", "hierarchy"}

func numeric(section, field string) bool {
	switch section {
	case "rules", "glossary", "examples":
		return false
	}
	return !slices.Contains(wordFields, field)
}

// meanings brings a layer into a form in which what means the same is the same.
func meanings(l *Layer) (map[string]map[string]item, error) {
	out := map[string]map[string]item{}
	add := func(section, id string, v any) error {
		it, err := itemOf(v)
		if err != nil {
			return err
		}
		if out[section] == nil {
			out[section] = map[string]item{}
		}
		out[section][id] = it
		return nil
	}
	var err error
	note := func(e error) { err = cmp.Or(err, e) }
	for _, x := range l.Countries {
		note(add("countries", x.Code, x))
	}
	for _, x := range l.Entities {
		note(add("entities", x.ID, x))
	}
	for _, x := range l.Dimensions {
		x.Expr, x.Role = cmp.Or(x.Expr, base(x.ID)), cmp.Or(x.Role, RoleCategory)
		note(add("dimensions", x.ID, x))
	}
	for _, x := range l.Metrics {
		x.Type, x.Additivity = x.Kind(), cmp.Or(x.Additivity, Additive)
		note(add("metrics", x.ID, x))
	}
	for _, x := range l.Filters {
		note(add("filters", x.ID, x))
	}
	for _, x := range l.Exclusions {
		note(add("exclusions", x.ID, x))
	}
	for _, x := range l.Joins {
		x.Cardinality = cmp.Or(x.Cardinality, ManyToOne)
		if x.Cardinality == OneToMany { // the same as many to one from the other side
			x.From, x.Columns, x.To, x.ToColumns, x.Cardinality = x.To, x.ToColumns, x.From, x.Columns, ManyToOne
		}
		id := fmt.Sprintf("%s(%s) -> %s(%s)", x.From, strings.Join(x.Columns, ", "), x.To, strings.Join(x.ToColumns, ", "))
		note(add("joins", id, x))
	}
	for _, x := range l.Dates {
		x.Expr = x.Column()
		note(add("dates", x.ID, x))
	}
	calendar := l.Time
	calendar.WeekStart = cmp.Or(calendar.WeekStart, "monday")
	note(add("time", "time", calendar))
	for _, x := range l.Rules {
		note(add("rules", x.ID, x))
	}
	for _, x := range l.Glossary {
		note(add("glossary", x.ID, x))
	}
	for _, x := range l.Examples {
		note(add("examples", x.ID, x))
	}
	return out, err
}

func base(id string) string {
	b, _, _ := strings.Cut(id, "__")
	return b
}

// itemOf reads an item's fields through its JSON form.
func itemOf(v any) (item, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("compare layers: %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, fmt.Errorf("compare layers: %w", err)
	}
	out := item{}
	for k, raw := range fields {
		if k != "id" && k != "declared" {
			out[k] = fieldOf(k, raw)
		}
	}
	return out, nil
}

// setFields are lists whose order means nothing.
var setFields = []string{"synonyms", "default_filters", "comparisons", "values"}

// expressions are fields that hold SQL.
var expressions = []string{"expr", "distinct", "time", "default_filters"}

func fieldOf(key string, raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return same(key, text)
	}
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		for i := range list {
			list[i] = same(key, list[i])
		}
		if slices.Contains(setFields, key) {
			slices.Sort(list)
		}
		return strings.Join(list, ", ")
	}
	var values []Value
	if key == "values" && json.Unmarshal(raw, &values) == nil {
		lines := make([]string, len(values))
		for i, v := range values {
			slices.Sort(v.Synonyms)
			lines[i] = v.Value + " (" + strings.Join(v.Synonyms, ", ") + ")"
		}
		slices.Sort(lines)
		return strings.Join(lines, "; ")
	}
	var names Text
	if json.Unmarshal(raw, &names) == nil && names != (Text{}) {
		return strings.Trim(names.EN+" / "+names.ZH, " /")
	}
	return string(raw)
}

// same brings an expression into the one form in which it is printed.
func same(key, text string) string {
	if !slices.Contains(expressions, key) {
		return text
	}
	x, err := ParseExpr(text)
	if err != nil {
		return text
	}
	return printer.Format(x)
}
