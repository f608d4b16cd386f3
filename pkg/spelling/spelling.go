// Package spelling measures how far apart two names are, for "did you mean".
package spelling

// short is how many characters of a name are compared without an allocation.
const short = 63

// Distance is the number of characters to insert, remove, replace or swap with
// the next one that turns a into b: optimal string alignment. It distinguishes
// cases. Its time is the product of the two lengths: bound what is compared.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var first, second, third [short + 1]int
	before, above, row := first[:], second[:], third[:]
	if len(y) > short {
		before, above, row = make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	}
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(y)]
}
