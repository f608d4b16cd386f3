package fixsql

import (
	"context"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/cost"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Explanation is what a statement does, in words.
type Explanation struct {
	Markdown string
	Tables   []catalog.Name
	Grain    string
	Dangers  []Diagnostic
}

// Explain reads a statement off its tree. One that is not valid is explained as
// far as it can be read, with its first error in front.
func (s *Service) Explain(ctx context.Context, p run.Principal, source, sql string, l lang.Language) (Explanation, error) {
	desk, err := s.desk(ctx, source, nil)
	if err != nil {
		return Explanation{}, err
	}
	wrong, _, err := s.check(ctx, p, desk, sql)
	if err != nil {
		return Explanation{}, err
	}
	stmt, unreadable := parser.Parse(sql)
	if unreadable != nil || stmt.Query == nil {
		return Explanation{Markdown: s.words.say(l, "explain_broken", map[string]string{"first": firstOf(wrong)}), Dangers: wrong}, nil //nolint:nilerr // check has told of it
	}
	scope, err := desk.scope(ctx, stmt)
	if err != nil {
		return Explanation{}, err
	}
	resolution, _ := resolve.Resolve(stmt, scope)
	options := cost.Options{Now: run.From(ctx).Now}
	r := reader{words: s.words, language: l, resolution: resolution, options: options, reads: cost.Reads(resolution, options)}
	x := Explanation{Tables: resolution.Tables(), Grain: r.grain()}
	dangers, err := r.dangers(len(wrong) == 0)
	if err != nil {
		return Explanation{}, err
	}
	if len(wrong) == 0 {
		lacking, err := s.lacking(ctx, desk, stmt, r)
		if err != nil {
			return Explanation{}, err
		}
		dangers = append(dangers, lacking...)
	}
	for _, d := range dangers {
		x.Dangers = append(x.Dangers, s.bounded(d))
	}
	x.Dangers = x.Dangers[:min(len(x.Dangers), s.config.MaxDiagnostics)]
	lines := r.lines(stmt.Query, x)
	if sentence := r.sentence(stmt.Query, x.Tables); sentence != "" {
		lines = append([]string{sentence}, lines...)
	}
	if len(wrong) > 0 {
		lines = append([]string{r.say("explain_broken", map[string]string{"first": firstOf(wrong)})}, lines...)
	}
	x.Markdown = strings.Join(lines, "\n\n")
	return x, nil
}

func firstOf(diagnostics []Diagnostic) string {
	if len(diagnostics) == 0 {
		return ""
	}
	return strings.TrimRight(diagnostics[0].Message, ".。")
}

// reader puts a resolved statement into words.
type reader struct {
	words      words
	language   lang.Language
	resolution *resolve.Resolution
	options    cost.Options
	reads      []cost.Read
}

func (r reader) say(key string, args map[string]string) string {
	return r.words.say(r.language, key, args)
}

func (r reader) lines(q *tree.Query, x Explanation) []string {
	var lines []string
	add := func(key, arg string, items []string) {
		if len(items) > 0 {
			lines = append(lines, r.say(key, map[string]string{arg: list(r.language, items)}))
		}
	}
	var names []string
	for _, t := range x.Tables {
		names = append(names, code(t.String()))
	}
	if len(names) == 0 {
		lines = append(lines, r.say("explain_no_table", nil))
	}
	add("explain_reads", "tables", names)
	facts := r.facts(q)
	add("explain_joins", "joins", facts.joins)
	add("explain_filters", "filters", facts.filters)
	add("explain_groups", "groups", facts.groups)
	add("explain_having", "having", facts.having)
	add("explain_returns", "columns", facts.returns)
	add("explain_sorts", "keys", facts.sorts)
	if facts.limit != "" {
		lines = append(lines, r.say("explain_limit", map[string]string{"n": facts.limit}))
	}
	lines = append(lines, r.say("explain_grain", map[string]string{"grain": x.Grain}))
	lines = r.cost(lines)
	if len(x.Dangers) > 0 {
		bullets := make([]string, len(x.Dangers))
		for i, d := range x.Dangers {
			bullets[i] = "- " + d.Message
		}
		lines = append(lines, r.say("explain_dangers", nil)+"\n"+strings.Join(bullets, "\n"))
	}
	return lines
}

// facts are the clauses of a query, as code.
type facts struct {
	joins, filters, groups, having, returns, sorts []string
	limit                                          string
}

func (r reader) facts(q *tree.Query) facts {
	var f facts
	tree.Walk(q, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Select:
			for _, c := range tree.Conjuncts(n.Where) {
				f.filters = append(f.filters, code(c.Span().Text()))
			}
		case *tree.Join:
			f.joins = append(f.joins, r.join(n))
		}
		return true
	})
	if sel := q.Outermost(); sel != nil {
		for _, g := range sel.Groups() {
			f.groups = append(f.groups, code(g.Span().Text()))
		}
		for _, c := range tree.Conjuncts(sel.Having) {
			f.having = append(f.having, code(c.Span().Text()))
		}
		for _, item := range sel.Items {
			f.returns = append(f.returns, code(item.Span().Text()))
		}
	}
	for _, key := range q.OrderBy {
		text := code(key.Expr.Span().Text())
		if key.Desc {
			text = r.say("descending", map[string]string{"key": text})
		}
		f.sorts = append(f.sorts, text)
	}
	if q.Limit != nil && q.Limit.Count != nil {
		f.limit = q.Limit.Count.Span().Text()
	}
	return f
}

func (r reader) join(j *tree.Join) string {
	args := map[string]string{"kind": strings.ToLower(string(j.Kind)), "right": code(j.Right.Span().Text())}
	switch {
	case j.On != nil:
		args["on"] = code(j.On.Span().Text())
	case len(j.Using) > 0:
		var names []string
		for _, id := range j.Using {
			names = append(names, id.Name)
		}
		args["on"] = code(strings.Join(names, ", "))
	default:
		return r.say("explain_join_free", args)
	}
	return r.say("explain_join", args)
}

// grain says what one row of the result stands for.
func (r reader) grain() string {
	g := lineage.Of(r.resolution).Grain
	coded := func(texts []string) string {
		out := make([]string, len(texts))
		for i, t := range texts {
			out[i] = code(t)
		}
		return list(r.language, out)
	}
	switch g.Kind {
	case lineage.GrainGroup:
		return r.say("grain_group", map[string]string{"groups": coded(g.Keys)})
	case lineage.GrainOne:
		return r.say("grain_one", nil)
	case lineage.GrainDistinct:
		return r.say("grain_distinct", nil)
	case lineage.GrainRow:
		table := code(g.Table.String())
		for _, read := range r.reads {
			if read.Table.Name == g.Table && read.Table.Grain != "" {
				return r.say("grain_table", map[string]string{"grain": read.Table.Grain, "table": table})
			}
		}
		return r.say("grain_rows", map[string]string{"table": table})
	case lineage.GrainMatch:
		names := make([]string, len(g.Tables))
		for i, t := range g.Tables {
			names[i] = t.String()
		}
		return r.say("grain_joined", map[string]string{"tables": coded(names)})
	}
	return r.say("grain_unknown", nil)
}

// cost says what is read, as far as the catalog knows, and of which partitions.
func (r reader) cost(lines []string) []string {
	e := cost.Of(r.resolution, r.options)
	var partitions []string
	for _, scan := range e.Scans {
		for _, p := range scan.Partitions {
			partitions = append(partitions, code(scan.Table.Table+"."+p.Column+" "+p.Domain.String()))
		}
	}
	if len(partitions) > 0 {
		lines = append(lines, r.say("explain_partitions", map[string]string{"partitions": list(r.language, partitions)}))
	}
	if e.Rows > 0 {
		lines = append(lines, r.say("explain_cost", map[string]string{"rows": result.Int(e.Rows).String()}))
	}
	return lines
}

// code marks SQL in Markdown, on one line.
func code(sql string) string {
	return "`" + strings.ReplaceAll(lang.OneLine(sql), "`", "'") + "`"
}
