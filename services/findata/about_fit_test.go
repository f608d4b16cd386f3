package findata

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/analysis"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/train"
	"github.com/dibrain/dibrain/pkg/run"
)

// aboutData is the folder of training questions (corpus.jsonl and train.jsonl) that the
// score of what a source is about is fitted on; without it nothing is fitted.
var aboutData = flag.String("fit-about", "", "folder with corpus.jsonl and train.jsonl: fit about.yaml on them")

// How the score is fitted.
const (
	fitSources   = 10   // made of the databases, each database in one
	fitQuestions = 150  // about each source, and as many that are not
	fitTerms     = 0.25 // share of the names of several words that a glossary explains
	fitSeed      = 53
	fitL2        = 0.002
	fitSteps     = 4000
	fitRate      = 0.5
	fitKept      = 0.9 // least share of the questions about a source that the score keeps
)

// judged is a question asked of a source, with its signs.
type judged struct {
	source int
	about  bool
	hard   bool // a question about the source of which a word was taken for one that it has not
	signs  aboutSigns
	wholly bool
}

// TestFitAbout fits about.yaml: sources are made of training databases with a mart each
// and a glossary of some of their names; questions of the source's databases are about
// it, those of databases that share no word of a table's name with it are not.
func TestFitAbout(t *testing.T) {
	if *aboutData == "" {
		t.Skip("there is nothing to fit on: give -fit-about FOLDER")
	}
	set, err := train.ReadSet(t.Context(), filepath.Join(*aboutData, "corpus.jsonl"), filepath.Join(*aboutData, "train.jsonl"))
	require.NoError(t, err)
	questions := judgedQuestions(t, set)
	f := fitted{columns: []int{signMean, signKnown, signTogether, signNamed, signHead, signMart}}
	var held []judged
	var scores, before []float64 // with and without the sign that speaks against a source
	for part := range fitSources {
		var other []judged
		for _, q := range questions {
			if q.source != part {
				other = append(other, q)
			}
		}
		f.fit(other)
		for _, q := range questions {
			if q.source == part {
				held, scores, before = append(held, q), append(scores, f.score(q)), append(before, f.base(q))
			}
		}
	}
	for _, least := range []float64{.1, .2, .3, .4, .45, .5, .6, .7} {
		kept, declined, hard := shares(held, before, least)
		t.Logf("without what is absent, from %.2f: kept %.3f, declined %.3f, hard ones %.3f", least, kept, declined, hard)
		kept, declined, hard = shares(held, scores, least)
		t.Logf("from %.2f: kept %.3f, declined %.3f, hard ones %.3f", least, kept, declined, hard)
	}
	least := .05
	for l := .05; l < 1; l += .05 {
		if kept, _, _ := shares(held, before, l); kept >= fitKept {
			least = l
		}
	}
	kept, declined, hard := shares(held, scores, least)
	f.fit(questions)
	t.Logf("%d questions, cross-validated by source, from %.2f: kept %.3f, declined %.3f, hard ones %.3f", len(questions), least, kept, declined, hard)
	var weights []string
	for i, n := range f.columns {
		weights = append(weights, fmt.Sprintf("%s: %.2f", signNames[n], f.weights[i]))
	}
	weights = append(weights, fmt.Sprintf("%s: %.2f", signNames[signAbsent], -f.absent), fmt.Sprintf("%s: %.2f", signNames[signLacking], -f.lacking))
	text := fmt.Sprintf(aboutHead, len(questions), fitSources, kept, declined, hard) +
		fmt.Sprintf("intercept: %.2f\nleast: %.2f\nweights: {%s}\n", f.intercept, least, strings.Join(weights, ", "))
	require.NoError(t, os.WriteFile("about.yaml", []byte(text), 0o600))
}

const aboutHead = `# How likely a question is about a source that has business words of its own, by the
# logistic function of the intercept and the weighed signs (about.go). Made by
# scripts/fit-about.sh on %d training questions over %d sources made of training
# databases; decision 56 tells how. Cross-validated by source: %.3f of the questions about
# a source are kept, %.3f of the others are declined, and %.3f of those about a source of
# which a noun was taken for one that it has not.
`

// shares are those of the questions about a source that are kept, of the others that are
// declined, and of the hard ones that are.
func shares(questions []judged, scores []float64, least float64) (kept, declined, hard float64) {
	var n, right [3]float64
	for i, q := range questions {
		said := q.wholly || scores[i] >= least
		n[groupOf(q)]++
		if said == q.about {
			right[groupOf(q)]++
		}
	}
	return right[0] / n[0], right[1] / n[1], right[2] / n[2]
}

// judgedQuestions asks training questions of made-up sources.
func judgedQuestions(t *testing.T, set *train.Set) []judged {
	t.Helper()
	random := rand.New(rand.NewPCG(fitSeed, uint64(len(set.Questions))))
	words := make(map[string]map[string]bool) // of the tables' names, by database
	for i := range set.Tables {
		n := set.Tables[i].Name
		if words[n.Schema] == nil {
			words[n.Schema] = make(map[string]bool)
		}
		for _, w := range nameWords(n.Table) {
			words[n.Schema][strings.TrimSuffix(w, "s")] = true
		}
	}
	isNoun, err := analysis.Nouns()
	require.NoError(t, err)
	var foreign []string // nouns that columns are called by
	for i := range set.Tables {
		for _, name := range columnNames(&set.Tables[i]) {
			for _, w := range nameWords(name) {
				if len(w) > 3 && isNoun(w) && !slices.Contains(foreign, w) {
					foreign = append(foreign, w)
				}
			}
		}
	}
	databases := slices.Sorted(maps.Keys(words))
	random.Shuffle(len(databases), func(i, j int) { databases[i], databases[j] = databases[j], databases[i] })
	var all []judged
	for part := range fitSources {
		in, known := make(map[string]bool), make(map[string]bool)
		for i, db := range databases {
			if i%fitSources == part {
				in[db] = true
				maps.Copy(known, words[db])
			}
		}
		facts := make(map[string]bool) // words of all that the source names
		for i := range set.Tables {
			if t := &set.Tables[i]; in[t.Name.Schema] {
				for _, name := range append(columnNames(t), t.Name.Table) {
					for _, w := range nameWords(name) {
						facts[strings.TrimSuffix(w, "s")] = true
					}
				}
			}
		}
		name := fmt.Sprintf("source%d", part)
		s := serviceOver(t, snapshotStore(t, name, sourceOf(set, in, random)), nil)
		var about, not []string
		for _, q := range set.Questions {
			switch {
			case in[q.Group]:
				about = append(about, q.Text)
			case !shareWords(words[q.Group], known):
				not = append(not, q.Text)
			}
		}
		taking := rand.New(rand.NewPCG(fitSeed, uint64(part))) // of its own: the others are drawn as without the hard ones
		hard := slices.Clone(about)
		taking.Shuffle(len(hard), func(i, j int) { hard[i], hard[j] = hard[j], hard[i] })
		for _, text := range hard[:min(len(hard), fitQuestions)] {
			if text, ok := lackingIn(text, facts, foreign, known, isNoun, taking); ok {
				if signs, ok := signsOf(t, s, name, text); ok {
					all = append(all, judged{source: part, hard: true, signs: signs, wholly: signs[signTogether] >= wholly})
				}
			}
		}
		for i, texts := range [][]string{not, about} {
			random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
			for _, text := range texts[:min(len(texts), fitQuestions)] {
				signs, ok := signsOf(t, s, name, text)
				if ok {
					all = append(all, judged{source: part, about: i == 1, signs: signs, wholly: signs[signTogether] >= wholly})
				}
			}
		}
	}
	return all
}

// lackingIn takes one noun of a question that a column of the source is called by, and no
// table, for a noun that nothing of the source is called by: what is asked for then is a fact
// that it does not have, beside words that it knows.
func lackingIn(text string, facts map[string]bool, foreign []string, tables map[string]bool, isNoun func(string) bool, random *rand.Rand) (string, bool) {
	var at []int
	words := strings.Fields(text)
	for i, word := range words {
		one := strings.TrimSuffix(strings.ToLower(strings.Trim(word, "?,.'")), "s")
		if facts[one] && !tables[one] && isNoun(one) {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return "", false
	}
	for range len(foreign) {
		if w := foreign[random.IntN(len(foreign))]; !facts[strings.TrimSuffix(w, "s")] {
			words[at[random.IntN(len(at))]] = w
			return strings.Join(words, " "), true
		}
	}
	return "", false
}

// signsOf reads the signs of a question that names a subject.
func signsOf(t *testing.T, s *Service, source, text string) (aboutSigns, bool) {
	t.Helper()
	ctx := run.With(context.Background(), run.Context{Principal: run.Principal{ID: "ann"}, Now: today})
	d, err := s.open(ctx, source)
	require.NoError(t, err)
	defer d.release()
	w := s.newSearch(ctx, d, query{Source: source, Text: text}, nil)
	w.started = time.Now()
	_, err = w.look(ctx)
	require.NoError(t, err)
	return w.signs(), len(w.question.Content) > 0
}

// sourceOf is a catalog of some databases: a mart each, and a glossary of names of
// several words.
func sourceOf(set *train.Set, in map[string]bool, random *rand.Rand) *catalog.Snapshot {
	out := &catalog.Snapshot{}
	for i := range set.Tables {
		table := set.Tables[i]
		if !in[table.Name.Schema] {
			continue
		}
		table.Mart = strings.Join(nameWords(table.Name.Schema), " ")
		if !slices.ContainsFunc(out.Marts, func(m catalog.Mart) bool { return m.Name == table.Mart }) {
			out.Marts = append(out.Marts, catalog.Mart{Name: table.Mart})
		}
		for _, name := range append([]string{table.Name.Table}, columnNames(&table)...) {
			if w := nameWords(name); len(w) > 1 && random.Float64() < fitTerms {
				term := catalog.Term{Term: strings.Join(w, " "), Mart: table.Mart, Definition: "As in " + table.Name.Table + "."}
				if !slices.ContainsFunc(out.Glossary, func(have catalog.Term) bool { return have.Term == term.Term }) {
					out.Glossary = append(out.Glossary, term)
				}
			}
		}
		out.Tables = append(out.Tables, table)
	}
	return out
}

func columnNames(t *catalog.Table) []string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' })
}

func shareWords(a, b map[string]bool) bool {
	for w := range a {
		if b[w] {
			return true
		}
	}
	return false
}

// fitted is a logistic regression on some of the signs.
type fitted struct {
	columns   []int
	weights   []float64
	intercept float64
	absent    float64 // what an absent noun takes
	lacking   float64 // what it takes more beside what the source names
}

// score is the probability of a question being about its source, base the same without the
// sign of an absent noun.
func (f *fitted) score(q judged) float64 {
	return 1 / (1 + math.Exp(f.absent*q.signs[signAbsent]+f.lacking*q.signs[signLacking])*(1/f.base(q)-1))
}

func (f *fitted) base(q judged) float64 {
	sum := f.intercept
	for i, c := range f.columns {
		sum += f.weights[i] * q.signs[c]
	}
	return 1 / (1 + math.Exp(-sum))
}

// fit descends the gradient of the mean loss, in which both kinds weigh the same. No
// weight is below 0: none of these signs speaks against a source.
func (f *fitted) fit(all []judged) {
	questions := slices.DeleteFunc(slices.Clone(all), func(q judged) bool { return q.hard })
	f.weights, f.intercept = make([]float64, len(f.columns)), 0
	var n [2]float64
	for _, q := range questions {
		n[kindOf(q)]++
	}
	defer f.fitAbsent(all)
	for range fitSteps {
		gradient, of := make([]float64, len(f.columns)), 0.0
		for _, q := range questions {
			by := (f.base(q) - float64(kindOf(q))) / (2 * n[kindOf(q)])
			of += by
			for i, c := range f.columns {
				gradient[i] += by * q.signs[c]
			}
		}
		f.intercept -= fitRate * of
		for i := range f.weights {
			f.weights[i] = max(0, f.weights[i]-fitRate*(gradient[i]+fitL2*f.weights[i]))
		}
	}
}

// fitAbsent finds what an absent noun takes, the others standing: it is read where a
// dictionary tells nouns, and another question stays as likely as it was. Those about a
// source weigh as much as all others, and of these the hard ones half.
func (f *fitted) fitAbsent(questions []judged) {
	var n [3]float64
	for _, q := range questions {
		n[groupOf(q)]++
	}
	of := [3]float64{1, .5, .5}
	absent, lacking, least := 0.0, 0.0, math.Inf(1)
	for f.absent = 0; f.absent <= 4; f.absent += .1 {
		for f.lacking = 0; f.lacking <= 4; f.lacking += .1 {
			var loss float64
			for _, q := range questions {
				p := f.score(q)
				if !q.about {
					p = 1 - p
				}
				loss -= of[groupOf(q)] * math.Log(max(p, 1e-12)) / n[groupOf(q)]
			}
			if loss < least {
				absent, lacking, least = f.absent, f.lacking, loss
			}
		}
	}
	f.absent, f.lacking = absent, lacking
}

// groupOf is 0 for a question about its source, 1 for one of another, 2 for a hard one.
func groupOf(q judged) int {
	switch {
	case q.about:
		return 0
	case q.hard:
		return 2
	}
	return 1
}

func kindOf(q judged) int {
	if q.about {
		return 1
	}
	return 0
}
