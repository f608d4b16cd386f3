package metric

import (
	"strings"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

func (r *reader) grain(u *unit, grain string) {
	if grain == "hour" {
		r.hour = true
	} else {
		r.time().Grain = grain
	}
	r.group = false
	r.span(u, "time", "by "+grain)
}

func (r *reader) time() *intent.Time {
	if r.out.Intent.Time == nil {
		r.out.Intent.Time = &intent.Time{}
	}
	return r.out.Intent.Time
}

func (r *reader) date(u *unit) {
	f := u.date
	defer func() { r.group = false }()
	switch {
	case f.Grain == "hour":
		r.hour = true
		r.span(u, "dimension", "by hour")
		return
	case f.Grain != "":
		r.time().Grain = f.Grain
		r.eachDay = r.eachDay || f.Grain == "day" && r.names.each(f.Text)
		r.span(u, "time", "by "+f.Grain)
		return
	}
	if r.dated != nil {
		switch {
		case r.ofToDate(f), r.clip(f):
		case r.second == nil:
			r.second, r.besides = f, r.pos-r.datedAt == 1 || r.pos-r.datedAt == 2 && r.around(-1).is("and")
			r.span(u, "time", day(f.From)+" to "+day(f.To))
		default:
			r.doubt("several ranges of time")
			r.miss(u)
		}
		return
	}
	r.dated, r.datedAt = f, r.pos
	r.readToDate(f)
	r.setRange(f.From, f.To, f.Text)
	if prev := r.around(-1); f.N > 1 && r.out.Intent.Time.Grain == "" && prev != nil && (prev.is("apart") || prev.arg("group") == "each") {
		r.out.Intent.Time.Grain = f.Unit // "in each of the last 4 weeks"
	}
	r.span(u, "time", r.out.Intent.Time.From+" to "+r.out.Intent.Time.To)
	r.ahead(f)
	if f.Today && (f.To.IsZero() || f.To.After(dates.Today(r.now))) {
		r.assume("period_not_over")
	}
}

// ahead keeps a period that has not begun from being answered with nothing, and says
// of one that ends later that it is not over.
func (r *reader) ahead(f *dates.Found) {
	today := dates.Today(r.now)
	switch {
	case f.From.After(today):
		r.out.Ahead = true
		r.doubt("a period that has not begun")
	case !f.Today && f.To.After(today.AddDate(0, 0, 1)):
		r.assume("period_not_over")
	}
}

// each reports whether an expression begins with a word such as "per".
func (n *Names) each(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(text), " ")
	return n.words.is(first, "group") && !strings.HasPrefix(first, "by") || strings.HasPrefix(text, "每")
}

func (r *reader) setRange(from, to time.Time, text string) {
	t := r.time()
	t.From, t.To, t.Text = day(from), day(to), text
}

// day is a date as an intent has it; empty for none.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// within reports whether a range lies in a longer one: "June to August this year".
func within(a, b dates.Found) bool {
	closed := !a.From.IsZero() && !a.To.IsZero() && !b.From.IsZero() && !b.To.IsZero()
	return closed && !a.From.Before(b.From) && !a.To.After(b.To) && length(a) < length(b)
}

// clip puts "up to yesterday" and a period together.
func (r *reader) clip(f *dates.Found) bool {
	a, b := *r.dated, *f
	if within(a, b) {
		return true
	}
	if within(b, a) {
		r.dated = f
		r.setRange(b.From, b.To, b.Text)
		return true
	}
	if a.From.IsZero() {
		a, b = b, a
	}
	if !b.From.IsZero() || a.From.IsZero() || !a.From.Before(b.To) {
		return false
	}
	if b.To.Before(a.To) {
		a.To = b.To
	}
	r.dated = &a
	r.setRange(a.From, a.To, a.Text)
	return true
}
