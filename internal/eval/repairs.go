package eval

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	fixllm "github.com/dibrain/dibrain/services/fixsql/llm"
)

// Repairs is suite repair: statements that failed, or gave wrong rows, are repaired by
// rules and run on the embedded engine; their rows are compared with those of the
// repaired statement that the data has.
type Repairs struct{}

// Name implements Suite.
func (Repairs) Name() string { return "repair" }

// Open implements Suite.
func (Repairs) Open(_ context.Context, opt Options) (Run, error) {
	file, ok := repairFile(opt)
	if !ok {
		return nil, fmt.Errorf("%w: %s has no items.jsonl", ErrData, opt.Data)
	}
	items, err := readJSONLines[repairItem](file)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(items, func(a, b repairItem) int { return strings.Compare(a.DB, b.DB) })
	dbs, err := newDatabases(filepath.Join(opt.Data, "..", "..", "text2sql", "spiderman", "databases"))
	r := &repairsRun{items: items, databases: dbs}
	if err == nil && opt.Strategy == strategyLLM {
		r.items = slices.DeleteFunc(items, func(it repairItem) bool { return it.Kind == "wrong_result" }) // nothing is left of them
		r.model, err = fixllm.New(fixllm.Config{}, opt.Model)
	}
	return r, err
}

type repairsRun struct {
	items     []repairItem
	databases *databases
	model     *fixllm.Repairer // nil: rules alone
}

// Len implements Run.
func (r *repairsRun) Len() int { return len(r.items) }

// Close implements Run.
func (r *repairsRun) Close() error { return r.databases.close() }

// What an item of the suites of repairs tells.
const (
	detailKind      = "kind"
	detailExecutes  = "executes"
	detailCertain   = "certain"
	detailChanged   = "changed"
	detailEditRatio = "edit_ratio"
	detailAsked     = "asked" // rules left something wrong, and the model was asked
	detailTaken     = "taken" // what it said was taken
)

// Answer implements Run. An item's score is 1 where the rows are those of the data's
// repaired statement.
func (r *repairsRun) Answer(ctx context.Context, i int) (Item, error) {
	it := r.items[i]
	item := Item{ID: it.ID, Question: it.Broken, Gold: it.Fixed, Detail: map[string]any{detailDB: it.DB, detailKind: it.Kind}}
	db, err := r.databases.open(ctx, it.DB)
	if err != nil {
		return item, err
	}
	began := time.Now()
	options := repair.Options{Scopes: repair.Fixed(db.scope), Known: db.tables, Error: it.Error}
	res, err := repair.Run(ctx, it.Broken, options)
	if err == nil && r.model != nil && !res.Valid() {
		item.Detail[detailAsked] = true
		left := fixllm.Left{Result: res, Question: it.Question, Tables: db.tables}
		var changed bool
		res, _, changed, err = r.model.Repair(ctx, left, options)
		item.Detail[detailTaken] = changed
		if _, fallsBack := llm.FallBack(ctx, err); fallsBack {
			item.Detail["refused"], err = err.Error(), nil
		}
	}
	item.Milliseconds = milliseconds(time.Since(began))
	if err != nil {
		return item, err
	}
	item.Prediction = res.Text
	item.Detail[detailCertain] = res.Certain()
	item.Detail[detailChanged] = res.Text != it.Broken
	var classes []string
	for _, c := range res.Changes {
		classes = append(classes, c.Class.ID)
	}
	item.Detail["classes"] = strings.Join(classes, " ")
	item.Detail["confidence"] = res.Confidence
	got, err := db.predicted(ctx, res.Text)
	if err != nil {
		return failed(item, classOf(err), err), nil
	}
	item.Detail[detailExecutes] = true
	if it.Fixed == "" {
		return failed(item, "NO_GOLD", fmt.Errorf("the data has no repaired statement")), nil
	}
	want, err := db.gold(ctx, it.Fixed)
	if err != nil {
		return failed(item, "REFERENCE_FAILS", err), nil
	}
	item.Detail[detailReference] = true
	if SameResult(got, want, Comparison{Ordered: orders(it.Fixed), IgnoreCase: db.mysql}) {
		item.Score = 1
		if gold := wordEdits(it.Broken, it.Fixed); gold > 0 {
			item.Detail[detailEditRatio] = float64(wordEdits(it.Broken, res.Text)) / float64(gold)
		}
	}
	return item, nil
}

// wordEdits is the number of words to insert, remove or replace; case and quotes of
// names do not count.
func wordEdits(a, b string) int {
	x, y := wordsOf(a), wordsOf(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}

func wordsOf(text string) []string {
	var out []string
	for _, w := range parser.Words(text) {
		out = append(out, strings.ToLower(strings.Trim(text[w.Start:w.End], `"`)))
	}
	return out
}

// Metrics implements Run: shares by kind. executes is of all items of a kind, repaired
// of those whose reference is there and runs, repaired_of_all of all;
// certain_and_wrong of the certain repairs whose rows could be compared.
func (r *repairsRun) Metrics(items []Item) (map[string]float64, []string) {
	counts := newTally()
	var ratios, times []float64
	certain, wrong := 0, 0
	asked := map[string]int{}
	for _, it := range items {
		kind, _ := it.Detail[detailKind].(string)
		for _, what := range []string{detailExecutes, detailCertain, detailChanged} {
			if is(it, what) {
				counts.add(what, "."+kind)
			}
		}
		counts.add("n", "."+kind)
		if is(it, detailAsked) {
			asked["n"]++
			for name, yes := range map[string]bool{"taken": is(it, detailTaken), "executes": is(it, detailExecutes), "repaired": it.Score == 1, "compared": is(it, detailReference)} {
				asked[name] += count(yes)
			}
		}
		if is(it, detailReference) {
			counts.add("compared", "."+kind)
		}
		if it.Score == 1 {
			counts.add("repaired", "."+kind)
		}
		if kind == "wrong_result" {
			continue
		}
		times = append(times, it.Milliseconds)
		if is(it, detailCertain) && is(it, detailChanged) && is(it, detailReference) {
			certain++
			wrong += count(it.Score == 0)
		}
		if ratio, ok := it.Detail[detailEditRatio].(float64); ok {
			ratios = append(ratios, ratio)
		}
	}
	m := map[string]float64{
		"certain": float64(certain), "certain_and_wrong": share(wrong, certain),
		"edit_ratio.median": median(ratios), "ms.median": median(times), "ms.max": slices.Max(append(times, 0)),
	}
	for name, n := range asked {
		m["model."+name] = float64(n)
	}
	for group, c := range counts.count {
		n := c["n"]
		m["executes"+group] = share(c[detailExecutes], n)
		m["changed"+group] = share(c[detailChanged], n)
		m["repaired"+group] = share(c["repaired"], c["compared"])
		m["repaired_of_all"+group] = share(c["repaired"], n)
	}
	return m, nil
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
