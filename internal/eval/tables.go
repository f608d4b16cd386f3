package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/backend"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/services/findata"
)

// Tables asks the search of the findata service for the tables of a question. It
// gets the question and the corpus, nothing else of a query.
type Tables struct{}

// Name implements Suite.
func (Tables) Name() string { return "tables" }

// tableQuery is a line of a queries file; its other fields are for reports.
type tableQuery struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Gold     []string `json:"gold_tables"`
}

// corpusSource is the name under which the corpus is searched.
const corpusSource = "corpus"

// tablesShown is how many tables are asked for: as many as the metrics look at,
// and more where shards of one family stand for one place.
const (
	tablesShown         = 10
	tablesShownFamilies = 50
)

// Open implements Suite. Data is the folder of a corpus, or the file of one with
// the queries beside it.
func (Tables) Open(ctx context.Context, opt Options) (Run, error) {
	corpusPath, queriesPath, err := tablesFiles(opt)
	if err != nil {
		return nil, err
	}
	corpus, err := readCorpus(ctx, corpusPath)
	if err != nil {
		return nil, err
	}
	queries, err := readJSONLines[tableQuery](queriesPath)
	if err != nil {
		return nil, err
	}
	r := &tablesRun{queries: queries, corpus: corpus, now: time.Now, shown: tablesShown}
	r.config = findata.Config{DefaultSource: corpusSource, Search: opt.Search, RankModel: opt.RankModel}
	if r.config.Search, err = r.config.Search.Complete(); err != nil {
		return nil, fmt.Errorf("findata.search: %w", err)
	}
	if opt.Clock != nil {
		r.now = opt.Clock
	}
	if r.families = corpus.hasFamilies(); r.families {
		r.shown = tablesShownFamilies
	}
	for _, q := range queries {
		if slices.ContainsFunc(q.Gold, func(id string) bool { return !corpus.has(id) }) {
			r.unknownGold++
		}
	}
	if opt.History != "" {
		if err := r.readHistory(ctx, opt.History); err != nil {
			return nil, err
		}
	}
	if err := r.serve(ctx); err != nil {
		_ = r.Close() // the first error is the one that counts
		return nil, err
	}
	return r, nil
}

// tablesFiles finds the corpus and its queries.
func tablesFiles(opt Options) (corpus, queries string, err error) {
	corpus, folder := opt.Data, filepath.Dir(opt.Data)
	if info, err := os.Stat(opt.Data); err != nil || info.IsDir() {
		found, ok := firstFile(opt.Data, "corpus.jsonl", "corpus.jsonl.gz")
		if !ok {
			return "", "", noCorpus(opt.Data)
		}
		corpus, folder = found, opt.Data
	}
	if opt.Queries != "" {
		return corpus, opt.Queries, nil
	}
	name := "queries.jsonl"
	if opt.Lang == "zh" {
		name = "queries_zh.jsonl"
	}
	queries, ok := firstFile(folder, name)
	if !ok {
		return "", "", fmt.Errorf("%w: there is no %s in %s: name a file with --queries", ErrData, name, folder)
	}
	return corpus, queries, nil
}

// noCorpus says which folders below dir hold a corpus.
func noCorpus(dir string) error {
	var there []string
	for _, pattern := range []string{"*", "*/*"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern, "corpus.jsonl*")) // the pattern is well-formed
		for _, f := range found {
			there = append(there, filepath.Dir(f))
		}
	}
	slices.Sort(there)
	if there = slices.Compact(there); len(there) > 0 {
		return fmt.Errorf("%w: %s holds several corpora; give one of %s", ErrData, dir, strings.Join(there, ", "))
	}
	return fmt.Errorf("%w: there is no corpus.jsonl or corpus.jsonl.gz in %s: give its folder as --data", ErrData, dir)
}

// tablesRun is the suite over one corpus.
type tablesRun struct {
	queries     []tableQuery
	corpus      *corpus
	families    bool
	shown       int
	unknownGold int
	used        map[familyKey]bool // by a history; nil: none was read
	notes       []string
	now         func() time.Time
	config      findata.Config

	dir     string // of the source made of the corpus
	service *findata.Service
	search  findatav1.FindDataServiceServer
	scores  []tableScore // by question
}

// registrar takes the server that a service registers, so that it is asked
// without a connection.
type registrar struct {
	findData findatav1.FindDataServiceServer
}

// RegisterService implements grpc.ServiceRegistrar.
func (r *registrar) RegisterService(_ *grpc.ServiceDesc, server any) {
	if s, ok := server.(findatav1.FindDataServiceServer); ok {
		r.findData = s
	}
}

// serve makes a source of the corpus, starts the service over it and has it
// indexed.
func (r *tablesRun) serve(ctx context.Context) (err error) {
	if r.dir, err = os.MkdirTemp("", "dibrain-eval-"); err != nil {
		return fmt.Errorf("make a folder for the corpus: %w", err)
	}
	store, err := source.Open(r.dir)
	if err != nil {
		return fmt.Errorf("open a store for the corpus: %w", err)
	}
	if _, err := store.Make(ctx, corpusSource, func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineNone, DefaultRegion: corpusRegion, DefaultSchema: "main", Version: "1", Origin: "eval"}, r.corpus.snapshot, nil
	}); err != nil {
		return fmt.Errorf("make a source of the corpus: %w", err)
	}
	if r.service, err = findata.New(r.config, findata.Deps{Sources: store, DataDir: r.dir, Clock: r.now}); err != nil {
		return fmt.Errorf("start the search: %w", err)
	}
	var taken registrar
	r.service.Register(&taken)
	r.search = taken.findData
	_, err = r.find(ctx, "index") // the first search waits for the index
	return err
}

// find returns the ids of the tables that are shown for a question, best first.
func (r *tablesRun) find(ctx context.Context, question string) ([]string, error) {
	ctx = run.With(ctx, run.Context{Principal: run.Principal{ID: "eval"}, Now: r.now()})
	found, err := r.search.SearchTables(ctx, &findatav1.SearchTablesRequest{Source: corpusSource, Query: question, PageSize: int32(r.shown)})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if w := found.GetWarnings(); len(w) > 0 {
		// Figures of a search that did without one of its lists are of another search.
		return nil, fmt.Errorf("search: %s", w[0].GetMessage())
	}
	ids := make([]string, 0, len(found.GetTables()))
	for _, t := range found.GetTables() {
		ref := t.GetTable().GetRef()
		ids = append(ids, r.corpus.id(catalog.Name{Region: ref.GetIdcRegion(), Schema: ref.GetSchema(), Table: ref.GetTable()}))
	}
	return ids, nil
}

// Len implements Run.
func (r *tablesRun) Len() int { return len(r.queries) }

// Answer implements Run. An item's score is its ndcg@5.
func (r *tablesRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.queries[i]
	item := Item{ID: q.ID, Question: q.Question, Gold: q.Gold}
	for len(r.scores) <= i { // a question that fails has the zero score
		r.scores = append(r.scores, tableScore{})
	}
	started := time.Now()
	ids, err := r.find(ctx, q.Question)
	item.Milliseconds = milliseconds(time.Since(started))
	if err != nil {
		return item, err
	}
	s := tableScore{own: rank(ids, q.Gold)}
	if r.families {
		s.family = rank(familiesOf(ids), familiesOf(q.Gold))
	}
	r.scores[i] = s
	item.Prediction = ids[:min(len(ids), tablesShown)]
	item.Score = s.own.ndcg5
	item.Detail = map[string]any{"hit@1": s.own.hit1, "recall@10": s.own.recall10}
	return item, nil
}

// Metrics implements Run.
func (r *tablesRun) Metrics(items []Item) (map[string]float64, []string) {
	metrics := make(map[string]float64)
	own := make([]ranking, len(items))
	families := make([]ranking, len(items))
	for i := range items {
		if i < len(r.scores) && items[i].Error == "" {
			own[i], families[i] = r.scores[i].own, r.scores[i].family
		}
	}
	addRankings(metrics, "", own)
	if r.families {
		addRankings(metrics, ".family", families)
	}
	if r.used != nil {
		r.addByHistory(metrics, own)
	}
	notes := append([]string{fmt.Sprintf("%d tables", len(r.corpus.snapshot.Tables))}, r.notes...)
	if search := r.config.Search; search.Lexical != backend.Embedded || search.Embedder != backend.None {
		vectors := "no vectors"
		if search.Embedder != backend.None {
			vectors = fmt.Sprintf("vectors of embedder %s in %s", search.Embedder, search.Vector)
		}
		notes = append(notes, fmt.Sprintf("words in %s, %s", search.Lexical, vectors))
	}
	if r.unknownGold > 0 {
		notes = append(notes, fmt.Sprintf("%d questions want tables that the corpus lacks", r.unknownGold))
	}
	return metrics, notes
}

// addByHistory adds the figures of the questions whose tables have a history, and those
// of the rest.
func (r *tablesRun) addByHistory(metrics map[string]float64, all []ranking) {
	var with, without []ranking
	for i, has := range r.withHistory() {
		switch {
		case i >= len(all): // was not asked
		case has:
			with = append(with, all[i])
		default:
			without = append(without, all[i])
		}
	}
	for suffix, group := range map[string][]ranking{".history": with, ".rest": without} {
		metrics["n"+suffix] = float64(len(group))
		addRankings(metrics, suffix, group)
	}
}

// Close implements Run.
func (r *tablesRun) Close() error {
	var err error
	if r.service != nil {
		err = r.service.Close()
	}
	if r.dir != "" {
		if rm := os.RemoveAll(r.dir); err == nil {
			err = rm
		}
	}
	return err
}

func milliseconds(d time.Duration) float64 { return round(float64(d.Nanoseconds()) / 1e6) }
