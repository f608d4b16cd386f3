package eval

import (
	"archive/tar"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ulikunitz/xz"
	"google.golang.org/grpc"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	"github.com/dibrain/dibrain/internal/app"
	"github.com/dibrain/dibrain/internal/config"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// Own is the suite of people's questions over their own files, the whole way: each source of the
// folder is ingested as its owner would, its questions are asked of the router, and the rows of the
// answer are compared with rows that were computed by hand. eval/own/README.md says what a folder
// holds and how answers are scored.
type Own struct{}

// Name implements Suite.
func (Own) Name() string { return "own" }

// DefaultData implements suiteWithData.
func (Own) DefaultData() string { return filepath.Join("eval", "own") }

// What came of a question of suite own.
const (
	ownRight      = "right"         // the gold rows are in the answer's
	ownRefusal    = "right_refusal" // no figure for what cannot be answered from the data
	ownWrong      = "wrong"         // other rows, or any for what cannot be answered
	ownRefused    = "refused"       // no rows for what can be answered
	ownAsked      = "asked"         // a question back
	ownSure       = 0.8             // from here on a wrong answer is a confident one
	ownRows       = 10_000          // most rows of an answer that are compared
	ownReadings   = 12              // most readings of a question whose rows are compared
	ownUnpacked   = 1 << 30         // most bytes of what a packed file of a source holds
	ownSourceFile = "source.json"
)

// ownSource is source.json of a source: its name, and the arguments of dibrain that ingest it, in
// which {dir} is the folder of its files.
type ownSource struct {
	Name   string   `json:"name"`
	Ingest []string `json:"ingest"`

	dir string
}

// ownGold are rows that answer a question. Where only names are asked for, Measure is what they
// were chosen by, a number a row.
type ownGold struct {
	Rows    [][]any `json:"rows"`
	Measure []any   `json:"measure"`
}

// ownQuestion is a line of questions.jsonl.
type ownQuestion struct {
	ID         string    `json:"id"`
	Language   string    `json:"lang"`
	Question   string    `json:"question"`
	Answerable bool      `json:"answerable"`
	Gold       ownGold   `json:"gold"`
	Also       []ownGold `json:"gold_alt"`
	Ordered    bool      `json:"order_matters"`
	Percent    []int     `json:"percent_columns"`

	source *ownSource
	talk   *ownTalk // the conversation that it is a turn of; nil: it is asked by itself
}

type ownRun struct {
	served

	questions []ownQuestion
	router    routerv1.RouterServiceClient
	pipeline  *pipeline.Pipeline
	clock     func() time.Time

	current string // source whose tables are open
	schema  *pipeline.Schema
}

// Open implements Suite: it ingests all sources of the folder.
func (Own) Open(ctx context.Context, opt Options) (Run, error) {
	questions, sources, err := readOwn(opt)
	if err != nil {
		return nil, err
	}
	r := &ownRun{questions: questions, clock: opt.Clock}
	if r.clock == nil {
		r.clock = time.Now
	}
	if r.scratch, err = os.MkdirTemp("", "dibrain-eval-"); err != nil {
		return nil, fmt.Errorf("make a temporary data directory: %w", err)
	}
	if err := r.start(ctx, opt, sources); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// readOwn reads the sources of a folder, or the one source that the folder is, in the order of
// their names, their questions, and behind those the turns of their conversations.
func readOwn(opt Options) ([]ownQuestion, []*ownSource, error) {
	files, err := filepath.Glob(filepath.Join(opt.Data, "*", ownSourceFile))
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrData, err)
	}
	if deeper, _ := filepath.Glob(filepath.Join(opt.Data, "*", "*", ownSourceFile)); len(files) == 0 { // a folder of such folders
		files = deeper
	}
	if one := filepath.Join(opt.Data, ownSourceFile); len(files) == 0 {
		files = []string{one}
	}
	slices.Sort(files)
	var questions, turns []ownQuestion
	var sources []*ownSource
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrData, err)
		}
		s := &ownSource{dir: filepath.Dir(file)}
		if err := json.Unmarshal(text, s); err != nil {
			return nil, nil, fmt.Errorf("%w: %s: %w", ErrData, file, err)
		}
		if s.Name == "" || len(s.Ingest) == 0 {
			return nil, nil, fmt.Errorf("%w: %s has to give name and ingest", ErrData, file)
		}
		sources = append(sources, s)
		list, err := readJSONLines[ownQuestion](filepath.Join(s.dir, "questions.jsonl"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		for i := range list {
			list[i].source = s
		}
		talked, err := readTalks(s)
		if err != nil {
			return nil, nil, err
		}
		questions, turns = append(questions, list...), append(turns, talked...)
	}
	questions = append(questions, turns...)
	if opt.Lang != "" {
		questions = slices.DeleteFunc(questions, func(q ownQuestion) bool { return q.Language != opt.Lang })
	}
	if len(questions) == 0 {
		return nil, nil, fmt.Errorf("%w: %s has no question", ErrData, opt.Data)
	}
	return questions, sources, nil
}

func (r *ownRun) start(ctx context.Context, opt Options, sources []*ownSource) error {
	if opt.Ingest == nil {
		return fmt.Errorf("%w: nothing ingests the sources of suite own", ErrData)
	}
	data := filepath.Join(r.scratch, "data")
	for _, s := range sources {
		raw := filepath.Join(r.scratch, "raw", s.Name)
		if err := unpackOwn(filepath.Join(s.dir, "raw"), raw); err != nil {
			return fmt.Errorf("%w: source %s: %w", ErrData, s.Name, err)
		}
		args := slices.Clone(s.Ingest)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "{dir}", raw)
		}
		if err := opt.Ingest(ctx, data, args); err != nil {
			return fmt.Errorf("ingest source %s: %w", s.Name, err)
		}
	}
	cfg, err := config.Load(config.Options{
		Environ: []string{"XDG_CONFIG_HOME=" + r.scratch}, // nobody's own configuration
		Flags:   map[string]any{"data_dir": data, "router.time_zone": "UTC", "log.level": "error"},
	})
	if err != nil {
		return err
	}
	if r.local, err = app.InProcess(ctx, cfg, app.Options{Clock: opt.Clock, Version: opt.Build.Version}); err != nil {
		return err
	}
	r.router = routerv1.NewRouterServiceClient(r.local.Conn())
	r.pipeline, err = pipeline.New(pipeline.Config{})
	return err
}

// unpackOwn copies the files of a source; one that is packed is unpacked beside them.
func unpackOwn(from, to string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	packed, err := filepath.Glob(filepath.Join(to, "*.tar.xz"))
	if err != nil {
		return err
	}
	for _, file := range packed {
		if err := errors.Join(unpackTar(file, to), os.Remove(file)); err != nil {
			return err
		}
	}
	return nil
}

func unpackTar(file, to string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	plain, err := xz.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for t := tar.NewReader(io.LimitReader(plain, ownUnpacked)); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if h.Typeflag != tar.TypeReg || filepath.Base(h.Name) != h.Name {
			continue
		}
		out, err := os.Create(filepath.Join(to, h.Name))
		if err != nil {
			return err
		}
		_, err = io.Copy(out, t) //nolint:gosec // the reader ends after ownUnpacked bytes
		if err = errors.Join(err, out.Close()); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}

// Len implements Run.
func (r *ownRun) Len() int { return len(r.questions) }

// Answer implements Run. The item's detail says what came of the question, and which of the
// readings over its tables have the gold rows: what was read rightly and not answered is told from
// what was not read.
func (r *ownRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.questions[i]
	item := Item{ID: q.ID, Question: q.Question, Gold: q.Gold.Rows, Detail: map[string]any{"source": q.source.Name, "lang": q.Language}}
	session := ""
	if q.talk != nil {
		session, item.Detail["before"] = q.talk.session, q.talk.before
	}
	began := time.Now()
	answer, err := r.router.Ask(ctx, &routerv1.AskRequest{Turn: &routerv1.Turn{
		Question: q.Question, Source: q.source.Name, SessionId: session, PageSize: ownRows, UserContext: &commonv1.UserContext{TimeZone: "UTC"},
	}}, grpc.WaitForReady(true))
	item.Milliseconds = milliseconds(time.Since(began))
	if err != nil {
		return item, fmt.Errorf("ask the router: %w", err)
	}
	came := ownAnswerOf(answer.GetAnswer())
	kind := came.judged(&q)
	item.Prediction, item.Score = came.sql, float64(count(kind == ownRight || kind == ownRefusal))
	item.Detail["kind"], item.Detail["sure"], item.Detail["text"] = kind, round(came.sure), came.text
	if len(came.told) > 0 {
		item.Detail["told"] = came.told
	}
	if came.rows != nil {
		item.Detail["rows"] = came.rows[:min(len(came.rows), 5)]
	}
	if q.talk != nil { // the readings of its words alone say little
		q.talk.remember(answer.GetAnswer().GetSessionId(), kind)
		return item, nil
	}
	item.Detail["readings"], err = r.readings(ctx, &q)
	return item, err
}

// ownAnswer is what the router answered.
type ownAnswer struct {
	text  string
	sql   string
	sure  float64
	rows  [][]any  // nil: none came
	told  []string // what was assumed
	asked bool
}

func ownAnswerOf(a *routerv1.Answer) ownAnswer {
	out := ownAnswer{text: a.GetText(), asked: a.GetAskHuman()}
	for _, call := range a.GetToolCalls() {
		if g := call.GetGenerateSql(); g != nil {
			out.sure = g.GetConfidence()
			if list := g.GetCandidates(); len(list) > 0 {
				out.sql, out.told = list[0].GetSql(), list[0].GetAssumptions()
			}
		}
		ran := call.GetExecute()
		page := ran.GetPage()
		if page == nil {
			continue
		}
		out.sql = cmp.Or(ran.GetExecutedSql(), out.sql)
		if c := ran.GetCertificate(); c != nil {
			out.sure = c.GetConfidence()
		}
		out.rows = make([][]any, 0, len(page.GetRows()))
		for _, row := range page.GetRows() {
			cells := make([]any, 0, len(row.GetValues()))
			for _, v := range row.GetValues() {
				cells = append(cells, v.AsInterface())
			}
			out.rows = append(out.rows, cells)
		}
	}
	return out
}

// judged says what an answer is.
func (a *ownAnswer) judged(q *ownQuestion) string {
	switch {
	case a.rows == nil && a.asked:
		return ownAsked
	case a.rows == nil && q.Answerable:
		return ownRefused
	case a.rows == nil:
		return ownRefusal
	case q.Answerable && q.answeredBy(tableOf(a.rows)):
		return ownRight
	}
	return ownWrong
}

// answeredBy reports whether a result holds the rows of the gold, or of another that is as right.
func (q *ownQuestion) answeredBy(got Table) bool {
	got = withDays(withShares(got))
	scales := []float64{1}
	if len(q.Percent) > 0 {
		scales = []float64{1, 100, 0.01} // what shares may be written as multiples of
	}
	return slices.ContainsFunc(append([]ownGold{q.Gold}, q.Also...), func(g ownGold) bool {
		return slices.ContainsFunc(scales, func(scale float64) bool { return g.in(got, q.Ordered, q.Percent, scale) })
	})
}

// in reports whether a result holds the rows of a gold, whose shares are scaled. The right names by another figure,
// shown last, than the one they were asked by are not right.
func (g *ownGold) in(got Table, ordered bool, percent []int, scale float64) bool {
	want := withDays(tableOf(g.Rows))
	for _, row := range want.Rows {
		for _, j := range percent {
			if f, ok := row[min(j, len(row)-1)].(float64); ok {
				row[min(j, len(row)-1)] = f * scale
			}
		}
	}
	if !HoldsResult(got, want, Comparison{Ordered: ordered}) {
		return false
	}
	if len(g.Measure) == 0 || len(got.Rows) == 0 || got.Columns == want.Columns {
		return true
	}
	measure, last := Table{Columns: 1}, Table{Columns: 1}
	for i, row := range got.Rows {
		figure := row[len(row)-1]
		if cell(figure, Comparison{}).kind != 1 {
			return true
		}
		last.Rows = append(last.Rows, []any{figure})
		measure.Rows = append(measure.Rows, []any{g.Measure[min(i, len(g.Measure)-1)]})
	}
	return HoldsResult(last, measure, Comparison{})
}

// tableOf makes a result of rows, as wide as the narrowest.
func tableOf(rows [][]any) Table {
	t := Table{Rows: rows}
	for i, row := range rows {
		if i == 0 || len(row) < t.Columns {
			t.Columns = len(row)
		}
	}
	return t
}

var percentText = regexp.MustCompile(`^\s*(-?\d+(?:\.\d+)?) ?%\s*$`)

// withShares writes percentages that came as text as parts of 1.
func withShares(t Table) Table {
	rows := make([][]any, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = slices.Clone(row)
		for j, v := range row {
			text, _ := v.(string)
			if m := percentText.FindStringSubmatch(text); m != nil {
				f, _ := strconv.ParseFloat(m[1], 64) // digits only
				rows[i][j] = f / 100
			}
		}
	}
	return Table{Columns: t.Columns, Rows: rows}
}

// ownReading is a reading of a question over its tables.
type ownReading struct {
	SQL    string             `json:"sql,omitempty"`
	Words  string             `json:"words,omitempty"`
	Cost   float64            `json:"cost"`
	Sure   float64            `json:"sure"`
	Right  bool               `json:"right"`
	Unread []string           `json:"unread,omitempty"`
	Unmet  []string           `json:"unmet,omitempty"`
	Signs  map[string]float64 `json:"signs,omitempty"`
}

// readings reads a question over the tables of its source without the rest of the product, and
// compares the rows of each reading with the gold.
func (r *ownRun) readings(ctx context.Context, q *ownQuestion) ([]ownReading, error) {
	if err := r.open(ctx, q.source.Name); err != nil {
		return nil, err
	}
	rooms := r.pipeline.Rooms(pipeline.Input{Question: q.Question, Schema: r.schema, Now: r.clock(), ShowBasis: true})
	list := []ownReading{}
	for _, x := range rooms.Readings[:min(len(rooms.Readings), ownReadings)] {
		one := ownReading{SQL: x.SQL, Words: x.Words, Cost: round(x.Cost), Sure: round(x.Sure), Unread: x.Unread, Unmet: x.Unmet, Signs: x.Signs}
		if x.SQL != "" && q.Answerable {
			if t, err := r.database.predicted(ctx, x.SQL); err == nil {
				one.Right = q.answeredBy(t)
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// open opens the tables of a source, and closes those before.
func (r *ownRun) open(ctx context.Context, name string) error {
	if r.current == name {
		return nil
	}
	if r.database != nil {
		err := r.database.close()
		if r.database, r.current = nil, ""; err != nil {
			return err
		}
	}
	g, err := r.local.Sources().Current(name)
	if err != nil {
		return err
	}
	db, err := openDatabase(ctx, g, guard.New(guard.Config{DefaultLimit: maxRows, MaxLimit: maxRows}))
	if err != nil {
		return err
	}
	r.current, r.database, r.schema = name, db, r.pipeline.Prepare(db.tables, nil)
	return nil
}

// Metrics implements Run: shares of the answerable that are right, wrong, refused and asked back;
// precision of the answered; declined, the share of the unanswerable without a figure; sure_wrong,
// how many wrong answers are confident; and of the answerable how many have the right rows in their
// first reading, and in any. Of the turns of conversations see talkFigures.
func (r *ownRun) Metrics(items []Item) (map[string]float64, []string) {
	m := map[string]float64{}
	groups := map[string][]int{"": nil}
	for i := range items {
		q := &r.questions[i]
		if q.talk != nil {
			continue
		}
		for _, g := range []string{"", ".lang." + q.Language, ".source." + q.source.Name} {
			groups[g] = append(groups[g], i)
		}
	}
	for g, list := range groups {
		r.ownFigures(m, g, list, items)
	}
	r.talkFigures(m, items)
	return m, nil
}

func (r *ownRun) ownFigures(m map[string]float64, group string, list []int, items []Item) {
	kinds, not := map[string]float64{}, map[string]float64{} // of the answerable and of the others
	var first, reading, sure float64
	for _, i := range list {
		kind, _ := items[i].Detail["kind"].(string)
		if confidence, _ := items[i].Detail["sure"].(float64); kind == ownWrong && confidence >= ownSure {
			sure++
		}
		if !r.questions[i].Answerable {
			not[kind]++
			continue
		}
		kinds[kind]++
		readings, _ := items[i].Detail["readings"].([]ownReading)
		if len(readings) > 0 && readings[0].Right {
			first++
		}
		if slices.ContainsFunc(readings, func(x ownReading) bool { return x.Right }) {
			reading++
		}
	}
	sum := func(of map[string]float64) (n float64) {
		for _, v := range of {
			n += v
		}
		return n
	}
	if n := sum(kinds); n > 0 {
		for _, kind := range []string{ownRight, ownWrong, ownRefused, ownAsked} {
			m[kind+group] = kinds[kind] / n
		}
		m["first_reading"+group], m["any_reading"+group] = first/n, reading/n
	}
	if said := kinds[ownRight] + kinds[ownWrong]; said > 0 {
		m["precision"+group] = kinds[ownRight] / said
	}
	if n := sum(not); n > 0 {
		m["declined"+group] = not[ownRefusal] / n
		m["declined_or_asked"+group] = (not[ownRefusal] + not[ownAsked]) / n
	}
	m["sure_wrong"+group] = sure
}
