package findata

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/repair"
	"github.com/dibrain/dibrain/services/findata/library"
	"github.com/dibrain/dibrain/services/findata/memory"
)

// What is proposed to curators.
const (
	// candidateQueries is how often a shape has to have been run to be a candidate for a
	// verified query.
	candidateQueries = 5
	// maxCandidates bounds them in one answer.
	maxCandidates = 20
	// maxMissingWords bounds the words that people ask for and no table knows.
	maxMissingWords = 30
	// reviewLooked is how many entries they are counted over.
	reviewLooked = 2000
)

// noteOutcome counts what came of a question, and puts it into the queue of the curators
// where nothing was found or the person was asked back. An answer does not wait for a
// store that is out of order: that is logged.
func (w *search) noteOutcome(ctx context.Context) {
	replied := w.query.Reply != "" || w.query.ChosenOption != ""
	var came memory.Came
	kind := memory.ReviewKind("")
	declined := w.result.Outcome == outcomeNotFound || w.result.Outcome == outcomeFallback && !w.isSmall()
	switch {
	case replied:
		came.Replied = 1
		if w.result.Outcome == outcomeFound {
			came.Settled = 1
		}
	default:
		came.Asked = 1
		if w.result.Outcome == outcomeAsk {
			came.Clarified, kind = 1, memory.Unsure
		}
		if declined {
			came.Declined = 1
		}
	}
	if declined && !w.question.OffTopic && !w.question.WantsAdvice {
		kind = memory.Declined
	}
	if err := w.memory.AddCame(ctx, w.desk.source, came); err != nil {
		w.deps.Log.WarnContext(ctx, "what came of a question is not counted", "error", err)
	}
	w.deps.Meter.QuestionCame(ctx, came.Replied > 0, outcomeWord(w.result.Outcome, declined))
	if kind == "" || w.config().MaxReview < 0 {
		return
	}
	if err := w.memory.AddReview(ctx, w.desk.source, kind, w.asked, w.reviewed(), w.config().MaxReview); err != nil {
		w.deps.Log.WarnContext(ctx, "a question is not kept for review", "error", err)
	}
}

// outcomeWord names an outcome for figures.
func outcomeWord(o outcome, declined bool) string {
	switch {
	case o == outcomeAsk:
		return "asked"
	case declined:
		return "declined"
	}
	return "found"
}

// reviewed is how the question was read, for a curator.
func (w *search) reviewed() memory.Reading {
	r := memory.Reading{Answer: w.result.Answer}
	if c := w.result.Context; c != nil {
		r.Subjects, r.Missing = c.Subjects, c.Missing
	}
	if len(w.result.Tables) == 0 || w.result.Outcome == outcomeFallback {
		r.Missing = w.unknownSubjects()
	}
	for _, t := range w.result.Tables {
		r.Tables = append(r.Tables, t.Table.Name.String())
	}
	for _, o := range w.result.Question.Options {
		r.Options = append(r.Options, o.Label)
	}
	return r
}

// unknownSubjects are the subjects of the question that no table ranked says in so many
// words.
func (w *search) unknownSubjects() []string {
	known := make(map[int]bool)
	for _, r := range w.ranked[:min(len(w.ranked), looked)] {
		for _, e := range w.desk.volume.Corpus.Why(w.question.Query, r.Table) {
			if e.Share > bySynonym && (e.Entry == "" || e.Meaning != nil) {
				known[e.Concept.Span.Start] = true
			}
		}
	}
	var unknown []string
	marts := w.martsCalled()
	for _, c := range w.question.Content {
		if !known[c.Span.Start] && !c.Within(marts) && !slices.ContainsFunc(c.Glossary, w.isVisibleTerm) {
			unknown = append(unknown, c.Surface)
		}
	}
	return unknown
}

// reviewPage is a page of the queue.
type reviewPage struct {
	Entries    []memory.Review
	Candidates []candidate // on the first page
	Missing    []missingWord
	Next       string
}

// candidate is a shape of queries that people run often.
type candidate struct {
	SQL     string
	Tables  []string
	Queries int64
	LastDay string
}

// missingWord is a word that people ask for and no table knows.
type missingWord struct {
	Word  string
	Times int64
}

// reviews lists the queue.
func (s *Service) reviews(ctx context.Context, source string, status memory.Status, kind memory.ReviewKind, candidates bool, size int, token string) (reviewPage, error) {
	if err := requireAdmin(ctx, "review questions"); err != nil {
		return reviewPage{}, err
	}
	const byDefault = 50
	if size == 0 {
		size = byDefault
	}
	from, err := readToken(token)
	if err != nil {
		return reviewPage{}, err
	}
	d, err := s.open(ctx, source)
	if err != nil {
		return reviewPage{}, err
	}
	defer d.release()
	var page reviewPage
	if !candidates || kind == "" {
		if page.Entries, err = s.memory.Reviews(ctx, d.source, status, kind, size+1, from); err != nil {
			return reviewPage{}, err
		}
	}
	if len(page.Entries) > size {
		page.Entries, page.Next = page.Entries[:size], makeToken(from+size)
	}
	if from > 0 {
		return page, nil
	}
	if candidates && status == memory.Open {
		page.Candidates = d.candidates()
	}
	all, err := s.memory.Reviews(ctx, d.source, status, "", reviewLooked, 0)
	if err != nil {
		return reviewPage{}, err
	}
	page.Missing = missingWords(all)
	return page, nil
}

// missingWords counts the words that no table knows over the questions of entries.
func missingWords(entries []memory.Review) []missingWord {
	times := make(map[string]int64)
	for _, r := range entries {
		for _, word := range r.Reading.Missing {
			times[strings.ToLower(word)] += r.Times
		}
	}
	words := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b)) })
	var out []missingWord
	for _, word := range words[:min(len(words), maxMissingWords)] {
		out = append(out, missingWord{word, times[word]})
	}
	return out
}

// candidates are the shapes of queries that people run often over tables that the asker
// sees whole, most queries first, each once.
func (d *desk) candidates() []candidate {
	seen := make(map[string]bool)
	var out []candidate
	for _, t := range d.tables {
		u := d.usage(d.visible(t))
		if u == nil {
			continue
		}
		for _, shape := range u.Templates {
			if shape.Queries < candidateQueries || seen[shape.SQL] {
				continue
			}
			seen[shape.SQL] = true
			c := candidate{SQL: shape.SQL, Queries: shape.Queries, LastDay: shape.LastDay}
			for _, r := range shape.Reads {
				c.Tables = append(c.Tables, r.Table.String())
			}
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.Queries, a.Queries), cmp.Compare(a.SQL, b.SQL)) })
	return out[:min(len(out), maxCandidates)]
}

// resolution is what a curator makes of an entry.
type resolution struct {
	ID        int64 // 0: of none
	Decisions library.Decisions
	Elsewhere string
	Dismissed bool
	DryRun    bool
}

// resolve changes the file of what curators decided, and notes it with the entry.
func (s *Service) resolve(ctx context.Context, source string, r resolution) (diff string, kept bool, err error) {
	if err := requireAdmin(ctx, "resolve what is reviewed"); err != nil {
		return "", false, err
	}
	d, err := s.open(ctx, source)
	if err != nil {
		return "", false, err
	}
	defer d.release()
	if r.ID > 0 {
		if _, ok, err := s.memory.Review(ctx, d.source, r.ID); err != nil {
			return "", false, err
		} else if !ok {
			return "", false, fault.NotFound("REVIEW_UNKNOWN", "there is no entry %d in the review queue of source %s: list them with `dibrain review list`", r.ID, d.source)
		}
	} else if len(r.Decisions.Synonyms)+len(r.Decisions.Glossary) == 0 {
		return "", false, fault.Invalid("id", "REVIEW_ID_MISSING", "name the entry that this is made of")
	}
	note := r.Elsewhere
	for _, one := range r.Decisions.Synonyms {
		if err := d.checkMart(one.Mart); err != nil {
			return "", false, err
		}
		note = "synonym: " + strings.Join(one.Words, " = ")
	}
	for _, one := range r.Decisions.Glossary {
		if err := d.checkMart(one.Mart); err != nil {
			return "", false, err
		}
		note = "term: " + one.Term
	}
	if len(r.Decisions.Synonyms)+len(r.Decisions.Glossary) > 0 {
		before, after, err := s.curated.Change(ctx, d.source, r.Decisions, !r.DryRun)
		if own := new(*fault.Error); errors.As(err, own) {
			return "", false, err
		}
		if err != nil {
			return "", false, fault.New(codes.FailedPrecondition, "CURATED_UNWRITABLE",
				"what curators decided cannot be kept: check the folder findata/curated of the data directory, or ask whoever operates the server").Because(err)
		}
		diff = repair.Diff(before, after)
	}
	if r.DryRun {
		return diff, false, nil
	}
	if r.ID > 0 {
		status := memory.Resolved
		if r.Dismissed {
			status = memory.Dismissed
		}
		if err := s.memory.Resolve(ctx, d.source, r.ID, status, note, run.From(ctx).Principal.ID); err != nil {
			return diff, true, err
		}
	}
	return diff, true, nil
}

// checkMart refuses a mart that there is not; "" is all of them.
func (d *desk) checkMart(mart string) error {
	if mart == "" || d.shows(mart) {
		return nil
	}
	marts, _ := d.marts()
	names := make([]string, 0, len(marts))
	for _, m := range marts {
		names = append(names, m.Name)
	}
	return fault.Invalid("mart", "MART_UNKNOWN", "there is no mart %q in source %s: use one of %s", mart, d.source, strings.Join(names, ", "))
}

// useStats is what came of questions.
type useStats struct {
	Came memory.Came
	Use  memory.Figures
}

func (s *Service) useStats(ctx context.Context, source string, days int) (useStats, error) {
	if err := requireAdmin(ctx, "see what came of questions"); err != nil {
		return useStats{}, err
	}
	const byDefault = 30
	if days == 0 {
		days = byDefault
	}
	d, err := s.open(ctx, source)
	if err != nil {
		return useStats{}, err
	}
	defer d.release()
	since := s.deps.Clock().UTC().AddDate(0, 0, 1-days).Format(time.DateOnly)
	var out useStats
	if out.Came, err = s.memory.CameSince(ctx, d.source, since); err != nil {
		return useStats{}, err
	}
	if out.Use, err = s.memory.Use(ctx, "", d.source); err != nil {
		return useStats{}, err
	}
	s.deps.Meter.Rates(ctx, d.source, out.Use.ClickRate(), out.Use.AcceptanceRate())
	return out, nil
}

// noteRejected puts a question into the queue of which tables were called wrong.
func (s *Service) noteRejected(ctx context.Context, source, question string, tables []string) {
	if strings.TrimSpace(question) == "" || s.config().MaxReview < 0 {
		return
	}
	if err := s.memory.AddReview(ctx, source, memory.VotedAgainst, question, memory.Reading{Tables: tables}, s.config().MaxReview); err != nil {
		s.deps.Log.WarnContext(ctx, "a question is not kept for review", "error", err)
	}
}
