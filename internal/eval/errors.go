package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// Mistakes is suite errors: the mistake that the resolver finds in a statement
// beside the one that Trino found, and the mistakes it finds where Trino found
// none.
type Mistakes struct{}

// Name implements Suite.
func (Mistakes) Name() string { return "errors" }

// mistaken is a statement with Trino's error. Line and Column are null where the
// mistake shows only when it runs, or concerns rights.
type mistaken struct {
	SQL       string `json:"sql"`
	ErrorName string `json:"error_name"`
	Message   string `json:"message"`
	Line      *int   `json:"line"`
	Column    *int   `json:"column"`
	NoCatalog bool   `json:"no_catalog"` // sent without a default catalog and schema
}

func (m mistaken) decidable() bool { return m.Line != nil && m.Column != nil }

// mistake is an error with its place, line 0 where there is none.
type mistake struct {
	Class  string `json:"class"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func (m mistake) found() bool { return m.Class != "" }

// Open implements Suite.
func (Mistakes) Open(ctx context.Context, opt Options) (Run, error) {
	folder, err := findFolder(opt.Data, trinoFolder, mistakesFile)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, mistakesFile)
	if opt.Queries != "" {
		path = opt.Queries
	}
	statements, err := readJSONLines[mistaken](path)
	if err != nil {
		return nil, err
	}
	right, err := readJSONLines[answered](filepath.Join(folder, conformanceFile))
	if err != nil {
		return nil, err
	}
	lake, err := openLake(ctx, folder)
	if err != nil {
		return nil, err
	}
	return &mistakesRun{statements: statements, right: right, lake: lake, server: serverCatalog(lake)}, nil
}

type mistakesRun struct {
	statements []mistaken
	right      []answered // Trino answered these
	lake       *lake
	server     *resolve.Tables
}

// serverCatalog is what the server that was asked has beside the lake's tables:
// the same ones in other sizes, and schemas without tables.
func serverCatalog(l *lake) *resolve.Tables {
	tables := l.tables[:len(l.tables):len(l.tables)]
	for _, size := range []string{"sf1", "sf100", "sf300", "sf1000"} {
		for _, t := range l.tables {
			t.Name.Schema = size
			tables = append(tables, t)
		}
	}
	return resolve.NewTables(tables).WithSchemas(
		[2]string{"tpcds", "tiny"}, [2]string{"tpcds", "sf1"}, [2]string{"memory", "default"}, [2]string{"iceberg", "lake"},
		[2]string{"hive", "default"}, [2]string{"system", "runtime"}, [2]string{"system", "metadata"}, [2]string{"system", "jdbc"},
	)
}

// Len implements Run: the decidable and the others.
func (r *mistakesRun) Len() int { return len(r.statements) }

// Answer implements Run. An item's score is 1 where class and position are right.
func (r *mistakesRun) Answer(ctx context.Context, i int) (Item, error) {
	s := r.statements[i]
	want := mistake{Class: s.ErrorName}
	if s.decidable() {
		want.Line, want.Column = *s.Line, *s.Column
	}
	item := Item{
		ID: fmt.Sprintf("errors-%d", i+1), Question: s.SQL, Gold: want, Prediction: mistake{},
		Detail: map[string]any{"decidable": s.decidable()},
	}
	scope := r.lake.scope()
	scope.Catalog = r.server
	if s.NoCatalog {
		scope.DefaultRegion, scope.DefaultSchema = "", ""
	}
	started := time.Now()
	got, err := firstMistake(s.SQL, scope)
	item.Milliseconds = milliseconds(time.Since(started))
	if err != nil {
		return item, err
	}
	item.Prediction = got
	if got == want {
		item.Score = 1
	}
	fixed, err := repair.Run(ctx, s.SQL, repair.Options{Scopes: repair.Fixed(scope), Known: r.lake.tables, Error: s.Message})
	if err != nil {
		return item, err
	}
	item.Detail["text_class"] = repair.ErrorClass(s.Message)
	item.Detail["fixed"] = fixed.Text
	item.Detail[detailExecutes] = fixed.Valid() && fixed.Text != s.SQL
	item.Detail[detailCertain] = fixed.Certain() && fixed.Text != s.SQL
	return item, nil
}

// firstMistake returns the first mistake of a statement, none for a right one.
func firstMistake(text string, scope resolve.Scope) (mistake, error) {
	statement, err := parser.Parse(text)
	if err != nil {
		var syntax *parser.Error
		if !errors.As(err, &syntax) {
			return mistake{}, err
		}
		return mistake{Class: syntax.TrinoName(), Line: syntax.Line, Column: syntax.Column}, nil
	}
	_, found := resolve.Resolve(statement, scope)
	if len(found) == 0 {
		return mistake{}, nil
	}
	return mistake{Class: string(found[0].Code), Line: found[0].Line, Column: found[0].Column}, nil
}

// Metrics implements Run.
func (r *mistakesRun) Metrics(items []Item) (map[string]float64, []string) {
	var decidable, class, position, both int
	counts := newTally()
	named := 0
	repaired := map[string][3]int{} // by class: statements, valid repairs, certain ones
	for _, it := range items {
		want, _ := it.Gold.(mistake)
		named += count(it.Detail["text_class"] == want.Class)
		c := repaired[want.Class]
		repaired[want.Class] = [3]int{c[0] + 1, c[1] + count(is(it, detailExecutes)), c[2] + count(is(it, detailCertain))}
		if is, _ := it.Detail["decidable"].(bool); !is {
			continue
		}
		decidable++
		got, _ := it.Prediction.(mistake)
		sameClass := got.Class == want.Class
		samePlace := got.found() && got.Line == want.Line && got.Column == want.Column
		class += count(sameClass)
		position += count(samePlace)
		both += count(sameClass && samePlace)
		outcome := "wrong"
		if sameClass && samePlace {
			outcome = "class_and_position"
		}
		counts.add(outcome, "."+want.Class)
	}
	alarms, unsupported, notes := r.falseAlarms()
	metrics := map[string]float64{
		"class": share(class, decidable), "position": share(position, decidable), "class_and_position": share(both, decidable),
		"false_alarms": float64(alarms), "not_supported": float64(unsupported), "decidable": float64(decidable),
	}
	metrics["class_from_text"] = share(named, len(items))
	valid, certain := 0, 0
	for class, c := range repaired {
		valid, certain = valid+c[1], certain+c[2]
		metrics["valid_repair."+class], metrics["certain_repair."+class] = share(c[1], c[0]), share(c[2], c[0])
	}
	metrics["certain_of_repaired"] = share(certain, valid)
	for group := range counts.total {
		metrics["class_and_position"+group] = share(counts.count[group]["class_and_position"], counts.total[group])
	}
	return metrics, notes
}

// falseAlarms counts the right statements that are called wrong, and apart from
// them those that are said to be more than the product supports.
func (r *mistakesRun) falseAlarms() (alarms, unsupported int, notes []string) {
	for i := range r.right {
		it, err := answer(context.Background(), alarmRun{r}, i)
		got, _ := it.Prediction.(mistake)
		switch {
		case err == nil && !got.found():
			continue
		case err == nil && got.Class == string(resolve.NotSupported):
			unsupported++
			continue
		}
		alarms++
		notes = append(notes, fmt.Sprintf("false alarm %s at %d:%d: %s", got.Class, got.Line, got.Column, it.Question))
	}
	return alarms, unsupported, notes
}

// alarmRun answers the right statements, so that a crash in one is counted.
type alarmRun struct{ *mistakesRun }

// Answer implements Run.
func (r alarmRun) Answer(_ context.Context, i int) (Item, error) {
	got, err := firstMistake(r.right[i].SQL, r.lake.scope())
	return Item{Question: r.right[i].SQL, Prediction: got}, err
}

// Close implements Run.
func (r *mistakesRun) Close() error { return r.lake.close() }

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
