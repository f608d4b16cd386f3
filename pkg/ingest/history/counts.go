package history

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
)

type useKey struct{ day, user string }

// counts gathers the use of one table.
type counts struct {
	until   time.Time
	uses    map[useKey]int64
	columns map[string]*catalog.ColumnUse
	joins   map[string]*catalog.Join

	templates map[string]*catalog.Template
	words     map[string]*catalog.Word
}

// newCounts goes on from what was counted before.
func newCounts(u *catalog.Usage) *counts {
	c := &counts{
		uses: make(map[useKey]int64), columns: make(map[string]*catalog.ColumnUse), joins: make(map[string]*catalog.Join),
		templates: make(map[string]*catalog.Template), words: make(map[string]*catalog.Word),
	}
	if u == nil {
		return c
	}
	c.until = u.Until
	for _, use := range u.Uses {
		c.uses[useKey{use.Day, use.User}] += use.Queries
	}
	for _, column := range u.Columns {
		c.columns[strings.ToLower(column.Column)] = &column
	}
	for _, j := range u.Joins {
		c.joins[joinKey(j.Table, j.Columns, j.RefColumns)] = &j
	}
	for _, t := range u.Templates {
		c.templates[readsKey(t.SQL, t.Reads)] = &t
	}
	for _, w := range u.Words {
		c.words[readsKey(w.Text, w.Reads)] = &w
	}
	return c
}

func (c *counts) column(used usedColumn, day string) {
	key := strings.ToLower(used.name)
	column := c.columns[key]
	if column == nil {
		column = &catalog.ColumnUse{Column: used.name}
		c.columns[key] = column
	}
	column.Queries++
	if used.filter {
		column.Filters++
	}
	if used.group {
		column.Groups++
	}
	column.LastDay = max(column.LastDay, day)
}

// gatheredPerKept is how many shapes and words of a table are counted at once for one
// that is kept: which ones are frequent shows at the end.
const gatheredPerKept = 50

func readsKey(text string, reads []catalog.Read) string {
	var b strings.Builder
	b.WriteString(text)
	for _, r := range reads {
		b.WriteString("\x00" + r.Table.Key() + "\x01" + strings.Join(r.Columns, "\x01"))
	}
	return b.String()
}

func (c *counts) template(sql string, reads []catalog.Read, day string, o Options) {
	key := readsKey(sql, reads)
	t := c.templates[key]
	if t == nil {
		if len(c.templates) >= gatheredPerKept*o.MaxTemplates {
			return
		}
		t = &catalog.Template{SQL: sql, Reads: reads}
		c.templates[key] = t
	}
	t.Queries++
	t.LastDay = max(t.LastDay, day)
}

func (c *counts) word(text string, reads []catalog.Read, day string, o Options) {
	key := readsKey(text, reads)
	w := c.words[key]
	if w == nil {
		if len(c.words) >= gatheredPerKept*o.MaxWords {
			return
		}
		w = &catalog.Word{Text: text, Reads: reads}
		c.words[key] = w
	}
	w.Queries++
	w.LastDay = max(w.LastDay, day)
}

func joinKey(table catalog.Name, columns, refColumns []string) string {
	return strings.ToLower(table.Key() + "\x00" + strings.Join(columns, "\x01") + "\x00" + strings.Join(refColumns, "\x01"))
}

func (c *counts) join(table catalog.Name, columns, refColumns []string, day string) {
	key := joinKey(table, columns, refColumns)
	if c.joins[key] == nil {
		c.joins[key] = &catalog.Join{Table: table, Columns: columns, RefColumns: refColumns}
	}
	c.joins[key].Queries++
	c.joins[key].LastDay = max(c.joins[key].LastDay, day)
}

// wordQueries is from how many queries on a word is kept: what a single one says may be
// about a single person.
const wordQueries = 2

// usage is what is kept of the counts: from the day since on, and within the
// bounds of the options.
func (c *counts) usage(since string, o Options) *catalog.Usage {
	u := &catalog.Usage{Until: c.until}
	for key, n := range c.uses {
		if key.day >= since {
			u.Uses = append(u.Uses, catalog.Use{Day: key.day, User: key.user, Queries: n})
		}
	}
	for _, column := range c.columns {
		if column.LastDay >= since {
			u.Columns = append(u.Columns, *column)
		}
	}
	for _, j := range c.joins {
		if j.LastDay >= since {
			u.Joins = append(u.Joins, *j)
		}
	}
	for _, t := range c.templates {
		if t.LastDay >= since {
			u.Templates = append(u.Templates, *t)
		}
	}
	for _, w := range c.words {
		if w.LastDay >= since && w.Queries >= wordQueries {
			u.Words = append(u.Words, *w)
		}
	}
	u.Sort()
	u.Templates = u.Templates[:min(len(u.Templates), o.MaxTemplates)]
	u.Words = u.Words[:min(len(u.Words), o.MaxWords)]
	u.Columns = u.Columns[:min(len(u.Columns), o.MaxColumns)]
	u.Joins = u.Joins[:min(len(u.Joins), o.MaxJoins)]
	if len(u.Uses) > o.MaxUses {
		u.Uses = together(u.Uses, o.MaxUses)
		u.Sort()
	}
	return u
}

// together puts the persons of least use together, day by day, until there are at
// most limit entries or only days are left; no query is lost.
func together(uses []catalog.Use, limit int) []catalog.Use {
	days := make(map[string]int64)
	named := slices.DeleteFunc(slices.Clone(uses), func(u catalog.Use) bool {
		if u.User == "" {
			days[u.Day] += u.Queries
		}
		return u.User == ""
	})
	slices.SortStableFunc(named, func(a, b catalog.Use) int {
		return cmp.Or(cmp.Compare(b.Queries, a.Queries), cmp.Compare(b.Day, a.Day), cmp.Compare(a.User, b.User))
	})
	all := make(map[string]bool)
	for _, u := range uses {
		all[u.Day] = true
	}
	keep := min(max(limit-len(all), 0), len(named))
	for _, u := range named[keep:] {
		days[u.Day] += u.Queries
	}
	out := named[:keep]
	for day, n := range days {
		out = append(out, catalog.Use{Day: day, Queries: n})
	}
	return out
}
