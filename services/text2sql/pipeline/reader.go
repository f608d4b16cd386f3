package pipeline

import (
	"math"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// read answers a question over the tables themselves by the reader of the data's own
// names; false where it is not sure enough.
func (p *Pipeline) read(in Input) (Result, bool) {
	if in.Chosen != "" || len(in.Terms) > 0 || len(in.Rules) > 0 {
		return Result{}, false
	}
	readings, _ := p.reader.Read(in.Question, in.Schema.view, in.Now)
	var best *reader.Reading
	var stmt *tree.Statement
	var sql string
	margin := math.Inf(1)
	for i := range readings {
		x := &readings[i]
		s, err := in.Schema.gen.Statement(&x.Intent)
		if err != nil {
			if best == nil {
				return Result{}, false // the likeliest cannot be written
			}
			continue
		}
		shown := Result{Statement: s, Intent: &x.Intent}
		shown.showBasis(in.Schema.gen) // two readings are one where people see the same
		text := printer.Print(shown.Statement)
		if best == nil {
			best, stmt, sql = x, s, text
			continue
		}
		if text != sql {
			margin = x.Cost - best.Cost
			break
		}
	}
	if best == nil || len(best.Unread) > 0 {
		return Result{}, false
	}
	sure := sureness(best, stmt, margin)
	if sure < max(p.threshold, readThreshold) {
		return Result{}, false
	}
	res := Result{
		Outcome: Answered, Statement: stmt, SQL: printer.Format(stmt), Intent: &best.Intent, Confidence: sure,
		Reason: p.messages.text(in.Language, "reason_tables", strings.Join(tableNames(stmt), ", ")),
	}
	if in.ShowBasis {
		res.showBasis(in.Schema.gen)
		res.SQL = printer.Format(res.Statement)
	}
	for _, s := range best.Spans {
		res.Understood = append(res.Understood, Span{Text: s.Text, Kind: s.Kind, Meaning: s.Meaning, Score: 1})
	}
	for _, n := range best.Notes {
		if text := p.noteText(in.Language, n); text != "" {
			res.Assumptions = append(res.Assumptions, text)
		}
	}
	res.Draft = printer.Print(res.Statement)
	res.Labels = p.freeLabels(in.Language, in.Schema.gen, res.Intent)
	return res, true
}

// Shape of the confidence of a reading. The weights were chosen on training questions
// whose answers are known and on files of our own; services/text2sql/rank has the model
// that is fitted, and this one is to be fitted too.
const (
	readThreshold = 0.8
	doubtWeight   = 0.16
	marginWeight  = 2.5
	perJoin       = 0.9  // each join may be another one
	perExists     = 0.9  // what is related may be meant in another way
	perList       = 0.93 // of a list it is less clear what is to be shown
)

// sureness is how likely a reading is right: by what it leaves in doubt, by how far the
// next one is behind, and by what kind of statement it makes.
func sureness(x *reader.Reading, stmt *tree.Statement, margin float64) float64 {
	sure := MaxFreeConfidence * math.Exp(-doubtWeight*x.Doubt.Sum()) * (1 - 0.5*math.Exp(-marginWeight*margin))
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.Join:
			sure *= perJoin
		case *tree.Exists:
			sure *= perExists
		}
		return true
	})
	if !x.Intent.HasAggregate() {
		sure *= perList
	}
	return sure
}

// noteText says what a reading assumed.
func (p *Pipeline) noteText(l lang.Language, n reader.Note) string {
	if _, ok := p.messages["note_"+n.ID]; !ok {
		return ""
	}
	args := make([]any, len(n.Args))
	for i, a := range n.Args {
		args[i] = a
	}
	return p.messages.text(l, "note_"+n.ID, args...)
}
