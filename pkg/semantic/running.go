package semantic

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// manyRows is of how many rows at least it is no chance that each has a number of its own.
const manyRows = 1000

// RunningNumber reports whether a column of a table of so many rows numbers them: its whole
// numbers have no unit, and each row of many has one of its own. Nobody adds up the numbers
// of receipts.
func RunningNumber(c *catalog.Column, rows int64) bool {
	return c.Unit == "" && rows >= manyRows && c.Distinct == rows && WholeNumber(c.Type)
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
