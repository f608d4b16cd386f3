package eval

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// Insights gives chat BI's analysis the tables of InsightBench (Sahu et al., "InsightBench:
// Evaluating Business Analytics Agents Through Multi-Step Insight Generation", ICLR 2025)
// as they are, and looks for the values of the set's insights in what it says of them. The
// questions of the set are not asked.
type Insights struct{}

// Name implements Suite.
func (Insights) Name() string { return "insight" }

const (
	insightFolder = "insight/insight_bench"
	insightFiles  = "flag-*.json"
	insightTables = "csvs"
)

// insightFlag is a file of the set.
type insightFlag struct {
	Path     string `json:"dataset_csv_path"`
	Insights []struct {
		Question string          `json:"question"`
		Insight  string          `json:"insight"`
		Value    json.RawMessage `json:"insight_value"`
	} `json:"insight_list"`
}

// insight is one of the set's.
type insight struct {
	id, table, question, text string
	value                     any
}

// Open implements Suite.
func (Insights) Open(_ context.Context, opt Options) (Run, error) {
	var files []string
	for _, folder := range []string{opt.Data, filepath.Join(opt.Data, insightFolder), filepath.Join(opt.Data, filepath.Base(insightFolder))} {
		if opt.Queries != "" {
			files = []string{opt.Queries}
			break
		}
		if files, _ = filepath.Glob(filepath.Join(folder, insightFiles)); len(files) > 0 { // the pattern is a good one
			break
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: there is no %s in %s: give the folder that holds it as --data", ErrData, insightFiles, opt.Data)
	}
	run := &insightsRun{told: map[string]told{}}
	for _, file := range files {
		if err := run.read(file); err != nil {
			return nil, err
		}
	}
	var err error
	if run.analyst, err = analyse.New(analyse.DefaultThresholds()); err != nil {
		return nil, err
	}
	run.db, err = sql.Open("duckdb", "")
	return run, err
}

type insightsRun struct {
	insights []insight
	analyst  *analyse.Analyst
	db       *sql.DB
	told     map[string]told // by table
}

// told is what the analysis says of a table, and the texts that the table holds.
type told struct {
	sentences []string
	names     []string
	rows      int
	taken     time.Duration
}

func (r *insightsRun) read(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrData, err)
	}
	var flag insightFlag
	if err := json.Unmarshal(raw, &flag); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrData, file, err)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	for i, in := range flag.Insights {
		var value any
		if len(in.Value) > 0 {
			if err := json.Unmarshal(in.Value, &value); err != nil {
				return fmt.Errorf("%w: %s: insight %d: %w", ErrData, file, i+1, err)
			}
		}
		r.insights = append(r.insights, insight{
			id: fmt.Sprintf("%s:%d", name, i+1), table: filepath.Join(filepath.Dir(file), insightTables, filepath.Base(flag.Path)),
			question: in.Question, text: in.Insight, value: value,
		})
	}
	return nil
}

// Len implements Run.
func (r *insightsRun) Len() int { return len(r.insights) }

// Close implements Run.
func (r *insightsRun) Close() error { return r.db.Close() }

// Kinds of values of an insight.
const (
	valueNumber    = "number"
	valueName      = "name" // a text that the table holds
	valueDirection = "direction"
	valueNone      = "no difference" // what the insight says is not there
)

// goldValue is a value that an insight has.
type goldValue struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Of is the name that the insight gives a number for; empty: none.
	Of string `json:"of,omitempty"`
	// Found says that one sentence has it, together with what it is of.
	Found bool `json:"found"`
}

// Answer implements Run.
func (r *insightsRun) Answer(ctx context.Context, i int) (Item, error) {
	in := r.insights[i]
	item := Item{ID: in.id, Question: in.question, Gold: in.text}
	said, known := r.told[in.table]
	if !known {
		var err error
		if said, err = r.analyse(ctx, in.table); err != nil {
			return item, err
		}
		r.told[in.table] = said
	}
	item.Milliseconds = milliseconds(said.taken)
	values := valuesOf(in, said.names)
	found := 0
	for i, v := range values {
		values[i].Found = slices.ContainsFunc(said.sentences, v.in)
		found += count(values[i].Found)
	}
	item.Prediction = values
	item.Score = share(found, len(values))
	item.Detail = map[string]any{"said": said.sentences, "rows": said.rows}
	return item, nil
}

func (r *insightsRun) analyse(ctx context.Context, path string) (told, error) {
	if _, err := os.Stat(path); err != nil {
		return told{}, fmt.Errorf("%w: %w", ErrData, err)
	}
	db := &database{raw: r.db}
	table, err := db.rawTable(ctx, "SELECT * FROM read_csv('"+strings.ReplaceAll(path, "'", "''")+"', sample_size = -1)")
	if err != nil {
		return told{}, err
	}
	started := time.Now()
	out := r.analyst.Analyse(analyse.Input{Table: table, Language: lang.English, Now: started, MaxPoints: pageRows})
	said := told{rows: len(table.Rows), taken: time.Since(started), sentences: []string{out.Answer}}
	for _, f := range out.Findings {
		said.sentences = append(said.sentences, f.Text)
	}
	said.names = namesIn(table)
	return said, nil
}

// Bounds of the texts of a table that are looked for in an insight.
const (
	maxNames, shortestName = 500, 3
)

// namesIn are the texts that a table holds several times, the longest first.
func namesIn(t result.Table) []string {
	seen := map[string]int{}
	for i, c := range t.Columns {
		if c.Kind() != result.KindText {
			continue
		}
		for _, v := range t.Column(i) {
			if text, ok := v.(string); ok && len(text) >= shortestName {
				seen[text]++
			}
		}
	}
	var names []string
	for name, n := range seen {
		if n > 1 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(seen[b]-seen[a], strings.Compare(a, b))
	})
	return names[:min(len(names), maxNames)]
}

var (
	numberText = regexp.MustCompile(`-?\d[\d,]*(?:\.\d+)?%?`)
	notNumbers = regexp.MustCompile(`\d+-\d+(?:-\d+)?`) // dates and ranges
	upward     = regexp.MustCompile(`(?i)\b(increas\w*|rising|rise|positive(ly)? correlat\w*|positive correlation|longer warranty)\b`)
	downward   = regexp.MustCompile(`(?i)\b(decreas\w*|falling|declin\w+|negative(ly)? correlat\w*|negative correlation)\b`)
	nowhere    = regexp.MustCompile(`(?i)\b(no (correlation|significant|trend)|uniform(ly)?|consistent)\b`)
)

// valuesOf are the values of an insight: the numbers of what the set gives as its value,
// the names of the table that insight and value have, and which way something goes.
func valuesOf(in insight, names []string) []goldValue {
	var out []goldValue
	add := func(v goldValue) {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	var walk func(key string, v any)
	text := in.text
	walk = func(key string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				walk(k, x)
			}
		case []any:
			for _, x := range v {
				walk(key, x)
			}
		case float64:
			add(goldValue{Kind: valueNumber, Text: strconv.FormatFloat(v, 'f', -1, 64)})
		case string:
			text += "\n" + key + ": " + v
			of := ""
			if slices.Contains(names, key) {
				of = key
			}
			for _, n := range numberText.FindAllString(notNumbers.ReplaceAllString(v, ""), -1) {
				add(goldValue{Kind: valueNumber, Text: n, Of: of})
			}
		}
	}
	walk("", in.value)
	for _, name := range names {
		if hasWord(text, name) {
			add(goldValue{Kind: valueName, Text: name})
		}
	}
	switch {
	case in.value == nil && len(out) == 0: // advice has no value
	case nowhere.MatchString(in.text):
		add(goldValue{Kind: valueNone, Text: nowhere.FindString(in.text)})
	case upward.MatchString(text):
		add(goldValue{Kind: valueDirection, Text: "up"})
	case downward.MatchString(text):
		add(goldValue{Kind: valueDirection, Text: "down"})
	}
	slices.SortFunc(out, func(a, b goldValue) int {
		return cmp.Or(strings.Compare(a.Kind, b.Kind), strings.Compare(a.Of, b.Of), strings.Compare(a.Text, b.Text))
	})
	return out
}

// hasWord reports whether a text has a name as whole words, in whatever case.
func hasWord(text, name string) bool {
	found, err := regexp.MatchString(`(?i)(^|[^\pL\pN])`+regexp.QuoteMeta(name)+`($|[^\pL\pN])`, text)
	return err == nil && found
}

// in reports whether a sentence has the value. What is not there is never told, so it is
// never found.
func (v goldValue) in(sentence string) bool {
	if v.Of != "" && !hasWord(sentence, v.Of) {
		return false
	}
	switch v.Kind {
	case valueName:
		return hasWord(sentence, v.Text)
	case valueDirection:
		up := strings.Contains(sentence, "rise together") || strings.Contains(sentence, "are rising") || strings.Contains(sentence, "is higher the later")
		down := strings.Contains(sentence, ", the lower ") || strings.Contains(sentence, "are falling") || strings.Contains(sentence, "is lower the later")
		return v.Text == "up" && up || v.Text == "down" && down
	case valueNumber:
		return slices.ContainsFunc(numberText.FindAllString(sentence, -1), func(n string) bool { return sameNumber(v.Text, n) })
	}
	return false
}

// sameNumber compares numbers to the last digit of the gold, a percentage with another.
func sameNumber(gold, told string) bool {
	read := func(text string) (float64, bool) {
		f, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSuffix(text, "%"), ",", ""), 64)
		return f, err == nil
	}
	a, ok := read(gold)
	b, also := read(told)
	digits := 0
	if _, after, found := strings.Cut(strings.TrimSuffix(gold, "%"), "."); found {
		digits = len(after)
	}
	return ok && also && strings.HasSuffix(gold, "%") == strings.HasSuffix(told, "%") && math.Abs(a-b) <= 0.51*math.Pow(10, -float64(digits))
}

// Metrics implements Run.
func (r *insightsRun) Metrics(items []Item) (map[string]float64, []string) {
	kinds := map[string]*proportion{valueNumber: {}, valueName: {}, valueDirection: {}, valueNone: {}}
	var all, whole, some proportion
	without := 0
	for _, it := range items {
		values, _ := it.Prediction.([]goldValue) // none where it failed
		if len(values) == 0 {
			without++
			continue
		}
		for _, v := range values {
			all.add(v.Found)
			kinds[v.Kind].add(v.Found)
		}
		whole.add(it.Score == 1)
		some.add(it.Score > 0)
	}
	metrics := map[string]float64{"values_found": all.share(), "all_values": whole.share(), "some_value": some.share(), "n.values": float64(all.n)}
	for kind, p := range kinds {
		metrics["found."+strings.ReplaceAll(kind, " ", "_")], metrics["n."+strings.ReplaceAll(kind, " ", "_")] = p.share(), float64(p.n)
	}
	return metrics, []string{
		fmt.Sprintf("%d insights have no value that can be looked for, such as advice", without),
		"what is said not to be there (\"uniform\", \"no correlation\") counts as missed: the analysis tells no absence",
	}
}
