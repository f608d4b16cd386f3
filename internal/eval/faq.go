package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/docs"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/knowledge"
)

// FAQ asks the service of documents for the thread that answers a question, and the
// same questions of the documents of another product, which have to be declined.
type FAQ struct{}

// Name implements Suite.
func (FAQ) Name() string { return "faq" }

type faqQuestion struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Gold     string `json:"gold"`
}

type faqThread struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Answers  []string `json:"answers"`
}

const (
	faqFolder  = "faq/stackfaq"
	faqDocs    = "docs.jsonl"
	faqQueries = "queries.jsonl"
	// faqDepth is how many threads are looked at.
	faqDepth = 10
	// faqForeign is how many of the questions are asked of another product.
	faqForeign = 100
	faqThreads = "threads"
)

// Open implements Suite.
func (FAQ) Open(ctx context.Context, opt Options) (_ Run, err error) {
	folder, err := findFolder(opt.Data, faqFolder, faqDocs)
	if err != nil {
		return nil, err
	}
	r := &faqRun{clock: time.Now, asker: run.Principal{ID: "eval"}}
	if r.threads, err = readJSONLines[faqThread](filepath.Join(folder, faqDocs)); err != nil {
		return nil, err
	}
	path := opt.Queries
	if path == "" {
		path = filepath.Join(folder, faqQueries)
	}
	if r.questions, err = readJSONLines[faqQuestion](path); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	if r.dir, err = os.MkdirTemp("", "dibrain-faq-"); err != nil {
		return nil, err
	}
	if err := r.open(ctx, folder); err != nil {
		return nil, err
	}
	return r, nil
}

type faqRun struct {
	dir       string
	threads   []faqThread
	questions []faqQuestion
	service   *knowledge.Service
	asker     run.Principal
	words     []baseline
	clock     func() time.Time
	declined  float64 // share of the foreign questions
	foreign   int
}

// open starts the service over the threads and over this project's own documents, and
// asks the latter what they cannot know.
func (r *faqRun) open(ctx context.Context, folder string) error {
	threads := filepath.Join(r.dir, faqThreads)
	if err := os.Mkdir(threads, 0o700); err != nil {
		return err
	}
	raw, err := os.ReadFile(filepath.Join(folder, faqDocs))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(threads, faqDocs), raw, 0o600); err != nil {
		return err
	}
	settings, err := json.Marshal(map[string]any{"collections": []map[string]string{{"name": faqThreads, "path": threads}}})
	if err != nil {
		return err
	}
	file := filepath.Join(r.dir, "collections.yaml") // JSON is YAML
	if err := os.WriteFile(file, settings, 0o600); err != nil {
		return err
	}
	if r.service, err = knowledge.New(knowledge.Config{CollectionsFile: file}, knowledge.Deps{OwnDocs: docs.Files, DataDir: r.dir}); err != nil {
		return err
	}
	for _, b := range []struct {
		name string
		text func(faqThread) string
	}{
		{"bm25", func(t faqThread) string { return t.Question + "\n" + strings.Join(t.Answers, "\n") }},
		{"bm25_questions", func(t faqThread) string { return t.Question }},
	} {
		words, err := newBaseline(ctx, b.name, r.threads, b.text)
		if err != nil {
			return err
		}
		r.words = append(r.words, words)
	}
	declined := 0
	foreign := lowestHashes(r.questions, func(q faqQuestion) string { return q.ID }, faqForeign)
	for _, q := range foreign {
		a, err := r.service.AnswerFAQ(ctx, r.asker, knowledge.FAQ{Question: q.Question, Language: lang.English, Collections: []string{knowledge.OwnDocs}})
		if err != nil {
			return err
		}
		declined += count(!a.Answered)
	}
	r.foreign, r.declined = len(foreign), share(declined, len(foreign))
	return nil
}

// Len implements Run.
func (r *faqRun) Len() int { return len(r.questions) }

// faqFound is what was found for a question.
type faqFound struct {
	Threads    []string `json:"threads"`
	Answered   bool     `json:"answered"`
	Confidence float64  `json:"confidence"`
}

// Answer implements Run. An item's score is 1 where the first thread is the right one.
func (r *faqRun) Answer(ctx context.Context, i int) (Item, error) {
	q := r.questions[i]
	item := Item{ID: q.ID, Question: q.Question, Gold: q.Gold}
	in := knowledge.FAQ{Question: q.Question, Language: lang.Detect(q.Question), Collections: []string{faqThreads}}
	started := r.clock()
	answer, err := r.service.AnswerFAQ(ctx, r.asker, in)
	item.Milliseconds = milliseconds(r.clock().Sub(started))
	if err != nil {
		return item, err
	}
	ranked, err := r.service.Find(ctx, r.asker, in, faqDepth)
	if err != nil {
		return item, err
	}
	got := faqFound{Answered: answer.Answered, Confidence: answer.Confidence}
	for _, f := range ranked {
		got.Threads = append(got.Threads, f.Anchor)
	}
	item.Prediction = got
	item.Score = float64(count(len(got.Threads) > 0 && got.Threads[0] == q.Gold))
	item.Detail = make(map[string]any)
	for _, b := range r.words {
		hit, err := b.first(ctx, q.Question)
		if err != nil {
			return item, err
		}
		item.Detail[b.name] = hit == q.Gold
	}
	return item, nil
}

// Metrics implements Run.
func (r *faqRun) Metrics(items []Item) (map[string]float64, []string) {
	var first, five, declined int
	var reciprocal float64
	base := make(map[string]int)
	for _, it := range items {
		got, _ := it.Prediction.(faqFound)
		gold, _ := it.Gold.(string)
		if at := slices.Index(got.Threads, gold); at >= 0 {
			first += count(at == 0)
			five += count(at < 5)
			reciprocal += 1 / float64(at+1)
		}
		declined += count(!got.Answered)
		for _, b := range r.words {
			base[b.name] += count(it.Detail[b.name] == true)
		}
	}
	n := len(items)
	metrics := map[string]float64{
		"hit@1": share(first, n), "hit@5": share(five, n), "mrr@10": reciprocal / float64(max(n, 1)),
		"declined_answerable": share(declined, n), "declined_foreign": r.declined,
	}
	for name, hits := range base {
		metrics[name+"_hit@1"] = share(hits, n)
	}
	return metrics, []string{fmt.Sprintf("declined_foreign: %d of the questions, asked of this project's own documents", r.foreign)}
}

// Close implements Run.
func (r *faqRun) Close() error {
	var err error
	if r.service != nil {
		err = r.service.Close()
	}
	return errors.Join(err, os.RemoveAll(r.dir))
}

// baseline is plain BM25 over one field, what any search engine does.
type baseline struct {
	name     string
	analyzer *analysis.Analyzer
	index    *lexical.Embedded
	threads  []faqThread
}

func newBaseline(ctx context.Context, name string, threads []faqThread, text func(faqThread) string) (baseline, error) {
	b := baseline{name: name, threads: threads}
	var err error
	if b.analyzer, err = analysis.New(); err != nil {
		return b, err
	}
	b.index, err = lexical.Build(ctx, lexical.Config{Fields: map[string]lexical.Field{"text": {Weight: 1, B: 0.75}}}, len(threads), func(n int) lexical.Document {
		return lexical.Document{Fields: map[string][]string{"text": b.analyzer.Terms(text(threads[n]))}}
	}, nil)
	return b, err
}

// first is the id of the best thread; "" where there is none.
func (b baseline) first(ctx context.Context, question string) (string, error) {
	var terms []lexical.Term
	for _, t := range b.analyzer.Terms(question) {
		if !slices.ContainsFunc(terms, func(o lexical.Term) bool { return o.Text == t }) {
			terms = append(terms, lexical.Term{Text: t, Weight: 1})
		}
	}
	hits, err := b.index.Search(ctx, lexical.Query{Terms: terms, Limit: 1})
	if err != nil || len(hits) == 0 {
		return "", err
	}
	return b.threads[hits[0].Doc].ID, nil
}
