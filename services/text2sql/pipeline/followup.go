package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/link"
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
	over := followup.Over{Now: in.Now, Tables: !overMetrics}
	var pieces []followup.Piece
	if overMetrics {
		pieces = in.Schema.names.Pieces(in.FollowUp, prev, p.dates, in.Now)
		for _, c := range in.Schema.written.Countries {
			over.Countries = append(over.Countries, c.Code)
		}
		over.Metrics = in.Schema.names.Known()
	} else {
		pieces = p.tablePieces(in)
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
	if overMetrics {
		res = p.overMetrics(in, metric.Reading{Intent: changed})
	} else {
		res = p.overTables(in, &changed)
	}
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
		if d := s.layer.Dim(id); d != nil {
			return in.Language.Pick(d.Names.EN, cmp.Or(d.Names.ZH, d.Names.EN))
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

// tablePieces links the names of a change to columns and stored values. Of a word
// that several tables hold, those count that the earlier question read.
func (p *Pipeline) tablePieces(in Input) []followup.Piece {
	read := map[string]bool{}
	for _, f := range in.Previous.Fields() {
		read[in.Schema.layer.Table(f)] = true
	}
	near := func(id string) bool {
		return read[in.Schema.layer.Table(intent.Field{Kind: intent.KindDimension, ID: id})]
	}
	var out []followup.Piece
	for _, it := range p.items(in.FollowUp, in.Schema, in.Now) {
		if piece, ok := tablePiece(it, near); ok {
			out = append(out, piece)
		}
	}
	slices.SortFunc(out, func(a, b followup.Piece) int { return a.Start - b.Start })
	return out
}

func tablePiece(it *link.Item, near func(id string) bool) (followup.Piece, bool) {
	if it.Period != nil || len(it.Tokens) == 0 {
		return followup.Piece{}, false
	}
	var names []followup.Name
	for _, v := range it.Values {
		names = append(names, followup.Name{Kind: followup.Value, ID: v.Dim.ID, Value: v.Value})
	}
	for _, c := range it.Columns {
		names = append(names, followup.Name{Kind: followup.Dimension, ID: c.Dim.ID})
	}
	names = slices.DeleteFunc(names, func(n followup.Name) bool { return !near(n.ID) })
	return followup.Piece{Start: it.Tokens[0].Start, End: it.Tokens[len(it.Tokens)-1].End, Names: names}, len(names) > 0
}

// overTables writes a changed intent over tables.
func (p *Pipeline) overTables(in Input, changed *intent.Intent) Result {
	stmt, err := in.Schema.gen.Statement(changed)
	if err != nil {
		return p.abstain(in, Result{Intent: in.Previous, Doubts: []string{err.Error()}}, "")
	}
	res := Result{Intent: changed, Statement: stmt, SQL: printer.Format(stmt), Outcome: Answered, Confidence: changedConfidence}
	res.Labels = p.freeLabels(in.Language, in.Schema.gen, changed)
	res.Reason = p.messages.text(in.Language, "reason_tables", strings.Join(tableNames(stmt), ", "))
	return res
}

// changedConfidence is that of a changed intent over tables: what it changes was
// right as far as nobody said otherwise.
const changedConfidence = 0.8
