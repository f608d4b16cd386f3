package sqlgen

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
)

// prefixes of the names of aggregates.
var prefixes = map[intent.Agg]string{
	intent.AggCount: "number_of", intent.AggCountDistinct: "number_of", intent.AggSum: "total",
	intent.AggAvg: "average", intent.AggMedian: "median", intent.AggMin: "lowest", intent.AggMax: "highest",
}

// Columns names the columns of an intent's result as people would: "total_fee",
// "number_of_stations", "month". Names are unique and in the order of Select.
func (g *Generator) Columns(in *intent.Intent) []string {
	out := make([]string, len(in.Select))
	used := map[string]bool{}
	for i, o := range in.Select {
		name := g.columnName(o)
		for base, n := name, 2; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		used[name] = true
		out[i] = name
	}
	return out
}

func (g *Generator) columnName(o intent.Output) string {
	if o.OfComparison() {
		base := g.columnName(o.Compared())
		switch o.Agg {
		case intent.AggPrevious:
			return "previous_" + base
		case intent.AggChange:
			return base + "_change"
		}
		return base + "_change_rate"
	}
	if o.Calc != nil || o.Per.ID != "" || o.When != nil || o.Times != "" || o.Agg == intent.AggShare {
		return identifier(g.computedName(o))
	}
	words := g.Words(o)
	if o.Agg == "" {
		if d, ok := g.dims[o.ID]; ok && o.Grain == "" {
			return d.Expr
		}
		return o.Grain
	}
	if o.Agg == intent.AggRate {
		if !g.OfFlag(o) {
			return identifier(words) + "_share"
		}
		return identifier(words) + "_rate"
	}
	return identifier(prefixes[o.Agg] + "_" + words)
}

// Words are what an output is of, in words: "fee", "stations", "cat".
func (g *Generator) Words(o intent.Output) string {
	if e, ok := g.entities[o.ID]; ok && o.Kind == intent.KindEntity {
		return lexicon.Plural(e.Names.EN)
	}
	d, ok := g.dims[o.ID]
	switch {
	case !ok:
		return o.ID
	case o.Agg == intent.AggRate && !g.OfFlag(o):
		switch v := strings.ToLower(o.Value); v {
		case "false", "no", "n", "0":
			return "not " + d.Names.EN
		default:
			return v
		}
	case o.Agg == intent.AggCount || o.Agg == intent.AggCountDistinct:
		return lexicon.Plural(d.Names.EN)
	case o.Agg != "":
		// A column "total attendance" is summed up to a total attendance.
		return strings.TrimPrefix(strings.ToLower(d.Names.EN), prefixes[o.Agg]+" ")
	}
	return d.Names.EN
}

// OfFlag reports whether a rate is that of a flag: the column names what is
// counted, and not its value.
func (g *Generator) OfFlag(o intent.Output) bool {
	d, ok := g.dims[o.ID]
	return ok && (d.Type == "boolean" || yes(o.Value)) && strings.ToLower(o.Value) != "false"
}

// yes reports whether a stored value only says that its column holds.
func yes(value string) bool {
	switch strings.ToLower(value) {
	case "y", "yes", "t", "true", "1":
		return true
	}
	return false
}

// identifier makes one name of words.
func identifier(words string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 0x80
	}), "_")
}
