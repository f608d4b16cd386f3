package eval

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
	fixllm "github.com/dibrain/dibrain/services/fixsql/llm"
)

// Edits is suite edits: one word of a valid statement is dropped, doubled, swapped with
// its neighbour or misspelt, and the rules repair it. The statements are the gold SQL of
// a folder of suite text2sql, in Presto SQL, or those that a Trino server answered. It
// also holds that no valid statement is changed. Once more each statement gets a mistake
// of the kinds that models make (slips.go), which counts apart as slip. The random source is
// seeded with the statement, so that a run can be made again.
type Edits struct{}

// Name implements Suite.
func (Edits) Name() string { return "edits" }

// Kinds of edits.
var editKinds = []string{"drop", "double", "swap", "keyword", "name"}

// validStatement is a statement with what it reads.
type validStatement struct {
	id, db, text string
	dialect      trino.Dialect
}

type editsRun struct {
	statements []validStatement
	databases  *databases
	lake       *lake
	model      *fixllm.Repairer // nil: rules alone
}

// Open implements Suite.
func (Edits) Open(ctx context.Context, opt Options) (Run, error) {
	r := &editsRun{}
	if opt.Strategy == strategyLLM {
		var err error
		if r.model, err = fixllm.New(fixllm.Config{}, opt.Model); err != nil {
			return nil, err
		}
	}
	if folder, err := findFolder(opt.Data, trinoFolder, conformanceFile); err == nil {
		right, err := readJSONLines[answered](filepath.Join(folder, conformanceFile))
		if err != nil {
			return nil, err
		}
		for i, a := range right {
			r.statements = append(r.statements, validStatement{id: fmt.Sprintf("conformance-%d", i+1), text: a.SQL})
		}
		r.lake, err = openLake(ctx, folder)
		return r, err
	}
	gold, err := Gold{}.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	goldRun := gold.(*goldRun)
	for _, g := range goldRun.items {
		r.statements = append(r.statements, validStatement{id: g.id, db: g.db, text: g.sql, dialect: g.dialect})
	}
	r.databases = goldRun.databases
	return r, nil
}

// Len implements Run.
func (r *editsRun) Len() int { return 2 * len(r.statements) }

// Close implements Run.
func (r *editsRun) Close() error {
	if r.lake != nil {
		return r.lake.close()
	}
	return r.databases.close()
}

// What an item tells.
const (
	detailSound     = "sound"      // the statement itself is
	detailMisrepair = "misrepair"  // and was changed
	detailBroken    = "broken"     // the edit broke it
	detailWrong     = "wrong"      // a certain repair that means something else
	detailAsWritten = "as_written" // valid without translation
)

// Answer implements Run. An item's score is 1 where the repair means what the statement
// meant before the edit.
func (r *editsRun) Answer(ctx context.Context, i int) (Item, error) {
	s, again := r.statements[i/2], i%2 == 1
	item := Item{ID: s.id, Question: s.text, Detail: map[string]any{detailDB: s.db}}
	scope, tables, err := r.scope(ctx, s.db)
	if err != nil {
		return item, err
	}
	options := repair.Options{Scopes: repair.Fixed(scope), Known: tables}
	for _, text := range []string{s.text, r.presto(s, scope)} {
		meaning, ok := meaningOf(text, scope)
		if !ok {
			continue
		}
		same, err := repair.Run(ctx, text, options)
		if err != nil {
			return item, err
		}
		item.Detail[detailSound] = true
		if same.Text != text {
			if again {
				delete(item.Detail, detailSound) // it counted once
				return item, nil
			}
			item.Detail[detailMisrepair] = true
			item.Prediction = same.Text
			return item, nil
		}
		item.Question, item.Gold = text, meaning
	}
	if !is(item, detailSound) {
		return item, nil
	}
	if again {
		item.ID += "-slip"
		return r.slipped(ctx, item, scope, options)
	}
	return r.edited(ctx, item, scope, options)
}

// slipped makes a mistake of a model that breaks the statement and has it repaired. A
// statement in which none can be made has none.
func (r *editsRun) slipped(ctx context.Context, item Item, scope resolve.Scope, options repair.Options) (Item, error) {
	delete(item.Detail, detailSound) // it counted once
	random := seeded(item.ID)
	for _, i := range random.Perm(len(slips)) {
		broken, ok := slip(random, slips[i], item.Question, scope)
		if !ok {
			continue
		}
		if _, valid := meaningOf(broken, scope); !valid {
			item.Detail[detailKind] = slipKind + slips[i].name
			return r.mended(ctx, item, broken, scope, options)
		}
	}
	return item, nil
}

func seeded(id string) *rand.Rand {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(id)) // cannot fail
	return rand.New(rand.NewPCG(seed.Sum64(), 1))
}

// edited makes an edit that breaks the statement and has it repaired.
func (r *editsRun) edited(ctx context.Context, item Item, scope resolve.Scope, options repair.Options) (Item, error) {
	random := seeded(item.ID)
	kind := editKinds[random.IntN(len(editKinds))]
	item.Detail[detailKind] = kind
	text := item.Question
	for range 20 {
		broken := oneEdit(random, kind, text)
		if _, ok := meaningOf(broken, scope); ok || broken == text {
			continue // it is as valid as before, with another meaning
		}
		return r.mended(ctx, item, broken, scope, options)
	}
	return item, nil
}

// mended has a broken statement repaired and says what came of it.
func (r *editsRun) mended(ctx context.Context, item Item, broken string, scope resolve.Scope, options repair.Options) (Item, error) {
	item.Question = broken
	item.Detail[detailBroken] = true
	began := time.Now()
	res, err := repair.Run(ctx, broken, options)
	if err == nil && r.model != nil && !res.Valid() {
		item.Detail[detailAsked] = true
		var changed bool
		res, _, changed, err = r.model.Repair(ctx, fixllm.Left{Result: res, Tables: options.Known}, options)
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
	got, _ := meaningOf(res.Text, scope)
	var classes []string
	for _, c := range res.Changes {
		classes = append(classes, c.Class.ID)
	}
	item.Detail["classes"] = strings.Join(classes, " ")
	if got == item.Gold {
		item.Score = 1
	}
	item.Detail[detailCertain] = res.Certain()
	item.Detail[detailWrong] = res.Certain() && got != item.Gold
	return item, nil
}

func (r *editsRun) scope(ctx context.Context, db string) (resolve.Scope, []catalog.Table, error) {
	if r.lake != nil {
		scope := r.lake.scope()
		scope.Catalog = serverCatalog(r.lake)
		return scope, r.lake.tables, nil
	}
	open, err := r.databases.open(ctx, db)
	if err != nil {
		return resolve.Scope{}, nil, err
	}
	return open.scope, open.tables, nil
}

// presto is the statement in Presto SQL; empty where it has no equivalent.
func (r *editsRun) presto(s validStatement, scope resolve.Scope) string {
	if s.dialect == "" {
		return s.text
	}
	res, err := trino.From(s.dialect, s.text, trino.Options{Scope: scope})
	if err != nil || res.Unread != nil {
		return ""
	}
	return res.Text
}

// meaningOf returns what a valid statement means; false for another one.
func meaningOf(text string, scope resolve.Scope) (string, bool) {
	stmt, err := parser.Parse(text)
	if err != nil || stmt.Query == nil {
		return "", false
	}
	res, wrong := resolve.Resolve(stmt, scope)
	return repair.Meaning(stmt, res), len(wrong) == 0
}

// oneEdit makes one edit of a word.
func oneEdit(random *rand.Rand, kind, text string) string {
	words := parser.Words(text)
	var of []int
	for i, w := range words {
		switch {
		case kind == "keyword" && w.Kind == parser.WordKey && w.End-w.Start > 2,
			kind == "name" && (w.Kind == parser.WordName || w.Kind == parser.WordQuoted) && w.End-w.Start > 3,
			kind == "swap" && i+1 < len(words), kind == "drop", kind == "double":
			of = append(of, i)
		}
	}
	if len(of) == 0 {
		return text
	}
	i := of[random.IntN(len(of))]
	w := words[i]
	word := text[w.Start:w.End]
	switch kind {
	case "drop":
		return text[:w.Start] + text[w.End:]
	case "double":
		return text[:w.End] + " " + word + text[w.End:]
	case "swap":
		next := words[i+1]
		return text[:w.Start] + " " + text[next.Start:next.End] + " " + word + " " + text[next.End:]
	}
	return text[:w.Start] + misspelt(random, word) + text[w.End:]
}

// misspelt drops, doubles, swaps or replaces one letter of a word.
func misspelt(random *rand.Rand, word string) string {
	letters := []rune(word)
	low, high := 0, len(letters)
	if letters[0] == '"' {
		low, high = 1, high-1
	}
	at := low + random.IntN(high-low)
	switch random.IntN(4) {
	case 0:
		letters = slices.Delete(letters, at, at+1)
	case 1:
		letters = slices.Insert(letters, at, letters[at])
	case 2:
		if at+1 < high {
			letters[at], letters[at+1] = letters[at+1], letters[at]
			break
		}
		fallthrough
	default:
		letters[at] = rune('a' + random.IntN(26))
	}
	return string(letters)
}

// Metrics implements Run. equivalent is the share of the broken statements whose repair
// means what was meant, certain_and_wrong that of the certain repairs that mean
// something else, misrepaired counts the valid statements that were changed.
func (r *editsRun) Metrics(items []Item) (map[string]float64, []string) {
	counts := newTally()
	var notes []string
	valid, misrepaired := 0, 0
	asked := map[string]int{}
	var times []float64
	for _, it := range items {
		valid += count(is(it, detailSound))
		if is(it, detailMisrepair) {
			misrepaired++
			notes = append(notes, fmt.Sprintf("changed though valid: %s", it.Question))
		}
		if !is(it, detailBroken) {
			continue
		}
		times = append(times, it.Milliseconds)
		kind, _ := it.Detail[detailKind].(string)
		groups := []string{"." + kind, ""}
		if strings.HasPrefix(kind, slipKind) {
			groups = []string{"." + kind, "." + strings.TrimSuffix(slipKind, ".")}
		}
		for _, g := range groups {
			counts.add("n", g)
		}
		if is(it, detailAsked) {
			asked["n"]++
			asked["taken"] += count(is(it, detailTaken))
			asked["equivalent"] += count(it.Score == 1)
		}
		for name, yes := range map[string]bool{"equivalent": it.Score == 1, "certain": is(it, detailCertain), "wrong": is(it, detailWrong)} {
			if yes {
				for _, g := range groups {
					counts.add(name, g)
				}
			}
		}
	}
	m := map[string]float64{"valid": float64(valid), "misrepaired": float64(misrepaired), "ms.median": median(times), "ms.p99": quantile(times, 0.99)}
	for name, n := range asked {
		m["model."+name] = float64(n)
	}
	for group, c := range counts.count {
		m["broken"+group] = float64(c["n"])
		m["equivalent"+group] = share(c["equivalent"], c["n"])
		m["certain"+group] = share(c["certain"], c["n"])
		m["certain_and_wrong"+group] = share(c["wrong"], c["certain"])
		m["certain_and_wrong_of_all"+group] = share(c["wrong"], c["n"])
	}
	return m, notes
}

func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
