package eval

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSameResult(t *testing.T) {
	t.Parallel()
	rows := func(r ...[]any) Table { return Table{Columns: len(r[0]), Rows: r} }
	cases := []struct {
		name      string
		got, want Table
		how       Comparison
		same      bool
	}{
		{"same", rows([]any{1, "a"}), rows([]any{int64(1), "a"}), Comparison{}, true},
		{"columns in another order", rows([]any{"a", 1}, []any{"b", 2}), rows([]any{2, "b"}, []any{1, "a"}), Comparison{}, true},
		{"rows in another order", rows([]any{1}, []any{2}), rows([]any{2}, []any{1}), Comparison{}, true},
		{"rows in another order where it counts", rows([]any{1}, []any{2}), rows([]any{2}, []any{1}), Comparison{Ordered: true}, false},
		{"a row too many", rows([]any{1}, []any{1}), rows([]any{1}), Comparison{}, false},
		{"a multiset, not a set", rows([]any{1}, []any{1}, []any{2}), rows([]any{1}, []any{2}, []any{2}), Comparison{}, false},
		{"a column too many", rows([]any{1, 1}), rows([]any{1}), Comparison{}, false},
		{"numbers to 1e-4", rows([]any{100.005}), rows([]any{100.0}), Comparison{}, true},
		{"numbers further apart", rows([]any{100.02}), rows([]any{100.0}), Comparison{}, false},
		{"texts exact", rows([]any{"A"}), rows([]any{"a"}), Comparison{}, false},
		{"texts without case", rows([]any{"A"}), rows([]any{"a"}), Comparison{IgnoreCase: true}, true},
		{"null is not zero", rows([]any{nil}), rows([]any{0}), Comparison{}, false},
		{"null is null", rows([]any{nil}), rows([]any{nil}), Comparison{}, true},
		{"decimal as text", rows([]any{"12.50"}), rows([]any{12.5}), Comparison{}, true},
		{"big integer", rows([]any{big.NewInt(7)}), rows([]any{7}), Comparison{}, true},
		{"day and midnight", rows([]any{"2026-01-02"}), rows([]any{time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)}), Comparison{}, true},
		{"columns that look alike but belong together otherwise", rows([]any{1, 2}, []any{2, 1}), rows([]any{1, 1}, []any{2, 2}), Comparison{}, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.same, SameResult(c.got, c.want, c.how))
		})
	}
	require.True(t, SameResult(Table{Columns: 2}, Table{Columns: 2}, Comparison{}), "two empty results of as many columns")
	require.False(t, SameResult(Table{Columns: 1}, Table{Columns: 2}, Comparison{}))
}

func TestGoldVariants(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"SELECT 1", "SELECT 2"}, goldVariants("SELECT 1; SELECT 2;"))
	require.Equal(t, []string{
		"SELECT a.x, COUNT(*) FROM a GROUP BY a.x", "SELECT a.y, COUNT(*) FROM a GROUP BY a.y", "SELECT a.x, a.y, COUNT(*) FROM a GROUP BY a.x, a.y",
	}, goldVariants("SELECT {a.x, a.y}, COUNT(*) FROM a GROUP BY {}"))
}

func TestOrders(t *testing.T) {
	t.Parallel()
	require.True(t, orders("SELECT a FROM t ORDER BY a"))
	require.False(t, orders("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 1) AS x"))
	require.False(t, orders("SELECT 'order by' FROM t"))
	require.False(t, orders(`SELECT "order by" FROM t`))
}

func TestTimestampsCompareWhateverTheirPrecision(t *testing.T) {
	t.Parallel()
	day := time.Date(2024, 1, 31, 10, 0, 0, 500_000_000, time.UTC)
	for _, text := range []string{"2024-01-31 10:00:00.5", "2024-01-31 10:00:00.500", "2024-01-31 10:00:00.500000"} {
		require.Equal(t, cell(day, Comparison{}), cell(text, Comparison{}), text)
	}
	require.Equal(t, cell("2024-01-31", Comparison{}), cell("2024-01-31 00:00:00.000000", Comparison{}))
	require.NotEqual(t, cell(day, Comparison{}), cell("2024-01-31 10:00:00.501", Comparison{}))
}
