package pipeline

import (
	_ "embed" // sureness.yaml
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// readings are those of a question over the tables themselves by the reader of the data's
// own names, the likeliest first; none where more than the data says what is meant.
func (p *Pipeline) readings(in Input) []reader.Reading {
	if in.Chosen != "" || len(in.Terms) > 0 || len(in.Rules) > 0 {
		return nil
	}
	readings, _ := in.asked.Readings()
	return readings
}

// passedOver is how sure an answer is at most that does nothing with a word which may
// restrict what is meant. Of answers to public questions that do, four of five are right;
// to questions over owners' files fewer. Where the word says how things have to be, there is no
// answer without it.
const passedOver = 0.75

// dropped are words that an answer of the older reading passes over, and that may restrict
// what is meant: the answer is what a reading gives that leaves just these unread.
func (p *Pipeline) dropped(in Input, res Result, readings []reader.Reading) (words []string, needed bool) {
	if res.Outcome != Answered {
		return nil, false
	}
	text := printer.Print(res.Statement)
	for i := range readings {
		s, err := in.Schema.gen.Statement(&readings[i].Intent)
		if err != nil {
			continue
		}
		shown := Result{Statement: s, Intent: &readings[i].Intent}
		if in.ShowBasis {
			shown.showBasis(in.Schema.gen)
		}
		switch {
		case printer.Print(shown.Statement) != text:
		case len(readings[i].Unread) == 0:
			return nil, false
		case len(readings[i].Predicates) > 0:
			return readings[i].Predicates, true
		case words == nil:
			words = readings[i].Unread
		}
	}
	return words, false
}

// anyTable reports whether an answer of the older reading reads one table where the likeliest
// readings say that another one is meant as well: they cost the same, leave no word unread and are
// the same statement but for names of tables. A total over a table and that over another one that
// holds some of its rows are such.
func (p *Pipeline) anyTable(in Input, res Result, readings []reader.Reading) bool {
	if res.Outcome != Answered || len(readings) < 2 {
		return false
	}
	own, from := overTables(res.Statement)
	answered := false
	tables := map[string]bool{}
	for i := range readings {
		x := &readings[i]
		if x.Cost-readings[0].Cost >= noMargin || len(x.Unread) > 0 {
			break
		}
		s, err := in.Schema.gen.Statement(&x.Intent)
		if err != nil {
			continue
		}
		shown := Result{Statement: s, Intent: &x.Intent}
		if in.ShowBasis {
			shown.showBasis(in.Schema.gen)
		}
		if text, read := overTables(shown.Statement); text == own {
			tables[read] = true
			answered = answered || read == from
		}
	}
	return answered && len(tables) > 1
}

// overTables is a statement without the names of the tables that it reads, and these names, in
// order.
func overTables(stmt *tree.Statement) (text, tables string) {
	var names []string
	tree.Walk(stmt, func(n tree.Node) bool {
		if t, ok := n.(*tree.Table); ok {
			names = append(names, printer.Print(t.Name))
		}
		return true
	})
	text = printer.Print(stmt)
	for _, name := range names {
		text = strings.ReplaceAll(text, " "+name, " ")
	}
	return text, strings.Join(names, " ")
}

// likely is the likeliest reading of the data's own names with its SQL, and how sure it is by
// itself.
type likely struct {
	reading *reader.Reading
	stmt    *tree.Statement
	sure    float64
}

// likeliest is the first of readings; nil where that cannot be written, leaves a word out or
// does not meet what the question asks of any SQL.
func (p *Pipeline) likeliest(in Input, readings []reader.Reading) *likely {
	var best *likely
	var sql string
	margin := math.Inf(1)
	for i := range readings {
		x := &readings[i]
		s, err := in.Schema.gen.Statement(&x.Intent)
		if err != nil {
			if best == nil {
				return nil // the likeliest cannot be written
			}
			continue
		}
		shown := Result{Statement: s, Intent: &x.Intent}
		shown.showBasis(in.Schema.gen) // two readings are one where people see the same
		text := printer.Print(shown.Statement)
		if best == nil {
			best, sql = &likely{reading: x, stmt: s}, text
			continue
		}
		if text != sql {
			margin = x.Cost - best.reading.Cost
			break
		}
	}
	if best == nil || len(best.reading.Unread) > 0 || len(p.unmet(in, &best.reading.Intent, best.stmt)) > 0 {
		return nil
	}
	if in.Schema.averagesOne(&best.reading.Intent) && slices.ContainsFunc(best.reading.Notes, func(n reader.Note) bool { return n.ID == "meant" }) {
		return nil // "average sales by industry", of companies: a word that nothing names is no word for each row
	}
	best.sure = p.sureness.of(best.reading, best.stmt, margin, in)
	return best
}

// answers reports whether a reading is sure enough by itself.
func (p *Pipeline) answers(first *likely) bool {
	return first != nil && first.sure >= max(p.threshold, readThreshold)
}

// read answers a question over the tables themselves by its readings alone; false where none is
// sure enough.
func (p *Pipeline) read(in Input, readings []reader.Reading) (Result, bool) {
	first := p.likeliest(in, readings)
	if !p.answers(first) {
		return Result{}, false
	}
	return p.readingResult(in, first.reading, first.stmt, first.sure), true
}

// readingResult is the answer that a reading is.
func (p *Pipeline) readingResult(in Input, x *reader.Reading, stmt *tree.Statement, sure float64) Result {
	res := Result{Outcome: Answered, Statement: stmt, SQL: printer.Format(stmt), Intent: &x.Intent, Confidence: sure}
	for _, s := range x.Spans {
		res.Understood = append(res.Understood, Span{Text: s.Text, Kind: s.Kind, Meaning: s.Meaning, Score: 1})
	}
	for _, n := range x.Notes {
		if text := p.noteText(in.Language, n); text != "" {
			res.Assumptions = append(res.Assumptions, text)
		}
	}
	p.overTables(in, &res)
	return res
}

// readThreshold is below which a reading is no answer.
const readThreshold = 0.72

// sureness is how likely a reading is right: a logistic model over what the reading had
// to guess. sureness.yaml says what it was fitted on.
type sureness struct {
	Weights map[string]float64 `yaml:"weights"`
}

//go:embed sureness.yaml
var surenessFile []byte

func loadSureness() (sureness, error) {
	var s sureness
	if err := yaml.Unmarshal(surenessFile, &s); err != nil {
		return s, fmt.Errorf("confidence of readings: %w", err)
	}
	for name := range s.Weights {
		if !slices.Contains(signs, name) {
			return s, fmt.Errorf("confidence of readings: there is no sign %q", name)
		}
	}
	return s, nil
}

// hanText is a text with a Chinese character.
var hanText = regexp.MustCompile(`\p{Han}`)

// signs are what sureness knows of a reading. "over_chinese" is a question in another language over Chinese names,
// "over_others" a Chinese one over names in another.
var signs = []string{"one", "names", "values", "grammar", "choice", "guess", "near", "joins", "exists", "summed", "unplaced", "rows", "begins", "over_chinese", "over_others", "single", "taken", "meant"}

// either is how sure a reading is at most that leaves open what was meant.
const either = 0.5

// noMargin is how much more another reading has to cost, not to be as likely.
const noMargin = 0.02

// openNotes are the notes of what a reading leaves open: which of two ways between tables,
// what a name was said for, whether rows or what they hold already are counted.
var openNotes = []string{"ways", "unplaced", "totals", "meant_open", "ranked_by", "steps_open", "held_twice", "rows_open"}

// nearness is how fast another reading stops to be a rival.
const nearness = 2.5

// of is how sure a reading is, from 0 to MaxFreeConfidence; margin is how much more the
// next reading costs.
func (s sureness) of(x *reader.Reading, stmt *tree.Statement, margin float64, in Input) float64 {
	f := signsOf(x, stmt, margin, in)
	sum := 0.0
	for _, name := range signs { // in one order: the last bit of a sum hangs on it
		sum += s.Weights[name] * f[name]
	}
	sure := min(MaxFreeConfidence, 1/(1+math.Exp(-sum)))
	if margin < noMargin || slices.ContainsFunc(x.Notes, func(n reader.Note) bool { return slices.Contains(openNotes, n.ID) }) {
		return min(sure, either)
	}
	return sure
}

// signsOf are the signs of a reading, by their names; margin is how much more the next
// reading costs.
func signsOf(x *reader.Reading, stmt *tree.Statement, margin float64, in Input) map[string]float64 {
	f := map[string]float64{
		"one": 1, "near": math.Exp(-nearness * margin), "names": min(2, x.Doubt.Names), "values": min(1, x.Doubt.Values), "grammar": min(3, x.Doubt.Grammar),
		"choice": min(3, x.Doubt.Choice), "guess": min(4, x.Doubt.Guess),
	}
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n.(type) {
		case *tree.Join:
			f["joins"] = min(3, f["joins"]+1)
		case *tree.Exists:
			f["exists"] = 1
		}
		return true
	})
	for _, n := range x.Notes {
		switch n.ID {
		case "summed":
			f["summed"] = 1
		case "unplaced":
			f["unplaced"] = min(2, f["unplaced"]+1)
		case "rows_are", "rows_open":
			f["rows"] = 1
		case "begins_with":
			f["begins"] = 1
		case "meant", "meant_open":
			f["meant"] = min(2, f["meant"]+1)
		}
		if strings.HasPrefix(n.ID, "taken_") {
			f["taken"] = min(2, f["taken"]+1)
		}
	}
	switch chinese := hanText.MatchString(printer.Print(stmt)); {
	case lang.Detect(in.Question) != lang.Chinese && chinese:
		f["over_chinese"] = 1
	case lang.Detect(in.Question) == lang.Chinese && !chinese:
		f["over_others"] = 1
	}
	if len(in.Schema.tables) == 1 { // no join may be another
		f["single"] = 1
	}
	return f
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
