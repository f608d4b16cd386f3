package findata

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/findata/answer"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/rank"
	"github.com/dibrain/dibrain/services/findata/scope"
)

const defaultPage = 10

// clarified is the answer of ClarifyScope.
type clarified struct {
	Scope    scope.Result
	About    map[string]string // descriptions of the marts
	Fallback []answer.Shown    // tables of the general layer, where no mart fits
	Warnings []warning
}

// clarifyScope says to which marts a question belongs, or what to ask.
func (s *Service) clarifyScope(ctx context.Context, q query) (clarified, error) {
	ctx, err := s.admit(ctx, &q)
	if err != nil {
		return clarified{}, err
	}
	d, err := s.open(ctx, q.Source)
	if err != nil {
		return clarified{}, err
	}
	defer d.release()
	w := s.newSearch(ctx, d, q, nil)
	if err := w.find(ctx); err != nil {
		return clarified{}, err
	}
	out := clarified{Scope: w.scope, About: make(map[string]string), Warnings: w.result.Warnings}
	marts, _ := d.marts()
	for _, m := range marts {
		out.About[m.Name] = answer.InLanguage(m.Description, w.question.Language)
	}
	if w.scope.Outcome == scope.NoMatch && !w.question.OffTopic {
		for _, c := range w.folder.Fold(w.fallbackTables(), nil, w.query.MaxTables) {
			out.Fallback = append(out.Fallback, w.show(c))
		}
	}
	return out, nil
}

// answered is the answer of AnswerQuestion.
type answered struct {
	Text     string
	Tables   []catalog.Name
	DontKnow string // why there is no answer
	Rounds   int
	Searched []catalog.Name // looked up in rounds before the last
	Warnings []warning
}

// answerQuestion answers a question about the data from the catalog alone.
func (s *Service) answerQuestion(ctx context.Context, q query) (answered, error) {
	q.AboutData = true
	ctx, err := s.admit(ctx, &q)
	if err != nil {
		return answered{}, err
	}
	found, d, err := s.discover(ctx, q, nil)
	if err != nil {
		return answered{}, err
	}
	defer d.release()
	w := s.newSearch(ctx, d, q, nil)
	w.readGroups()
	w.read()
	w.result = *found
	if found.Outcome == outcomeNotFound {
		return answered{DontKnow: found.Answer, Rounds: 1, Warnings: found.Warnings}, nil
	}
	if found.Outcome == outcomeFallback { // tables that no word speaks for answer nothing about themselves
		return answered{DontKnow: cmp.Or(found.toldOfCountry(), w.say("dont_know")), Rounds: 1, Warnings: found.Warnings}, nil
	}
	if found.Outcome == outcomeAsk { // about the data itself there is no need to ask
		w.choose()
		w.addTerms()
		w.explainByModel(ctx)
	}
	if a := w.result.ByModel; a != nil {
		return answered{
			Text: a.Text, Tables: a.Tables, DontKnow: a.DontKnow, Rounds: a.Rounds, Searched: a.Searched, Warnings: w.result.Warnings,
		}, nil
	}
	text, related, ok := w.writer.Answer(w.subject())
	out := answered{Text: text, Rounds: 1, Warnings: found.Warnings}
	if !ok {
		out.Text, out.DontKnow = "", text
	}
	for _, t := range related {
		out.Tables = append(out.Tables, t.Name)
	}
	return out, nil
}

// searched is a page of ranked tables.
type searched struct {
	Tables []answer.Shown
	Next   string // token of the next page
	Why    []explanation
	// Warnings of lists that did not answer.
	Warnings []warning
}

// searchTables ranks tables for a text, page by page, without asking or answering;
// why names tables to explain.
func (s *Service) searchTables(ctx context.Context, source, text, mart string, size int, token string, why []string) (searched, error) {
	if size == 0 {
		size = defaultPage
	}
	from, err := readToken(token)
	if err != nil {
		return searched{}, err
	}
	d, err := s.open(ctx, source)
	if err != nil {
		return searched{}, err
	}
	defer d.release()
	w := s.newSearch(ctx, d, query{Text: text}, nil)
	w.read()
	w.addSynonyms(ctx)
	candidates, err := w.candidates(ctx, mart, func(t *catalog.Table) bool {
		return w.folder.Keep(t) && (mart == "" || strings.EqualFold(t.Mart, mart))
	})
	if err != nil {
		return searched{}, err
	}
	w.rank(candidates)
	var chosen []filter.Chosen
	for _, n := range w.question.Named {
		chosen = append(chosen, w.folder.Named(n)...)
	}
	limit := from + size + 1
	if len(why) > 0 { // a place may be far down
		limit = max(limit, len(w.ranked))
	}
	chosen = append(chosen, w.folder.Fold(w.ranked, chosen, limit)...)
	out := searched{Warnings: w.result.Warnings}
	for _, c := range chosen[min(from, len(chosen)):min(from+size, len(chosen))] {
		out.Tables = append(out.Tables, w.show(c))
	}
	if len(chosen) > from+size {
		out.Next = makeToken(from + size)
	}
	for _, name := range why {
		out.Why = append(out.Why, w.explainTable(name, mart, chosen, from+size))
	}
	return out, nil
}

// similarTables lists variants, the successor, and tables with the same columns.
func (s *Service) similarTables(ctx context.Context, source, written string, limit int) ([]answer.Shown, error) {
	if limit == 0 {
		limit = defaultPage
	}
	d, err := s.open(ctx, source)
	if err != nil {
		return nil, err
	}
	defer d.release()
	of, err := d.lookup(written)
	if err != nil {
		return nil, err
	}
	const (
		successorScore = 3
		variantScore   = 2
		leastShared    = 0.3 // share of columns, over both tables', that makes tables alike
	)
	var similar []answer.Shown
	add := func(t *catalog.Table, score float64, reason string) {
		known := func(a answer.Shown) bool { return a.Table.Name == t.Name }
		if t == of || slices.ContainsFunc(similar, known) {
			return
		}
		clean := d.table(t)
		similar = append(similar, answer.Shown{Chosen: filter.Chosen{Ranked: rank.Ranked{Table: &clean, Score: score}}, Reasons: []string{reason}})
	}
	if n, err := catalog.ParseName(of.Successor); err == nil {
		if t, ok := d.view.Lookup(n); ok {
			add(t, successorScore, s.writer.Say(lang.English, "similar_successor"))
		}
	}
	for _, t := range d.view.Family(of) {
		add(t, variantScore, s.writer.Say(lang.English, "similar_variant"))
	}
	for _, t := range d.tables {
		shared := sharedColumns(d.visible(of), d.visible(t))
		share := float64(shared) / float64(max(1, len(d.visible(of).Columns)+len(d.visible(t).Columns)-shared))
		if share >= leastShared {
			add(t, share, s.writer.Say(lang.English, "similar_columns", "n", fmt.Sprint(shared)))
		}
	}
	slices.SortStableFunc(similar, func(a, b answer.Shown) int { return cmp.Compare(b.Score, a.Score) })
	return similar[:min(limit, len(similar))], nil
}

func sharedColumns(a, b *catalog.Table) int {
	n := 0
	for _, c := range a.Columns {
		if _, ok := b.Column(c.Name); ok {
			n++
		}
	}
	return n
}

// tablePage is a page of ListTables.
type tablePage struct {
	Tables []catalog.Table
	Next   string
	Total  int
}

// listTables lists the visible tables by name.
func (s *Service) listTables(ctx context.Context, source, mart, contains string, size int, token string, withColumns bool) (tablePage, error) {
	const byDefault = 100
	if size == 0 {
		size = byDefault
	}
	from, err := readToken(token)
	if err != nil {
		return tablePage{}, err
	}
	d, err := s.open(ctx, source)
	if err != nil {
		return tablePage{}, err
	}
	defer d.release()
	var page tablePage
	for _, t := range d.tables {
		if mart != "" && !strings.EqualFold(t.Mart, mart) || !strings.Contains(t.Name.Key(), strings.ToLower(contains)) {
			continue
		}
		if page.Total >= from && len(page.Tables) < size {
			clean := d.table(t)
			if !withColumns {
				clean.Columns, clean.ForeignKeys = nil, nil
			}
			page.Tables = append(page.Tables, clean)
		}
		page.Total++
	}
	if page.Total > from+size {
		page.Next = makeToken(from + size)
	}
	return page, nil
}

// described is what DescribeTables finds.
type described struct {
	Tables  []catalog.Table
	Unknown map[string][]catalog.Name // near matches by the name as written
	Missing []string                  // keys of Unknown in the order asked
}

func (s *Service) describeTables(ctx context.Context, source string, names []string) (described, error) {
	d, err := s.open(ctx, source)
	if err != nil {
		return described{}, err
	}
	defer d.release()
	out := described{Unknown: make(map[string][]catalog.Name)}
	for _, written := range names {
		name, err := catalog.ParseName(written)
		if err == nil {
			if t, ok := lookup(d.view, name); ok {
				out.Tables = append(out.Tables, d.table(t))
				continue
			}
		}
		if _, twice := out.Unknown[written]; twice {
			continue
		}
		out.Unknown[written] = nil
		out.Missing = append(out.Missing, written)
		if err == nil {
			out.Unknown[written] = d.view.Near(name, s.config().MaxNear)
		}
	}
	return out, nil
}

// lookup finds a table by its name; a name that leaves out parts and is not there
// under the defaults may be the only one of its kind elsewhere.
func lookup(view *catalog.View, name catalog.Name) (*catalog.Table, bool) {
	if t, ok := view.Lookup(name); ok {
		return t, true
	}
	if all := view.Find(name); len(all) == 1 {
		return all[0], true
	}
	return nil, false
}

// sourceInfo is a source as the asker sees it.
type sourceInfo struct {
	Name, Engine, Origin, DefaultRegion, DefaultSchema string
	Tables                                             int
	IsDefault                                          bool
}

// listSources lists what can be asked. A damaged source is left out and logged:
// the others stay usable.
func (s *Service) listSources(ctx context.Context) ([]sourceInfo, error) {
	manifests, err := s.deps.Sources.List()
	if err != nil {
		if len(manifests) == 0 {
			return nil, err
		}
		s.deps.Log.WarnContext(ctx, "some sources are damaged", "error", err)
	}
	var infos []sourceInfo
	for _, m := range manifests {
		d, err := s.open(ctx, m.Name)
		if err != nil {
			s.deps.Log.WarnContext(ctx, "a source cannot be opened", "source", m.Name, "error", err)
			continue
		}
		infos = append(infos, sourceInfo{
			Name: m.Name, Engine: string(m.Engine), Origin: m.Origin, DefaultRegion: m.DefaultRegion, DefaultSchema: m.DefaultSchema,
			Tables: len(d.tables), IsDefault: m.Name == s.config().DefaultSource,
		})
		d.release()
	}
	return infos, nil
}

// ingest indexes the current generation of a source and swaps it in. A source
// whose current generation is indexed already is left as it is.
func (s *Service) ingest(ctx context.Context, source string, progress func(done, total int)) (tables int, swapped bool, err error) {
	if err := requireAdmin(ctx, "ingest"); err != nil {
		return 0, false, err
	}
	swapped, err = s.library.Refresh(ctx, source, progress)
	if err != nil {
		return 0, false, err
	}
	d, err := s.open(ctx, source)
	if err != nil {
		return 0, false, err
	}
	defer d.release()
	return d.volume.Index.Len(), swapped, nil
}

// A page token is the number of the first entry of the page.
func makeToken(from int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(from)))
}

func readToken(token string) (int, error) {
	if token == "" {
		return 0, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		var n int
		if n, err = strconv.Atoi(string(raw)); err == nil && n >= 0 && n <= maxOffset {
			return n, nil
		}
	}
	return 0, fault.Invalid("page_token", "PAGE_TOKEN_INVALID", "the page token is none of ours: leave it empty for the first page")
}

// maxOffset bounds how far a page token reaches; no source has more tables.
const maxOffset = 10_000_000
