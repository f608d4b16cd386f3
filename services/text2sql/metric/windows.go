package metric

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// MaxWindow bounds how many units of time a window may reach over.
const MaxWindow = 400

// rolling reads "7-day moving average". Without a word for what is done with the
// days it is their total.
func (r *reader) rolling(found []*unit) {
	w := intent.Window{Agg: intent.AggSum}
	for _, u := range found {
		switch {
		case u.amount != nil:
			if n := u.amount.value; n.IsInt() && n.Num().IsInt64() {
				w.N = int(n.Num().Int64())
			}
		case u.date != nil:
			w.N, w.Unit = u.date.N, u.date.Unit
		case u.is("unit"):
			w.Unit = u.arg("unit")
		case u.is("roll") && u.arg("roll") == "avg", u.is("average"):
			w.Agg = intent.AggAvg
		}
	}
	if w.N < 2 || w.N > MaxWindow || w.Unit == "" || w.Unit == "hour" {
		r.doubt("a window of no length")
		return
	}
	if r.roll != nil {
		r.doubt("two windows")
	}
	r.roll = &w
	whole := unit{tokens: slices.Concat(found[0].tokens, found[len(found)-1].tokens)}
	r.span(&whole, "metric", windowColumn("over", w))
}

// windows puts the window over each metric, which is shown beside it. A total so
// far without steps of time is the total.
func (r *reader) windows() {
	in := &r.out.Intent
	r.accumulates()
	if r.roll != nil && r.cumulative {
		r.doubt("two windows")
	}
	w := r.roll
	if r.cumulative && r.steps != "" && !r.grained() {
		r.time().Grain = r.steps
	}
	switch {
	case w != nil:
		if r.time().Grain == "" {
			in.Time.Grain = w.Unit
		}
		if in.Time.Grain != w.Unit {
			r.doubt("a window in other units than the steps of time")
		}
		r.assume("window_reaches_back")
	case r.cumulative && in.Time != nil && in.Time.Grain != "":
		w = &intent.Window{Agg: intent.AggSum, Unit: in.Time.Grain}
	case r.cumulative && slices.ContainsFunc(in.GroupBy, r.inOrder):
		r.doubt("a running total over parts of the day")
		return
	default:
		return
	}
	if r.share > 0 || len(in.Having) > 0 {
		r.doubt("a window over a share, or with conditions")
	}
	for _, o := range slices.Clone(in.Select) {
		over := plain(o.ID)
		over.Agg, over.Window = intent.AggWindow, *w
		in.Select = append(in.Select, over)
	}
}
