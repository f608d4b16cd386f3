package pipeline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// asDefined holds an answer over the tables to what the written layer says of its
// figures. Where the question names a metric that has conditions of its own, and the
// SQL computes its formula without them, the figure is not the one that was asked for:
// "total amount of bookings with more than 3 nights" is no sum over cancelled ones
// where the layer's amount leaves them out. Such an answer is refused with the
// conditions.
func (p *Pipeline) asDefined(in Input, res Result) Result {
	if res.Outcome != Answered || in.Schema.written == nil || len(res.Metrics) > 0 {
		return res
	}
	for _, m := range named(in) {
		if !computes(res.Statement, m) {
			continue
		}
		name := in.Language.Pick(m.Names.EN, m.Names.ZH)
		if name == "" {
			name = m.ID
		}
		res.Draft, res.Alternatives = printer.Print(res.Statement), nil
		res = p.abstain(in, res, "no_meaning")
		res.Reason = p.messages.text(in.Language, "has_conditions", name, strings.Join(m.DefaultFilters, " AND "))
		return res
	}
	res.Alternatives = slices.DeleteFunc(res.Alternatives, func(a Alternative) bool {
		stmt, err := parser.Parse(a.SQL)
		return err != nil || slices.ContainsFunc(named(in), func(m *semantic.Metric) bool { return computes(stmt, m) })
	})
	return res
}

// named are the metrics with conditions that a question names. One whose name is only a
// part of another metric's that is named as well is not meant: "gross amount" is not
// amount.
func named(in Input) []*semantic.Metric {
	type found struct {
		metric *semantic.Metric
		name   string
	}
	var all []found
	question := words(in.Question + " " + in.FollowUp)
	for i := range in.Schema.written.Metrics {
		m := &in.Schema.written.Metrics[i]
		longest := ""
		for _, name := range append([]string{m.Names.EN, m.Names.ZH}, m.Synonyms...) {
			if name = words(name); len(name) > len(longest) && strings.Contains(question, name) {
				longest = name
			}
		}
		if longest != "" {
			all = append(all, found{m, longest})
		}
	}
	var out []*semantic.Metric
	for _, f := range all {
		within := slices.ContainsFunc(all, func(o found) bool { return o.name != f.name && strings.Contains(o.name, f.name) })
		if !within && len(f.metric.DefaultFilters) > 0 && !f.metric.Composed() {
			out = append(out, f.metric)
		}
	}
	return out
}

// words is a text with a space around each of its words, so that a name is found as
// whole words; Chinese characters stand each by themselves.
func words(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, r := range semantic.Fold(text) {
		switch {
		case unicode.Is(unicode.Han, r):
			b.WriteString(string(r) + " ")
		case unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			b.WriteByte(' ')
		}
	}
	if fields := strings.Fields(b.String()); len(fields) > 0 {
		return " " + strings.Join(fields, " ") + " "
	}
	return ""
}

// computes reports that a statement reads a metric's table and has the metric's formula,
// but not all of its conditions.
func computes(stmt *tree.Statement, m *semantic.Metric) bool {
	formula, err := semantic.ParseExpr(m.Expr)
	if err != nil {
		return false
	}
	missing := make(map[string]bool, len(m.DefaultFilters))
	for _, text := range m.DefaultFilters {
		if x, err := semantic.ParseExpr(text); err == nil {
			missing[unqualified(x)] = true
		}
	}
	wanted, reads, has := unqualified(formula), false, false
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Table:
			full, name := "."+strings.ToLower(n.Name.String()), "."+strings.ToLower(m.Table)
			reads = reads || strings.HasSuffix(full, name) || strings.HasSuffix(name, full)
		case tree.Expr:
			text := unqualified(n)
			has = has || text == wanted
			delete(missing, text)
		}
		return true
	})
	return reads && has && len(missing) > 0
}

// unqualified is an expression as text without case, layout and the tables before its
// columns.
func unqualified(x tree.Expr) string {
	plain, err := tree.Rewrite(x, func(n tree.Node) tree.Node {
		if c, ok := n.(*tree.ColumnRef); ok && len(c.Parts) > 1 {
			last := *c
			last.Parts = c.Parts[len(c.Parts)-1:]
			return &last
		}
		return n
	})
	if err != nil {
		return ""
	}
	return strings.ToLower(printer.Print(plain))
}
