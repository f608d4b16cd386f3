package eval

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Table is the result of a query, as comparison sees it: rows of plain values.
type Table struct {
	Columns int
	Rows    [][]any
}

// Comparison says how strictly results are compared.
type Comparison struct {
	Ordered    bool // rows in order: the gold query orders them
	IgnoreCase bool // texts without case: the gold comes from MySQL
	// ExactIntegers: whole numbers of integer types are equal to the digit, as keys
	// have to be. Others are equal within a tolerance.
	ExactIntegers bool
}

// relativeTolerance is how far apart numbers may be and still be equal.
const relativeTolerance = 1e-4

// SameResult reports whether two results are the same multiset of rows, or the
// same list where the order counts. Columns may come in any order; their number
// has to be the same.
func SameResult(got, want Table, c Comparison) bool {
	return got.Columns == want.Columns && HoldsResult(got, want, c)
}

// HoldsResult is SameResult for a result that may have further columns.
func HoldsResult(got, want Table, c Comparison) bool {
	if got.Columns < want.Columns || len(got.Rows) != len(want.Rows) {
		return false
	}
	if len(want.Rows) == 0 {
		return true
	}
	g, w := normalise(got, c), normalise(want, c)
	m := matcher{got: g, want: w, ordered: c.Ordered, perm: make([]int, want.Columns), used: make([]bool, got.Columns)}
	m.candidates()
	return m.assign(0)
}

// matcher looks for columns of got, in some order, that make it want.
type matcher struct {
	got, want [][]value
	ordered   bool
	possible  [][]bool // want column x got column: same values
	perm      []int    // column of got for each of want
	used      []bool   // by column of got
	tried     int
}

// maxPermutations bounds the orders of columns that are tried.
const maxPermutations = 5000

// candidates finds, for every column, those with the same multiset of values.
func (m *matcher) candidates() {
	gotCols, wantCols := columnsSorted(m.got, len(m.used)), columnsSorted(m.want, len(m.perm))
	m.possible = make([][]bool, len(wantCols))
	for i := range wantCols {
		m.possible[i] = make([]bool, len(gotCols))
		for j := range gotCols {
			m.possible[i][j] = slices.EqualFunc(wantCols[i], gotCols[j], equalValue)
		}
	}
}

func columnsSorted(rows [][]value, n int) [][]value {
	out := make([][]value, n)
	for i := range n {
		col := make([]value, len(rows))
		for r := range rows {
			col[r] = rows[r][i]
		}
		slices.SortFunc(col, compareValue)
		out[i] = col
	}
	return out
}

func (m *matcher) assign(i int) bool {
	if i == len(m.perm) {
		m.tried++
		return m.sameRows()
	}
	for j := range m.used {
		if m.used[j] || !m.possible[i][j] || m.tried > maxPermutations {
			continue
		}
		m.used[j], m.perm[i] = true, j
		if m.assign(i + 1) {
			return true
		}
		m.used[j] = false
	}
	return false
}

func (m *matcher) sameRows() bool {
	got := make([][]value, len(m.got))
	for r, row := range m.got {
		out := make([]value, len(m.perm))
		for i, j := range m.perm {
			out[i] = row[j]
		}
		got[r] = out
	}
	want := m.want
	if !m.ordered {
		want = slices.Clone(want)
		slices.SortFunc(got, compareRow)
		slices.SortFunc(want, compareRow)
	}
	return slices.EqualFunc(got, want, func(a, b []value) bool { return slices.EqualFunc(a, b, equalValue) })
}

// value is a cell: nothing, a number, or a text.
type value struct {
	kind  byte // 0 null, 1 number, 2 text
	num   float64
	text  string
	exact bool // number without tolerance
}

func normalise(t Table, c Comparison) [][]value {
	out := make([][]value, len(t.Rows))
	for i, row := range t.Rows {
		out[i] = make([]value, len(row))
		for j, v := range row {
			out[i][j] = cell(v, c)
		}
	}
	return out
}

// timeLayout writes days and timestamps alike, whatever their precision.
const timeLayout = "2006-01-02 15:04:05.999999"

func cell(v any, c Comparison) value {
	number := func(f float64) value {
		if math.IsNaN(f) {
			return value{}
		}
		return value{kind: 1, num: f}
	}
	switch v := v.(type) {
	case nil:
		return value{}
	case bool:
		if v {
			return number(1)
		}
		return number(0)
	case float64:
		return number(v)
	case float32:
		return number(float64(v))
	case int, int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		f, _ := strconv.ParseFloat(fmt.Sprint(v), 64) // digits only
		return value{kind: 1, num: f, exact: c.ExactIntegers}
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return value{kind: 1, num: f, exact: c.ExactIntegers}
	case time.Time:
		return value{kind: 2, text: v.Format(timeLayout)}
	case fmt.Stringer:
		return textCell(v.String(), c)
	case []byte:
		return textCell(string(v), c)
	case string:
		return textCell(v, c)
	}
	return textCell(fmt.Sprint(v), c)
}

// textCell reads numbers and days that came as text, as engines differ in that.
func textCell(s string, c Comparison) value {
	s = strings.TrimSpace(s)
	if f, err := strconv.ParseFloat(s, 64); err == nil && !strings.ContainsAny(s, "nNiIxX_") {
		return value{kind: 1, num: f}
	}
	for _, layout := range []string{time.DateOnly, time.DateTime} { // a fraction may follow the seconds
		if t, err := time.Parse(layout, s); err == nil {
			s = t.Format(timeLayout)
			break
		}
	}
	if c.IgnoreCase {
		s = strings.ToLower(s)
	}
	return value{kind: 2, text: s}
}

func compareValue(a, b value) int {
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	if a.kind == 1 {
		if equalValue(a, b) {
			return 0
		}
		return cmp.Compare(a.num, b.num)
	}
	return cmp.Compare(a.text, b.text)
}

func compareRow(a, b []value) int {
	for i := range min(len(a), len(b)) {
		if c := compareValue(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func equalValue(a, b value) bool {
	if a.kind != b.kind {
		return false
	}
	if a.exact && b.exact {
		return a.num == b.num
	}
	if a.kind == 1 {
		return math.Abs(a.num-b.num) <= relativeTolerance*max(math.Abs(a.num), math.Abs(b.num))
	}
	return a.text == b.text
}
