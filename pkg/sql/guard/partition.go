package guard

import (
	"fmt"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/cost"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// partitions refuses a statement that reads a table without restricting one of the
// columns that the policy names: such that it leaves partitions out. That a predicate restricts a column is a proof of
// the cost model, not a look at the text.
func (a *approval) partitions(r *resolve.Resolution) *Refusal {
	if a.grants == nil || !a.demandsPartitions(r) {
		return nil
	}
	now := a.config.Clock()
	for _, read := range cost.Reads(r, cost.Options{Now: now}) {
		required := a.grants.Access(read.Table.Name).Partitions
		restricted := len(required) == 0 || isVirtual(read.Table.Name)
		for _, column := range required {
			restricted = restricted || read.Prunes(column, now, a.config.PartitionDays)
		}
		if !restricted {
			line, column := read.Node.Span().Position()
			return &Refusal{
				Rule: "partitions", Code: CodePartitionRequired, Line: line, Column: column,
				Message: fmt.Sprintf("%s would be read whole: add a condition on %s, such as %s = ...", read.Table.Name, strings.Join(required, " or "), required[0]),
			}
		}
	}
	return nil
}

func (a *approval) demandsPartitions(r *resolve.Resolution) bool {
	for _, name := range r.Tables() {
		if !isVirtual(name) && len(a.grants.Access(name).Partitions) > 0 {
			return true
		}
	}
	return false
}
