package distort

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// house are columns that tables have for the sake of those who keep them.
var house = [...]string{
	"created_at", "updated_at", "deleted_at", "created_by", "updated_by", "is_deleted", "version", "status", "last_modified_date",
	"etl_load_date", "batch_id", "row_hash", "source_system", "remarks", "notes", "load_dt", "effective_date", "expiry_date", "record_type",
}

const (
	widening = 12  // columns added to a table, on the average
	foreign  = 0.6 // share of them that are another table's
)

// widen adds columns that have nothing to do with the table.
func (d *distorter) widen(t *catalog.Table) {
	of := d.random("wide", t.Name.Schema, t.Name.Table)
	have := make(map[string]bool, len(t.Columns))
	for _, c := range t.Columns {
		have[strings.ToLower(c.Name)] = true
	}
	for range int(of.ExpFloat64() * widening) {
		c := catalog.Column{Name: house[of.IntN(len(house))], Type: "varchar"}
		if other := &d.tables[of.IntN(len(d.tables))]; of.Float64() < foreign && len(other.Columns) > 0 {
			c = other.Columns[of.IntN(len(other.Columns))]
			if d.recipe.Undescribed {
				c.Comment = ""
			}
		}
		if key := strings.ToLower(c.Name); !have[key] {
			have[key] = true
			t.Columns = append(t.Columns, c)
		}
	}
}

// sizes are how many schemas become one, each as likely.
var sizes = [...]int{1, 1, 1, 2, 4, 8, 16, 40}

// nameless is the number of schemas from which their union is called after none.
const nameless = 4

// merge puts schemas together. A schema with a table whose name the union has
// already stays what it is.
func (d *distorter) merge(tables []catalog.Table) {
	bySchema := make(map[string][]int)
	for i := range tables {
		bySchema[tables[i].Name.Schema] = append(bySchema[tables[i].Name.Schema], i)
	}
	var schemas []string
	for s := range bySchema {
		schemas = append(schemas, s)
	}
	slices.Sort(schemas)
	of := d.random("merge")
	of.Shuffle(len(schemas), func(i, j int) { schemas[i], schemas[j] = schemas[j], schemas[i] })
	for from := 0; from < len(schemas); {
		n := min(sizes[of.IntN(len(sizes))], len(schemas)-from)
		name := schemas[from]
		if n >= nameless {
			name = fmt.Sprintf("db%d", from)
		}
		have := make(map[string]bool)
		for _, s := range schemas[from : from+n] {
			join(tables, bySchema[s], name, have)
		}
		from += n
	}
}

func join(tables []catalog.Table, numbers []int, schema string, have map[string]bool) {
	for _, i := range numbers {
		if have[strings.ToLower(tables[i].Name.Table)] {
			return
		}
	}
	for _, i := range numbers {
		have[strings.ToLower(tables[i].Name.Table)] = true
		tables[i].Name.Schema = schema
	}
}
