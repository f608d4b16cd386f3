package history

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestPersonsOfLeastUseComeTogether: uses by chance put together lose no query of any
// day, keep the persons of most use, and are as many as allowed, or one a day.
func TestPersonsOfLeastUseComeTogether(t *testing.T) {
	t.Parallel()
	draw := rand.New(rand.NewPCG(6, 6)) //nolint:gosec // a test's own chance
	for range 2000 {
		var uses []catalog.Use
		days, persons := 1+draw.IntN(4), 1+draw.IntN(5)
		for d := range days {
			for p := range persons {
				if draw.IntN(3) > 0 {
					user := fmt.Sprint("u", p)
					if p == 0 {
						user = ""
					}
					uses = append(uses, catalog.Use{Day: fmt.Sprintf("2026-01-%02d", d+1), User: user, Queries: int64(1 + draw.IntN(9))})
				}
			}
		}
		limit := draw.IntN(12)
		sum := func(list []catalog.Use) map[string]int64 {
			out := map[string]int64{}
			for _, u := range list {
				out[u.Day] += u.Queries
			}
			return out
		}
		got := together(uses, limit)
		require.Equal(t, sum(uses), sum(got))
		require.LessOrEqual(t, len(got), max(limit, len(sum(uses))))
		seen, least := map[useKey]int64{}, int64(1<<60)
		for _, u := range got {
			key := useKey{u.Day, u.User}
			require.NotContains(t, seen, key, "each once")
			seen[key] = u.Queries
			if u.User != "" {
				least = min(least, u.Queries)
			}
		}
		for _, u := range uses {
			if n, kept := seen[useKey{u.Day, u.User}]; u.User != "" && kept {
				require.Equal(t, u.Queries, n)
			} else if u.User != "" {
				require.LessOrEqual(t, u.Queries, least, "a person of more use goes before one of less")
			}
		}
	}
}

// TestWhatIsKeptOfCounts: use from a day on, the most used columns and joins within
// their bounds, and what was counted before goes on.
func TestWhatIsKeptOfCounts(t *testing.T) {
	t.Parallel()
	to := catalog.Name{Region: "sg", Schema: "mart", Table: "City"}
	until := time.Date(2026, 5, 9, 1, 2, 3, 0, time.UTC)
	before := &catalog.Usage{
		Until: until, Uses: []catalog.Use{{Day: "2026-05-01", User: "ann", Queries: 3}, {Day: "2026-04-01", User: "bob", Queries: 9}},
		Columns: []catalog.ColumnUse{{Column: "ID", Queries: 4, LastDay: "2026-05-01"}, {Column: "old", Queries: 50, LastDay: "2026-04-01"}},
		Joins:   []catalog.Join{{Table: to, Columns: []string{"Id"}, RefColumns: []string{"x"}, Queries: 2, LastDay: "2026-05-02"}},
	}
	c := newCounts(before)
	c.column(usedColumn{name: "id"}, "2026-05-07")
	c.column(usedColumn{name: "id"}, "2026-05-03")
	c.column(usedColumn{name: "day"}, "2026-05-03")
	c.column(usedColumn{name: "much"}, "2026-05-03")
	for range 2 {
		c.column(usedColumn{name: "much"}, "2026-05-04")
	}
	other := to
	other.Table = "city"
	c.join(other, []string{"id"}, []string{"X"}, "2026-05-06")
	c.join(other, []string{"id"}, []string{"x"}, "2026-05-01")
	c.join(other, []string{"id"}, []string{"y"}, "2026-05-06")
	c.join(other, nil, nil, "2026-04-30")
	c.uses[useKey{"2026-05-01", "ann"}]++
	got := c.usage("2026-05-01", Options{MaxColumns: 2, MaxJoins: 9, MaxUses: 9})
	require.Equal(t, &catalog.Usage{
		Until: until, Uses: []catalog.Use{{Day: "2026-05-01", User: "ann", Queries: 4}},
		Columns: []catalog.ColumnUse{{Column: "ID", Queries: 6, LastDay: "2026-05-07"}, {Column: "much", Queries: 3, LastDay: "2026-05-04"}},
		Joins: []catalog.Join{{Table: to, Columns: []string{"Id"}, RefColumns: []string{"x"}, Queries: 4, LastDay: "2026-05-06"},
			{Table: other, Columns: []string{"id"}, RefColumns: []string{"y"}, Queries: 1, LastDay: "2026-05-06"}},
	}, got)
	require.Len(t, c.usage("2026-04-01", Options{MaxColumns: 9, MaxJoins: 1, MaxUses: 9}).Joins, 1)
	require.Len(t, c.usage("2026-04-01", Options{MaxColumns: 9, MaxJoins: 9, MaxUses: 9}).Uses, 2)
	require.Len(t, c.usage("2026-05-02", Options{MaxColumns: 9, MaxJoins: 9, MaxUses: 9}).Uses, 0)
}
