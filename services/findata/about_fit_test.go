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
	for _, least := range []float64{.1, .2, .3, .4, .5, .6, .7} {
		kept, declined := shares(held, before, least)
		t.Logf("without what is absent, from %.2f: kept %.3f, declined %.3f", least, kept, declined)
		kept, declined = shares(held, scores, least)
		t.Logf("from %.2f: kept %.3f, declined %.3f", least, kept, declined)
	}
	least := .05
	for l := .05; l < 1; l += .05 {
		if kept, _ := shares(held, before, l); kept >= fitKept {
			least = l
		}
	}
	kept, declined := shares(held, scores, least)
	f.fit(questions)
	t.Logf("%d questions, cross-validated by source, from %.2f: kept %.3f, declined %.3f", len(questions), least, kept, declined)
	var weights []string
	for i, n := range f.columns {
		weights = append(weights, fmt.Sprintf("%s: %.2f", signNames[n], f.weights[i]))
	}
	weights = append(weights, fmt.Sprintf("%s: %.2f", signNames[signAbsent], -f.absent))
	text := fmt.Sprintf(aboutHead, len(questions), fitSources, kept, declined) +
		fmt.Sprintf("intercept: %.2f\nleast: %.2f\nweights: {%s}\n", f.intercept, least, strings.Join(weights, ", "))
	require.NoError(t, os.WriteFile("about.yaml", []byte(text), 0o600))
}

const aboutHead = `# How likely a question is about a source that has business words of its own, by the
# logistic function of the intercept and the weighed signs (about.go). Made by
# scripts/fit-about.sh on %d training questions over %d sources made of training
# databases; decision 56 tells how. Cross-validated by source: %.3f of the questions about
# a source are kept, %.3f of the others are declined.
`

// shares are those of the questions about a source that are kept, and of the others that
// are declined.
func shares(questions []judged, scores []float64, least float64) (kept, declined float64) {
	var n [2]float64
	for i, q := range questions {
		said := q.wholly || scores[i] >= least
		if q.about {
			n[1]++
		} else {
			n[0]++
		}
		switch {
		case q.about && said:
			kept++
		case !q.about && !said:
			declined++
		}
	}
	return kept / n[1], declined / n[0]
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
}

// score is the probability of a question being about its source, base the same without the
// sign of an absent noun.
func (f *fitted) score(q judged) float64 {
	return 1 / (1 + math.Exp(f.absent*q.signs[signAbsent])*(1/f.base(q)-1))
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
func (f *fitted) fit(questions []judged) {
	f.weights, f.intercept = make([]float64, len(f.columns)), 0
	var n [2]float64
	for _, q := range questions {
		n[kindOf(q)]++
	}
	defer f.fitAbsent(questions, n)
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

// fitAbsent finds what an absent noun takes, the others standing: it is read in English
// alone, and a question in another language stays as likely as it was.
func (f *fitted) fitAbsent(questions []judged, n [2]float64) {
	best, least := 0.0, math.Inf(1)
	for absent := 0.0; absent <= 4; absent += .05 {
		f.absent = absent
		var loss float64
		for _, q := range questions {
			p := f.score(q)
			if !q.about {
				p = 1 - p
			}
			loss -= math.Log(max(p, 1e-12)) / (2 * n[kindOf(q)])
		}
		if loss < least {
			best, least = absent, loss
		}
	}
	f.absent = best
}

func kindOf(q judged) int {
	if q.about {
		return 1
	}
	return 0
}
