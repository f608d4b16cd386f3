package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel"
	"github.com/dibrain/dibrain/pkg/retrieval/rankmodel/distort"
)

// Limits where Options has none.
const (
	DefaultQuestions = 2500
	minGroups        = 2
)

// facetPrefix starts the names of the features that only catalogs with near twins
// tell anything of.
const facetPrefix = "facet."

// vectorPrefix starts the names of the features that are 0 without an embedder: only
// questions that are read with one tell anything of their weights.
const vectorPrefix = "vector"

// historyPrefix begins the names of the features of the query history.
const historyPrefix = "history"

// raw are features without a scale of their own, for which no weight holds in
// another corpus: scores that are not divided by the best of the question, the sum
// of all facets' fits, an order more than a measure, and the number of marks, which
// tells how a warehouse names its tables.
var raw = [...]string{"text", "evidence", "facet.fit", "facet.unasked"}

// signless are features of which more is neither better nor worse in itself: sizes,
// and how far a table's facets are from those asked for. Everything else is
// evidence, which must never count against a table: a question of one word has
// little else, and there negative weights that balance others do harm.
func signless(name string) bool {
	return name == "nlen" || name == "ncol" || name == "schsize" || strings.HasPrefix(name, facetPrefix)
}

// Options of training.
type Options struct {
	// Text are the sets on which the weights of words are fitted, with distorted
	// copies; Facets those on which the weights of facets are, once the others
	// stand. A set may be in both.
	Text, Facets []*Set
	// Vectors makes the copies' indices with vectors: the weights of vectors are then
	// fitted on Text, once the others stand. nil: there is no embedder.
	Vectors retrieval.Makers
	// VectorsAlone fits nothing but the weights of vectors; the others stay as they
	// are.
	VectorsAlone bool
	// History are events of queries over the tables of Text and Facets, a file or folder
	// as history.Count reads it: the weights of the history are fitted on them, and
	// nothing else is.
	History string
	used    []*Set // those of Text and Facets with the history

	// Judged is what people did with the tables that they were shown. All weights
	// are fitted on it, starting from the model before.
	Judged []Judged
	// Questions bounds how many of a set are read over one copy of its tables.
	Questions int
	Seed      uint64
	Folds     int
	Fit       rankmodel.Options
	Now       time.Time
	// Before is the model to compare with; nil: the embedded one.
	Before *rankmodel.Model
	// Progress is told what is done, and how much of it; it may be nil.
	Progress func(what string, done, total int)
}

func (o Options) complete() (Options, error) {
	if o.Questions <= 0 {
		o.Questions = DefaultQuestions
	}
	if o.Folds <= 0 {
		o.Folds = rankmodel.DefaultFolds
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	o.Fit = o.Fit.Complete()
	if o.Before == nil {
		var err error
		if o.Before, err = rankmodel.Default(); err != nil {
			return o, err
		}
	}
	if len(o.Text)+len(o.Facets)+len(o.Judged) == 0 {
		return o, fmt.Errorf("%w: no question with its right tables is given", ErrData)
	}
	if o.VectorsAlone {
		if o.Vectors == nil || len(o.Text) == 0 {
			return o, fmt.Errorf("%w: the weights of vectors are fitted on questions about a catalog that is not one of near twins, read with an embedder", ErrData)
		}
		o.Facets, o.Judged = nil, nil
	}
	return o, nil
}

// stage is a part of training: the weights that are free are fitted on some sets,
// with all others standing.
type stage struct {
	sets    []*Set
	recipes []distort.Recipe
	makers  retrieval.Makers
	free    func(name string) bool
}

// stages of training in their order. Weights of vectors come after those of words,
// so that turning vectors on or off leaves what words tell as it is.
func (o Options) stages() []stage {
	isVector := func(name string) bool { return strings.HasPrefix(name, vectorPrefix) }
	isFacet := func(name string) bool { return strings.HasPrefix(name, facetPrefix) }
	isHistory := func(name string) bool { return strings.HasPrefix(name, historyPrefix) }
	words := stage{o.Text, distort.Recipes(), nil, func(name string) bool { return !isFacet(name) && !isVector(name) && !isHistory(name) }}
	facets := stage{o.Facets, distort.Recipes()[:1], nil, isFacet}
	vectors := stage{o.Text, distort.Recipes(), o.Vectors, isVector}
	switch {
	case o.History != "":
		return []stage{{o.used, distort.Recipes()[:1], nil, isHistory}}
	case o.VectorsAlone:
		return []stage{vectors}
	case o.Vectors != nil:
		return []stage{words, facets, vectors}
	}
	return []stage{words, facets}
}

// Fit trains a model. Weights of facets stay what they were where no set tells of
// them, and so do those of words. Weights of vectors stay too where no embedder is
// given; a model that has none gets those of the embedded one.
func Fit(ctx context.Context, o Options) (*rankmodel.Model, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	names := retrieval.FeatureNames()
	before, err := o.Before.Bind(names)
	if err != nil {
		return nil, err
	}
	t := &trainer{Options: o, names: names, weights: slices.Clone(before.Weights())}
	if err := t.keepBeside(); err != nil {
		return nil, err
	}
	t.record = rankmodel.Record{Date: o.Now.UTC().Format(time.DateOnly), Seed: o.Seed, Folds: o.Folds, L2: o.Fit.L2}
	if o.VectorsAlone { // the other weights come from where they came from before
		t.record.Data = slices.DeleteFunc(slices.Clone(o.Before.Training.Data), func(d rankmodel.Data) bool { return d.Vectors })
	}
	if o.History != "" {
		t.record.Data = slices.DeleteFunc(slices.Clone(o.Before.Training.Data), func(d rankmodel.Data) bool { return d.History })
		if t.used, err = o.withHistory(ctx); err != nil {
			return nil, err
		}
	}
	var all []rankmodel.Question
	for _, stage := range t.stages() {
		questions, err := t.read(ctx, stage)
		if err != nil {
			return nil, err
		}
		if len(questions) == 0 {
			continue
		}
		if err := t.fit(ctx, questions, t.Options.Fit, stage.free); err != nil {
			return nil, err
		}
		all = append(all, questions...)
	}
	if len(o.Judged) > 0 {
		questions, err := t.fitJudged(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, questions...)
	}
	t.record.Before = rankmodel.Measure(all, before.Weights())
	return t.model(), nil
}

// keepBeside gives a model that weighs no vectors, or no history, the embedded one's
// weights of them: a model that is fitted from nothing but words would lose them for
// good.
func (t *trainer) keepBeside() error {
	embedded, err := rankmodel.Default()
	if err != nil {
		return err
	}
	standard, err := embedded.Bind(t.names)
	if err != nil {
		return err
	}
	for _, prefix := range [...]string{vectorPrefix, historyPrefix} {
		weighed := false
		for i, name := range t.names {
			weighed = weighed || strings.HasPrefix(name, prefix) && t.weights[i] != 0
		}
		for i, name := range t.names {
			if !weighed && strings.HasPrefix(name, prefix) {
				t.weights[i] = standard.Weights()[i]
			}
		}
	}
	return nil
}

type trainer struct {
	Options
	names   []string
	weights []float64
	record  rankmodel.Record
}

// read reads all copies of a stage's sets.
func (t *trainer) read(ctx context.Context, in stage) ([]rankmodel.Question, error) {
	var all []rankmodel.Question
	for _, s := range in.sets {
		for _, r := range in.recipes {
			what := "read " + s.Name + ", " + r.Name
			questions, err := t.readSet(ctx, s, r, in.makers, func(done, total int) { t.Progress(what, done, total) })
			if err != nil {
				return nil, err
			}
			all = append(all, questions...)
			t.record.Data = append(t.record.Data, rankmodel.Data{
				Name: s.Name, SHA256: s.SHA256, Tables: len(s.Tables), Questions: len(questions), Distortion: strings.TrimPrefix(r.Name, distort.Plain),
				Vectors: in.makers != nil, History: t.History != "",
			})
		}
	}
	return all, nil
}

// fitJudged moves all weights towards what people judge right.
func (t *trainer) fitJudged(ctx context.Context) ([]rankmodel.Question, error) {
	questions, err := fromJudged(t.Judged, t.names)
	if err != nil {
		return nil, err
	}
	t.record.Data = append(t.record.Data, rankmodel.Data{Name: "feedback", Questions: len(questions)})
	o := t.Options.Fit
	o.Prior = slices.Clone(t.weights)
	o.L2 *= max(1, enough/float64(len(questions)))
	return questions, t.fit(ctx, questions, o, func(string) bool { return true })
}

// fit fits the weights that are free, the others standing.
func (t *trainer) fit(ctx context.Context, questions []rankmodel.Question, o rankmodel.Options, free func(name string) bool) error {
	groups := make(map[string]bool)
	for i := range questions {
		groups[questions[i].Group] = true
	}
	o.Fixed = make(map[int]float64)
	o.Positive = make([]bool, len(t.names))
	for i, name := range t.names {
		o.Positive[i] = !signless(name)
		switch {
		case slices.Contains(raw[:], name):
			o.Fixed[i] = 0
		case !free(name):
			o.Fixed[i] = t.weights[i]
		}
	}
	if len(groups) >= minGroups {
		figures, err := rankmodel.CrossValidate(ctx, questions, len(t.names), t.Folds, t.Seed, o, func(done, total int) { t.Progress("cross-validate", done, total) })
		if err != nil {
			return err
		}
		t.record.After = rankmodel.Join(t.record.After, figures)
	}
	t.Progress("fit", 0, 1)
	weights, err := rankmodel.Fit(ctx, questions, len(t.names), o)
	if err != nil {
		return err
	}
	t.weights = weights
	t.Progress("fit", 1, 1)
	return nil
}

// enough is the number of judged answers from which L2 is taken as it is: with
// fewer, weights stay nearer to what they were.
const enough = 5000

// rounded is to how many parts of one weights are kept.
const rounded = 1e4

func (t *trainer) model() *rankmodel.Model {
	m := &rankmodel.Model{Version: rankmodel.Version, Kind: rankmodel.KindLinear, Training: t.record}
	for i, name := range t.names {
		if w := round(t.weights[i]); w != 0 {
			m.Weights = append(m.Weights, rankmodel.Weight{Feature: name, Weight: w})
		}
	}
	return m
}

func round(w float64) float64 { return math.Round(w*rounded) / rounded }
