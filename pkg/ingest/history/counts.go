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
}

// newCounts goes on from what was counted before.
func newCounts(u *catalog.Usage) *counts {
	c := &counts{uses: make(map[useKey]int64), columns: make(map[string]*catalog.ColumnUse), joins: make(map[string]*catalog.Join)}
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
	return c
}

func (c *counts) column(name, day string) {
	key := strings.ToLower(name)
	if c.columns[key] == nil {
		c.columns[key] = &catalog.ColumnUse{Column: name}
	}
	c.columns[key].Queries++
	c.columns[key].LastDay = max(c.columns[key].LastDay, day)
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
	u.Sort()
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
