package study

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// Bounds of cohorts and funnels.
const (
	cohortMonths = 12
	cohortWeeks  = 12
	maxStages    = 20
	minStages    = 2
)

// cohort writes how many of those who came first in a month, or week, came again in each one
// after it.
func (w *work) cohort() (*tree.Query, error) {
	actor, err := w.actor()
	if err != nil {
		return nil, err
	}
	day, ok := w.day()
	if !ok {
		return nil, w.cannot("no_days")
	}
	s := w.said()
	grain, since := "month", w.in.Now.AddDate(0, -cohortMonths, 1-w.in.Now.Day())
	if slices.ContainsFunc([]string{"week", "weekly"}, func(x string) bool { return slices.Contains(s.stems, x) || s.has(x) }) || strings.Contains(s.text, "周") {
		grain, since = "week", w.in.Now.AddDate(0, 0, -7*cohortWeeks-(int(w.in.Now.Weekday())+6)%7)
	}
	w.take("cohort_"+grain, "actor", actor.Name, "day", day.Name)
	begin := tree.CastTo(tree.Fn("date_trunc", tree.Str(grain), tree.Col(day.Name)), "date")
	first := tree.Fn("min", begin)
	first.Over = &tree.Over{Spec: &tree.Window{PartitionBy: []tree.Expr{tree.Col(actor.Name)}}}
	came := &tree.Select{
		Quantifier: tree.QuantifierDistinct,
		Items:      []tree.SelectItem{tree.Item(tree.Col(actor.Name), "actor"), tree.Item(begin, "period"), tree.Item(first, "cohort")},
		From:       w.from(), Where: tree.And(&tree.IsNull{X: tree.Col(actor.Name), Not: true}, &tree.IsNull{X: tree.Col(day.Name), Not: true}),
	}
	after := tree.Fn("date_diff", tree.Str(grain), tree.Col("cohort"), tree.Col("period"))
	counted := &tree.Select{
		Items:   []tree.SelectItem{tree.Item(tree.Col("cohort"), ""), tree.Item(after, "periods_since"), tree.Item(tree.CountStar(), "active")},
		From:    []tree.Relation{derived(tree.QueryOf(came), "came")},
		Where:   tree.And(tree.Op(tree.OpGe, tree.Col("cohort"), tree.Date(since)), tree.Op(tree.OpLe, tree.Col("period"), w.today())),
		GroupBy: tree.GroupOn(tree.Col("cohort"), after),
	}
	size := tree.Fn("max", &tree.Case{Whens: []*tree.When{{Cond: tree.Op(tree.OpEq, tree.Col("periods_since"), tree.Int(0)), Result: tree.Col("active")}}})
	size.Over = &tree.Over{Spec: &tree.Window{PartitionBy: []tree.Expr{tree.Col("cohort")}}}
	sized := &tree.Select{
		Items: append(plain("cohort", "periods_since"), tree.Item(size, "size"), tree.Item(tree.Col("active"), "")),
		From:  []tree.Relation{derived(tree.QueryOf(counted), "counted")},
	}
	q := tree.QueryOf(&tree.Select{
		Items: append(plain("cohort", "periods_since", "size", "active"), tree.Item(share(tree.Col("active"), tree.Col("size")), "retention")),
		From:  []tree.Relation{derived(tree.QueryOf(sized), "sized")},
	})
	q.OrderBy = []*tree.SortItem{tree.By(tree.Col("cohort"), false), tree.By(tree.Col("periods_since"), false)}
	w.label("cohort", "periods_since", "size", "active", "retention")
	return q, nil
}

// funnel writes how many reached each stage and where most are lost: over a column that
// says what happened to somebody, else over the days at which stages were reached.
func (w *work) funnel() (*tree.Query, error) {
	stage, err := w.stage()
	if err != nil {
		return nil, err
	}
	if stage.Name == "" {
		return w.funnelOfDays()
	}
	actor, err := w.actor()
	if err != nil {
		return nil, err
	}
	day, dated := w.day()
	order := w.stagesSaid(stage)
	if !dated && len(order) < minStages {
		return nil, w.cannot("no_order", "column", stage.Name)
	}
	each := &tree.Select{
		Items:   []tree.SelectItem{tree.Item(tree.Col(actor.Name), "actor"), tree.Item(tree.Col(stage.Name), "stage")},
		From:    w.from(),
		Where:   tree.And(&tree.IsNull{X: tree.Col(actor.Name), Not: true}, &tree.IsNull{X: tree.Col(stage.Name), Not: true}),
		GroupBy: tree.GroupOn(tree.Col(actor.Name), tree.Col(stage.Name)),
	}
	place := &tree.Case{Operand: tree.Col("stage")}
	var at tree.Expr = tree.CastTo(place, "double")
	if len(order) >= minStages {
		var list []tree.Expr
		for i, v := range order {
			list = append(list, tree.Str(v))
			place.Whens = append(place.Whens, &tree.When{Cond: tree.Str(v), Result: tree.Int(int64(i + 1))})
		}
		each.Where = tree.And(each.Where, &tree.InList{X: tree.Col(stage.Name), List: list})
		w.take("stages_said", "column", stage.Name, "actor", actor.Name, "stages", strings.Join(order, " > "))
	} else {
		each.Items = append(each.Items, tree.Item(tree.Fn("min", tree.Col(day.Name)), "at"))
		rank := tree.Fn("rank")
		rank.Over = &tree.Over{Spec: &tree.Window{PartitionBy: []tree.Expr{tree.Col("actor")}, OrderBy: []*tree.SortItem{tree.By(tree.Col("at"), false)}}}
		at = tree.CastTo(rank, "double")
		w.take("stages_by_day", "column", stage.Name, "actor", actor.Name, "day", day.Name)
	}
	stagesOfActor := tree.CountStar()
	stagesOfActor.Over = &tree.Over{Spec: &tree.Window{PartitionBy: []tree.Expr{tree.Col("actor")}}}
	placed := &tree.Select{
		Items: []tree.SelectItem{tree.Item(tree.Col("stage"), ""), tree.Item(at, "place"), tree.Item(stagesOfActor, "stages")},
		From:  []tree.Relation{derived(tree.QueryOf(each), "reached_once")},
	}
	several := &tree.Case{Whens: []*tree.When{{Cond: tree.Op(tree.OpGt, tree.Col("stages"), tree.Int(1)), Result: tree.Int(1)}}, Else: tree.Int(0)}
	stages := &tree.Select{
		Items: []tree.SelectItem{
			tree.Item(tree.Col("stage"), ""), tree.Item(tree.CountStar(), "reached"), tree.Item(tree.Fn("avg", tree.Col("place")), "place"),
			tree.Item(tree.Fn("sum", several), "elsewhere"),
		},
		From: []tree.Relation{derived(tree.QueryOf(placed), "placed")}, GroupBy: tree.GroupOn(tree.Col("stage")),
	}
	return w.steps(tree.QueryOf(stages), []string{"elsewhere"}, tree.By(tree.Col("place"), false), tree.By(tree.Col("stage"), false)), nil
}

// steps sets stages beside those before them; more are further columns of the stages.
func (w *work) steps(stages *tree.Query, more []string, order ...*tree.SortItem) *tree.Query {
	over := &tree.Over{Spec: &tree.Window{OrderBy: order}}
	first, before := tree.Fn("first_value", tree.Col("reached")), tree.Fn("lag", tree.Col("reached"))
	first.Over, before.Over = over, over
	w.label(append([]string{"stage", "reached", "share_of_first", "share_of_previous", "lost"}, more...)...)
	items := append(plain("stage", "reached"), tree.Item(share(tree.Col("reached"), first), "share_of_first"),
		tree.Item(share(tree.Col("reached"), before), "share_of_previous"), tree.Item(tree.Op(tree.OpSub, before, tree.Col("reached")), "lost"))
	q := tree.QueryOf(&tree.Select{
		Items: append(items, plain(more...)...),
		From:  []tree.Relation{derived(stages, "stages")},
	})
	q.OrderBy, q.Limit = order, tree.LimitTo(maxStages)
	return q
}

// stage is the column that says what happened: the one that the question names, else the
// only one of few values; a column without a name: there is none.
func (w *work) stage() (catalog.Column, error) {
	s := w.said()
	few := func(c catalog.Column) bool {
		return semantic.IsText(c.Type) && c.Personal == nil && c.Distinct >= minStages && c.Distinct <= maxStages
	}
	for _, fits := range []func(c catalog.Column) bool{
		func(c catalog.Column) bool { return s.has(c.Name) },
		func(c catalog.Column) bool { return s.tells(c.Name) },
		func(c catalog.Column) bool { return len(w.stagesSaid(c)) >= minStages },
		func(catalog.Column) bool { return len(w.moments()) <= minStages },
	} {
		var found []catalog.Column
		for _, c := range w.table.Columns {
			if few(c) && fits(c) {
				found = append(found, c)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return catalog.Column{}, w.cannot("several_stages", "columns", w.names(found))
		}
	}
	return catalog.Column{}, nil
}

// stagesSaid are the stored values of a column that the question names, in its order.
func (w *work) stagesSaid(c catalog.Column) []string {
	s := w.said()
	type place struct {
		value string
		at    int
	}
	var found []place
	for _, v := range c.Samples {
		if v != "" && s.has(v) {
			found = append(found, place{v, strings.LastIndex(s.text, strings.ToLower(v))})
		}
	}
	slices.SortStableFunc(found, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	var out []string
	for _, f := range found {
		out = append(out, f.value)
	}
	return out
}

// moments are the days of a table that are not of persons.
func (w *work) moments() []catalog.Column {
	var out []catalog.Column
	for _, c := range w.table.Columns {
		if isMoment(c) && c.Personal == nil && len(out) < maxStages {
			out = append(out, c)
		}
	}
	return out
}

// funnelOfDays takes each day of a row for a stage that it reached.
func (w *work) funnelOfDays() (*tree.Query, error) {
	days := w.moments()
	if len(days) <= minStages {
		return nil, w.cannot("no_stages")
	}
	w.take("stages_are_days", "columns", w.names(days))
	q := w.perColumn(days, []measure{{"reached", func(c catalog.Column) tree.Expr { return tree.Fn("count", tree.Col(c.Name)) }}})
	stages := tree.QueryOf(&tree.Select{
		Items: []tree.SelectItem{tree.Item(tree.Col("column_name"), "stage"), tree.Item(tree.Col("reached"), ""), tree.Item(tree.Col("place"), "")},
		From:  []tree.Relation{derived(q, "by_column")},
	})
	return w.steps(stages, nil, tree.By(tree.Col("reached"), true), tree.By(tree.Col("place"), false)), nil
}
