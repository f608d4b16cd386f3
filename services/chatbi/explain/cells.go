package explain

import (
	"math"
	"slices"
)

// table is the finest cells in the form that the search works on.
type table struct {
	dimensions []string
	keys       [][]int32  // by dimension, then cell: the number of the cell's value
	values     [][]string // by dimension: the values in order of their first cell
	before     []float64  // by cell: what it was, for a ratio what its new base would give at its old quotient
	after      []float64
	amount     []Amount
	growth     float64
	// deviation of a cell from what the background's growth would have made of it, from
	// -1 (all is gone) to 1 (all is new), and the spread of it that is usual for a cell
	// of this size.
	deviation, spread []float64
	base              float64 // the least of spread: that of the largest cells
	bySize            float64 // what the variance of deviations of a cell of size 1 has by chance
}

// newTable reads cells. For a ratio they are made comparable first: the numerator after is
// compared with that which the new denominator would have at the old quotient, so that
// the search sees changes of quotients and not of shares. complement says that the
// quotients are high parts of a whole: then the search looks at what is not in them, in
// which a fall from 98 % to 94 % is a threefold rise.
func newTable(kind Kind, dimensions []string, cells []Cell, complement bool, chance float64) *table {
	t := &table{dimensions: dimensions, keys: make([][]int32, len(dimensions)), values: make([][]string, len(dimensions))}
	numbers := make([]map[string]int32, len(dimensions))
	for d := range numbers {
		numbers[d] = map[string]int32{}
	}
	for i := range cells {
		c := &cells[i]
		before, after, ok := compared(kind, c.Amount, complement)
		if !ok {
			continue
		}
		for d, key := range c.Keys {
			n, known := numbers[d][key]
			if !known {
				n = int32(len(t.values[d])) //nolint:gosec // Limits.Cells bounds it
				numbers[d][key] = n
				t.values[d] = append(t.values[d], key)
			}
			t.keys[d] = append(t.keys[d], n)
		}
		t.before, t.after = append(t.before, before), append(t.after, after)
		t.amount = append(t.amount, c.Amount)
	}
	t.growth = background(t.before, t.after)
	t.deviate(chance)
	return t
}

// coarser returns the cells of a grouping by some of the dimensions.
func coarser(in *Input, dimensions []int) (ids []string, cells []Cell) {
	for _, d := range dimensions {
		ids = append(ids, in.Dimensions[d])
	}
	at := map[string]int{}
	keys := make([]string, len(dimensions))
	for _, c := range in.Cells {
		for k, d := range dimensions {
			keys[k] = c.Keys[d]
		}
		code := joined(keys)
		i, ok := at[code]
		if !ok {
			i = len(cells)
			at[code] = i
			cells = append(cells, Cell{Keys: slices.Clone(keys)})
		}
		cells[i].Amount = cells[i].plus(c.Amount)
	}
	return ids, cells
}

// compared returns what of a cell is compared; false where nothing can be: there is
// nothing in both periods, or a quotient is missing.
func compared(kind Kind, a Amount, complement bool) (before, after float64, ok bool) {
	if kind != Ratio {
		return a.Value.Before, a.Value.After, a.Value.Before != 0 || a.Value.After != 0
	}
	if a.Base.Before <= 0 || a.Base.After <= 0 {
		return 0, 0, false
	}
	was, is := a.Value.Before, a.Value.After
	if complement {
		was, is = a.Base.Before-was, a.Base.After-is
	}
	before = was / a.Base.Before * a.Base.After
	return before, is, before != 0 || is != 0
}

// deviate computes deviations and their usual spreads.
func (t *table) deviate(chance float64) {
	n := len(t.before)
	t.deviation, t.spread = make([]float64, n), make([]float64, n)
	size := make([]float64, n)
	for i := range t.before {
		t.deviation[i] = deviation(t.growth*t.before[i], t.after[i])
		size[i] = max(math.Abs(t.growth*t.before[i]), math.Abs(t.after[i]))
	}
	constant, bySize := spreads(t.deviation, size)
	chance *= unsureChance
	t.bySize = max(bySize, chance)
	// Few cells tell their own spread badly.
	unsure := 1 + fewCells/float64(max(n, 1))
	t.base = max(math.Sqrt(constant), leastSpread) * unsure
	for i := range t.spread {
		v := max(square(max(math.Sqrt(constant+bySize/size[i]), leastSpread)*unsure), chance/size[i])
		t.spread[i] = math.Sqrt(v / (1 + v/anywhere))
	}
}

// deviation is how far a value is from the expected one, as a part of the greater of
// both: -1 where nothing is left, 1 where nothing was expected. It is the same, but for
// its sign, when both change places.
func deviation(expected, actual float64) float64 {
	whole := max(math.Abs(expected), math.Abs(actual))
	if whole == 0 {
		return 0
	}
	return min(max((actual-expected)/whole, -1), 1)
}
