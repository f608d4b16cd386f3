package reader

import (
	"slices"

	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/internal/schema"
)

// A mean over things: "how many orders does a customer place on average", 平均每个会员消费多少. The
// figure is that of each thing, and of these the mean. Over the rows themselves, 平均每单, it is
// the mean of what the rows have.

// meanOver finds the things over which the mean of a number is asked for.
func (b *composer) meanOver() {
	d := b.d
	if d.over != nil || len(d.counts) != 1 || len(d.bests) > 0 || d.share >= 0 || d.limit != "" || d.rival != nil || b.sides != nil {
		return
	}
	avg := slices.IndexFunc(d.aggs, func(m measure) bool { return m.agg == intent.AggAvg && m.none() })
	if avg < 0 || len(d.aggs) > 1 {
		return
	}
	switch {
	case len(d.groups) == 1 && d.groups[0].grain != "":
		d.over, b.overStep, d.groups = &thing{}, d.groups[0].grain, nil
	case len(d.groups) == 1 && !d.groups[0].none():
		d.over, d.groups = &d.groups[0].thing, nil
	case len(d.groups) == 0:
		for i, t := range d.mentions {
			if !t.none() && t.single && t != d.counts[0].thing {
				b.placed[i] = true
				d.over = &d.mentions[i]
				break
			}
		}
	}
	if d.over != nil {
		d.aggs = slices.Delete(d.aggs, avg, avg+1)
	}
}

// overMean turns the figure of all into the mean of those of each thing.
func (b *composer) overMean(measures []intent.Output) []intent.Output {
	over := b.d.over
	if over == nil || b.failed != "" {
		return measures
	}
	if len(measures) == 0 {
		measures = b.figureOf()
	}
	if len(measures) != 1 || len(b.d.bests) > 0 || b.d.share >= 0 || b.sides != nil {
		b.fail("a mean over things of what is not said")
		return measures
	}
	if len(b.d.counts) > 0 && (b.d.counts[0].rows != nil || b.d.counts[0].none() && len(b.d.unread) > 0) {
		b.fail("a mean of a number of what nobody knows")
		return measures
	}
	m := measures[0]
	if b.overStep != "" {
		return b.overSteps(m)
	}
	column := m.Kind == intent.KindDimension && m.When == nil && m.Calc == nil && m.Per.ID == ""
	if over.none() || over.table == b.root || over.column != nil && over.column.Of == b.root && over.column.Unique() {
		if !column || m.Agg != intent.AggSum && m.Agg != intent.AggAvg {
			b.fail("a mean over rows of what each is one of")
			return measures
		}
		m.Agg = intent.AggAvg
		return []intent.Output{m}
	}
	per := over.column
	if t := over.table; t != nil && len(t.Key) == 1 && b.view.OneRow(b.root, t) {
		per = t.Key[0]
	}
	rows := m.Kind == intent.KindEntity && m.When == nil && (m.Agg == intent.AggCount || m.Agg == intent.AggCountDistinct)
	if per == nil || per.Nature == schema.Amount || per.Nature == schema.Level || !rows && !(column && slices.Contains([]intent.Agg{intent.AggSum, intent.AggCount, intent.AggCountDistinct}, m.Agg)) || len(b.d.groups) > 0 || b.d.each || m.ID == per.ID {
		b.fail("a mean over things that the rows are not of")
		return measures
	}
	if per.Nullable && per.Of == b.root {
		left := out("", per)
		b.filter(intent.Cond{Op: intent.NotNull, Left: &left})
	}
	b.note("mean_of_those", per.Of.Names.EN, b.root.Names.EN)
	return []intent.Output{{Agg: intent.AggAvg, Base: m.Agg, Field: m.Field, Per: field(per)}}
}

// overSteps is the mean of a figure over steps of time: "how many orders do we get per month on average".
func (b *composer) overSteps(m intent.Output) []intent.Output {
	f, ok := b.timeBy(b.overStep)
	if !ok || m.When != nil || m.Calc != nil || m.Per.ID != "" || m.Base != "" || len(b.d.groups) > 0 || b.d.each || !slices.Contains([]intent.Agg{intent.AggCount, intent.AggCountDistinct, intent.AggSum}, m.Agg) {
		b.fail("a mean over steps of time that nothing dates")
		return nil
	}
	return []intent.Output{{Agg: intent.AggAvg, Base: m.Agg, Field: m.Field, Per: f}}
}

// figureOf is the amount that is named, or the one amount of money where one is asked for.
func (b *composer) figureOf() []intent.Output {
	c := b.amount()
	if c == nil && (b.d.money || b.d.amount) {
		if _, c = b.moneyHere(); c != nil && c.Of != b.root {
			c = nil
		}
	}
	switch {
	case c == nil:
		return nil
	case c.Nature == schema.Amount:
		return []intent.Output{out(intent.AggSum, c)}
	case b.sums(intent.AggAvg, c):
		return []intent.Output{out(intent.AggAvg, c)}
	}
	return nil
}
