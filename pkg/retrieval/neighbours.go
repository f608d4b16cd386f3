package retrieval

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/retrieval/facet"
)

// maxSharers is in how many tables of a schema a key's name may stand to tell that
// they belong together.
const maxSharers = 12

// keyEndings end the names of columns that point to something.
var keyEndings = [...]string{"id", "key", "code", "no", "num", "number"}

// neighbours are the tables that are joined with each table, by number.
type neighbours struct {
	start []uint32
	list  []int32
	plain []int32 // of each table's near twins the plain one, which alone has neighbours
}

func (x neighbours) of(n int) []int32 {
	n = int(x.plain[n])
	return x.list[x.start[n]:x.start[n+1]]
}

// neighboursOf finds them by foreign keys and by joint use; a table without
// either is joined with those of its schema that have a key's name in common. Near
// twins count as their plain one.
func neighboursOf(tables []*catalog.Table, index *catalog.Index, twins *facet.Index) neighbours {
	number := make(map[*catalog.Table]int32, len(tables))
	for n, t := range tables {
		number[t] = int32(n)
	}
	near := make([][]int32, len(tables))
	plain := make([]int32, len(tables))
	for n := range tables {
		plain[n] = twins.Plain(n)
	}
	join := func(a, b int32) {
		if a, b = plain[a], plain[b]; a != b {
			near[a], near[b] = append(near[a], b), append(near[b], a)
		}
	}
	declared := func(n int, name catalog.Name) {
		if other, known := index.Lookup(name); known {
			join(int32(n), number[other])
		}
	}
	for n, t := range tables {
		for _, key := range t.ForeignKeys {
			declared(n, key.RefTable)
		}
		if t.Usage != nil {
			for _, j := range t.Usage.Joins {
				declared(n, j.Table)
			}
		}
	}
	for _, sharers := range sharedKeys(tables, near, plain) {
		for i, a := range sharers {
			for _, b := range sharers[i+1:] {
				join(a, b)
			}
		}
	}
	x := neighbours{plain: plain, start: append(make([]uint32, 0, len(tables)+1), 0)}
	for _, list := range near {
		slices.Sort(list)
		x.list = append(x.list, slices.Compact(list)...)
		x.start = append(x.start, uint32(len(x.list)))
	}
	return x
}

// sharedKeys returns the tables, without neighbours so far, that have a key's name
// in common with few others of their schema.
func sharedKeys(tables []*catalog.Table, near [][]int32, plain []int32) [][]int32 {
	type place struct{ region, schema, column string }
	at := make(map[place]int)
	var sharers [][]int32
	for n, t := range tables {
		if len(near[n]) > 0 || plain[n] != int32(n) {
			continue
		}
		for i := range t.Columns {
			column := strings.ToLower(t.Columns[i].Name)
			if !isKeyName(column) {
				continue
			}
			key := place{t.Name.Region, t.Name.Schema, column}
			k, known := at[key]
			if !known {
				k = len(sharers)
				at[key] = k
				sharers = append(sharers, nil)
			}
			if len(sharers[k]) <= maxSharers { // one too many is remembered
				sharers[k] = append(sharers[k], int32(n))
			}
		}
	}
	return slices.DeleteFunc(sharers, func(list []int32) bool { return len(list) < 2 || len(list) > maxSharers })
}

// isKeyName tells whether a column's name says what it points to.
func isKeyName(column string) bool {
	for _, ending := range keyEndings {
		if rest, ok := strings.CutSuffix(column, ending); ok && strings.Trim(rest, "_") != "" && rest != "uu" && rest != "gu" && rest != "rowgu" {
			return true
		}
	}
	return false
}
