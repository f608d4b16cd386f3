package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/metric"
)

// followUps changes earlier intents.
type followUps struct {
	words *followup.Words
	texts followup.Texts
}

func loadFollowUps() (followUps, error) {
	words, err := followup.LoadWords()
	if err != nil {
		return followUps{}, err
	}
	texts, err := followup.LoadTexts()
	return followUps{words: words, texts: texts}, err
}

// followUp changes the intent of the question before; ok is false where what was
// said is a question of its own.
func (p *Pipeline) followUp(in Input) (res Result, ok bool) {
	prev := in.Previous
	overMetrics := in.Schema.names != nil && slices.ContainsFunc(prev.Select, func(o intent.Output) bool { return o.Kind == intent.KindMetric })
	if !overMetrics {
		return p.changeTables(in)
	}
	if in.Alone && in.Chosen == "" {
		if own := p.own(in, in.FollowUp); own.Outcome == Answered {
			return own, true
		}
	}
	over := followup.Over{Now: in.Now, Metrics: in.Schema.names.Known()}
	pieces := in.Schema.names.Pieces(in.FollowUp, prev, p.dates, in.Now)
	for _, c := range in.Schema.written.Countries {
		over.Countries = append(over.Countries, c.Code)
	}
	meant, _ := strings.CutPrefix(in.Chosen, changeOption)
	said := p.followUps.words.Read(in.FollowUp, pieces, prev, followup.Do(meant))
	if said.Whole {
		return Result{}, false
	}
	name := in.Schema.nameOf(in)
	if len(said.Either) > 0 && len(said.NotUnderstood) == 0 {
		return p.askChange(in, said.Either, name), true
	}
	if len(said.NotUnderstood) > 0 {
		res := Result{Intent: prev, NotUnderstood: said.NotUnderstood, Doubts: []string{"a change that is not understood"}}
		return p.abstain(in, res, ""), true
	}
	changed, refusal := followup.Apply(*prev, said.Edits, over)
	if refusal != nil {
		res := p.abstain(in, Result{Intent: prev, Doubts: []string{"a change that does not fit: " + string(refusal.Edit.Do) + ", " + string(refusal.Why)}}, "")
		res.Reason = p.followUps.texts.Refusal(in.Language, *refusal, name)
		return res, true
	}
	res = p.overMetrics(in, metric.Reading{Intent: changed})
	for _, e := range said.Edits {
		res.Changes = append(res.Changes, p.followUps.texts.Edit(in.Language, e, name))
	}
	return res, true
}

// changeOption begins the id of an option that says which change is meant.
const changeOption = "change:"

// askChange asks which of two changes a name asks for.
func (p *Pipeline) askChange(in Input, either []followup.Edit, name followup.NameOf) Result {
	res := Result{Outcome: Asked, Intent: in.Previous, Question: p.messages.text(in.Language, "ask_reading"), Confidence: 0.5}
	for _, e := range either {
		res.Options = append(res.Options, Option{ID: changeOption + string(e.Do), Label: p.followUps.texts.Edit(in.Language, e, name)})
	}
	return res
}

// nameOf names items of the layers as people do.
func (s *Schema) nameOf(in Input) followup.NameOf {
	return func(id string) string {
		if s.written != nil {
			if name := writtenName(in, s.written, id); name != "" {
				return name
			}
		}
		if d := s.dim(id); d != nil {
			return in.Language.Pick(d.Names.EN, cmp.Or(d.Names.ZH, d.Names.EN))
		}
		for i := range s.gen.Layer.Entities {
			if e := &s.gen.Layer.Entities[i]; e.ID == id {
				return in.Language.Pick(e.Names.EN, cmp.Or(e.Names.ZH, e.Names.EN))
			}
		}
		return id
	}
}

func writtenName(in Input, l *semantic.Layer, id string) string {
	for _, c := range l.Countries {
		if c.Code == id {
			return in.Language.Pick(c.Names.EN, c.Names.ZH)
		}
	}
	for _, m := range l.Metrics {
		if m.ID == id {
			return in.Language.Pick(m.Names.EN, m.Names.ZH)
		}
	}
	for _, d := range l.Dimensions {
		if metric.Base(d.ID) == id {
			return in.Language.Pick(d.Names.EN, d.Names.ZH)
		}
	}
	for _, e := range l.Entities {
		if e.ID == id {
			return in.Language.Pick(e.Names.EN, e.Names.ZH)
		}
	}
	for _, f := range slices.Concat(l.Filters, l.Exclusions) {
		if f.ID == id {
			return in.Language.Pick(f.Names.EN, f.Names.ZH)
		}
	}
	return ""
}
