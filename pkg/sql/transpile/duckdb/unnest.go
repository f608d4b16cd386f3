package duckdb

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// unnest writes UNNEST as a query over one list of structs, a struct a row, so that
// several arrays go along side by side, rows become columns, and the number of a
// row is known. The columns are called c1, c2, ... until an alias names them.
func (e *emitter) unnest(u *tree.Unnest) string {
	operands := make([]operand, len(u.Exprs))
	for i, x := range u.Exprs {
		t := e.typeOf(x)
		if len(u.Exprs) == 1 && !u.Ordinality {
			e.orderless(x)
		}
		text := e.expr(x)
		switch t.Base {
		case "array":
			operands[i].text = text
		case "map":
			if u.Ordinality && e.inHashOrder(x) {
				text = "presto_one_entry(" + text + ")"
			}
			operands[i].text = "map_entries(" + text + ")"
		default:
			return e.no(u, "UNNEST of a %s", orUnknown(t))
		}
	}
	s := e.suffix()
	row, number := "presto_u"+s, "presto_i"+s
	list := e.nested(u, func() string {
		return bind(operands, func(args []string) string {
			fields, lengths := make([]string, len(args)), make([]string, len(args))
			for i, a := range args {
				fields[i] = fmt.Sprintf("'x%d': %s[%s]", i+1, a, number)
				lengths[i] = "coalesce(len(" + a + "), 0)"
			}
			return "list_transform(range(1, greatest(" + strings.Join(lengths, ", ") + ") + 1), lambda " + number + ": {" +
				strings.Join(fields, ", ") + ", 'o': " + number + "})"
		})
	})
	columns := e.unnestColumns(u, row)
	for i, c := range columns {
		columns[i] = c + " AS c" + strconv.Itoa(i+1)
	}
	return "(SELECT " + strings.Join(columns, ", ") + " FROM (SELECT unnest(" + list + ") AS " + row + "))"
}

// unnestColumns writes the columns of an UNNEST, taken from a struct of its row.
func (e *emitter) unnestColumns(u *tree.Unnest, row string) []string {
	var columns []string
	for i, x := range u.Exprs {
		part := "struct_extract(" + row + ", 'x" + strconv.Itoa(i+1) + "')"
		switch t := e.typeOf(x); {
		case t.Base == "map":
			columns = append(columns, keyOf(part), valueOf(part))
		case t.Args[0].Base == "row":
			for f := range t.Args[0].Args {
				columns = append(columns, fieldOf(part, f))
			}
		default:
			columns = append(columns, part)
		}
	}
	if u.Ordinality {
		columns = append(columns, "struct_extract("+row+", 'o')")
	}
	return columns
}

// unnestNames are the names that an UNNEST without alias has: fields of rows keep
// theirs.
func (e *emitter) unnestNames(u *tree.Unnest) []string {
	var names []string
	for _, x := range u.Exprs {
		t := e.typeOf(x)
		element := types.Unknown()
		if t.Base == "array" {
			element = t.Args[0]
		}
		switch {
		case t.Base == "map":
			names = append(names, "", "")
		case element.Base == "row":
			names = append(names, element.Names...)
		default:
			names = append(names, "")
		}
	}
	if u.Ordinality {
		names = append(names, "")
	}
	return names
}
