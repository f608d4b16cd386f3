package pipeline

import (
	"math"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// Rooms is what each room saw of a question on its way to SQL: for people who work on the
// reading of questions, and to tell which room failed a sentence.
type Rooms struct {
	Pieces   []reader.Piece // language and schema: what each span may be
	Rows     []reader.Row   // grammar: the parts that cover the question, likeliest first
	Readings []RoomsReading // bind and compose: what the rows mean, likeliest first
	Refused  []string       // why rows made no reading
	Answer   Result         // what came of it, checks included
	Demands  []RoomsDemand  // what the question asks of any SQL
}

// RoomsReading is one reading of a question.
type RoomsReading struct {
	Words  string // the reading in a sentence; empty where it cannot be said
	SQL    string // empty where it cannot be written
	Cost   float64
	Doubt  reader.Doubt
	Sure   float64  // as an answer
	Unread []string // words that nothing was done with
	Unmet  []string // words whose demand the SQL does not meet
	// Signs are what Sure is made of, by the names in sureness.yaml.
	Signs map[string]float64

	stmt *tree.Statement // of SQL
}

// RoomsDemand is a word of the question and what it asks of any SQL.
type RoomsDemand struct{ Name, Word string }

// Rooms reads a question over tables and tells what each room saw.
func (p *Pipeline) Rooms(in Input) Rooms {
	if in.Language == "" {
		in.Language = lang.Detect(in.Question)
	}
	asked := p.ask(in)
	q := asked.asked
	out := Rooms{Pieces: q.Pieces(), Rows: q.Rows(), Answer: p.Answer(in), Demands: demandsOf(q.Demands())}
	list, refused := q.Readings()
	out.Refused = refused
	for i := range list {
		x := &list[i]
		r := RoomsReading{Cost: x.Cost, Doubt: x.Doubt, Unread: x.Unread}
		r.Words, _ = p.restate(asked, &x.Intent)
		if stmt, err := asked.Schema.gen.Statement(&x.Intent); err == nil {
			r.stmt, r.SQL, r.Unmet = stmt, printer.Print(stmt), p.unmet(asked, &x.Intent, stmt)
		}
		out.Readings = append(out.Readings, r)
	}
	for i := range out.Readings {
		if r := &out.Readings[i]; r.stmt != nil {
			margin := marginOf(out.Readings, i)
			r.Signs = signsOf(&list[i], r.stmt, margin, asked)
			r.Sure = p.sureness.of(&list[i], r.stmt, margin, asked)
		}
	}
	return out
}

// marginOf is how much further a reading is than the one before it that says something else;
// of the first, how far the next such one is.
func marginOf(list []RoomsReading, i int) float64 {
	if i > 0 {
		return list[i].Cost - list[0].Cost
	}
	for j := range list[1:] {
		if x := &list[j+1]; x.SQL != "" && x.SQL != list[0].SQL {
			return x.Cost - list[0].Cost
		}
	}
	return math.Inf(1)
}

// demandsOf lists what a question asks of any SQL.
func demandsOf(d reader.Demands) []RoomsDemand {
	var out []RoomsDemand
	for _, x := range []RoomsDemand{
		{"an amount", d.Money}, {"a number of things", strings.Join(d.Counts, ", ")}, {"a time", d.When}, {"of each of many", d.Each},
		{"what there is most of", d.Most}, {"a part of a whole", d.Share}, {"yes or no", d.Yes}, {"what never was so", d.Never},
		{"which of many", d.Pick}, {"which of what nothing knows", d.Whose}, {"how much of what nothing knows", d.Size}, {"most of nothing that is named", d.Alone}, {"a person", d.Who}, {"what is missing", d.Lack},
		{"what is not left out", d.With}, {"groups by themselves", d.Apart}, {"what is denied", d.Deny},
		{"the first of an order", d.Utmost}, {"more or less than something", d.Bound}, {"a number of a unit of size", d.Measure},
		{"the way or the place", d.How},
	} {
		if x.Word != "" {
			out = append(out, x)
		}
	}
	for _, s := range d.Sized {
		out = append(out, RoomsDemand{"a number with its unit", s.Text})
	}
	return out
}
