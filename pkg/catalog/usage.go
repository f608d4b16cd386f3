package catalog

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Usage is what the query history says of a table: counts of queries, by day and
// person, by column and what it was used for, by table that it was joined with, by the
// shape of the query, and by the words that people gave to what they read. No value
// that stands in a query.
type Usage struct {
	// Until is when the latest query that was counted was made.
	Until     time.Time   `json:"until"`
	Uses      []Use       `json:"uses,omitempty"`      // latest day first, then most queries
	Columns   []ColumnUse `json:"columns,omitempty"`   // most queries first
	Joins     []Join      `json:"joins,omitempty"`     // most queries first
	Templates []Template  `json:"templates,omitempty"` // most queries first
	Words     []Word      `json:"words,omitempty"`     // most queries first
}

// Use counts the queries of a person on a day.
type Use struct {
	Day     string `json:"day"`            // "2006-01-02", UTC
	User    string `json:"user,omitempty"` // empty: not kept
	Queries int64  `json:"queries"`
}

// ColumnUse counts the queries that read a column.
type ColumnUse struct {
	Column  string `json:"column"`
	Queries int64  `json:"queries"`
	Filters int64  `json:"filters,omitempty"` // of them: with a condition on it
	Groups  int64  `json:"groups,omitempty"`  // of them: grouped by it
	LastDay string `json:"last_day"`
}

// Template is the shape of queries: their text with a question mark for each literal.
type Template struct {
	SQL     string `json:"sql"`
	Reads   []Read `json:"reads"` // of all tables, this one too
	Queries int64  `json:"queries"`
	LastDay string `json:"last_day"`
}

// Word is what people call something that they read: the name that a query gives to a
// column of its result, or a word of the title that it was made for.
type Word struct {
	Text    string `json:"text"`
	Reads   []Read `json:"reads"` // what it says something about, this table too
	Queries int64  `json:"queries"`
	LastDay string `json:"last_day"`
}

// Read is a table that is read, and columns of it. Whoever may not see all of them may
// not know what was made of them.
type Read struct {
	Table   Name     `json:"table"`
	Columns []string `json:"columns,omitempty"`
}

// Join counts the queries that joined the table with another, on columns that
// had to be equal pair by pair; without columns they were read together only.
type Join struct {
	Table      Name     `json:"table"` // the other one
	Columns    []string `json:"columns,omitempty"`
	RefColumns []string `json:"ref_columns,omitempty"`
	Queries    int64    `json:"queries"`
	LastDay    string   `json:"last_day"`
}

// Since returns the queries on that day and later ones.
func (u *Usage) Since(day string) int64 {
	var n int64
	if u != nil {
		for _, use := range u.Uses {
			if use.Day >= day {
				n += use.Queries
			}
		}
	}
	return n
}

// People returns how many persons are counted, 0 where they were not kept.
func (u *Usage) People() int {
	if u == nil {
		return 0
	}
	seen := make(map[string]struct{})
	for _, use := range u.Uses {
		if use.User != "" {
			seen[use.User] = struct{}{}
		}
	}
	return len(seen)
}

// Forget counts a person's queries as those of nobody, by day, and returns on how many days
// the person was named. Names of persons are equal whatever their case.
func (u *Usage) Forget(person string) int {
	days := make(map[string]int64)
	kept := make([]Use, 0, len(u.Uses))
	forgotten := 0
	for _, use := range u.Uses {
		named := use.User != "" && strings.EqualFold(use.User, person)
		if named {
			forgotten++
		}
		if named || use.User == "" {
			days[use.Day] += use.Queries
			continue
		}
		kept = append(kept, use)
	}
	if forgotten == 0 {
		return 0
	}
	for day, queries := range days {
		kept = append(kept, Use{Day: day, Queries: queries})
	}
	u.Uses = kept
	u.Sort()
	return forgotten
}

// LastDay returns the last day with a query, "" where there is none.
func (u *Usage) LastDay() string {
	if u == nil || len(u.Uses) == 0 {
		return ""
	}
	return u.Uses[0].Day
}

// JoinsOf returns with what a table was joined; nil where no history was read.
func (t *Table) JoinsOf() []Join {
	if t.Usage == nil {
		return nil
	}
	return t.Usage.Joins
}

// Sort brings all lists into the order that their comments give, so that equal
// usage is written equally.
func (u *Usage) Sort() {
	slices.SortFunc(u.Uses, func(a, b Use) int {
		return cmp.Or(cmp.Compare(b.Day, a.Day), cmp.Compare(b.Queries, a.Queries), cmp.Compare(a.User, b.User))
	})
	slices.SortFunc(u.Columns, func(a, b ColumnUse) int {
		return cmp.Or(cmp.Compare(b.Queries, a.Queries), cmp.Compare(a.Column, b.Column))
	})
	slices.SortFunc(u.Joins, func(a, b Join) int {
		return cmp.Or(cmp.Compare(b.Queries, a.Queries), cmp.Compare(a.Table.Key(), b.Table.Key()),
			cmp.Compare(strings.Join(a.Columns, ","), strings.Join(b.Columns, ",")))
	})
	slices.SortFunc(u.Templates, func(a, b Template) int {
		return cmp.Or(cmp.Compare(b.Queries, a.Queries), cmp.Compare(a.SQL, b.SQL), compareReads(a.Reads, b.Reads))
	})
	slices.SortFunc(u.Words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(b.Queries, a.Queries), cmp.Compare(a.Text, b.Text), compareReads(a.Reads, b.Reads))
	})
}

func compareReads(a, b []Read) int {
	return slices.CompareFunc(a, b, func(a, b Read) int {
		return cmp.Or(cmp.Compare(a.Table.Key(), b.Table.Key()), slices.Compare(a.Columns, b.Columns))
	})
}
