package text2sql

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/examples"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// Confidence of answers by verified queries: the question is the approved one, or
// it has other constants in the same place.
const (
	exactConfidence = 0.98
	nearConfidence  = 0.95
)

// maxVerifiedTried bounds the matches of a question that are looked into.
const maxVerifiedTried = 3

// verifiedQueries holds the approved examples of each source, made ready: those of
// the store and those of the semantic layer.
type verifiedQueries struct {
	store  *examples.Store
	parser *examples.Parser
	dates  *dates.Reader

	mu   sync.Mutex
	held map[string]heldExamples // by source
}

type heldExamples struct {
	revision int64
	layer    *semantic.Layer
	prepared []*examples.Prepared
	stale    []staleExample // that cannot even be made ready
}

// staleExample is an example that answers nothing any more, and why.
type staleExample struct {
	examples.Example
	why string
}

func newVerifiedQueries(store *examples.Store) (*verifiedQueries, error) {
	p, err := examples.NewParser()
	if err != nil {
		return nil, err
	}
	dr, err := dates.New()
	if err != nil {
		return nil, err
	}
	return &verifiedQueries{store: store, parser: p, dates: dr, held: map[string]heldExamples{}}, nil
}

// of returns the approved examples of a source. layer may be nil.
func (v *verifiedQueries) of(ctx context.Context, source string, layer *semantic.Layer) (heldExamples, error) {
	revision, err := v.store.Revision(ctx, source)
	if err != nil {
		return heldExamples{}, err
	}
	v.mu.Lock()
	h, ok := v.held[source]
	v.mu.Unlock()
	if ok && h.revision == revision && h.layer == layer {
		return h, nil
	}
	stored, err := v.store.AllApproved(ctx, source)
	if err != nil {
		return heldExamples{}, err
	}
	h = heldExamples{revision: revision, layer: layer}
	for _, e := range slices.Concat(ofLayer(source, layer), stored) {
		p, err := v.parser.Prepare(e, v.dates)
		if err != nil {
			h.stale = append(h.stale, staleExample{e, err.Error()})
			continue
		}
		h.prepared = append(h.prepared, p)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held[source] = h
	return h, nil
}

// ofLayer are the examples of a semantic layer, one for each language of a question.
func ofLayer(source string, layer *semantic.Layer) []examples.Example {
	if layer == nil {
		return nil
	}
	var out []examples.Example
	for _, e := range layer.Examples {
		for _, question := range []string{e.Question.EN, e.Question.ZH} {
			if question == "" {
				continue
			}
			out = append(out, examples.Example{
				ID: examples.PrefixLayer + e.ID, Source: source, Mart: e.Mart, Question: question, SQL: e.SQL,
				Status: examples.Approved, Origin: examples.Layer,
			})
		}
	}
	return out
}

// verified answers by a verified query; ok is false where none fits that this asker
// may use.
func (s *Service) verified(ctx context.Context, in In) (out Out, ok bool, err error) {
	if in.Chosen != "" || in.Previous != "" {
		return Out{}, false, nil
	}
	held, err := s.layers.get(in.Source)
	if err != nil {
		return Out{}, false, err
	}
	have, err := s.examples.of(ctx, in.Source, held.written)
	if err != nil {
		return Out{}, false, err
	}
	found := examples.Find(s.examples.parser.Parse(in.Question), have.prepared)
	var usable []examples.Match
	var answers []Out
	for i := range found[:min(len(found), maxVerifiedTried)] {
		answer, fits, err := s.useExample(ctx, in, &found[i])
		if err != nil {
			return Out{}, false, err
		}
		if fits {
			usable, answers = append(usable, found[i]), append(answers, answer)
		}
	}
	if len(usable) == 0 || examples.Tied(usable) {
		return Out{}, false, nil
	}
	return answers[0], true, nil
}

// useExample writes the SQL of a match; fits is false where the asker may not use
// it, and where it does not fit the tables any more.
func (s *Service) useExample(ctx context.Context, in In, m *examples.Match) (out Out, fits bool, err error) {
	tables, whole, err := s.mayRead(ctx, in.Source, m.TablesRead())
	if err != nil || tables == nil || !whole && !m.Says() {
		return Out{}, false, err
	}
	scope, err := s.scopeOf(in.Source, tables)
	if err != nil {
		return Out{}, false, err
	}
	sql, ok := m.SQL(scope, tables)
	if !ok {
		return Out{}, false, nil
	}
	approved, err := s.guard.Approve(ctx, run.From(ctx).Principal, sql, scope)
	if err != nil {
		return Out{}, false, ctx.Err()
	}
	out = Out{Result: pipeline.Result{Outcome: pipeline.Answered, SQL: sql, Statement: approved.Asked().Statement(), Confidence: nearConfidence}, Verified: m}
	if m.Exact {
		out.Confidence = exactConfidence
	}
	out.Validated = in.Validate
	out.Reason = verifiedReason(in.Language, m)
	for _, t := range approved.Tables() {
		out.Tables = append(out.Tables, t.String())
	}
	for _, r := range m.Replaced {
		out.Assumptions = append(out.Assumptions, in.Language.Pick("In the verified query: ", "在已验证的查询中替换：")+r.String())
	}
	return out, true, nil
}

// verifiedReason says whose answer it is.
func verifiedReason(l lang.Language, m *examples.Match) string {
	e := m.Example
	by := l.Pick("Verified in the semantic layer", "语义层中已验证的查询")
	if e.Origin == examples.Person {
		day := e.ApprovedAt.UTC().Format(time.DateOnly)
		by = l.Pick(fmt.Sprintf("Verified by %s on %s", e.ApprovedBy, day), fmt.Sprintf("由 %s 于 %s 验证", e.ApprovedBy, day))
		if e.ApprovedBy == "" { // whose data were deleted since
			by = l.Pick("Verified on "+day, "于 "+day+" 验证")
		}
	}
	if m.Exact {
		return by + l.Pick(".", "。")
	}
	return by + l.Pick(fmt.Sprintf(" for the question %q.", e.Question), fmt.Sprintf("，对应问题“%s”。", e.Question))
}

// mayRead describes tables by the names that a SQL has for them: nil where there is
// one that the asker may not read, or that is not there. whole says that they read
// all rows and columns as they are stored.
func (s *Service) mayRead(ctx context.Context, source string, names []string) (tables []catalog.Table, whole bool, err error) {
	if len(names) == 0 || len(names) > s.config.MaxTables {
		return nil, false, nil
	}
	tables, err = s.describe(ctx, source, names)
	if err != nil {
		return nil, false, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(tables, func(t catalog.Table) bool { return named(t.Name, name) }) {
			return nil, false, nil
		}
	}
	rules, err := s.deps.Policy.Current()
	if err != nil {
		return nil, false, err
	}
	grants := rules.For(run.From(ctx).Principal, source)
	whole = !slices.ContainsFunc(tables, func(t catalog.Table) bool { return !grants.Access(t.Name).Whole() })
	return tables, whole, nil
}

// named reports whether a SQL may mean a table by a name, with or without its first
// parts.
func named(t catalog.Name, name string) bool {
	full, name := "."+strings.ToLower(t.String()), "."+strings.ToLower(strings.ReplaceAll(name, `"`, ""))
	return strings.HasSuffix(full, name)
}

// scopeOf is what a SQL over tables is resolved against.
func (s *Service) scopeOf(source string, tables []catalog.Table) (resolve.Scope, error) {
	g, err := s.layers.store.Current(source)
	if err != nil {
		return resolve.Scope{}, err
	}
	d := catalog.Defaults{Region: g.Manifest.DefaultRegion, Schema: g.Manifest.DefaultSchema}
	index := catalog.NewIndex(&catalog.Snapshot{Tables: tables}, d)
	return resolve.Scope{Catalog: index, DefaultRegion: d.Region, DefaultSchema: d.Schema}, nil
}

// checkedSQL puts the SQL of a new example through the guard and names its tables.
func (s *Service) checkedSQL(ctx context.Context, source string, p *examples.Prepared) (guard.Approved, error) {
	tables, _, err := s.mayRead(ctx, source, p.TablesRead())
	if err != nil {
		return guard.Approved{}, err
	}
	scope, err := s.scopeOf(source, tables)
	if err != nil {
		return guard.Approved{}, err
	}
	return s.guard.Approve(ctx, run.From(ctx).Principal, p.SQL, scope)
}
