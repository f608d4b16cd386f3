package followup

import (
	"slices"
	"time"

	"github.com/dibrain/dibrain/services/text2sql/dates"
	"github.com/dibrain/dibrain/services/text2sql/intent"
)

// Why an edit cannot be applied; ids of texts.
type Why string

// Reasons.
const (
	WhyNotFiltered  Why = "not_filtered"   // what is to go is not there
	WhyAllThere     Why = "all_there"      // what is to come is there already
	WhyNothingLeft  Why = "nothing_left"   // without it nothing would be asked
	WhyNothingToCut Why = "nothing_to_cut" // one row has no first ones
	WhyNoPeriod     Why = "no_period"      // there is no period to compare
	WhyNoWhole      Why = "no_whole"       // nothing has a share in it
	WhyUnknownTime  Why = "unknown_time"   // the period compared with does not fit
	WhyNotOver      Why = "not_over_tables"
	WhyNotCompared  Why = "not_compared"  // there are no changes of which some went one way
	WhyNoComparison Why = "no_comparison" // a window or a ratio is not compared
	WhyNoDirection  Why = "no_direction"  // best and worst of what is neither
	WhyCauses       Why = "causes"        // a query tells no causes
	WhyNoJoin       Why = "no_join"       // nothing relates it to what was asked
	WhyUndated      Why = "undated"       // the rows have no such time
	WhyImpossible   Why = "impossible"    // no row would meet all conditions
	WhyNotSaid      Why = "not_said"      // of what it is, or what is done with it
	WhyNoFigure     Why = "no_figure"     // a list has no figure that could be split
	WhyNothing      Why = "nothing"       // no change was read
)

// Refusal is an edit that cannot be applied.
type Refusal struct {
	Edit Edit
	Why  Why
}

// Over is what an intent is about.
type Over struct {
	Now       time.Time
	Countries []string // codes that there are
	// Metrics are what is known of metrics, by id; only over a written layer.
	Metrics map[string]Figure
}

// Figure is what changes need to know of a metric.
type Figure struct {
	Ratio     bool // it is no sum of its parts
	High, Low bool // which of the two is good; neither: not known
}

// Apply returns a changed copy of an intent. The edits are applied in order; the
// first that cannot be is returned, and then nothing is.
func Apply(prev intent.Intent, edits []Edit, over Over) (intent.Intent, *Refusal) {
	in := clone(prev)
	a := &applier{in: &in, over: over}
	for _, e := range edits {
		if why := a.apply(e); why != "" {
			return prev, &Refusal{e, why}
		}
	}
	if len(in.Select) == 0 { // not even before: it came from outside
		return prev, &Refusal{Edit{Do: Total}, WhyNothingLeft}
	}
	a.settle()
	return in, nil
}

// clone copies what edits change; conditions are only ever replaced as a whole.
func clone(in intent.Intent) intent.Intent {
	in.Country, in.ShareOf, in.Select = slices.Clone(in.Country), slices.Clone(in.ShareOf), slices.Clone(in.Select)
	in.Filters, in.GroupBy, in.Having = slices.Clone(in.Filters), slices.Clone(in.GroupBy), slices.Clone(in.Having)
	in.OrderBy, in.LimitPer, in.Via = slices.Clone(in.OrderBy), slices.Clone(in.LimitPer), slices.Clone(in.Via)
	if in.Time != nil {
		t := *in.Time
		in.Time = &t
	}
	return in
}

type applier struct {
	in   *intent.Intent
	over Over
}

func (a *applier) apply(e Edit) Why {
	switch e.Do {
	case SetCountry, AddCountry, DropCountry, AllCountries:
		return a.country(e)
	case SetValue, AddValue, DropValue:
		return a.value(e)
	case KeepNamed, DropNamed:
		return a.named(e)
	case SetMetric, AddMetric, DropMetric:
		return a.metric(e)
	case SetGroup, AddGroup, DropGroup:
		return a.groupBy(e)
	case SetRange, ShiftRange, AllTime, SetGrain, DropGrain, Compare, NoCompare:
		return a.when(e)
	case Limit:
		return a.limit(e)
	case NoLimit:
		a.in.Limit, a.in.LimitPer = 0, nil
	case OrderBy:
		return a.order(e)
	case Bound:
		return a.bound(e)
	case Moved:
		return a.moved(e)
	case Explain:
		return WhyCauses
	case Share:
		return a.share()
	case Total:
		a.total()
	case Chart: // the figures stay
	}
	return ""
}

// metric changes what is measured. A share stays a share of the new metric.
func (a *applier) metric(e Edit) Why {
	in := a.in
	output := func(id string) intent.Output {
		return intent.Output{Field: intent.Field{Kind: intent.KindMetric, ID: id}}
	}
	switch e.Do {
	case SetMetric:
		in.Having = slices.DeleteFunc(in.Having, func(c intent.Cond) bool { return c.Left != nil && ofComparison(*c.Left) })
		in.OrderBy = slices.DeleteFunc(in.OrderBy, func(o intent.Order) bool { return ofComparison(o.By) })
		share := len(in.Select) == 1 && in.Select[0].Agg == intent.AggShare && len(e.Values) == 1
		in.Select = nil
		for _, id := range e.Values {
			in.Select = append(in.Select, output(id))
		}
		if share {
			if a.over.Metrics[e.Values[0]].Ratio {
				return WhyNoWhole
			}
			in.Select[0].Agg = intent.AggShare
		}
		for i := range in.OrderBy {
			if in.OrderBy[i].By.Kind == intent.KindMetric {
				in.OrderBy[i].By = in.Select[0]
			}
		}
	case AddMetric:
		for _, id := range e.Values {
			if slices.ContainsFunc(in.Select, func(o intent.Output) bool { return o.Field == output(id).Field }) {
				return WhyAllThere
			}
			in.Select = append(in.Select, output(id))
		}
	case DropMetric:
		for _, id := range e.Values {
			at := slices.IndexFunc(in.Select, func(o intent.Output) bool { return o.Field == output(id).Field })
			if at < 0 {
				return WhyNotFiltered
			}
			in.Select = slices.DeleteFunc(in.Select, func(o intent.Output) bool { return o.Field == output(id).Field })
			in.OrderBy = slices.DeleteFunc(in.OrderBy, func(o intent.Order) bool { return o.By.Field == output(id).Field })
			if len(in.Select) == 0 {
				return WhyNothingLeft
			}
		}
	}
	return ""
}

// groupBy changes the split. What a split brought along goes with it: its order, its
// place in a ranking, the rows without a value that were left out for it.
func (a *applier) groupBy(e Edit) Why {
	in := a.in
	before := slices.Clone(in.GroupBy)
	switch e.Do {
	case SetGroup:
		in.GroupBy = []intent.Field{e.Field}
		if len(in.Country) > 1 && e.Field != byCountry && slices.Contains(before, byCountry) {
			in.GroupBy = []intent.Field{byCountry, e.Field} // the countries were named
		}
	case AddGroup:
		if slices.Contains(in.GroupBy, e.Field) {
			return WhyAllThere
		}
		in.GroupBy = append(in.GroupBy, e.Field)
	case DropGroup:
		if !slices.Contains(in.GroupBy, e.Field) {
			return WhyNotFiltered
		}
		in.GroupBy = slices.DeleteFunc(in.GroupBy, func(f intent.Field) bool { return f == e.Field })
	}
	a.regroup(before)
	return ""
}

func (a *applier) regroup(before []intent.Field) {
	in := a.in
	gone := func(f intent.Field) bool { return slices.Contains(before, f) && !slices.Contains(in.GroupBy, f) }
	in.Filters = slices.DeleteFunc(in.Filters, func(c intent.Cond) bool { return c.Op == intent.NotNull && c.Left != nil && gone(c.Left.Field) })
	in.OrderBy = slices.DeleteFunc(in.OrderBy, func(o intent.Order) bool { return gone(o.By.Field) })
	in.ShareOf = slices.DeleteFunc(in.ShareOf, gone)
	in.LimitPer = slices.DeleteFunc(in.LimitPer, gone)
}

func (a *applier) share() Why {
	if len(a.in.GroupBy) == 0 || len(a.in.Select) != 1 || a.in.Select[0].Agg != intent.AggNone || a.over.Metrics[a.in.Select[0].ID].Ratio {
		return WhyNoWhole
	}
	a.in.Select[0].Agg = intent.AggShare
	for i := range a.in.OrderBy {
		if a.in.OrderBy[i].By.Kind == intent.KindMetric {
			a.in.OrderBy[i].By = a.in.Select[0]
		}
	}
	return ""
}

func (a *applier) total() {
	before := slices.Clone(a.in.GroupBy)
	a.in.GroupBy, a.in.Limit, a.in.LimitPer, a.in.OrderBy, a.in.ShareOf = nil, 0, nil, nil, nil
	if a.in.Time != nil {
		a.in.Time.Grain = ""
	}
	for i := range a.in.Select {
		if a.in.Select[i].Agg == intent.AggShare {
			a.in.Select[i].Agg = ""
		}
	}
	a.regroup(before)
}

func dayOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// calendar is the range of a time: where the answer is cut by the unit of "past 8
// weeks", the full ones are meant.
func calendar(f *dates.Found, grain string, now time.Time) (from, to string) {
	if f.Unit != "" && f.Unit == grain && grain != "day" && !f.Full {
		a, b := f.Calendar(now)
		return dayOf(a), dayOf(b)
	}
	return dayOf(f.From), dayOf(f.To)
}
