package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/ingest/history"
	"github.com/dibrain/dibrain/pkg/source"
)

// ranStatement is a statement that somebody is taken to have run, with the question that
// it was written for: that is looked at to leave statements out, and nowhere else.
type ranStatement struct {
	DB       string `json:"db"`
	Question string `json:"question"`
	SQL      string `json:"sql"`
}

// The people and days that a made-up history is spread over.
const (
	madeUpPeople = 40
	madeUpDays   = 29
	madeUpSeed   = 20
)

// WriteHistory writes a log of query-completed events, as Trino's event listener posts
// them, of statements (JSON lines with db and sql) over the tables of a corpus: each
// statement once, by a made-up person on a made-up day before until. No statement of a
// question in queries is in it, whoever asks with other words for the same statement
// included. It returns how many statements were written, and how many left out.
func WriteHistory(ctx context.Context, to, statements, corpusPath, queries string, until time.Time) (written, left int, err error) {
	c, err := readCorpus(ctx, corpusPath)
	if err != nil {
		return 0, 0, err
	}
	asked, err := readJSONLines[tableQuery](queries)
	if err != nil {
		return 0, 0, err
	}
	ran, err := readJSONLines[ranStatement](statements)
	if err != nil {
		return 0, 0, err
	}
	return c.writeHistory(to, ran, asked, until)
}

func (c *corpus) writeHistory(to string, ran []ranStatement, asked []tableQuery, until time.Time) (written, left int, err error) {
	file, err := os.Create(to)
	if err != nil {
		return 0, 0, fmt.Errorf("write the history: %w", err)
	}
	out := bufio.NewWriter(file)
	defer func() { err = errors.Join(err, out.Flush(), file.Close()) }()
	schemas := make(map[string]bool)
	for i := range c.snapshot.Tables {
		schemas[strings.ToLower(c.snapshot.Tables[i].Name.Schema)] = true
	}
	leave := statementsOf(ran, asked)
	pick := rand.New(rand.NewPCG(madeUpSeed, uint64(len(ran))))
	lines := json.NewEncoder(out)
	for i, s := range ran {
		at := until.AddDate(0, 0, -pick.IntN(madeUpDays)).UTC().Format(time.RFC3339)
		user := fmt.Sprintf("person%02d", pick.IntN(madeUpPeople))
		switch {
		case !schemas[strings.ToLower(s.DB)]:
			continue
		case leave[statementKey(s)]:
			left++
			continue
		}
		written++
		if err := lines.Encode(map[string]any{
			"metadata":   map[string]any{"queryId": fmt.Sprintf("made_up_%d", i), "query": s.SQL, "queryState": "FINISHED"},
			"context":    map[string]any{"user": user, "catalog": corpusRegion, "schema": s.DB},
			"createTime": at, "endTime": at,
		}); err != nil {
			return written, left, fmt.Errorf("write the history: %w", err)
		}
	}
	return written, left, nil
}

func statementKey(s ranStatement) string {
	return strings.ToLower(s.DB + "\x00" + strings.Join(strings.Fields(s.SQL), " "))
}

// statementsOf returns the keys of the statements that answer a question: those whose
// own question is the asked one or the beginning of it, and those of the same text.
func statementsOf(ran []ranStatement, asked []tableQuery) map[string]bool {
	bare := func(question string) string {
		return strings.ToLower(strings.TrimRight(strings.TrimSpace(question), " .?!;,"))
	}
	byDB := make(map[string][]string)
	for _, q := range asked {
		for _, gold := range q.Gold {
			db, _, _ := strings.Cut(strings.ToLower(gold), ".")
			byDB[db] = append(byDB[db], bare(q.Question))
		}
	}
	leave := make(map[string]bool)
	for _, s := range ran {
		own := bare(s.Question)
		for _, question := range byDB[strings.ToLower(s.DB)] {
			if own != "" && strings.HasPrefix(question, own) {
				leave[statementKey(s)] = true
			}
		}
	}
	return leave
}

// readHistory counts a made-up history of the statements in opt.History into the corpus.
func (r *tablesRun) readHistory(ctx context.Context, statements string) error {
	ran, err := readJSONLines[ranStatement](statements)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dibrain-eval-")
	if err != nil {
		return fmt.Errorf("make a folder for the history: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // it was counted
	log := filepath.Join(dir, "events.jsonl")
	written, left, err := r.corpus.writeHistory(log, ran, r.queries, r.now())
	if err != nil {
		return err
	}
	manifest := source.Manifest{Engine: source.EngineNone, DefaultRegion: corpusRegion, DefaultSchema: "main"}
	report, err := history.Count(ctx, manifest, r.corpus.snapshot, log, history.Options{})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrData, err)
	}
	r.notes = append(r.notes, fmt.Sprintf("history: %d statements, %d of asked questions left out; %d counted, %d of no table of the corpus or unreadable; %d tables used",
		written, left, report.Queries, report.Elsewhere, report.Tables))
	r.used = usedFamilies(r.corpus.snapshot)
	return nil
}

// familyKey tells the tables apart that are one but for country, layer, snapshot and
// copy.
type familyKey struct{ schema, base string }

func usedFamilies(s *catalog.Snapshot) map[familyKey]bool {
	index := catalog.NewIndex(s, catalog.Defaults{Region: corpusRegion})
	used := make(map[familyKey]bool)
	for _, t := range index.All().Tables() {
		if t.Usage.Since("") > 0 {
			used[familyKey{strings.ToLower(t.Name.Schema), index.Marks(t).Base}] = true
		}
	}
	return used
}

// withHistory reports for each question whether one of its tables, or another of its
// family, was used.
func (r *tablesRun) withHistory() []bool {
	index := catalog.NewIndex(r.corpus.snapshot, catalog.Defaults{Region: corpusRegion})
	used := make(map[string]bool)
	for _, t := range index.All().Tables() {
		if r.used[familyKey{strings.ToLower(t.Name.Schema), index.Marks(t).Base}] {
			used[strings.ToLower(r.corpus.id(t.Name))] = true
		}
	}
	with := make([]bool, len(r.queries))
	for i, q := range r.queries {
		for _, gold := range q.Gold {
			with[i] = with[i] || used[strings.ToLower(gold)]
		}
	}
	return with
}
