package semantic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// manyRows is of how many rows at least it is no chance that each has a number of its own.
const manyRows = 1000

// RunningNumber reports whether a column of a table of so many rows numbers them: its whole
// numbers have no unit, each row of many has one of its own, and they are as such numbers are
// given out. Nobody adds up the numbers of receipts; the inhabitants of countries are amounts.
func RunningNumber(c *catalog.Column, rows int64) bool {
	return c.Unit == "" && rows >= manyRows && c.Distinct == rows && WholeNumber(c.Type) && givenOut(c, rows)
}

// perNumber is how many numbers there are at most for each that was given out one after another.
const perNumber = 100

// givenOut reports whether the numbers of a column lie close together, or are all about as long, as
// far as the lowest and the highest are known: amounts that differ in each row are spread over
// many lengths.
func givenOut(c *catalog.Column, rows int64) bool {
	low, errLow := strconv.ParseInt(c.Low, 10, 64)
	high, errHigh := strconv.ParseInt(c.High, 10, 64)
	if errLow != nil || errHigh != nil || low < 0 || high < low {
		return true
	}
	return (high-low)/perNumber <= rows || len(c.High)-len(c.Low) <= 1
}

// WholeNumber reports whether a Presto type has whole numbers alone.
func WholeNumber(t string) bool {
	return slices.Contains([]string{"tinyint", "smallint", "integer", "bigint"}, strings.ToLower(t))
}

// Last words of the names of running numbers, and first words of those that count things
// whatever follows: an "invoice number" is one, a "number of phones" and a "total number"
// are not.
var (
	numbered = []string{"number", "no", "nr", "nbr"}
	counters = []string{"number", "num", "no", "count", "total", "sum", "amount", "average", "avg", "min", "max", "n"}
)

// RunningName reports whether the words of a name are those of a running number.
func RunningName(words []string) bool {
	return len(words) > 1 && slices.Contains(numbered, words[len(words)-1]) && !slices.Contains(counters, words[0])
}
