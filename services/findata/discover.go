package findata

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/findata/answer"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/knowledge"
	advice "github.com/dibrain/dibrain/services/findata/llm"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/rank"
	"github.com/dibrain/dibrain/services/findata/scope"
)

// query is what Discover, ClarifyScope and AnswerQuestion are asked.
type query struct {
	Source       string
	Text         string
	Language     lang.Language // empty: the question's
	History      []said
	UserRegion   string
	Department   string
	Background   string // the asker's own words on role and usual work
	Email        string
	Selected     []string
	Groups       []string
	ChosenOption string
	Reply        string // to the question that Discover asked before
	MakeSure     bool
	MaxTables    int
	ForSQL       bool // the tables are for SQL to be written
	Level        answer.Level
	Bases        []string // knowledge bases to ask beside the tables; empty: all
	Strategy     string   // "": the service's
	// AboutData: the question is about the tables, and wants an answer in words.
	AboutData bool
}

// said is an earlier message of the conversation.
type said struct {
	ByUser bool
	Text   string
}

type outcome int

const (
	outcomeFound outcome = iota
	outcomeAsk
	outcomeFallback
	outcomeNotFound
)

// discovery is the answer of Discover.
type discovery struct {
	Outcome  outcome
	Language lang.Language
	Tables   []answer.Shown
	Terms    []catalog.Term
	Rules    []catalog.Rule
	Answer   string
	Question scope.Result // with outcomeAsk
	Marts    []string
	Unknown  []preprocess.Unknown
	Warnings []warning
	// Samples are queries over the tables shown: of the layer's verified ones, and shapes
	// that people run often.
	Samples []string
	// Docs are passages of other knowledge bases; MissingBases did not answer.
	Docs         []knowledge.Passage
	MissingBases []knowledge.Missing
	Context      *reading
	// Reformulations of a model that were searched for too.
	Reformulations []string
	// ByModel is the model's answer to a question about the data; nil: the rules'
	// one stands.
	ByModel *advice.Answer
	// modelGone says that the model failed and is not asked again.
	modelGone bool
}

// reading is how a question was read.
type reading struct {
	Countries, Grains, Layers, Subjects []string
	UserRegion                          string
	Missing                             []string // subjects that no table shown knows
	Reformulations                      []string
}

type warning struct{ Code, Message string }

// told is what is told while tables are looked for; nil: nothing.
type told struct {
	// stage is told of each stage that ended.
	stage func(name, message string, took time.Duration)
	// first is told a first list, before any model is asked.
	// first is told a first list, before any model is asked; final says that it is that
	// of the result.
	first func(tables []answer.Shown, final bool, took time.Duration)
}

// discover finds the tables for a question.
func (s *Service) discover(ctx context.Context, q query, told *told) (*discovery, *desk, error) {
	ctx, err := s.admit(ctx, &q)
	if err != nil {
		return nil, nil, err
	}
	d, err := s.open(ctx, q.Source)
	if err != nil {
		return nil, nil, err
	}
	w := s.newSearch(ctx, d, q, told)
	found, err := w.run(ctx)
	if err != nil {
		d.release()
		return nil, nil, err
	}
	return found, d, nil
}

// search is one discovery under way: what each stage leaves to the next.
type search struct {
	*Service
	desk   *desk
	query  query
	told   *told
	now    time.Time
	own    own
	terms  []catalog.Term // business words of the question that curators added
	also   []string       // words that the installation's synonyms add
	groups groups         // that the request is confined to
	asked  string         // the question as it was asked
	person string         // who asks; empty: not known
	// recentRead says that own.recent has what the history keeps of the person.
	recentRead bool

	question  preprocess.Question
	folder    filter.Folder
	features  map[*catalog.Table]retrieval.Features
	ranked    []rank.Ranked // before a scope is decided
	scope     scope.Result
	result    discovery
	docs      func() knowledge.Found // waits for the other knowledge bases; nil: not asked
	started   time.Time
	previewed bool // the first list is told
	// chose says that the person took one of the options offered.
	chose bool
	// aboutByModel says that a model found the question's marts.
	aboutByModel bool
	// effort is what the question asks of a model.
	effort effort
}

func (s *Service) newSearch(ctx context.Context, d *desk, q query, told *told) *search {
	if q.MaxTables == 0 {
		q.MaxTables = s.config().MaxTables
	}
	return &search{Service: s, desk: d, query: q, asked: q.Text, told: told, now: run.Now(ctx), person: run.From(ctx).Principal.ID, own: s.ownUse(ctx, d, q.Text)}
}

// stage runs one stage as a step of the run and tells of it when it has ended.
func (w *search) stage(ctx context.Context, name string, do func(ctx context.Context) (message string, err error)) error {
	ctx, step := run.Start(ctx, "findata."+name)
	started := time.Now() // how long it took, not what time it is: the run's now stands still
	message, err := do(ctx)
	step.Set("found", message)
	step.End(err)
	if err == nil && w.told != nil {
		w.told.stage(name, message, time.Since(started))
	}
	return err
}

func (w *search) run(ctx context.Context) (*discovery, error) {
	w.docs = func() knowledge.Found { return knowledge.Found{} } // set anew when the question has been read
	w.started = time.Now()                                       // how long it took, not what time it is
	if err := w.find(ctx); err != nil {
		return nil, err
	}
	w.result.Language = w.question.Language
	w.result.Unknown = w.question.Unknown
	if done := w.decide(); done {
		w.addDocs(w.docs())
		if w.result.Outcome == outcomeNotFound {
			w.addLocked(ctx)
		}
		w.finish(ctx)
		w.noteOutcome(ctx)
		return &w.result, nil
	}
	if err := w.stage(ctx, "filter", func(ctx context.Context) (string, error) {
		w.choose()
		w.addLocked(ctx)
		return w.say("stage_filter", "n", fmt.Sprint(len(w.result.Tables))), nil
	}); err != nil {
		return nil, err
	}
	return &w.result, w.stage(ctx, "answer", func(ctx context.Context) (string, error) {
		w.addDocs(w.docs())
		w.explain()
		w.previewFinal()
		w.explainByModel(ctx)
		w.result.Samples = w.samples()
		w.finish(ctx)
		w.noteShown(ctx)
		w.noteOutcome(ctx)
		return w.say("stage_answer"), nil
	})
}

// find reads the question, retrieves, decides the scope and ranks within it.
func (w *search) find(ctx context.Context) error {
	w.takeReply()
	w.readGroups()
	candidates, err := w.look(ctx)
	if err != nil {
		return err
	}
	if code := w.countryReplied(); code != "" {
		w.query.UserRegion, w.query.Reply, w.query.ChosenOption = code, "", ""
		if candidates, err = w.look(ctx); err != nil {
			return err
		}
	}
	if err := w.clarify(ctx); err != nil {
		return err
	}
	if w.scope.Unread {
		// Words that take no option tell more of what is asked.
		w.query.Text, w.query.Reply = w.query.Text+"; "+w.query.Reply, ""
		if candidates, err = w.look(ctx); err != nil {
			return err
		}
		if err := w.clarify(ctx); err != nil {
			return err
		}
	}
	return w.stage(ctx, "fuse", func(context.Context) (string, error) {
		if len(w.result.Marts) > 0 {
			w.ranked = w.ranker.Rank(candidates, &w.question, w.rankContext(w.result.Marts))
		}
		return w.say("stage_fuse", "n", fmt.Sprint(len(w.ranked))), nil
	})
}

// look reads the question and finds candidates, ranked without a scope.
func (w *search) look(ctx context.Context) (candidates []retrieval.Candidate, err error) {
	if err := w.stage(ctx, "preprocess", func(ctx context.Context) (string, error) {
		w.read()
		w.addSynonyms(ctx)
		if err := w.lookBeforeModel(ctx); err != nil {
			return "", err
		}
		w.reformulate(ctx)
		return w.say("stage_preprocess", "tables", fmt.Sprint(len(w.question.Named)), "concepts", fmt.Sprint(len(w.question.Query.Concepts))), nil
	}); err != nil {
		return nil, err
	}
	if w.docs != nil {
		w.docs = w.askKnowledge(ctx)
	}
	err = w.stage(ctx, "retrieve", func(ctx context.Context) (message string, err error) {
		candidates, err = w.retrieve(ctx)
		candidates = w.groups.within(candidates)
		return w.say("stage_retrieve", "n", fmt.Sprint(len(candidates))), err
	})
	w.rank(candidates)
	w.keepSubjects()
	if err == nil {
		w.preview()
	}
	return candidates, err
}

// lookBeforeModel finds what the rules find, where a model may be asked next: who waits for
// it has the first list already, and what the rules are sure of is not asked.
func (w *search) lookBeforeModel(ctx context.Context) error {
	if w.query.Strategy != StrategyLLM {
		return nil
	}
	candidates, err := w.retrieve(ctx)
	if err != nil {
		return err
	}
	w.rank(w.groups.within(candidates))
	w.preview()
	w.effort = w.effortFor(w.scopes.Decide(w.scopeRequest()))
	return nil
}

// maxPreviewed bounds the first list.
const maxPreviewed = 5

// preview tells a first list of tables, once: as the rules rank them, before a scope is
// decided and before a model is asked for one.
func (w *search) preview() {
	if w.told == nil || w.previewed || len(w.ranked) == 0 || w.question.OffTopic || !w.isAboutSource() {
		return
	}
	w.previewed = true
	var tables []answer.Shown
	for _, c := range w.folder.Fold(w.relevant(), nil, maxPreviewed) {
		tables = append(tables, w.show(c))
	}
	w.told.first(tables, false, time.Since(w.started))
}

// previewFinal tells the tables of the result where a model writes its summary next: who
// waits for the words has the list already.
func (w *search) previewFinal() {
	if w.told != nil && w.query.Strategy == StrategyLLM && len(w.result.Tables) > 0 {
		w.told.first(w.result.Tables, true, time.Since(w.started))
	}
}

// rank orders candidates without a scope and keeps their features.
func (w *search) rank(candidates []retrieval.Candidate) {
	w.features = make(map[*catalog.Table]retrieval.Features, len(candidates))
	for _, c := range candidates {
		w.features[c.Table] = c.Features
	}
	w.ranked = w.ranker.Rank(candidates, &w.question, w.rankContext(nil))
}

// clarify decides the scope.
func (w *search) clarify(ctx context.Context) error {
	return w.stage(ctx, "scope", func(ctx context.Context) (string, error) {
		r := w.scopeRequest()
		w.scope, w.result.Marts = w.scopeByModel(ctx, r, w.scopes.Decide(r)), nil
		for _, c := range w.scope.Scopes {
			w.result.Marts = append(w.result.Marts, c.Mart)
		}
		if len(w.result.Marts) == 0 {
			return w.say("stage_scope_none"), nil
		}
		return w.say("stage_scope", "marts", strings.Join(w.result.Marts, ", ")), nil
	})
}

// read reads the question without the wish for a chart, which no table is searched for.
func (w *search) read() {
	region := w.query.UserRegion
	if region == "" {
		region = w.own.preferences.Region
	}
	w.question = w.reader.Read(w.desk.volume, w.desk.view, preprocess.Request{
		Text: w.charts.Cut(w.query.Text).Rest, Language: w.query.Language, UserRegion: region, Selected: w.query.Selected, History: w.query.texts(),
	})
	rules, err := w.rules.For(w.query.Text)
	w.groups.schemas, w.groups.spoken = w.question.Schemas, w.question.Topics
	if err != nil {
		w.deps.Log.Warn("rules as they were before", "error", err)
	}
	w.folder = filter.Folder{
		Rules: rules, View: w.desk.view, Visible: w.desk.visible, Countries: w.desk.volume.Countries, Corpus: w.desk.volume.Corpus, Question: &w.question,
		Region: w.desk.volume.Manifest.DefaultRegion, MaxVariants: w.config().MaxVariants, MaxSpread: maxSpread,
	}
}

// maxSpread is how many tables of a family may stand for all countries.
const maxSpread = 3

// retrieve finds candidates that cover the question's country; where none does,
// those of other countries, with a warning.
func (w *search) retrieve(ctx context.Context) ([]retrieval.Candidate, error) {
	candidates, err := w.candidates(ctx, w.groups.key(), func(t *catalog.Table) bool { return w.groups.holds(t) && w.folder.Keep(t) })
	if err != nil || len(candidates) > 0 || len(w.question.Countries) == 0 {
		return candidates, err
	}
	found, err := w.desk.volume.Corpus.Find(ctx, w.question.Query, func(t *catalog.Table) bool { return w.desk.view.Visible(t) && !w.folder.Rules.Hides(t) })
	w.tellMissing(found.Missing)
	candidates = w.withEvidence(found.Candidates)
	if len(candidates) > 0 {
		w.warn(warningCountry, "country_missing", "country", strings.Join(w.question.Countries, ", "))
	}
	return candidates, err
}

// addSynonyms adds the words that the installation's own groups hold for those of
// the question.
func (w *search) addSynonyms(ctx context.Context) {
	said, err := w.curated.Of(ctx, w.desk.source, w.question.Text, w.desk.shows)
	if err != nil {
		w.deps.Log.WarnContext(ctx, "what curators decided as it was before", "error", err)
	}
	w.terms = said.Terms
	others, err := w.synonyms.Of(w.question.Text, w.desk.shows)
	if err != nil {
		w.deps.Log.WarnContext(ctx, "synonyms as they were before", "error", err)
	}
	w.also = slices.Concat(others, said.Others)
	for _, other := range w.also {
		w.desk.volume.Corpus.Also(&w.question.Query, other, synonymWeight)
	}
}

// synonymWeight is what a synonym of the installation counts against the question's
// own word.
const synonymWeight = 0.9

// candidates finds what a mart ("": any) has for the question, or takes it from the
// cache: it depends on the texts searched for, on the asker's rights and on the countries
// asked for, which may be the asker's own, and on nothing else.
func (w *search) candidates(ctx context.Context, mart string, keep func(*catalog.Table) bool) ([]retrieval.Candidate, error) {
	searched := slices.Concat([]string{w.question.Text}, w.also, w.result.Reformulations)
	key := foundKey{sight: w.desk.key, text: strings.Join(searched, "\n"), countries: strings.Join(w.question.Countries, " "), mart: strings.ToLower(mart), rules: w.folder.Rules.Edition}
	if have, ok := w.found.Get(key); ok && key.sight.cacheable() {
		return have, nil
	}
	found, err := w.desk.volume.Corpus.Find(ctx, w.question.Query, keep)
	if err != nil {
		return nil, err
	}
	w.tellMissing(found.Missing)
	candidates := w.withEvidence(found.Candidates)
	if key.sight.cacheable() && len(found.Missing) == 0 { // what was found with less is not kept
		w.found.Put(key, candidates)
	}
	return candidates, nil
}

// warningReduced is the code of the warning that a search server did not answer.
const warningReduced = "SEARCH_REDUCED"

// tellMissing warns of lists that did not answer, each once.
func (w *search) tellMissing(missing []retrieval.Missing) {
	for _, m := range missing {
		key := "without_vectors"
		if m.List == retrieval.ListWords {
			key = "without_words"
		}
		text := w.say(key)
		if !slices.ContainsFunc(w.result.Warnings, func(have warning) bool { return have.Message == text }) {
			w.result.Warnings = append(w.result.Warnings, warning{warningReduced, text})
		}
	}
}

// withEvidence leaves out, for somebody who sees less of some tables, what no
// visible word speaks for: a table that came along with another one would tell that
// the other has the word where it is hidden.
func (w *search) withEvidence(candidates []retrieval.Candidate) []retrieval.Candidate {
	if len(w.desk.less) == 0 && !w.desk.volume.Corpus.Hides() {
		return candidates
	}
	return slices.DeleteFunc(candidates, func(c retrieval.Candidate) bool {
		return len(w.desk.volume.Corpus.Why(w.question.Query, c.Table)) == 0
	})
}

func (w *search) rankContext(marts []string) rank.Context {
	return rank.Context{
		Countries: w.desk.volume.Countries, Marts: marts,
		Own: w.own.tables, Recent: w.recentUse(), FreshSince: w.now.Add(-w.config().LateAfter),
		Preferred: w.preferred(),
		HasMetric: func(t *catalog.Table) bool {
			return w.desk.volume.Corpus.HasMetric(w.question.Query, t)
		},
	}
}

// preferred returns what tells the tables that rules prefer; nil where there are no rules.
func (w *search) preferred() func(*catalog.Table) bool {
	if w.folder.Rules.Edition == "" {
		return nil
	}
	return w.folder.Rules.Prefers
}

func (w *search) say(key string, kv ...string) string {
	return w.writer.Say(w.question.Language, key, kv...)
}

func (w *search) warn(code, key string, kv ...string) {
	w.result.Warnings = append(w.result.Warnings, warning{code, w.say(key, kv...)})
}
