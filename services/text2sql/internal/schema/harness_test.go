package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/lexicon"
	"github.com/dibrain/dibrain/services/text2sql/plan"
)

// tongue is a little general language, made up for tests.
type tongue struct {
	full      map[string]string
	short     map[string]string // of names, and the stem that each is short for
	written   map[string]string // shorthand of several words
	synonyms  [][2]string
	alike     [][2]string
	english   map[string][]Gloss
	meanings  map[string][]Meaning
	kin       map[string][]string // an adjective and its nouns
	done      map[string][]string // a verb and its nouns
	shared    map[string][]Morpheme
	opposites [][2]lexicon.ValueWords
}

func (l tongue) Full(word string) string { return cmp.Or(l.full[word], word) }

func (l tongue) Short(name, stem string) bool { return l.short[name] == stem }

func (l tongue) Written(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, strings.Fields(cmp.Or(l.written[w], w))...)
	}
	return out
}

func (l tongue) Synonymous(a, b string) bool { return paired(l.synonyms, a, b) }

func (l tongue) Alike(a, b string) bool { return paired(l.alike, a, b) }

func (l tongue) English(han string) []Gloss { return l.english[han] }

func (l tongue) Meanings(stem string) []Meaning { return l.meanings[stem] }

func (l tongue) Kin(word string, verbs bool) []string {
	if verbs {
		return append(slices.Clone(l.kin[word]), l.done[word]...)
	}
	return l.kin[word]
}

func (l tongue) Word(han string) bool { return len(l.english[han]) > 0 }

func (l tongue) Opposites() [][2]lexicon.ValueWords { return l.opposites }

func (l tongue) Morphemes(word string) []Morpheme { return l.shared[word] }

func paired(list [][2]string, a, b string) bool {
	return slices.Contains(list, [2]string{a, b}) || slices.Contains(list, [2]string{b, a})
}

var words = tongue{
	short:    map[string]string{"vip": "honor"},
	full:     map[string]string{"qty": "quantity", "amt": "amount"},
	written:  map[string]string{"fname": "first name"},
	synonyms: [][2]string{{"customer", "client"}, {"cost", "price"}},
	alike:    [][2]string{{"sale", "amount"}},
	english: map[string][]Gloss{
		"客户":   {{Stems: []string{"customer"}, Text: "customer", Score: 1}, {Stems: []string{"guest"}, Text: "guest", Score: 0.6}},
		"类别":   {{Stems: []string{"category"}, Text: "category", Score: 1}},
		"商品":   {{Stems: []string{"product"}, Text: "product", Score: 1}},
		"商品类别": {{Stems: []string{"a", "b", "c", "d"}, Text: "a b c d", Score: 1}, {Text: "nothing", Score: 1}},
		"巴黎":   {{Stems: []string{"pari"}, Text: "Paris", Score: 0.9}},
		"红":    {{Stems: []string{"red"}, Text: "red", Score: 0.8}},
		"红色":   {{Stems: []string{"red"}, Text: "red", Score: 1}, {Stems: []string{"crimson"}, Text: "crimson", Score: 0.5}},
	},
}

var measures = map[string]string{"kg": "mass", "ms": "time", "元": "money", "公斤": "mass", "minutes": "time"}

func units(word string) (string, bool) {
	q, ok := measures[word]
	return q, ok
}

// dim is a column of a table, as "name type".
func dim(table, decl string, values ...string) semantic.Dimension {
	name, kind, _ := strings.Cut(decl, " ")
	d := semantic.Dimension{ID: table + "." + name, Table: table, Expr: name, Type: kind}
	if han(name) {
		d.Names.ZH = name
	} else {
		d.Names.EN = strings.Join(semantic.Words(name), " ")
	}
	for _, v := range values {
		d.Values = append(d.Values, semantic.Value{Value: v})
	}
	return d
}

func entity(table string, key ...string) semantic.Entity {
	e := semantic.Entity{ID: table, Table: table, Key: key}
	if han(table) {
		e.Names.ZH = table
	} else {
		e.Names.EN = strings.Join(semantic.Words(table), " ")
	}
	return e
}

// trade is a layer in both languages: customers buy products over order lines; 仓库
// stands alone.
func trade() *semantic.Layer {
	l := &semantic.Layer{
		Entities: []semantic.Entity{
			entity("customers", "id"), entity("orders", "id"), entity("products", "id"), entity("order_products", "order_id", "product_id"), entity("仓库", "编号"),
		},
		Dimensions: []semantic.Dimension{
			dim("customers", "id bigint"),
			dim("customers", "firstName varchar"),
			dim("customers", "last_name varchar"),
			dim("customers", "city varchar", "Paris", "New York", "New Delhi", "San Juan", "São Tomé", "上海", "上海南"),
			dim("customers", "vip varchar", "Y", "N"),
			dim("customers", "phone varchar"),
			dim("orders", "id bigint"),
			dim("orders", "customer_id bigint"),
			dim("orders", "order_date date"),
			dim("orders", "departure_delay double"),
			dim("orders", "total_amount double"),
			dim("products", "id bigint"),
			dim("products", "product_name varchar"),
			dim("products", "category varchar", "red wine", "sports shoes", "红色"),
			dim("products", "weight_kg double"),
			dim("products", "price double"),
			dim("order_products", "order_id bigint"),
			dim("order_products", "product_id bigint"),
			dim("仓库", "编号 bigint"),
			dim("仓库", "商品类别 varchar"),
			dim("仓库", "重量公斤 double"),
			dim("仓库", "金额元 double"),
			dim("gone", "id bigint"),
		},
		Joins: []semantic.Join{
			{From: "orders", Columns: []string{"customer_id"}, To: "customers", ToColumns: []string{"id"}, Cardinality: semantic.ManyToOne, Declared: true},
			{From: "order_products", Columns: []string{"order_id"}, To: "orders", ToColumns: []string{"id"}, Declared: true},
			{From: "products", Columns: []string{"id"}, To: "order_products", ToColumns: []string{"product_id"}, Cardinality: semantic.OneToMany, Declared: true},
		},
	}
	l.Entities[0].Label = semantic.Label{"FIRSTNAME", "last_name", "unknown"}
	l.Entities[2].Synonyms = []string{"article"}
	for i := range l.Dimensions {
		switch d := &l.Dimensions[i]; d.ID {
		case "customers.city":
			d.Values[1].Synonyms = []string{"Big Apple"}
			d.Role = semantic.RoleCategory
		case "customers.vip":
			d.Complete = true
		case "products.category":
			d.Role = semantic.RoleCategory
		case "仓库.商品类别":
			d.Synonyms = []string{"品类"}
		}
	}
	return l
}

func view(t *testing.T, layer *semantic.Layer, tables ...catalog.Table) *View {
	t.Helper()
	var names []string
	for _, e := range layer.Entities {
		names = append(names, e.Table)
	}
	return New(layer, tables, plan.New(names, layer.Joins), units, words)
}

// shown writes hits as name and score, the best first.
func shown(hits []Hit) string {
	var out []string
	for _, h := range hits {
		name := h.Of().Full()
		if h.Column != nil {
			name = h.Column.ID
		}
		out = append(out, fmt.Sprintf("%s %.3f", name, h.Score))
	}
	return strings.Join(out, ", ")
}

func shownValues(list []Value) string {
	var out []string
	for _, v := range list {
		s := fmt.Sprintf("%s=%s %.2f", v.Column.ID, strings.Join(v.Stored, "|"), v.Score)
		if v.Part {
			s += " part"
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
