package team

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// variants are ways in which an engine may give one value.
var variants = [][]any{
	{nil}, {int64(1), int32(1), 1, float64(1), float32(1), "1", "1.0", "1.00"}, {int64(-7), int32(-7), -7, -7.0, float32(-7), "-7"},
	{0.1 + 0.2, 0.3, "0.3", "0.30"}, {1e20, "1e20", "100000000000000000000"}, {true}, {false}, {"text", []byte("text")}, {""}, {"NaN"}, {"Inf"},
	{[]any{int64(1), "a", nil}, []any{1.0, []byte("a"), nil}}, {[]any{}},
}

// TestSameResults: rows are the same in whatever order they and their columns come and
// of whatever type a number is, and others where one value differs.
func TestSameResults(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 3))
	for range 500 {
		width, height := 1+random.IntN(3), 1+random.IntN(4)
		kinds := make([][]int, height) // of variants
		for i := range kinds {
			for range width {
				kinds[i] = append(kinds[i], random.IntN(len(variants)))
			}
		}
		rows := func() *tools.Rows {
			r := &tools.Rows{}
			for j := range width {
				r.Columns = append(r.Columns, fmt.Sprint("c", j))
			}
			for _, k := range kinds {
				var row []any
				for _, of := range k {
					row = append(row, variants[of][random.IntN(len(variants[of]))])
				}
				r.Rows = append(r.Rows, row)
			}
			return r
		}
		a, b := rows(), rows()
		random.Shuffle(height, func(i, j int) { b.Rows[i], b.Rows[j] = b.Rows[j], b.Rows[i] })
		order := random.Perm(width)
		for i, row := range b.Rows {
			turned := make([]any, width)
			for j, from := range order {
				turned[j] = row[from]
			}
			b.Rows[i] = turned
		}
		require.True(t, sameResult(a, b), "%v and %v", a.Rows, b.Rows)
		require.True(t, sameResult(b, a))

		b.Rows[random.IntN(height)][random.IntN(width)] = "another value"
		require.False(t, sameResult(a, b), "%v and %v", a.Rows, b.Rows)
		cut := rows()
		cut.Truncated = true
		require.False(t, sameResult(a, cut), "all of one and a part of the other")
		fewer, narrower := rows(), rows()
		fewer.Rows = fewer.Rows[1:]
		require.False(t, sameResult(a, fewer))
		narrower.Columns = narrower.Columns[1:]
		require.False(t, sameResult(a, narrower))
	}
	for i, a := range variants {
		for j, b := range variants {
			require.Equal(t, i == j, cell(a[0]) == cell(b[0]), "%v and %v", a[0], b[0])
		}
	}
	require.NotEqual(t, cell(123456789.0), cell(123456788.0), "nine digits count")
	require.Equal(t, cell(1234567890123.0), cell(1234567890124.0), "and no more")
}

func TestAllNull(t *testing.T) {
	t.Parallel()
	for want, all := range map[bool][]*tools.Rows{
		true:  {{Rows: [][]any{{nil}}}, {Rows: [][]any{{nil, nil}, {nil, nil}}}, {Rows: [][]any{{}}}},
		false: {{}, {Rows: [][]any{{nil, 0}}}, {Rows: [][]any{{nil}, {""}}}, {Rows: [][]any{{nil}}, Truncated: true}},
	} {
		for _, r := range all {
			require.Equal(t, want, allNull(r), "%v", r.Rows)
		}
	}
	require.True(t, slices.IsSorted(fingerprint(&tools.Rows{Rows: [][]any{{"b"}, {"a"}, {"c"}}}, false)))
}
