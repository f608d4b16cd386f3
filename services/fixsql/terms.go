package fixsql

import (
	"context"
	"slices"
	"strings"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// maxTermTables bounds the tables whose terms one statement asks for, as in the contract.
const maxTermTables = 200

// terms are what the semantic layer defines over tables, as far as the asker may know it;
// none where text2sql is not there or does not answer in time: a repair without it is one
// by the catalog alone.
func (s *Service) terms(ctx context.Context, desk *desk, names []catalog.Name) ([]*text2sqlv1.LayerTerm, error) {
	if s.deps.Text2SQL == nil || len(names) == 0 {
		return nil, nil
	}
	req := &text2sqlv1.DescribeTermsRequest{Source: desk.source}
	for _, n := range names[:min(len(names), maxTermTables)] {
		req.Tables = append(req.Tables, n.String())
	}
	asked, step := run.Start(ctx, "fixsql.terms")
	asked, cancel := context.WithTimeout(asked, s.config.TermsTimeout)
	defer cancel()
	res, err := s.deps.Text2SQL.DescribeTerms(asked, req)
	step.End(err)
	return res.GetTerms(), ctx.Err()
}

// repairTerms are the terms as a repair takes them.
func (s *Service) repairTerms(desk *desk) func(context.Context, []catalog.Table) ([]repair.Term, error) {
	return func(ctx context.Context, tables []catalog.Table) ([]repair.Term, error) {
		var names []catalog.Name
		for _, t := range tables {
			names = append(names, t.Name)
		}
		found, err := s.terms(ctx, desk, names)
		var out []repair.Term
		for _, t := range found {
			of := slices.IndexFunc(names, func(n catalog.Name) bool { return n.String() == t.GetTable() })
			if of < 0 {
				continue
			}
			called := slices.DeleteFunc(append([]string{t.GetId(), t.GetNameEn(), t.GetNameZh()}, t.GetSynonyms()...), func(n string) bool { return n == "" })
			out = append(out, repair.Term{Names: called, Table: names[of], Expr: t.GetExpr(), Metric: t.GetMetric()})
		}
		return out, err
	}
}

// lacking tells of metrics whose table and aggregate a statement uses without the
// conditions that the layer always puts to them. It only tells: the writer may know better.
func (s *Service) lacking(ctx context.Context, desk *desk, stmt *tree.Statement, r reader) ([]Diagnostic, error) {
	if !aggregates(stmt) {
		return nil, nil
	}
	terms, err := s.terms(ctx, desk, r.resolution.Tables())
	if err != nil {
		return nil, err
	}
	var metrics []metric
	for _, t := range terms {
		if t.GetMetric() {
			if m, ok := readMetric(t); ok {
				metrics = append(metrics, m)
			}
		}
	}
	var out []Diagnostic
	tree.Walk(stmt, func(n tree.Node) bool {
		if sel, ok := n.(*tree.Select); ok {
			out = append(out, r.lackingIn(sel, metrics)...)
		}
		return true
	})
	return out, nil
}

func aggregates(stmt *tree.Statement) (found bool) {
	tree.Walk(stmt, func(n tree.Node) bool {
		if c, ok := n.(*tree.Call); ok {
			found = found || resolve.Aggregates(c)
		}
		return !found
	})
	return found
}

// metric is an aggregate over a table, with the conditions that always apply to it.
type metric struct {
	names   []string // in English, in Chinese, its id
	called  []string // what a column of it may be called, as plainName has it
	table   string
	expr    string // as repair.Plain has it
	filters []tree.Expr
}

func readMetric(t *text2sqlv1.LayerTerm) (metric, bool) {
	m := metric{names: []string{t.GetNameEn(), t.GetNameZh(), t.GetId()}, table: t.GetTable()}
	base, _, _ := strings.Cut(t.GetId(), "__") // behind it stands which of its tables is meant
	for _, name := range slices.Concat(m.names, []string{base}, t.GetSynonyms()) {
		if name != "" {
			m.called = append(m.called, plainName(name))
		}
	}
	x, ok := readExpr(t.GetExpr())
	if !ok {
		return m, false
	}
	m.expr = repair.Plain(x)
	for _, text := range t.GetDefaultFilters() {
		x, ok := readExpr(text)
		if !ok {
			return m, false
		}
		m.filters = append(m.filters, tree.Conjuncts(x)...)
	}
	return m, true
}

func readExpr(text string) (tree.Expr, bool) {
	stmt, err := parser.Parse("SELECT " + text)
	if err != nil || stmt.Query == nil {
		return nil, false
	}
	sel, ok := stmt.Query.Body.(*tree.Select)
	if !ok || len(sel.Items) != 1 {
		return nil, false
	}
	item, ok := sel.Items[0].(*tree.SelectExpr)
	if !ok {
		return nil, false
	}
	return item.Expr, true
}

// plainName is a name of a metric without what tells a column's name from words.
func plainName(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(c rune) bool { return c == '_' || c == ' ' || c == '-' }), " "))
}

// lackingIn looks at the aggregates of one SELECT. Of several metrics with one formula the
// statement may mean any, unless it calls the column by the name of one: nothing is told
// where it is right for one of those.
func (r reader) lackingIn(sel *tree.Select, metrics []metric) []Diagnostic {
	var out []Diagnostic
	told := map[string]bool{}
	conditions := tree.Conjuncts(sel.Where)
	for _, from := range sel.From {
		conditions = append(conditions, joinConditions(from)...)
	}
	for _, item := range sel.Items {
		x, ok := item.(*tree.SelectExpr)
		if !ok {
			continue
		}
		tree.Walk(x.Expr, func(n tree.Node) bool {
			call, ok := n.(*tree.Call)
			if _, query := n.(*tree.Query); query || !ok {
				return !query
			}
			own := append(slices.Clone(conditions), tree.Conjuncts(call.Filter)...)
			if m, filter := r.lackingOf(call, own, sel, meant(x, call, metrics)); filter != nil && !told[m.expr] {
				told[m.expr] = true
				line, column := call.Span().Position()
				name := r.language.Pick(firstSet(m.names[0], m.names[2]), firstSet(m.names[1], m.names[0], m.names[2]))
				out = append(out, Diagnostic{Code: "MISSING_METRIC_FILTER", Line: line, Column: column, Message: r.say("MISSING_METRIC_FILTER", map[string]string{
					"text": code(call.Span().Text()), "metric": name, "filter": code(filter.Span().Text()),
				})})
			}
			return true
		})
	}
	return out
}

// meant are the metrics that a column may be: those that it is called by, where it is nothing
// but the call and has the name of one.
func meant(x *tree.SelectExpr, call *tree.Call, metrics []metric) []metric {
	if x.Alias == nil || x.Expr != tree.Expr(call) {
		return metrics
	}
	name := plainName(x.Alias.Name)
	named := slices.DeleteFunc(slices.Clone(metrics), func(m metric) bool { return !slices.Contains(m.called, name) })
	if len(named) == 0 {
		return metrics
	}
	return named
}

func firstSet(names ...string) string {
	i := slices.IndexFunc(names, func(n string) bool { return n != "" })
	if i < 0 {
		return ""
	}
	return names[i]
}

func joinConditions(from tree.Relation) []tree.Expr {
	var out []tree.Expr
	for {
		j, ok := from.(*tree.Join)
		if !ok {
			return out
		}
		out = append(out, tree.Conjuncts(j.On)...)
		from = j.Left
	}
}

// lackingOf returns the first metric that a call computes and the condition that it lacks;
// nil where it is right for one.
func (r reader) lackingOf(call *tree.Call, conditions []tree.Expr, sel *tree.Select, metrics []metric) (metric, tree.Expr) {
	bare := *call
	bare.Filter = nil
	table, ok := r.tableOf(&bare, sel)
	if !ok {
		return metric{}, nil
	}
	text := repair.Plain(&bare)
	var first metric
	var lacks tree.Expr
	for _, m := range metrics {
		if m.table != table || m.expr != text {
			continue
		}
		i := slices.IndexFunc(m.filters, func(f tree.Expr) bool { return !speaksOf(conditions, f) })
		if i < 0 {
			return metric{}, nil
		}
		if lacks == nil {
			first, lacks = m, m.filters[i]
		}
	}
	return first, lacks
}

// speaksOf reports whether a statement has a condition, or another one over its columns:
// then the writer has chosen.
func speaksOf(conditions []tree.Expr, filter tree.Expr) bool {
	want := columnNames(filter)
	return slices.ContainsFunc(conditions, func(c tree.Expr) bool {
		if repair.Plain(c) == repair.Plain(filter) {
			return true
		}
		have := columnNames(c)
		return len(want) > 0 && !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
	})
}

func columnNames(x tree.Expr) []string {
	var names []string
	tree.Walk(x, func(n tree.Node) bool {
		if c, ok := n.(*tree.ColumnRef); ok {
			names = append(names, strings.ToLower(c.Parts[len(c.Parts)-1].Name))
		}
		return true
	})
	return names
}

// tableOf is the stored table that the columns of a call are of; without any, as count(*),
// the only table of the FROM clause.
func (r reader) tableOf(call *tree.Call, sel *tree.Select) (string, bool) {
	var relations []tree.Relation
	for _, arg := range call.Args {
		tree.Walk(arg, func(n tree.Node) bool {
			if ref, ok := n.(*tree.ColumnRef); ok {
				for _, p := range r.resolution.Places(ref) {
					relations = append(relations, p.Relation)
				}
			}
			return true
		})
	}
	if len(relations) == 0 && len(sel.From) == 1 {
		from := sel.From[0]
		if a, ok := from.(*tree.Aliased); ok {
			from = a.Relation
		}
		relations = []tree.Relation{from}
	}
	if len(relations) == 0 || slices.ContainsFunc(relations, func(x tree.Relation) bool { return x != relations[0] }) {
		return "", false
	}
	t, ok := relations[0].(*tree.Table)
	if !ok {
		return "", false
	}
	stored, ok := r.resolution.Stored(t)
	if !ok {
		return "", false
	}
	return stored.Name.String(), true
}
