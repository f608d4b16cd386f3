package findata

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/services/findata/answer"
	"github.com/dibrain/dibrain/services/findata/filter"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/rank"
	"github.com/dibrain/dibrain/services/findata/scope"
)

// Shares of the best table's coverage that another table needs to be shown.
const (
	coverageShown      = 0.4
	coverageShownSmall = 0.15 // in a small source the SQL writer needs more of it
	// enoughContent is the share of a question's subject words that tables must
	// know for the question to be about this source.
	enoughContent = 0.34
	// looked is how many of the best tables are asked for them.
	looked = 10
)

// decide ends the search early: with a question to the person, or with nothing
// found. Otherwise the outcome is set to what choose goes on with.
func (w *search) decide() bool {
	named := len(w.question.Named) > 0
	switch {
	case w.question.OffTopic && !named:
		w.notFound("off_topic")
		return true
	case len(w.desk.tables) == 0:
		w.notFound("empty_source", "source", w.desk.source)
		return true
	case w.question.Intent == preprocess.IntentInventory && !named && w.groups.none():
		w.result.Outcome, w.result.Answer = outcomeFound, w.inventory()
		return true
	case !named && slices.ContainsFunc(w.question.Unknown, func(u preprocess.Unknown) bool { return u.Sure }):
		w.result.Outcome, w.result.Marts = outcomeNotFound, nil // finish tells of the names
		return true
	case !named && len(w.question.Schemas)+len(w.question.Topics) > 0 && (len(w.question.Content) == 0 || len(w.ranked) == 0):
		w.result.Outcome, w.result.Marts = outcomeFound, w.spokenMarts()
		return false
	case w.scope.Outcome == scope.Ask && !named:
		w.result.Outcome, w.result.Question, w.result.Answer = outcomeAsk, w.scope, w.scope.Text
		return true
	case named:
		w.result.Outcome, w.result.Marts = outcomeFound, w.namedMarts()
		return false
	case !w.chose && len(w.countriesToAsk()) > 1 && w.isAboutSource(): // one who has answered is not asked again
		w.scope = w.scopes.AskCountry(w.countriesToAsk(), w.question.Language)
		w.result.Outcome, w.result.Question, w.result.Answer = outcomeAsk, w.scope, w.scope.Text
		return true
	case w.isAboutSource() || (w.aboutByModel || w.scope.Named || w.chose) && len(w.ranked) > 0 || len(w.withColumn()) > 0:
		w.result.Outcome = outcomeFound
		return false
	case w.chose && w.scope.Outcome == scope.Identified && len(w.ofMarts()) > 0:
		w.result.Outcome = outcomeFound // what the person chose is shown, though no word of the question is in it
		return false
	case w.mayFallBack():
		w.result.Outcome, w.result.Marts = outcomeFallback, nil
		if !w.isSmall() && len(w.question.Content) > 0 {
			w.warn("NOTHING_MATCHES", "nothing_matches", "source", w.desk.source, "words", w.quoted())
		}
		return false
	}
	var words []string
	for _, c := range w.question.Content {
		words = append(words, c.Surface)
	}
	if len(w.question.Unknown) > 0 {
		w.result.Outcome, w.result.Answer = outcomeNotFound, "" // finish tells of the names
		return true
	}
	if len(words) == 0 || w.question.WantsAdvice {
		w.notFound("off_topic")
		return true
	}
	w.notFound("not_found", "source", w.desk.source, "words", w.quoted())
	return true
}

// countriesToAsk are the countries that the best table is kept for in a family of them, where
// the question speaks of the asker's own and nobody knows which that is.
func (w *search) countriesToAsk() []string {
	if !w.question.OwnCountry || len(w.ranked) == 0 {
		return nil
	}
	var codes []string
	for _, t := range w.desk.view.Family(w.ranked[0].Table) {
		if of := w.desk.volume.Countries.Of(t); len(of) == 1 && !slices.Contains(codes, of[0]) {
			codes = append(codes, of[0])
		}
	}
	slices.Sort(codes)
	return codes
}

// countryReplied is the code of the country that the person took of those offered.
func (w *search) countryReplied() string {
	reply := cmp.Or(w.query.Reply, w.query.ChosenOption)
	if reply == "" {
		return ""
	}
	o, _ := w.scopes.Taken(reply, w.scopes.AskCountry(w.countriesToAsk(), w.question.Language).Options)
	return strings.TrimPrefix(o.ID, scope.CountryPrefix)
}

// quoted are the subjects of the question that no table says, in quotation marks; all of
// them where each is said somewhere, though by no table together.
func (w *search) quoted() string {
	words := w.unknownSubjects()
	if len(words) == 0 {
		for _, c := range w.question.Content {
			words = append(words, c.Surface)
		}
	}
	if w.question.Language == lang.Chinese {
		return "「" + strings.Join(words, "」「") + "」"
	}
	return "\"" + strings.Join(words, "\", \"") + "\""
}

// namedMarts are the marts of the tables that the question names.
func (w *search) namedMarts() []string {
	var marts []string
	for _, n := range w.question.Named {
		for _, t := range n.Tables {
			if t.Mart != "" && !slices.Contains(marts, t.Mart) {
				marts = append(marts, t.Mart)
			}
		}
	}
	return marts
}

func (w *search) notFound(key string, kv ...string) {
	w.result.Outcome, w.result.Marts = outcomeNotFound, nil
	w.result.Answer = w.say(key, kv...)
}

// isAboutSource reports whether the tables found know the subject of the
// question: a business word, a metric, the name of a mart, or enough of its words.
func (w *search) isAboutSource() bool {
	if len(w.ranked) == 0 {
		return false
	}
	if len(w.question.Content) == 0 {
		// Nothing but generic words: about this source if somebody asks for data
		// and some table has the words,
		// or a stored value, such as a campaign called 11.11, is what it names.
		return w.question.AsksForData || w.question.AsksForRows || w.namesValue()
	}
	if !w.isSmall() && w.hasBusinessWords() {
		s := w.signs()
		if w.question.WantsAdvice && s[signNamed] == 0 && !w.question.AsksForData && !w.question.AsksAboutTables() {
			return false // what to do is in no table, unless it is to be done with a business word
		}
		return s[signTogether] >= wholly || w.about.probability(s) >= w.about.least
	}
	for _, c := range w.question.Content {
		if slices.ContainsFunc(c.Glossary, w.isVisibleTerm) {
			return true
		}
	}
	best := 0
	for _, r := range w.ranked[:min(len(w.ranked), looked)] {
		evidence := w.desk.volume.Corpus.Why(w.question.Query, r.Table)
		if slices.ContainsFunc(evidence, func(e retrieval.Evidence) bool { return e.Meaning != nil && e.Meaning.Metric || w.isAdded(e) }) {
			return true
		}
		known := 0
		for _, c := range w.question.Content {
			if slices.ContainsFunc(evidence, func(e retrieval.Evidence) bool { return e.Concept.Span == c.Span }) {
				known++
			}
		}
		best = max(best, known)
	}
	return float64(best) >= enoughContent*float64(len(w.question.Content)) && best > 0
}

func (w *search) namesValue() bool {
	for _, r := range w.ranked[:min(len(w.ranked), looked)] {
		for _, e := range w.desk.volume.Corpus.Why(w.question.Query, r.Table) {
			if e.Field == retrieval.FieldValue {
				return true
			}
		}
	}
	return false
}

func (w *search) isVisibleTerm(t catalog.Term) bool {
	if t.Mart == "" {
		return true
	}
	return w.desk.shows(t.Mart)
}

// isSmall reports whether the source is small enough to be handed over nearly
// whole.
func (w *search) isSmall() bool { return len(w.desk.tables) <= w.config().SmallSource }

// handsOverWhole reports a source whose tables all go to who writes SQL, so that no other
// words for the question find one more.
func (w *search) handsOverWhole() bool { return w.isSmall() && w.query.ForSQL && w.groups.none() }

// mayFallBack reports whether tables may be offered that no word speaks for: the
// general layer, or a small source whole.
func (w *search) mayFallBack() bool {
	if len(w.question.Unknown) > 0 {
		return false
	}
	if w.isSmall() {
		return w.question.AsksForData || w.question.AsksForRows || w.query.ForSQL
	}
	return (w.question.AsksForData || len(w.question.Content) > 0 && !w.question.WantsAdvice && !w.question.AsksAboutTables()) && len(w.fallbackTables()) > 0
}

// fallbackTables are those of the general layer; in a small source all tables.
func (w *search) fallbackTables() []rank.Ranked {
	general := make(map[string]bool)
	for _, m := range w.desk.volume.Index.Snapshot().Marts {
		general[m.Name] = m.Fallback
	}
	var tables []rank.Ranked
	for _, t := range w.desk.tables {
		if (w.isSmall() || general[t.Mart]) && w.folder.Keep(t) {
			tables = append(tables, rank.Ranked{Table: t})
		}
	}
	byUse(tables)
	return tables
}

// ofMarts are the tables of the marts of the scope, most used first, for a question of
// which none of them knows a word.
func (w *search) ofMarts() []rank.Ranked {
	var of []rank.Ranked
	for _, t := range w.desk.tables {
		if slices.Contains(w.result.Marts, t.Mart) && w.folder.Keep(t) {
			of = append(of, rank.Ranked{Table: t})
		}
	}
	byUse(of)
	return of
}

// choose makes the list of tables: named ones, then the best, then neighbours.
func (w *search) choose() {
	limit := w.query.MaxTables
	var chosen []filter.Chosen
	for _, n := range w.question.Named {
		chosen = append(chosen, w.folder.Named(n)...)
	}
	chosen = chosen[:min(len(chosen), limit)]
	ranked := w.relevant()
	if with := w.withColumn(); len(with) > 0 {
		ranked = with
	}
	if w.result.Outcome == outcomeFallback {
		ranked = w.fallbackTables()
	} else if len(ranked) == 0 && !w.groups.none() {
		ranked = w.ofGroups()
	} else if len(ranked) == 0 && w.chose {
		ranked = w.ofMarts()
	}
	// Where tables are named and nothing else is asked for, they are the answer.
	if len(w.question.Named) == 0 || len(w.question.Content) > 0 && w.question.Intent == preprocess.IntentNone {
		chosen = append(chosen, w.folder.Fold(ranked, chosen, limit-len(chosen))...)
	}
	if w.isSmall() || w.hasOpenWords(chosen) {
		chosen = append(chosen, w.folder.Neighbours(chosen, w.config().MaxNeighbours)...)
	}
	if w.handsOverWhole() && len(w.question.Named) == 0 {
		// Who writes SQL finds in a table what no word of the question is like.
		chosen = append(chosen, w.folder.Fold(w.fallbackTables(), chosen, w.config().SmallSource-len(chosen))...)
	}
	for _, c := range chosen {
		w.result.Tables = append(w.result.Tables, w.show(c))
		w.remark(c.Table)
	}
	if w.tellElsewhere(chosen); w.isOfOthers(chosen) {
		w.result.Outcome = outcomeFallback
	}
}

// isOfOthers reports whether countries are asked for and none of the tables shown is of one,
// the first of them being kept for others: figures of these answer nothing.
func (w *search) isOfOthers(shown []filter.Chosen) bool {
	if len(shown) == 0 || len(w.question.Named) > 0 || w.result.toldOfCountry() == "" {
		return false
	}
	of := w.desk.volume.Countries
	return len(of.Of(shown[0].Table)) > 0 && !slices.ContainsFunc(shown, func(c filter.Chosen) bool {
		return slices.ContainsFunc(w.question.Countries, func(code string) bool { return of.Covers(c.Table, code) })
	})
}

// tellElsewhere tells of the countries of the question that no table is kept for, and that
// none of those shown has as a value either: what is shown is of other countries.
func (w *search) tellElsewhere(shown []filter.Chosen) {
	var names []string
	for _, at := range w.question.Elsewhere {
		if !slices.ContainsFunc(shown, func(c filter.Chosen) bool {
			return slices.ContainsFunc(w.telling(w.desk.volume.Corpus.Why(w.question.Query, c.Table)), func(e retrieval.Evidence) bool {
				return e.Concept.Within([]retrieval.Span{at})
			})
		}) {
			names = append(names, w.question.Text[at.Start:at.End])
		}
	}
	if len(names) > 0 && len(shown) > 0 {
		w.warn(warningCountry, "country_missing", "country", strings.Join(names, ", "))
	}
}

// warningCountry is the code of tables shown that are not of the country asked for.
const warningCountry = "COUNTRY_NOT_COVERED"

// remark tells what a rule of the installation says of a table, each text once.
func (w *search) remark(t *catalog.Table) {
	text := w.desk.text(w.folder.Rules.Remark(t, w.question.Language))
	if text != "" && !slices.ContainsFunc(w.result.Warnings, func(have warning) bool { return have.Message == text }) {
		w.result.Warnings = append(w.result.Warnings, warning{warningRule, text})
	}
}

// warningRule is the code of what a rule of the installation says of a table.
const warningRule = "WAREHOUSE_RULE"

// withColumn returns the tables that have the column that the question asks the
// meaning of, most used first.
func (w *search) withColumn() []rank.Ranked {
	if w.question.Intent != preprocess.IntentColumn || w.question.Subject == "" {
		return nil
	}
	subject := w.question.Subject[strings.LastIndexByte(w.question.Subject, '.')+1:]
	var with []rank.Ranked
	for _, t := range w.desk.tables {
		if _, ok := w.desk.visible(t).Column(subject); ok && w.folder.Keep(t) {
			with = append(with, rank.Ranked{Table: t})
		}
	}
	byUse(with)
	return with
}

func byUse(tables []rank.Ranked) {
	slices.SortStableFunc(tables, func(a, b rank.Ranked) int { return cmp.Compare(b.Table.QueryCount30d, a.Table.QueryCount30d) })
}

// relevant cuts the ranking where tables know too little of the question.
func (w *search) relevant() []rank.Ranked {
	var best float64
	for _, r := range w.ranked {
		best = max(best, r.Coverage)
	}
	share := coverageShown
	if w.isSmall() {
		share = coverageShownSmall
	}
	var kept []rank.Ranked
	for _, r := range w.ranked {
		if r.Coverage >= share*best {
			kept = append(kept, r)
		}
	}
	return kept
}

// telling leaves of the evidence for a table what a person takes for a reason: words
// that name a subject, found by more than half. Numbers, words of asking and single
// Chinese characters rank tables but explain nothing.
func (w *search) telling(evidence []retrieval.Evidence) []retrieval.Evidence {
	isSubject := func(c retrieval.Concept) bool {
		return c.Span.Start >= len(w.question.Text) || // a word of the installation's synonyms
			slices.ContainsFunc(w.question.Content, func(s retrieval.Concept) bool { return s.Span == c.Span })
	}
	var told []retrieval.Evidence
	for _, e := range evidence {
		if isSubject(e.Concept) && e.Share > 0.5 && !isOneHan(e.Concept.Surface) {
			told = append(told, e)
		}
	}
	return told
}

func isOneHan(s string) bool {
	return utf8.RuneCountInString(s) == 1 && lang.Detect(s) == lang.Chinese
}

// hasOpenWords reports whether the best table leaves subjects of the question
// open, so that another one has to be joined.
func (w *search) hasOpenWords(chosen []filter.Chosen) bool {
	if len(chosen) == 0 {
		return false
	}
	evidence := w.desk.volume.Corpus.Why(w.question.Query, chosen[0].Table)
	return slices.ContainsFunc(w.question.Content, func(c retrieval.Concept) bool {
		return !slices.ContainsFunc(evidence, func(e retrieval.Evidence) bool { return e.Concept.Span == c.Span })
	})
}

// explain adds what the reader of the tables should know, and the answer.
func (w *search) explain() {
	w.addTerms()
	w.addRules()
	for _, t := range w.result.Tables[:min(len(w.result.Tables), 1)] {
		if w.writer.Late(t.Table, w.now) {
			w.warn("DATA_LATE", "late", "table", t.Table.Name.String(), "ago", w.writer.Ago(w.question.Language, w.now.Sub(t.Table.UpdatedAt)))
		}
	}
	if w.question.Intent != preprocess.IntentNone && w.result.Outcome != outcomeFallback {
		if text, _, ok := w.writer.Answer(w.subject()); ok {
			w.result.Answer = text
			return
		}
	}
	w.result.Answer = w.writer.Summarize(answer.Summary{
		Language: w.question.Language, Level: w.query.Level, Tables: w.result.Tables,
		Terms: w.result.Terms, Rules: w.result.Rules, Fallback: w.fallbackText(), Now: w.now, Downstream: w.downstream(),
	})
}

// fallbackText says of which kind the tables are that are shown where none answers; empty:
// they do.
func (w *search) fallbackText() string {
	if w.result.Outcome != outcomeFallback {
		return ""
	}
	return cmp.Or(w.result.toldOfCountry(), w.say("fallback"))
}

// toldOfCountry is what was told of a country asked for that the tables are not of; empty:
// nothing.
func (d *discovery) toldOfCountry() string {
	for _, told := range d.Warnings {
		if told.Code == warningCountry {
			return told.Message
		}
	}
	return ""
}

// downstream are the tables made from those shown that the asker may see, by what they
// are made from; nil where no summary tells of them.
func (w *search) downstream() map[catalog.Name][]catalog.Name {
	if w.query.Level != answer.Expert {
		return nil
	}
	shown := make(map[string]catalog.Name, len(w.result.Tables))
	for _, t := range w.result.Tables {
		shown[t.Table.Name.Key()] = t.Table.Name
	}
	out := make(map[catalog.Name][]catalog.Name)
	for _, t := range w.desk.tables {
		for _, from := range t.Upstream {
			if n, ok := shown[from.Key()]; ok {
				out[n] = append(out[n], t.Name)
			}
		}
	}
	return out
}

func (w *search) subject() answer.Subject {
	s := answer.Subject{Question: &w.question, Named: len(w.question.Named) > 0, Terms: w.result.Terms, Now: w.now}
	for _, t := range w.result.Tables {
		s.Tables = append(s.Tables, t.Table)
	}
	return s
}

func (w *search) addTerms() {
	for _, t := range w.terms {
		if len(w.result.Terms) < w.config().MaxGlossary {
			t.Definition = w.desk.text(t.Definition)
			w.result.Terms = append(w.result.Terms, t)
		}
	}
	for _, c := range w.question.Query.Concepts {
		for _, t := range c.Glossary {
			known := slices.ContainsFunc(w.result.Terms, func(have catalog.Term) bool { return have.Term == t.Term && have.Mart == t.Mart })
			if !known && w.isVisibleTerm(t) && len(w.result.Terms) < w.config().MaxGlossary {
				t.Definition = w.desk.text(t.Definition)
				w.result.Terms = append(w.result.Terms, t)
			}
		}
	}
}

// addRules takes the rules of the marts of the tables shown, and those that hold
// everywhere.
func (w *search) addRules() {
	marts := make(map[string]bool)
	for _, t := range w.result.Tables {
		marts[t.Table.Mart] = true
	}
	for _, m := range w.desk.volume.Index.Snapshot().Marts {
		marts[m.Name] = marts[m.Name] || m.Fallback && w.desk.shows(m.Name)
	}
	for _, r := range w.desk.volume.Index.Snapshot().Rules {
		if (r.Mart == "" || marts[r.Mart]) && len(w.result.Rules) < w.config().MaxRules {
			r.Text = w.desk.text(r.Text)
			w.result.Rules = append(w.result.Rules, r)
		}
	}
}

// finish adds what is told whatever came of it: names that do not exist.
func (w *search) finish(ctx context.Context) {
	w.result.Context = w.reading()
	for i := range w.question.Unknown {
		u := &w.question.Unknown[i]
		if len(u.Near) == 0 {
			u.Near = w.alike(ctx, u.Name)
		}
		w.result.Warnings = append(w.result.Warnings, warning{"TABLE_UNKNOWN", w.unknownName(u.Name, u.Near)})
	}
	if w.result.Answer == "" && len(w.result.Warnings) > 0 {
		w.result.Answer = w.result.Warnings[len(w.result.Warnings)-1].Message
	}
}

// alike are the tables that share most words with a name that nothing is spelled like.
func (w *search) alike(ctx context.Context, name string) []catalog.Name {
	found := w.desk.volume.Corpus.Parse(strings.NewReplacer("_", " ", ".", " ").Replace(name[strings.LastIndexByte(name, '.')+1:]), nil)
	candidates, err := w.desk.volume.Corpus.Find(ctx, found, w.folder.Keep)
	if err != nil { // the answer says that there is no such table all the same
		return nil
	}
	q := w.question
	q.Query = found
	var names []catalog.Name
	for _, c := range w.folder.Fold(w.ranker.Rank(w.withEvidence(candidates.Candidates), &q, w.rankContext(nil)), nil, maxAlike) {
		names = append(names, c.Table.Name)
	}
	return names
}

// maxAlike bounds the tables told for a name that nothing is spelled like.
const maxAlike = 3

// reading is how the question was read, for whoever goes on with the answer.
func (w *search) reading() *reading {
	q := &w.question
	out := &reading{Countries: q.Countries, Layers: q.Layers, UserRegion: q.Region, Reformulations: w.result.Reformulations}
	for _, g := range q.Grains {
		out.Grains = append(out.Grains, g.Name)
	}
	var known []retrieval.Evidence
	for _, t := range w.result.Tables {
		if stored, ok := w.desk.view.Lookup(t.Table.Name); ok {
			known = append(known, w.desk.volume.Corpus.Why(q.Query, stored)...)
		}
	}
	for _, c := range q.Content {
		out.Subjects = append(out.Subjects, c.Surface)
	}
	if len(w.result.Tables) > 0 {
		out.Missing = missing(q.Content, known)
	}
	return out
}
