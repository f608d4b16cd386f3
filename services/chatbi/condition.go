package chatbi

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of what is told of one condition.
const (
	maxConditionValues = 4  // of a list
	maxConditionText   = 60 // characters of a value
)

// conditionWords says conditions as people write them, "town: Keswick", in place of
// "t2.town is 'Keswick'". The certificate has them as they are in the SQL.
type conditionWords struct {
	say   func(key string, args map[string]string) string
	label func(column string) string
	known *catalogrpc.Excerpt
	lang  lang.Language
}

func (s *Service) conditionWords(known *catalogrpc.Excerpt, l lang.Language) conditionWords {
	return conditionWords{
		say:   func(key string, args map[string]string) string { return s.analyst.Sentence(l, key, args) },
		label: s.analyst.Readable, known: known, lang: l,
	}
}

// of says a condition. One that is not of a column and constants is told as lineage does.
func (w conditionWords) of(f lineage.Filter) string {
	if len(f.Columns) <= 1 {
		var c catalog.Column // of count(*): none
		for _, o := range f.Columns {
			c.Name = o.Column
			if t, ok := w.known.Lookup(o.Table); ok {
				if stored, ok := t.Column(c.Name); ok {
					c = stored
				}
			}
		}
		x := expression(f.SQL)
		if _, compares := x.(*tree.Binary); compares || c.Name != "" {
			if text, ok := w.about(x, c); ok {
				return text
			}
		}
	}
	return w.lang.Pick(f.Text, f.Chinese)
}

// expression is a condition as a tree; nil where it cannot be read by itself.
func expression(condition string) tree.Expr {
	stmt, err := parser.Parse("SELECT 1 FROM t WHERE " + condition)
	if err != nil || stmt.Query == nil {
		return nil
	}
	sel, ok := stmt.Query.Body.(*tree.Select)
	if !ok {
		return nil
	}
	x := sel.Where
	for {
		p, ok := x.(*tree.Paren)
		if !ok {
			return x
		}
		x = p.X
	}
}

// about says a condition on one column; false where it is none of those that have words.
func (w conditionWords) about(x tree.Expr, c catalog.Column) (string, bool) {
	name := map[string]string{"column": w.label(c.Name)}
	switch x := x.(type) {
	case *tree.ColumnRef:
		return w.filled("cond_is", name, "value", w.truth(true))
	case *tree.Not:
		return w.denied(certain(x.X), name, c)
	case *tree.Call:
		if inner := certain(x); inner != tree.Expr(x) {
			return w.about(inner, c)
		}
	case *tree.IsNull:
		if isColumn(x.X) {
			return w.say(pick(x.Not, "cond_there", "cond_missing"), name), true
		}
	case *tree.Binary:
		if call, ok := x.Left.(*tree.Call); ok && !isColumn(x.Left) {
			if name["column"], c, ok = w.figure(call, c); !ok {
				return "", false
			}
		} else if !isColumn(x.Left) {
			return "", false
		}
		key, ok := comparison(x.Op, semantic.IsTime(c.Type))
		if !ok {
			return "", false
		}
		return w.values(key, name, c, "value", w.said(x.Left, x.Right)...)
	case *tree.InList:
		if call, ok := x.X.(*tree.Call); ok && isStep(call) {
			name["column"], c, _ = w.figure(call, c)
		} else if !isColumn(x.X) {
			return "", false
		}
		return w.values(pick(x.Not, "cond_not", "cond_is"), name, c, "value", w.said(x.X, x.List...)...)
	case *tree.Between:
		if !isColumn(x.X) {
			return "", false
		}
		low, ok := w.value(x.Low, c)
		high, also := w.value(x.High, c)
		name["low"], name["high"] = low, high
		return w.say(pick(x.Not, "cond_outside", "cond_between"), name), ok && also
	case *tree.Like:
		return w.like(x, name)
	}
	return "", false
}

// figure is what people call an aggregate of a column, or the number of rows, and the
// column that its values are like; false where it is none.
func (w conditionWords) figure(x *tree.Call, c catalog.Column) (string, catalog.Column, bool) {
	if x.Over != nil || x.Filter != nil || len(x.OrderBy) > 0 {
		return "", c, false
	}
	key := x.Name.Key()
	if key == "count" && (x.Star || len(x.Args) == 0) {
		return w.say("figure_rows", nil), catalog.Column{}, true
	}
	if isStep(x) {
		key := map[string]string{"date_format": "step_weekday", "hour": "step_hour", "date_diff": "step_years"}[key]
		return w.say(key, map[string]string{"column": w.label(c.Name)}), catalog.Column{}, true
	}
	if len(x.Args) != 1 || !isColumn(x.Args[0]) {
		return "", c, false
	}
	switch {
	case key == "count" && x.Quantifier == tree.QuantifierDistinct:
		key, c = "count_distinct", catalog.Column{Name: c.Name}
	case x.Quantifier == tree.QuantifierDistinct:
		return "", c, false
	case key == "count":
		c = catalog.Column{Name: c.Name}
	case !slices.Contains([]string{"sum", "avg", "min", "max"}, key):
		return "", c, false
	}
	return w.say("figure_"+key, map[string]string{"column": w.label(c.Name)}), c, true
}

// isStep reports a day of the week by its name, an hour of the day, or the years until today, of a
// column.
func isStep(x *tree.Call) bool {
	text := func(i int, want string) bool {
		s, ok := x.Args[i].(*tree.String)
		return ok && s.Value == want
	}
	switch x.Name.Key() {
	case "date_format":
		return len(x.Args) == 2 && isColumn(bare(x.Args[0])) && text(1, "%W")
	case "hour":
		return len(x.Args) == 1 && isColumn(bare(x.Args[0]))
	case "date_diff":
		if len(x.Args) != 3 || !isColumn(bare(x.Args[1])) || !text(0, "year") {
			return false
		}
		today, ok := x.Args[2].(*tree.Special)
		return ok && strings.EqualFold(today.Name, "current_date")
	}
	return false
}

// said are the constants that something is compared with; days of the week by their names in the
// person's language.
func (w conditionWords) said(of tree.Expr, list ...tree.Expr) []tree.Expr {
	call, ok := of.(*tree.Call)
	if !ok || call.Name.Key() != "date_format" {
		return list
	}
	out := make([]tree.Expr, len(list))
	for i, x := range list {
		out[i] = x
		if s, ok := x.(*tree.String); ok {
			out[i] = tree.Str(w.say("weekday_"+strings.ToLower(s.Value), nil))
		}
	}
	return out
}

// denied says that a condition on one column does not hold.
func (w conditionWords) denied(x tree.Expr, name map[string]string, c catalog.Column) (string, bool) {
	switch x := x.(type) {
	case *tree.ColumnRef:
		return w.filled("cond_is", name, "value", w.truth(false))
	case *tree.Binary:
		if key, ok := map[string]string{tree.OpEq: "cond_not", tree.OpNe: "cond_is"}[x.Op]; ok && isColumn(x.Left) {
			return w.values(key, name, c, "value", x.Right)
		}
	case *tree.InList:
		if isColumn(x.X) {
			return w.values(pick(x.Not, "cond_is", "cond_not"), name, c, "value", x.List...)
		}
	}
	return "", false
}

// certain is the condition of coalesce(condition, FALSE), which holds in the same rows;
// other expressions as they are, without parentheses around them.
func certain(x tree.Expr) tree.Expr {
	switch x := x.(type) {
	case *tree.Paren:
		return certain(x.X)
	case *tree.Call:
		if len(x.Args) == 2 && x.Name.Key() == "coalesce" && x.Over == nil {
			if b, ok := x.Args[1].(*tree.Bool); ok && !b.Value {
				return certain(x.Args[0])
			}
		}
	}
	return x
}

func pick(second bool, yes, no string) string {
	if second {
		return yes
	}
	return no
}

// isColumn reports a column, also one whose letters are made alike for a comparison.
func isColumn(x tree.Expr) bool {
	if call, ok := x.(*tree.Call); ok && len(call.Args) == 1 && call.Over == nil {
		switch call.Name.Key() {
		case "lower", "upper", "trim":
			x = call.Args[0]
		}
	}
	_, ok := x.(*tree.ColumnRef)
	return ok
}

// comparison is the sentence of a comparison. Points of time come before one another.
func comparison(operator string, times bool) (key string, ok bool) {
	key, ok = map[string]string{
		tree.OpEq: "cond_is", tree.OpNe: "cond_not", tree.OpGt: "cond_more", tree.OpGe: "cond_least", tree.OpLt: "cond_less", tree.OpLe: "cond_most",
	}[operator]
	if times && ok && operator != tree.OpEq && operator != tree.OpNe {
		key += "_time"
	}
	return key, ok
}

// values fills a sentence with constants; false where one of them is none.
func (w conditionWords) values(key string, args map[string]string, c catalog.Column, slot string, list ...tree.Expr) (string, bool) {
	var out []string
	for i, x := range list {
		text, ok := w.value(x, c)
		if !ok {
			return "", false
		}
		if i < maxConditionValues {
			out = append(out, text)
		}
	}
	if more := len(list) - len(out); more > 0 {
		out = append(out, w.say("and_more", map[string]string{"n": result.Int(int64(more)).String()}))
	}
	return w.filled(key, args, slot, strings.Join(out, w.lang.Pick(", ", "、")))
}

func (w conditionWords) filled(key string, args map[string]string, slot, value string) (string, bool) {
	args[slot] = value
	return w.say(key, args), true
}

func (w conditionWords) truth(yes bool) string { return w.say(pick(yes, "yes", "no"), nil) }

// value writes a constant that a column is compared with; false where it is none.
func (w conditionWords) value(x tree.Expr, c catalog.Column) (string, bool) {
	switch x := x.(type) {
	case *tree.String:
		if semantic.IsTime(c.Type) {
			return w.moment(x.Value)
		}
		text := prose.Safe(prose.Line(lang.Shorten(lang.OneLine(x.Value), maxConditionText)))
		if text == "" {
			text = w.say("blank", nil)
		}
		return text, true
	case *tree.Typed:
		return w.moment(x.Value)
	case *tree.Bool:
		return w.truth(x.Value), true
	case *tree.Number:
		return w.number(x.Text, c)
	case *tree.Unary:
		if n, ok := x.X.(*tree.Number); ok && x.Op == "-" {
			return w.number("-"+n.Text, c)
		}
	}
	return "", false
}

func (w conditionWords) moment(text string) (string, bool) {
	at, grain, ok := result.ParseMoment(text, time.UTC)
	if !ok {
		return "", false
	}
	return result.FormatMoment(at, grain, w.lang), true
}

// number writes a number as it stands in the statement, since it may be a year or a number
// of something, with the unit of its column.
func (w conditionWords) number(text string, c catalog.Column) (string, bool) {
	switch {
	case c.Unit == "":
		return text, true
	case c.Unit == written.Percent: // stored as parts of 1
		n, err := strconv.ParseFloat(text, 64)
		return result.Percent(n), err == nil
	}
	return text + " " + c.Unit, true
}

// like says a pattern that is a text with anything before or behind it.
func (w conditionWords) like(x *tree.Like, args map[string]string) (string, bool) {
	pattern, ok := x.Pattern.(*tree.String)
	if !ok || x.Escape != nil || !isColumn(x.X) {
		return "", false
	}
	text, before := strings.CutPrefix(pattern.Value, "%")
	text, behind := strings.CutSuffix(text, "%")
	if text == "" || strings.ContainsAny(text, "%_") {
		return "", false
	}
	key := map[[2]bool]string{{true, true}: "contains", {false, true}: "begins", {true, false}: "ends", {false, false}: "is"}[[2]bool{before, behind}]
	if x.Not {
		if key != "contains" && key != "is" {
			return "", false
		}
		key = map[string]string{"contains": "lacks", "is": "not"}[key]
	}
	value, _ := w.value(&tree.String{Value: text}, catalog.Column{})
	return w.filled("cond_"+key, args, "value", value)
}
