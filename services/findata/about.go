package findata

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
)

// aboutFile is the fitted score that a question is about a source; decision 53 tells how
// it was fitted.
//
//go:embed about.yaml
var aboutFile []byte

// aboutSigns are what the score is made of, by the numbers of signNames.
type aboutSigns [signs]float64

// Numbers of the signs.
const (
	signMean     = iota // mean over the subjects of how well a table knows each
	signKnown           // share of the subjects that one table says in so many words
	signTogether        // share of the subjects that the best table knows by itself
	signNamed           // a business word, or a metric of the layer
	signHead            // how well a table knows what is asked for: the first subject, in Chinese the last
	signMart            // share of the subjects that the tables of the best mart know together
	signAbsent          // a subject that is a noun nearly always is one that no table knows
	signLacking         // the same beside a business word, a metric or a mart: a fact of it that the source has not
	signs
)

var signNames = [signs]string{
	signMean: "mean", signKnown: "known", signTogether: "together", signNamed: "named", signHead: "head", signMart: "mart", signAbsent: "absent", signLacking: "lacking",
}

// about weighs signs.
type about struct {
	weights   aboutSigns
	intercept float64
	isNoun    func(word string) bool // nearly always
	isNotNoun func(word string) bool // nearly always something else
	least     float64                // the probability from which a question is taken to be about the source
}

func newAbout() (*about, error) {
	var f struct {
		Intercept float64            `yaml:"intercept"`
		Least     float64            `yaml:"least"`
		Weights   map[string]float64 `yaml:"weights"`
	}
	if err := yaml.Unmarshal(aboutFile, &f); err != nil {
		return nil, fmt.Errorf("read the embedded score of what a source is about: %w", err)
	}
	isNoun, err := analysis.Nouns()
	if err != nil {
		return nil, err
	}
	isNotNoun, err := analysis.NotNouns()
	if err != nil {
		return nil, err
	}
	a := &about{intercept: f.Intercept, least: f.Least, isNoun: isNoun, isNotNoun: isNotNoun}
	for name, weight := range f.Weights {
		i := slices.Index(signNames[:], name)
		if i < 0 {
			return nil, fmt.Errorf("the score of what a source is about: there is no sign %q", name)
		}
		a.weights[i] = weight
	}
	return a, nil
}

// probability is that of a question being about the source, 0 to 1.
func (a *about) probability(s aboutSigns) float64 {
	sum := a.intercept
	for i, v := range s {
		sum += a.weights[i] * v
	}
	return 1 / (1 + math.Exp(-sum))
}

// wholly is how much of the subjects one table has to know to be taken for what is asked
// about, whatever else speaks for it.
const wholly = 0.99

// bySynonym is what a word that general synonyms alone lead to counts against one that
// stands there.
const bySynonym = 0.5

// byValue is what a word that only stored values have counts: they are what figures are of,
// and say of no table that it is about them.
const byValue = 0.5

// hardly is what a noun is known at most that counts as absent: half of a loose synonym, or a
// stored value that only means something like it (a credit card for loans).
const hardly = bySynonym * byValue

// hardlyKnown is hardly for an English noun. A Chinese one is mostly known by what it means in
// English, which is the word itself: 信用卡 is the stored credit card.
func hardlyKnown(c retrieval.Concept) float64 {
	if lang.Detect(c.Surface) == lang.Chinese {
		return 0
	}
	return hardly
}

// signs reads the signs of the question off the best tables.
func (w *search) signs() aboutSigns {
	var s aboutSigns
	content := w.question.Content
	if len(content) == 0 {
		return s
	}
	part := 1 / float64(len(content))      // of the question that a subject is
	knows := make([]float64, len(content)) // of each subject, by the best table
	said := make([]bool, len(content))
	byMart := make(map[string][]float64)
	other := false // a word that people added for one of the question's is known
	if len(w.terms) > 0 || w.callsMart() {
		s[signNamed] = 1
	}
	for i, c := range content {
		if slices.ContainsFunc(c.Glossary, w.isVisibleTerm) {
			knows[i], said[i], s[signNamed] = 1, true, 1
		}
	}
	for _, r := range w.ranked[:min(len(w.ranked), looked)] {
		var together float64
		of := byMart[martOf(r.Table)]
		if of == nil {
			of = make([]float64, len(content))
			byMart[martOf(r.Table)] = of
		}
		for _, e := range w.desk.volume.Corpus.Why(w.question.Query, r.Table) {
			if e.Field == retrieval.FieldLayer || e.Field == retrieval.FieldOwner {
				continue // tables of a layer, or of a team, know nothing of what is called like it: ads, dim
			}
			i := slices.IndexFunc(content, func(c retrieval.Concept) bool { return c.Span == e.Concept.Span })
			if i < 0 {
				other = other || w.isAdded(e)
				continue
			}
			know := e.Share
			switch {
			case e.Meaning != nil:
				know = 1
				if e.Meaning.Metric {
					s[signNamed] = 1
				}
			case e.Entry != "":
				know *= bySynonym
			}
			if e.Field == retrieval.FieldValue {
				know *= byValue
			}
			said[i] = said[i] || know > bySynonym
			knows[i], of[i] = max(knows[i], know), max(of[i], know)
			together += part * know
		}
		if w.callsTable(r.Table) {
			together = 1
		}
		s[signTogether] = max(s[signTogether], together)
	}
	if other { // it stands for a subject that no table calls so
		s[signNamed] = 1
		if i := slices.Index(said, false); i >= 0 {
			knows[i], said[i] = 1, true
			s[signTogether] = max(s[signTogether], part)
		}
	}
	for i, c := range content {
		if knows[i] <= hardlyKnown(c) && w.isNoun(c) {
			s[signAbsent], s[signLacking] = 1, s[signNamed]
		}
		s[signMean] += part * knows[i]
		if said[i] {
			s[signKnown] += part
		}
	}
	for _, of := range byMart {
		var together float64
		for _, know := range of {
			together += part * know
		}
		s[signMart] = max(s[signMart], together)
	}
	s[signHead] = knows[0]
	if w.question.Language == lang.Chinese {
		s[signHead] = knows[len(knows)-1]
	}
	return s
}

// isNoun reports whether a subject is a noun nearly always; a Chinese word of several
// characters is one where the first thing that it means in English is, but for a question about
// the tables, which asks by nouns that none of them knows (定义, 口径).
func (w *search) isNoun(c retrieval.Concept) bool {
	if lang.Detect(c.Surface) != lang.Chinese {
		return w.about.isNoun(c.Surface)
	}
	i := slices.IndexFunc(c.Terms, func(t retrieval.Term) bool { return t.Entry != "" })
	if i < 0 || isOneHan(c.Surface) || w.question.AsksAboutTables() {
		return false
	}
	words := strings.Fields(c.Terms[i].Entry)
	return w.about.isNoun(words[len(words)-1])
}

// martOf is the mart of a table, or its schema where it has none.
func martOf(t *catalog.Table) string { return cmp.Or(t.Mart, t.Name.Schema) }

// callsMart reports whether a subject of the question is what a mart calls itself.
func (w *search) callsMart() bool {
	marts := w.martsCalled()
	return slices.ContainsFunc(w.question.Content, func(c retrieval.Concept) bool { return c.Within(marts) })
}

// martsCalled are the places of the question where a mart that the asker sees is called.
func (w *search) martsCalled() []retrieval.Span {
	var spans []retrieval.Span
	for _, m := range w.desk.volume.Marts.Matches(w.question.Text) {
		if w.desk.shows(m.Group.ID) {
			spans = append(spans, retrieval.Span{Start: m.Start, End: m.End})
		}
	}
	return spans
}

// nameShare is the number of the feature that says how much of a table's name the question
// has, and nameSaid the share from which it has it all, be it in words of another language.
var nameShare = slices.Index(retrieval.FeatureNames(), "name_share")

const nameSaid = 0.85

// callsTable reports whether the question asks for a table by what it is called: all of the
// name is in it, and no other subject.
func (w *search) callsTable(t *catalog.Table) bool {
	if f := w.features[t]; len(f) <= nameShare || f[nameShare] < nameSaid {
		return false
	}
	evidence := w.desk.volume.Corpus.Why(w.question.Query, t)
	return !slices.ContainsFunc(w.question.Content, func(c retrieval.Concept) bool {
		return !slices.ContainsFunc(evidence, func(e retrieval.Evidence) bool {
			return e.Concept.Span == c.Span && e.Field == retrieval.FieldName && e.Share >= wholly
		})
	})
}

// isAdded reports whether evidence is for a word that the installation's synonyms, or a
// curator, added to the question.
func (w *search) isAdded(e retrieval.Evidence) bool {
	return len(w.also) > 0 && e.Concept.Span.Start >= len(w.question.Text) && e.Share > bySynonym
}

// hasBusinessWords reports whether the source says what it is about in words of its
// own: a glossary or a semantic layer. Without any the score is not calibrated.
func (w *search) hasBusinessWords() bool {
	return len(w.desk.volume.Index.Snapshot().Glossary) > 0 || w.desk.volume.Corpus.HasMeanings()
}
