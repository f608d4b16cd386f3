package eval

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/services/logify/drain"
	"github.com/dibrain/dibrain/services/logify/model"
	"github.com/dibrain/dibrain/services/logify/rules"
)

// LogQL asks the rules of logify for queries, and compares them with those of the
// data over lines of a world of its own (logql_world.go).
type LogQL struct{}

// Name implements Suite.
func (LogQL) Name() string { return "logql" }

const (
	// logWorldRange is how far back queries of the suite may look.
	logWorldRange = 40 * 24 * time.Hour
	logqlFolder   = "logql"
	logqlFile     = "queries.jsonl"
)

type logqlQuestion struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	LogQL    string `json:"logql"`
}

// Open implements Suite.
func (LogQL) Open(_ context.Context, opt Options) (Run, error) {
	path := opt.Queries
	if path == "" {
		folder, err := findFolder(opt.Data, logqlFolder, logqlFile)
		if err != nil {
			return nil, err
		}
		path = filepath.Join(folder, logqlFile)
	}
	questions, err := readJSONLines[logqlQuestion](path)
	if err != nil {
		return nil, err
	}
	g, err := rules.New(rules.Config{})
	if err != nil {
		return nil, err
	}
	var golds []string
	for _, q := range questions {
		golds = append(golds, q.LogQL)
	}
	world, err := newLogWorld(golds)
	if err != nil {
		return nil, err
	}
	r := &logqlRun{questions: questions, generator: g, world: world, known: rules.NewKnown(nil, world.entries, drain.Config{})}
	if opt.Strategy == strategyLLM {
		if r.writer, err = model.New(model.Config{MaxRange: logWorldRange}, opt.Model, g); err != nil {
			return nil, err
		}
	}
	return r, nil
}

type logqlRun struct {
	questions []logqlQuestion
	generator *rules.Generator
	world     *logWorld
	known     *rules.Known
	writer    *model.Writer // nil: the rules write
}

func (r *logqlRun) Len() int { return len(r.questions) }

func (r *logqlRun) Close() error { return nil }

// Detail of an item: 1 and 0 for what holds, absent where the gold cannot be compared.
const (
	logqlParses         = "parses"
	logqlExact          = "exact"
	logqlSelector       = "selector_match"
	logqlSelectorExact  = "selector_exact"
	logqlStructure      = "structure_match"
	logqlStructureExact = "structure_exact"
	logqlExecution      = "execution_match"
	logqlGoldFaulty     = "gold_faulty"
	logqlGoldEmpty      = "gold_empty"
)

func (r *logqlRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.questions[i]
	start := time.Now()
	out := r.generator.Generate(q.Question, logWorldNow(), r.known)
	if r.writer != nil {
		e, err := r.writer.Write(ctx, q.Question, out.Step, logWorldNow(), r.known)
		if _, fallsBack := llm.FallBack(ctx, err); err != nil && !fallsBack {
			return Item{}, err
		}
		if e != nil {
			out = rules.Query{Expr: e}
		}
	}
	item := Item{ID: q.ID, Question: q.Question, Gold: q.LogQL, Milliseconds: float64(time.Since(start).Microseconds()) / 1000, Detail: map[string]any{}}
	gold, goldErr := logql.Parse(q.LogQL)
	if goldErr != nil {
		item.Detail[logqlGoldFaulty] = goldErr.Error()
	}
	if out.Ask != nil {
		item.Prediction = "? " + out.Ask.Text
		item.Detail[logqlParses] = 1.0
		return item, nil
	}
	text := logql.Print(out.Expr)
	item.Prediction = text
	again, err := logql.Parse(text)
	if err == nil {
		if wrong := logql.Check(text, again); len(wrong) > 0 {
			err = wrong[0]
		}
	}
	item.Detail[logqlParses] = one(err == nil)
	if err != nil {
		return item, err
	}
	if goldErr != nil {
		// The selector alone can be compared where the rest of the gold is broken.
		if gold = selectorOf(q.LogQL); gold != nil {
			r.compareSelectors(ctx, &item, again, gold)
		}
		return item, nil
	}
	item.Detail[logqlExact] = one(logql.Print(gold) == text)
	r.compareSelectors(ctx, &item, again, gold)
	item.Detail[logqlStructureExact] = one(structureOf(again, false) == structureOf(gold, false))
	item.Detail[logqlStructure] = one(structureOf(again, true) == structureOf(gold, true))
	item.Detail["structure"] = structureOf(again, true) + " / " + structureOf(gold, true)
	mine, theirs := r.run(ctx, again), r.run(ctx, gold)
	item.Detail[logqlExecution] = one(theirs.ok && mine.same(theirs))
	if theirs.ok && theirs.empty() {
		item.Detail[logqlGoldEmpty] = 1.0
	}
	item.Score, _ = item.Detail[logqlExecution].(float64)
	return item, nil
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// selectorOf parses the first selector of a query that does not parse.
func selectorOf(text string) logql.Expr {
	from := strings.IndexByte(text, '{')
	for end := from; from >= 0 && end < len(text); end++ {
		if text[end] == '}' {
			if e, err := logql.Parse(text[from : end+1]); err == nil {
				return e
			}
		}
	}
	return nil
}

func (r *logqlRun) compareSelectors(ctx context.Context, item *Item, mine, gold logql.Expr) {
	exact := selectorText(mine) == selectorText(gold)
	item.Detail[logqlSelectorExact] = one(exact)
	a, b := r.world.streams(mine), r.world.streams(gold)
	same := exact || slices.Equal(a, b) && len(a) > 0
	if !same {
		// Naming a component that alone has the lines, or leaving it out, picks the
		// same streams in effect: those that give lines.
		a, b = r.contributing(ctx, mine), r.contributing(ctx, gold)
		same = slices.Equal(a, b) && len(a) > 0
	}
	item.Detail[logqlSelector] = one(same)
}

func selectorText(e logql.Expr) string {
	var out []string
	logql.Logs(e, func(l *logql.LogExpr) {
		matchers := slices.Clone(l.Matchers)
		slices.SortFunc(matchers, func(a, b logql.Matcher) int { return strings.Compare(a.Label, b.Label) })
		out = append(out, logql.Print(&logql.LogExpr{Matchers: matchers}))
	})
	return strings.Join(out, " ")
}

// contributing returns the streams of which lines pass the line filters of a query.
func (r *logqlRun) contributing(ctx context.Context, e logql.Expr) []string {
	seen := map[string]bool{}
	logql.Logs(e, func(l *logql.LogExpr) {
		only := &logql.LogExpr{Matchers: l.Matchers}
		for _, s := range l.Stages {
			if _, is := s.(*logql.LineFilter); is {
				only.Stages = append(only.Stages, s)
			}
		}
		out, err := logql.Evaluate(ctx, only, r.world.entries, logql.Window{From: logWorldNow().AddDate(-1, 0, 0), To: logWorldNow()}, logql.Bounds{})
		if err != nil {
			return
		}
		for _, line := range out.Lines {
			seen[streamName(line.Labels)] = true
		}
	})
	return sortedNames(seen)
}

// structureOf writes the skeleton of a query: functions, whether lines are filtered,
// whether labels are extracted, numbers taken, results grouped by what is extracted.
// Loosely, what gives the same result is one: a label that the selector fixes groups
// nothing, sum of a count that is not grouped adds nothing to it, an aggregation of
// the same kind as its range function is a part of it.
func structureOf(e logql.Expr, loose bool) string {
	switch e := e.(type) {
	case *logql.LogExpr:
		return "lines" + stagesOf(e)
	case *logql.RangeAgg:
		return e.Op + stagesOf(e.Log) + groupOf(e.By, e.Log, loose)
	case *logql.VectorAgg:
		inner := structureOf(e.Inner, loose)
		group := groupOf(e.By, firstLog(e), loose)
		if r, is := e.Inner.(*logql.RangeAgg); is && loose && group == "" {
			same := strings.TrimSuffix(r.Op, "_over_time") == e.Op || e.Op == "sum" && (r.Op == "count_over_time" || r.Op == "rate" || r.Op == "bytes_over_time")
			if same {
				return inner
			}
		}
		return e.Op + group + "(" + inner + ")"
	case *logql.Binary:
		return structureOf(e.Left, loose) + " " + e.Op + " " + structureOf(e.Right, loose)
	case *logql.Number:
		return "number"
	}
	return fmt.Sprintf("%T", e)
}

func firstLog(e logql.Expr) *logql.LogExpr {
	var first *logql.LogExpr
	logql.Logs(e, func(l *logql.LogExpr) {
		if first == nil {
			first = l
		}
	})
	return first
}

// groupOf writes a grouping: how many labels it has, without those that the selector
// fixes.
func groupOf(g *logql.Grouping, l *logql.LogExpr, loose bool) string {
	if g == nil {
		return ""
	}
	n := 0
	for _, label := range g.Labels {
		fixed := l != nil && slices.ContainsFunc(l.Matchers, func(m logql.Matcher) bool { return m.Label == label && m.Op == logql.Equal })
		if !loose || !fixed {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("[%d]", n)
}

// stagesOf writes which kinds of stages there are. In a metric, extraction that is
// neither grouped by nor unwrapped still counts as written.
func stagesOf(l *logql.LogExpr) string {
	kinds := map[string]bool{}
	for _, s := range l.Stages {
		switch s := s.(type) {
		case *logql.LineFilter:
			kinds["filter"] = true
		case *logql.Parser:
			kinds["extract"] = true
		case *logql.Unwrap:
			kinds["unwrap"] = true
		case *logql.LabelFilter:
			if c, is := s.Cond.(*logql.Compare); is && c.Kind != logql.TextValue {
				kinds["compare"] = true
			}
		}
	}
	// A regexp that takes a label from the line filters it too.
	if kinds["extract"] {
		delete(kinds, "filter")
	}
	return "{" + strings.Join(sortedNames(kinds), ",") + "}"
}

// ran is what a query gives over the world.
type ran struct {
	out *logql.Output
	ok  bool
}

func (r *logqlRun) run(ctx context.Context, e logql.Expr) ran {
	out, err := logql.Evaluate(ctx, e, r.world.entries, logql.Window{From: logWorldNow().Add(-logWorldRange), To: logWorldNow()}, logql.Bounds{})
	return ran{out, err == nil}
}

func (a ran) empty() bool { return len(a.out.Lines) == 0 && len(a.out.Points) == 0 }

// same compares the numbers of metrics whatever their labels are called, and lines
// by when and where they were written, as formats differ.
func (a ran) same(b ran) bool {
	if !a.ok || !b.ok || a.out.Metric != b.out.Metric || len(a.out.Points) != len(b.out.Points) || len(a.out.Lines) != len(b.out.Lines) {
		return false
	}
	numbers := func(points []logql.Point) []float64 {
		var out []float64
		for _, p := range points {
			out = append(out, p.Value)
		}
		slices.Sort(out)
		return out
	}
	x, y := numbers(a.out.Points), numbers(b.out.Points)
	for i := range x {
		if math.Abs(x[i]-y[i]) > 1e-4*max(math.Abs(x[i]), 1e-9) {
			return false
		}
	}
	times := func(lines []logql.Entry) []string {
		var out []string
		for _, l := range lines {
			out = append(out, l.Time.String()+" "+l.Labels["application"])
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(times(a.out.Lines), times(b.out.Lines))
}

func (r *logqlRun) Metrics(items []Item) (map[string]float64, []string) {
	metrics := map[string]float64{}
	names := []string{logqlParses, logqlExact, logqlSelector, logqlSelectorExact, logqlStructure, logqlStructureExact, logqlExecution}
	faulty, empty, comparable, parsing := 0, 0, 0, 0.0
	for _, item := range items {
		if item.Detail[logqlGoldFaulty] != nil {
			faulty++
		} else {
			parsing += number(item.Detail[logqlSelector])
		}
		if item.Detail[logqlGoldEmpty] != nil {
			empty++
		}
		if item.Detail[logqlGoldFaulty] == nil && item.Detail[logqlGoldEmpty] == nil {
			comparable++
			metrics["execution_comparable"] += number(item.Detail[logqlExecution])
		}
		for _, name := range names {
			metrics[name] += number(item.Detail[name])
		}
	}
	n := float64(max(len(items), 1))
	for _, name := range names {
		metrics[name] /= n
	}
	metrics["selector_of_parsing_golds"] = parsing / max(n-float64(faulty), 1)
	metrics["structure_of_parsing_golds"] = metrics[logqlStructure] * n / max(n-float64(faulty), 1)
	metrics["execution_comparable"] /= max(float64(comparable), 1)
	metrics["gold_faulty"], metrics["gold_empty"] = float64(faulty), float64(empty)
	return metrics, []string{
		fmt.Sprintf("%d golds are not LogQL: their structure and execution count as wrong.", faulty),
		fmt.Sprintf("%d golds give nothing over the lines of the world: execution_comparable leaves them out.", empty),
		"selector_match: the same streams are picked, or the same streams give the lines; selector_exact: the same matchers. structure_match takes what gives the same result for one; structure_exact does not.",
	}
}

func number(v any) float64 {
	f, _ := v.(float64)
	return f
}
