package retrieval

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// tableUse is what the query history says of a table.
type tableUse struct {
	n         int
	templates []usedTemplate
}

// usedColumn is a column that queries read: its table, its place there, and its name's
// text.
type usedColumn struct {
	n, at int
	text  uint32
}

// usedTemplate is what queries of one shape read together.
type usedTemplate struct {
	tables  []int
	columns []usedColumn
}

// numberUse notes the tables with a history by their near twins: what people ask of a
// table does not change with its country or its copy.
func (c *Corpus) numberUse() {
	c.use = make(map[int32][]tableUse)
	for n, t := range c.tables {
		if t.Usage == nil || len(t.Usage.Templates) == 0 {
			continue
		}
		one := tableUse{n: n}
		for i := range t.Usage.Templates {
			if template, known := c.usedTemplate(t.Usage.Templates[i].Reads); known {
				one.templates = append(one.templates, template)
			}
		}
		first := c.facets.Kin(n)[0]
		c.use[first] = append(c.use[first], one)
	}
}

func (c *Corpus) usedColumn(n int, name string) (usedColumn, bool) {
	columns := c.tables[n].Columns
	i := slices.IndexFunc(columns, func(c catalog.Column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return usedColumn{}, false
	}
	text, known := c.texts.number[columns[i].Name]
	return usedColumn{n, i, text}, known
}

// usedTemplate numbers what is read; it is not known where a table or a column has gone
// since.
func (c *Corpus) usedTemplate(reads []catalog.Read) (usedTemplate, bool) {
	var out usedTemplate
	for _, r := range reads {
		t, known := c.index.Lookup(r.Table)
		if !known {
			return out, false
		}
		n := c.number[t]
		out.tables = append(out.tables, n)
		for _, name := range r.Columns {
			column, known := c.usedColumn(n, name)
			if !known {
				return out, false
			}
			out.columns = append(out.columns, column)
		}
	}
	return out, true
}

// asking finds the question in what queries read.
type asking struct {
	*reading
	keep  func(int) bool
	texts map[uint32]columnHit
}

// columnHit is what the question has of a column's name.
type columnHit struct {
	share    float64   // of the name
	concepts []float64 // nil: nothing
}

// history sets what people's queries say for each table: those of its near twins, as
// far as the asker sees all that they read. Nothing speaks for a table because it was
// used at all: that would be lost on questions about tables that nobody has asked yet.
// So a fit counts by what it is above or below the others'.
func (r *reading) history(keep func(int) bool) {
	if len(r.c.use) == 0 {
		return
	}
	a := &asking{reading: r, keep: keep, texts: make(map[uint32]columnHit)}
	byKin := make(map[int32]float64)
	var sum float64
	for _, t := range r.tables {
		first := r.c.facets.Kin(t.n)[0]
		if _, known := byKin[first]; known || len(r.c.use[first]) == 0 {
			continue
		}
		if fit, seen := a.fitOf(r.c.use[first]); seen {
			byKin[first] = fit
			sum += fit
		}
	}
	for _, t := range r.tables {
		if fit, used := byKin[r.c.facets.Kin(t.n)[0]]; used {
			t.features[featureHistoryShape] = fit - sum/float64(len(byKin))
		}
	}
}

// fitOf returns the best fit of what queries of near twins read together; seen is false
// where the asker does not see all of any of it.
func (a *asking) fitOf(twins []tableUse) (best float64, seen bool) {
	for _, u := range twins {
		if a.keep != nil && !a.keep(u.n) {
			continue
		}
		for _, t := range u.templates {
			if a.seesAll(t) {
				best, seen = max(best, a.shapeFit(t)), true
			}
		}
	}
	return best, seen
}

// seesAll reports whether the asker sees everything that a query read.
func (a *asking) seesAll(t usedTemplate) bool {
	return !slices.ContainsFunc(t.tables, func(n int) bool { return a.keep != nil && !a.keep(n) }) &&
		!slices.ContainsFunc(t.columns, func(c usedColumn) bool { return !a.seen(c) })
}

// seen reports whether the asker sees a column.
func (a *asking) seen(column usedColumn) bool {
	if a.c.whole(column.n) {
		return true
	}
	_, visible := a.c.shown(column.n).Column(a.c.tables[column.n].Columns[column.at].Name)
	return visible
}

func (a *asking) hitOf(text uint32) columnHit {
	hit, known := a.texts[text]
	if !known {
		concepts := make([]float64, len(a.share))
		if hit.share = a.fit(a.c.texts.of(text), concepts, nil); hit.share > 0 {
			hit.concepts = concepts
		}
		a.texts[text] = hit
	}
	return hit
}

// shapeFit is how well the columns and tables that queries read together fit the
// question: the share of the question that they have by the share of them that it has,
// as their harmonic mean.
func (a *asking) shapeFit(t usedTemplate) float64 {
	has := make([]float64, len(a.share))
	var asked, covered float64
	note := func(hit columnHit) {
		asked += hit.share
		for i, v := range hit.concepts {
			has[i] = max(has[i], v)
		}
	}
	for _, n := range t.tables {
		if a.c.nameText[n] != noText {
			note(a.hitOf(a.c.nameText[n]))
		}
	}
	for _, column := range t.columns {
		note(a.hitOf(column.text))
	}
	asked /= float64(len(t.tables) + len(t.columns))
	for i, share := range a.share {
		covered += share * has[i]
	}
	if asked+covered == 0 {
		return 0
	}
	return 2 * asked * covered / (asked + covered)
}
