package pipeline

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/followup"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// Shape of the confidence of a change, and bounds of what is done with it.
const (
	changeCertainty = 0.95 // of a change of one thing that is named as it is called
	perDoubt        = 0.16 // how fast what is guessed lowers it
	perRelated      = 0.9  // what is related may be meant in another way
	perEdit         = 0.98 // each further one may be meant in another way
	changeThreshold = 0.75
	changeOffered   = 0.5  // of one that is put to the asker
	askMargin       = 0.12 // two readings this near each other are both put to the asker
	ownThreshold    = 0.85 // of a question of its own that a refused change may be as well
	maxChangeAsked  = 3
)

// written is a change with its statement.
type written struct {
	*reader.Change

	stmt *tree.Statement
	sql  string
}

// changeTables changes the intent of an earlier question over tables; ok is false where
// what was said is a question of its own.
func (p *Pipeline) changeTables(in Input) (Result, bool) {
	list := p.reader.Change(in.FollowUp, in.Previous, in.Schema.view, in.Now)
	if len(list) == 0 {
		return p.own(in, in.FollowUp), true
	}
	best := &list[0]
	if before, rest, ok := firstSentence(in.FollowUp); ok && (best.Refused != nil || len(best.Unread) > 0) {
		if res, ok := p.oneByOne(in, before, rest); ok {
			return res, true
		}
	}
	if best.Own && in.Chosen == "" {
		return p.own(in, best.Rest), true
	}
	apart := best.Refused != nil && best.Refused.Why == followup.WhyNoJoin && best.Subject // of things that nothing relates to those before
	if (best.Refused != nil || len(best.Unread) > 0) && (!best.Cue || apart) {
		if own := p.own(in, best.Rest); own.Outcome == Answered && own.Confidence >= ownThreshold {
			return own, true
		}
	}
	name := in.Schema.nameOf(in)
	switch {
	case len(best.Unread) > 0:
		res := Result{Intent: in.Previous, NotUnderstood: best.Unread, Doubts: []string{"a change that is not understood"}}
		return p.abstain(in, res, ""), true
	case best.Refused != nil:
		return p.refuseChange(in, *best.Refused, name), true
	}
	ways, margin, err := p.ways(in, list)
	if err != nil {
		return p.abstain(in, Result{Intent: in.Previous, Doubts: []string{err.Error()}}, ""), true
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(in.Chosen, changeOption)); err == nil && n >= 0 && n < len(ways) {
		return p.changed(in, ways[n], max(certainty(ways[n].Change, ways[n].stmt, math.Inf(1)), changeThreshold), name), true
	}
	if margin < askMargin {
		return p.askWays(in, ways, name), true
	}
	sure := certainty(ways[0].Change, ways[0].stmt, margin)
	if sure < changeThreshold && sure >= changeOffered {
		return p.askOne(in, ways[0], name), true
	}
	if sure < changeThreshold {
		res := p.abstain(in, Result{Intent: in.Previous, Confidence: sure, Doubts: []string{"a change that is not sure"}}, "")
		res.Reason = strings.Replace(p.followUps.texts.Say(in.Language, "change_unsure"), "%s", p.editTexts(in, ways[0].Edits, name)+" ", 1)
		return res, true
	}
	return p.changed(in, ways[0], sure, name), true
}

// endOfSentence is the end of a sentence that another one follows.
var endOfSentence = regexp.MustCompile(`[.!?;:]+\s+|[。！？；：]\s*`)

// firstSentence is the first of several sentences, and what follows it.
func firstSentence(text string) (first, rest string, ok bool) {
	at := endOfSentence.FindStringIndex(text)
	if at == nil {
		return "", "", false
	}
	first, rest = strings.TrimSpace(text[:at[0]]), strings.TrimSpace(text[at[1]:])
	return first, rest, first != "" && rest != ""
}

// oneByOne makes the change of a sentence, and those of the sentences after it of what comes of that;
// ok is false where one of them is none, or is not sure.
func (p *Pipeline) oneByOne(in Input, first, rest string) (Result, bool) {
	list := p.reader.Change(first, in.Previous, in.Schema.view, in.Now)
	if len(list) == 0 || list[0].Refused != nil || len(list[0].Unread) > 0 || list[0].Own {
		return Result{}, false
	}
	ways, margin, err := p.ways(in, list)
	if err != nil || len(ways) == 0 || margin < askMargin {
		return Result{}, false
	}
	sure := certainty(ways[0].Change, ways[0].stmt, margin)
	if sure < changeThreshold {
		return Result{}, false
	}
	changed := in
	changed.Previous, changed.FollowUp = &ways[0].Intent, rest
	res, ok := p.changeTables(changed)
	if !ok || res.Outcome != Answered || len(res.Changes) == 0 { // a question of its own has none
		return Result{}, false
	}
	name := in.Schema.nameOf(in)
	var edits []string
	for _, e := range ways[0].Edits {
		edits = append(edits, p.followUps.texts.Edit(in.Language, e, name))
	}
	res.Changes, res.Confidence = append(edits, res.Changes...), min(sure, res.Confidence)
	return res, true
}

// own reads what was said as a question of its own.
func (p *Pipeline) own(in Input, said string) Result {
	in.Question, in.Previous, in.FollowUp = said, nil, ""
	return p.Answer(in)
}

func (p *Pipeline) refuseChange(in Input, r followup.Refusal, name followup.NameOf) Result {
	res := p.abstain(in, Result{Intent: in.Previous, Doubts: []string{"a change that does not fit: " + string(r.Edit.Do) + ", " + string(r.Why)}}, "")
	res.Reason = p.followUps.texts.Refusal(in.Language, r, name)
	return res
}

// ways are the different statements of changes, likeliest first, and how far the second
// is behind. The likeliest has to be one that can be written.
func (p *Pipeline) ways(in Input, list []reader.Change) ([]written, float64, error) {
	var ways []written
	margin := math.Inf(1)
	for i := range list {
		x := &list[i]
		if x.Refused != nil || len(x.Unread) > 0 || x.Own != list[0].Own {
			continue
		}
		stmt, err := in.Schema.gen.Statement(&x.Intent)
		if err != nil {
			if len(ways) == 0 {
				return nil, 0, err
			}
			continue
		}
		text := printer.Print(stmt)
		if len(ways) > 0 && text == ways[0].sql {
			continue
		}
		if len(ways) == 1 {
			margin = x.Cost - ways[0].Cost
		}
		ways = append(ways, written{x, stmt, text})
	}
	return ways, margin, nil
}

// askWays asks which of several changes is meant.
func (p *Pipeline) askWays(in Input, ways []written, name followup.NameOf) Result {
	res := Result{Outcome: Asked, Intent: in.Previous, Question: p.messages.text(in.Language, "ask_reading"), Confidence: 0.5}
	said := map[string]int{}
	for i, w := range ways {
		if len(res.Options) < maxChangeAsked && w.Cost < ways[0].Cost+askMargin {
			label := p.editTexts(in, w.Edits, name)
			said[label]++
			res.Options = append(res.Options, Option{ID: changeOption + strconv.Itoa(i), Label: label})
		}
	}
	for i := range res.Options { // the same words for both: what comes of each tells them apart
		o := &res.Options[i]
		at, _ := strconv.Atoi(strings.TrimPrefix(o.ID, changeOption)) // as written above
		if whole, ok := p.restate(in, &ways[at].Intent); ok && said[o.Label] > 1 {
			o.Label = whole
		}
	}
	return res
}

// askOne asks whether a change that is not sure is meant.
func (p *Pipeline) askOne(in Input, w written, name followup.NameOf) Result {
	w.Intent.Unconfirmed = true
	edits := p.editTexts(in, w.Edits, name)
	return Result{
		Outcome: Asked, Intent: &w.Intent, Confidence: 0.5,
		Question: strings.Replace(p.followUps.texts.Say(in.Language, "change_asked"), "%s", edits+in.Language.Pick(" ", ""), 1),
		Options:  []Option{{ID: changeOption + "0", Label: edits}},
	}
}

func (p *Pipeline) editTexts(in Input, edits []followup.Edit, name followup.NameOf) string {
	var list []string
	for _, e := range edits {
		list = append(list, p.followUps.texts.Edit(in.Language, e, name))
	}
	return strings.Join(list, in.Language.Pick(" ", ""))
}

// certainty is how likely a change is read right.
func certainty(x *reader.Change, stmt *tree.Statement, margin float64) float64 {
	sure := changeCertainty * math.Exp(-perDoubt*x.Doubt) * (1 - 0.5*math.Exp(-nearness*margin))
	sure *= math.Pow(perEdit, float64(max(0, len(x.Edits)-1)))
	tree.Walk(stmt, func(n tree.Node) bool {
		if _, ok := n.(*tree.Exists); ok {
			sure *= perRelated
		}
		return true
	})
	return sure
}

// changed is the answer to a change, with all that holds of it.
func (p *Pipeline) changed(in Input, w written, sure float64, name followup.NameOf) Result {
	res := Result{Outcome: Answered, Statement: w.stmt, Intent: &w.Intent, Confidence: sure}
	if in.ShowBasis {
		res.showBasis(in.Schema.gen)
	}
	res.SQL, res.Draft = printer.Format(res.Statement), printer.Print(res.Statement)
	res.Labels = p.freeLabels(in, res.Intent)
	res.Reason = p.messages.text(in.Language, "reason_tables", strings.Join(tableNames(res.Statement), ", "))
	for _, s := range w.Spans {
		res.Understood = append(res.Understood, Span{Text: s.Text, Kind: s.Kind, Meaning: s.Meaning, Score: 1})
	}
	for _, n := range w.Notes {
		if text := p.noteText(in.Language, n); text != "" {
			res.Assumptions = append(res.Assumptions, text)
		}
	}
	for _, e := range w.Edits {
		res.Changes = append(res.Changes, p.followUps.texts.Edit(in.Language, e, name))
	}
	if res.Intent.ComparesPeriods() {
		r := restater{language: in.Language, texts: p.offers, figures: p.followUps.texts, schema: in.Schema}
		r.name = r.named(in.Schema.nameOf(in), res.Intent)
		res.Changes = append(res.Changes, r.comparison(res.Intent.Time)+in.Language.Pick(".", "。"))
	}
	if text := p.followUps.texts.InForce(in.Language, res.Intent, name); text != "" {
		res.Changes = append(res.Changes, text)
	}
	return res
}
