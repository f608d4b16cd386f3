package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/bind"
	"github.com/dibrain/dibrain/services/text2sql/link"
)

// meaningOption is how options begin that say what a word means.
const meaningOption = "meaning:"

// Bounds of what is asked.
const (
	maxOptions = 5
	// optionShare is the part of the best reading's confidence that another one needs
	// to be offered beside it.
	optionShare = 0.5
	// closeConfidence is how near readings are of which neither is preferred.
	closeConfidence = 0.02
)

// ambiguity is a word of the question that means different things in readings that
// are about as likely, all else being the same.
type ambiguity struct {
	word     *link.Item
	readings []*Candidate // one a meaning, best first
	meanings []string     // ids of the layer, as many
	best     float64      // confidence of the first
	total    float64      // confidence that one of them is right
	close    bool         // none is preferred
}

// ambiguous finds the word in which the best reading differs from others. Readings
// that differ in more than one word, or in none, are no choice that a person could
// make: there is no ambiguity then.
func ambiguous(list []Candidate, confidence func(*Candidate) float64) (a ambiguity) {
	if len(list) < 2 {
		return a
	}
	best := &list[0]
	top := confidence(best)
	for i := range list[1:] {
		other := &list[i+1]
		c := confidence(other)
		word := difference(&best.Reading, &other.Reading)
		if word == nil || a.word != nil && word != a.word || c < optionShare*top || len(a.meanings) == maxOptions {
			continue
		}
		meaning := other.Reading.Used[word]
		if slices.Contains(a.meanings, meaning) {
			continue
		}
		if a.word == nil {
			a = ambiguity{word: word, readings: []*Candidate{best}, meanings: []string{best.Reading.Used[word]}, best: top, total: top, close: c >= top-closeConfidence}
		}
		a.readings, a.meanings = append(a.readings, other), append(a.meanings, meaning)
		a.total += c
	}
	a.total = min(a.total, MaxFreeConfidence)
	return a
}

// difference is the only item that two readings understand differently; nil where
// there is none or more than one.
func difference(a, b *bind.Reading) *link.Item {
	var found *link.Item
	if len(a.Used) != len(b.Used) {
		return nil
	}
	for it, meaning := range a.Used {
		switch other, ok := b.Used[it]; {
		case !ok:
			return nil
		case other == meaning:
		case found != nil:
			return nil
		default:
			found = it
		}
	}
	return found
}

// asks reports whether a person has to choose: then one of the readings is right
// enough to be answered with, and without a choice none is, or two are.
func (a *ambiguity) asks(threshold float64) bool {
	return a.word != nil && a.total >= threshold && (a.close || a.best < threshold)
}

// chosen is the reading with the meaning that an option names; nil where the option
// is none of these.
func (a *ambiguity) chosen(option string) *Candidate {
	id, ok := strings.CutPrefix(option, meaningOption)
	if !ok {
		return nil
	}
	for i, meaning := range a.meanings {
		if meaning == id {
			return a.readings[i]
		}
	}
	return nil
}

// askMeaning asks what a word means.
func (p *Pipeline) askMeaning(in Input, res Result, a *ambiguity) Result {
	res.Outcome, res.Statement, res.SQL = Asked, nil, ""
	res.Question = p.messages.text(in.Language, "ask_meaning", strings.TrimSpace(a.word.Text))
	for _, id := range a.meanings {
		res.Options = append(res.Options, Option{ID: meaningOption + id, Label: in.Schema.meaning(id, in.Language)})
	}
	return res
}

// meaning is how a column or a table is shown among options: a column with its
// table.
func (s *Schema) meaning(id string, l lang.Language) string {
	d := s.dim(id)
	if d == nil {
		return name(s.layer.Entity(id).Names, l)
	}
	return fmt.Sprintf(l.Pick("%s (%s)", "%s（%s）"), name(d.Names, l), name(s.layer.Entity(d.Table).Names, l))
}

// name is a text in a language, or in the other where it has only that one.
func name(t semantic.Text, l lang.Language) string {
	return cmp.Or(l.Pick(t.EN, t.ZH), t.EN, t.ZH)
}
