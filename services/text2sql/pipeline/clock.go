package pipeline

import (
	"cmp"
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// Files end on a day. A question over them that says "in July", or "in the last month of the
// data", is asked as on the day after: the last July that the data have is meant. Where it
// says "last month", today's is meant, and what the data do not reach is told.

// dataClock is what was made of the times of a question over data that ended.
type dataClock struct {
	column *schema.Column // whose last day it is; nil: today's clock holds
	last   time.Time      // that day
	texts  []string       // the expressions that are read by it
	// outside is set where the times are counted from today and lie after the data: then
	// the clock is that of readings to offer, not of an answer.
	outside bool
}

// onDataClock sets the clock of a question that has been read once by today's.
func (p *Pipeline) onDataClock(in Input) Input {
	anchors := map[dates.Anchor][]dates.Found{}
	for _, f := range p.dates.Periods(in.Question, in.Now) {
		if f.Grain == "" {
			anchors[f.Anchor] = append(anchors[f.Anchor], f)
		}
	}
	own := slices.Concat(anchors[dates.Yearless], anchors[dates.OfData])
	today := len(anchors[dates.Current]) > 0
	if len(own) == 0 && !today {
		return in
	}
	c := p.dated(in)
	if c == nil {
		return in
	}
	last, err := time.Parse(time.DateOnly, c.High)
	if err != nil || !last.Before(dates.Today(in.Now).AddDate(0, 0, -1)) {
		return in
	}
	if today {
		own = anchors[dates.Current]
		if !slices.ContainsFunc(own, func(f dates.Found) bool { return f.From.After(last) }) || len(anchors) > 1 {
			return in
		}
	}
	by := p.dates.Periods(in.Question, last.AddDate(0, 0, 1))
	clock := dataClock{column: c, last: last, outside: today}
	for _, f := range own {
		moved := slices.ContainsFunc(by, func(o dates.Found) bool { return o.Text == f.Text && !o.From.Equal(f.From) })
		if moved || f.Anchor == dates.OfData {
			clock.texts = append(clock.texts, f.Text)
		}
	}
	if len(clock.texts) == 0 {
		return in
	}
	if in.clock = clock; !today {
		in = p.readBy(in)
	}
	return in
}

// readBy has the question read by the clock of its data.
func (p *Pipeline) readBy(in Input) Input {
	in.Now = in.clock.last.AddDate(0, 0, 1)
	in.asked = p.reader.Question(in.Question, in.Schema.view, in.Now)
	return in
}

// dated is the column that dates what a question is about: that of its likeliest reading, or
// of all columns the one that goes on the longest. nil where the range of one is not known:
// what is not known may be of today.
func (p *Pipeline) dated(in Input) *schema.Column {
	readings, _ := in.asked.Readings()
	for i := range readings {
		if c := in.Schema.view.ColumnOf(timeOf(&readings[i].Intent)); c != nil {
			return c
		}
	}
	var latest *schema.Column
	for _, t := range in.Schema.view.Tables {
		for _, c := range t.Days() {
			if c.High == "" {
				return nil
			}
			if latest == nil || c.High > latest.High {
				latest = c
			}
		}
	}
	return latest
}

// timeOf is the id of the column that the time of an intent is a condition on; empty: none.
func timeOf(i *intent.Intent) string {
	if i.Time != nil && i.Time.By != "" {
		return i.Time.By
	}
	for _, c := range i.Filters {
		for len(c.Args) > 0 { // periods beside each other are of one column
			c = c.Args[0]
		}
		if c.Left != nil && len(c.Values) == 1 && c.Values[0].Date {
			return c.Left.ID
		}
		if c.Sub != nil {
			if id := timeOf(c.Sub); id != "" {
				return id
			}
		}
	}
	return ""
}

// tellClock says by which clock an answer was read, or why there is none.
func (p *Pipeline) tellClock(in Input, res Result) Result {
	c := in.clock
	if c.column == nil || res.Outcome != Answered {
		return res
	}
	if c.outside {
		res = p.abstain(in, Result{}, "")
		res.Reason = p.clockText(in)
		return res
	}
	res.Assumptions = slices.Insert(res.Assumptions, 0, p.clockText(in))
	return res
}

// clockText says by which clock the times of a question are read.
func (p *Pipeline) clockText(in Input) string {
	c, id := in.clock, "by_the_data"
	if c.outside {
		id = "after_the_data"
	}
	return p.messages.text(in.Language, id, (&restater{language: in.Language, texts: p.offers}).quoteEach(c.texts),
		in.Language.Pick(c.column.Names.EN, cmp.Or(c.column.Names.ZH, c.column.Names.EN)), c.column.High)
}
