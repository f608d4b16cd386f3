package pipeline

import (
	_ "embed" // agreement.yaml
	"fmt"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/chinese"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// agreement is how sure answers are over which the reader of the data's own names and the grammar
// over all tables agree or differ: logistic models over what each says by itself. agreement.yaml
// says what they were fitted on.
type agreement struct {
	// Agreed is that both are right that agree.
	Agreed map[string]float64 `yaml:"agreed"`
	// Draft is that the grammar is right where both are sure enough to be looked at and differ.
	Draft map[string]float64 `yaml:"draft"`
	// Least is how sure an answer is at least that is given because of agreement alone.
	Least float64 `yaml:"least"`
	// Firm is how sure the reader is at least, by itself, that is never overruled.
	Firm float64 `yaml:"firm"`
	// Overrules is how sure the grammar is at least that answers where the reader would too, and
	// differs; Stands where the reader would not.
	Overrules float64 `yaml:"overrules"`
	Stands    float64 `yaml:"stands"`
}

//go:embed agreement.yaml
var agreementFile []byte

// agreementSigns are what its models know.
var agreementSigns = []string{"one", "reader", "draft", "chinese"}

func loadAgreement() (agreement, error) {
	var a agreement
	if err := yaml.Unmarshal(agreementFile, &a); err != nil {
		return a, fmt.Errorf("agreement of readings: %w", err)
	}
	for _, weights := range []map[string]float64{a.Agreed, a.Draft} {
		for name := range weights {
			if !slices.Contains(agreementSigns, name) {
				return a, fmt.Errorf("agreement of readings: there is no sign %q", name)
			}
		}
	}
	return a, nil
}

// of is a probability from how sure the reader and the grammar are by themselves.
func (agreement) of(weights map[string]float64, reader, draft float64, in Input) float64 {
	signs := map[string]float64{"one": 1, "reader": chinese.LogOdds(reader), "draft": chinese.LogOdds(draft)}
	if lang.Detect(in.Question) == lang.Chinese {
		signs["chinese"] = 1
	}
	sum := 0.0
	for _, name := range agreementSigns { // in order: a sum of floats depends on it
		sum += weights[name] * signs[name]
	}
	return min(MaxFreeConfidence, 1/(1+math.Exp(-sum)))
}

// tellUnplaced tells with an answer of the grammar what the reader, which says the same, could do nothing with:
// "per gardener and month" of which neither makes the gardener anything.
func (p *Pipeline) tellUnplaced(in Input, res Result, notes []reader.Note) Result {
	if res.Outcome != Answered {
		return res
	}
	for _, n := range notes {
		if text := p.noteText(in.Language, n); n.ID == "unplaced" && !slices.Contains(res.Assumptions, text) {
			res.Assumptions = append(slices.Clip(res.Assumptions), text)
			res.Confidence = min(res.Confidence, either)
		}
	}
	return res
}

// together answers a question that both readings have read: first, and what the grammar over all
// tables said with what came of it by itself, res.
func (p *Pipeline) together(in Input, first *likely, res Result, said draft) Result {
	own, other := sketchOf(first.stmt), sketchOf(said.stmt)
	if own.agrees(other) {
		agreed := p.agreement.of(p.agreement.Agreed, first.sure, said.sure, in)
		if !p.answers(first) && (agreed < p.agreement.Least || in.Schema.averagesOne(&first.reading.Intent)) {
			return p.tellUnplaced(in, res, first.reading.Notes) // "the average age of each kind of pet" is not one of each pet
		}
		x, stmt := *first.reading, first.stmt
		if !x.Theirs && other.narrower(own) && len(p.unmet(in, said.intent, said.stmt)) == 0 { // a column that only one shows was not asked for
			x.Intent, stmt = *said.intent, said.stmt
		}
		return p.readingResult(in, &x, stmt, max(first.sure, agreed))
	}
	if len(in.Schema.tables) > 1 && res.Outcome == Answered {
		sure := p.agreement.of(p.agreement.Draft, first.sure, said.sure, in)
		switch least := p.agreement.Overrules; {
		case p.answers(first) && (first.sure >= p.agreement.Firm || sure < least):
			return p.readingResult(in, first.reading, first.stmt, readThreshold)
		case sure >= least || !p.answers(first) && sure >= p.agreement.Stands:
			res.Confidence = min(res.Confidence, sure)
			return res
		}
		return p.abstain(in, res, "readings_differ")
	}
	if p.answers(first) {
		return p.readingResult(in, first.reading, first.stmt, first.sure)
	}
	return res
}
