package explain

import "math"

// table is the finest cells in the form that the search works on.
type table struct {
	dimensions []string
	keys       [][]int32  // by dimension, then cell: the number of the cell's value
	values     [][]string // by dimension: the values in order of their first cell
	before     []float64  // by cell: what it was, for a ratio what its new base would give at its old quotient
	after      []float64
	cells      []int32  // by cell: its number in the cube that the table is of
	of         []Amount // by the number in the cube
	growth     float64
	// deviation of a cell from what the background's growth would have made of it, from
	// -1 (all is gone) to 1 (all is new), and the spread of it that is usual for a cell
	// of this size.
	deviation, spread []float64
	order             []int32 // the cells in order of their deviation, equal ones as they come
	base              float64 // the least of spread: that of the largest cells
	bySize            float64 // what the variance of deviations of a cell of size 1 has by chance
}

// cube is cells with their keys as numbers, so that no text is compared again.
type cube struct {
	dimensions []string
	keys       [][]int32  // by dimension, then cell: the number of the cell's value
	values     [][]string // by dimension: the values in order of their first cell
	amount     []Amount
}

// cubeOf numbers the values of cells, each of which has one key for each dimension.
func cubeOf(dimensions []string, cells []Cell) cube {
	c := cube{dimensions: dimensions, keys: make([][]int32, len(dimensions)), values: make([][]string, len(dimensions)), amount: make([]Amount, len(cells))}
	for i := range cells {
		c.amount[i] = cells[i].Amount
	}
	each(len(dimensions), func(_, d int) {
		numbers, keys, last := map[string]int32{}, make([]int32, len(cells)), int32(-1)
		for i := range cells {
			key := cells[i].Keys[d]
			if last < 0 || c.values[d][last] != key { // neighbours mostly have the same
				n, known := numbers[key]
				if !known {
					n = int32(len(c.values[d])) //nolint:gosec // Limits.Cells bounds it
					numbers[key] = n
					c.values[d] = append(c.values[d], key)
				}
				last = n
			}
			keys[i] = last
		}
		c.keys[d] = keys
	})
	return c
}

// repeated returns the first cell that has the keys of an earlier one; -1: none has.
func (c cube) repeated() int {
	n := len(c.amount)
	all, possible := make([]int, len(c.keys)), 1
	for d, values := range c.values {
		all[d] = d
		possible = min(possible*max(len(values), 1), sparse*n+1) // beyond that it does not matter
	}
	if possible <= sparse*n { // each set of keys has a place of its own
		seen := make([]bool, possible)
		for i := range n {
			at := 0
			for d, keys := range c.keys {
				at = at*len(c.values[d]) + int(keys[i])
			}
			if seen[at] {
				return i
			}
			seen[at] = true
		}
		return -1
	}
	group, groups := c.groups(all)
	if groups == n {
		return -1
	}
	for i, g := range group { // groups are numbered in order of their first cell
		if int(g) < i {
			return i
		}
	}
	return -1
}

// groups numbers the groups of cells by some dimensions, in order of their first cell.
func (c cube) groups(dimensions []int) (group []int32, n int) {
	group, n = make([]int32, len(c.amount)), 1
	for _, d := range dimensions {
		group, n = refine(group, n, c.keys[d], len(c.values[d]))
	}
	return group, n
}

// coarser returns the cells of a grouping by some of the dimensions.
func (c cube) coarser(dimensions []int) cube {
	group, n := c.groups(dimensions)
	out := cube{amount: make([]Amount, n)}
	first := make([]int, n)
	for i := len(group) - 1; i >= 0; i-- {
		first[group[i]] = i
	}
	for i, g := range group {
		out.amount[g] = out.amount[g].plus(c.amount[i])
	}
	for _, d := range dimensions {
		keys := make([]int32, n)
		for g, i := range first {
			keys[g] = c.keys[d][i]
		}
		out.dimensions, out.keys, out.values = append(out.dimensions, c.dimensions[d]), append(out.keys, keys), append(out.values, c.values[d])
	}
	return out
}

// refine numbers the groups that the values of one more dimension make of groups, in
// order of their first cell.
func refine(group []int32, groups int, keys []int32, values int) (finer []int32, n int) {
	finer = make([]int32, len(group))
	if groups*values > sparse*len(group) {
		known := make(map[int]int32, len(group))
		for i, key := range keys {
			code := int(group[i])*values + int(key)
			at, ok := known[code]
			if !ok {
				at = int32(n) //nolint:gosec // Limits.Cells bounds it
				known[code] = at
				n++
			}
			finer[i] = at
		}
		return finer, n
	}
	known := make([]int32, groups*values) // one more than the number; 0: none yet
	for i, key := range keys {
		code := int(group[i])*values + int(key)
		if known[code] == 0 {
			n++
			known[code] = int32(n) //nolint:gosec // Limits.Cells bounds it
		}
		finer[i] = known[code] - 1
	}
	return finer, n
}

// sparse is how many possible groups for each cell are too many for a plain table.
const sparse = 8

// newTable makes cells comparable. Of a ratio the numerator after is
// compared with that which the new denominator would have at the old quotient, so that
// the search sees changes of quotients and not of shares. complement says that the
// quotients are high parts of a whole: then the search looks at what is not in them, in
// which a fall from 98 % to 94 % is a threefold rise. Cells of which nothing can be compared
// are left out, and values that are in no other cells with them.
func newTable(kind Kind, c cube, complement bool, chance float64) *table {
	n := len(c.amount)
	t := &table{
		dimensions: c.dimensions, keys: make([][]int32, len(c.keys)), values: make([][]string, len(c.keys)),
		before: make([]float64, 0, n), after: make([]float64, 0, n), cells: make([]int32, 0, n), of: c.amount,
	}
	for i, amount := range c.amount {
		if before, after, ok := compared(kind, amount, complement); ok {
			t.before, t.after = append(t.before, before), append(t.after, after)
			t.cells = append(t.cells, int32(i)) //nolint:gosec // Limits.Cells bounds it
		}
	}
	each(len(c.keys), func(_, d int) { t.keys[d], t.values[d] = renumbered(c.keys[d], c.values[d], t.cells) })
	t.growth = background(t.before, t.after)
	t.deviate(chance)
	return t
}

// amount is what a cell comes to.
func (t *table) amount(cell int32) Amount { return t.of[t.cells[cell]] }

// renumbered numbers the values of those cells that are kept.
func renumbered(keys []int32, values []string, kept []int32) (newKeys []int32, newValues []string) {
	number := make([]int32, len(values)) // one more than the number; 0: none yet
	newKeys = make([]int32, len(kept))
	for at, i := range kept {
		key := keys[i]
		if number[key] == 0 {
			newValues = append(newValues, values[key])
			number[key] = int32(len(newValues)) //nolint:gosec // Limits.Cells bounds it
		}
		newKeys[at] = number[key] - 1
	}
	return newKeys, newValues
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
	var constant, bySize float64
	each(2, func(_, work int) {
		if work == 0 {
			constant, bySize = spreads(t.deviation, size)
		} else {
			t.order = ordered(t.deviation)
		}
	})
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
