package cost

import (
	"math"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// Estimate is what a statement will read, from the catalog's statistics.
type Estimate struct {
	Rows  int64 // -1: not known
	Bytes int64 // uncompressed; -1: not known
	Scans []Scan
}

// Scan is the estimate of one read.
type Scan struct {
	Table   catalog.Name
	Columns []string // that are read, in stored order
	Rows    int64    // -1: not known
	Bytes   int64    // -1: not known
	// Partitions are the domains of the partition columns that predicates restrict.
	Partitions []ColumnDomain
	// Whole is set where the table has partitions and all of them are read.
	Whole bool
}

// ColumnDomain is the domain of a column by name.
type ColumnDomain struct {
	Column string
	Domain Domain
}

// Of estimates a resolved statement. Rows are those of the partitions that the
// predicates leave; predicates on other columns save no reading. What the catalog
// does not tell about partitions counts as the whole table.
func Of(r *resolve.Resolution, options Options) Estimate {
	e := Estimate{}
	columns := columnsRead(r)
	for _, read := range Reads(r, options) {
		scan := estimate(read, columns)
		e.Scans = append(e.Scans, scan)
		e.Rows, e.Bytes = add(e.Rows, scan.Rows), add(e.Bytes, scan.Bytes)
	}
	return e
}

// add is a sum in which not known (-1) stays so.
func add(a, b int64) int64 {
	switch {
	case a < 0 || b < 0:
		return -1
	case a > math.MaxInt64-b:
		return math.MaxInt64
	}
	return a + b
}

func estimate(read Read, columns map[resolve.Origin]bool) Scan {
	t := read.Table
	s := Scan{Table: t.Name, Rows: t.RowCount, Bytes: -1}
	width, share, partitioned := int64(0), 1.0, false
	for i := range t.Columns {
		c := &t.Columns[i]
		if columns[resolve.Origin{Table: t.Name, Column: c.Name}] {
			s.Columns = append(s.Columns, c.Name)
			width += Width(types.Parse(c.Type))
		}
		if !c.Partition {
			continue
		}
		partitioned = true
		if d := read.Domain(c.Name); !d.IsAll() {
			s.Partitions = append(s.Partitions, ColumnDomain{c.Name, d})
			share *= shareOf(d, c)
		}
	}
	s.Whole = partitioned && len(s.Partitions) == 0
	if t.RowCount < 0 {
		return s
	}
	if share < 1 { // a double does not hold every row count
		s.Rows = int64(math.Ceil(float64(t.RowCount) * share))
	}
	s.Bytes = int64(math.Min(float64(s.Rows)*float64(max(width, 1)), math.MaxInt64/2))
	return s
}

// shareOf is the share of a column's distinct values that a domain leaves, taken
// as the share of the rows.
func shareOf(d Domain, c *catalog.Column) float64 {
	if d.IsNothing() {
		return 0
	}
	if d.low || d.high || c.Distinct <= 0 {
		return 1
	}
	if int64(len(c.Samples)) == c.Distinct { // every stored value is known
		n := 0
		for _, stored := range c.Samples {
			if d.Contains(stored) {
				n++
			}
		}
		return float64(n) / float64(c.Distinct)
	}
	n, ok := d.Points()
	if !ok {
		n, ok = d.Days()
	}
	if !ok {
		return 1
	}
	return min(1, float64(n)/float64(c.Distinct))
}

// Width is the number of bytes that a value of a type takes in an estimate. Texts
// count as 24, nested values as the sum of one element or field each, times four
// for arrays and maps.
func Width(t types.Type) int64 {
	switch t.Base {
	case "boolean", "tinyint":
		return 1
	case "smallint":
		return 2
	case "integer", "real", "date":
		return 4
	case "array", "map", "row":
		n := int64(0)
		for _, a := range t.Args {
			n += Width(a)
		}
		if t.Base != "row" {
			n *= 4
		}
		return max(n, 1)
	case "decimal":
		if t.Precision > 18 {
			return 16
		}
		return 8
	case "uuid":
		return 16
	}
	if t.IsText() || t.Base == "json" || t.Base == "varbinary" || t.IsUnknown() {
		return 24
	}
	if strings.HasPrefix(t.Base, "timestamp") && t.Precision > 6 || t.Base == "timestamp with time zone" && t.Precision > 3 {
		return 12
	}
	return 8
}

// columnsRead are the stored columns that a statement names or passes on.
func columnsRead(r *resolve.Resolution) map[resolve.Origin]bool {
	columns := map[resolve.Origin]bool{}
	tree.Walk(r.Statement(), func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.ColumnRef:
			for _, o := range r.Origins(n) {
				columns[o] = true
			}
		case *tree.Query:
			for _, out := range r.OutputOf(n) {
				for _, o := range out.Sources {
					columns[o] = true
				}
			}
		}
		return true
	})
	return columns
}
