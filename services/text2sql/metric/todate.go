package metric

import (
	"slices"

	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/token"
)

// toDate is a range named as what has come together since it began:
// "month-to-date", 年初至今.
type toDate struct {
	found *dates.Found
	// leads says that it stands before a metric, and so belongs to its name:
	// "month-to-date GMV", not "orders by day, month to date".
	leads bool
	// elsewhere says that another period of the same unit is meant: "daily
	// month-to-date GMV in October".
	elsewhere bool
}

// isToDate reports whether an expression of time is such a range.
func (n *Names) isToDate(f *dates.Found) bool {
	return n.words.is(lowers(token.Split(f.Text, n.dict)), "to_date")
}

// readToDate keeps a range that is named so.
func (r *reader) readToDate(f *dates.Found) {
	if !r.names.isToDate(f) {
		return
	}
	r.toDate = &toDate{found: f}
	for i := r.pos + 1; i < len(r.units); i++ {
		u := &r.units[i]
		if u.has(kindMetric) {
			r.toDate.leads = true
		}
		if !u.idle() {
			return
		}
	}
}

// ofToDate puts a range named so and a period of the same unit together: the
// period is the one that is meant.
func (r *reader) ofToDate(f *dates.Found) bool {
	period := f
	if r.names.isToDate(f) {
		r.readToDate(f)
		period = r.dated
	}
	if r.toDate == nil || r.names.isToDate(period) || spanUnit(*period) != spanUnit(*r.toDate.found) {
		return false
	}
	r.toDate.elsewhere = !period.From.Equal(r.toDate.found.From)
	r.dated = period
	r.setRange(period.From, period.To, period.Text)
	return true
}

// accumulates makes "daily month-to-date GMV" a running total: the values of single
// days would be another answer. Behind a metric that has no running total the words
// only name the period.
func (r *reader) accumulates() {
	if r.toDate == nil || r.cumulative || r.roll != nil {
		return
	}
	switch {
	case r.grained():
		r.cumulative = r.toDate.leads || !slices.ContainsFunc(r.out.Intent.Select, func(o intent.Output) bool {
			m, ok := r.names.layer.Metric(o.ID)
			return !ok || m.Composed() || m.Additivity != "" && m.Additivity != semantic.Additive
		})
	case r.toDate.elsewhere:
		r.doubt("a value so far of a period that is over")
	}
}
