package semantic

import (
	"slices"
	"strings"
)

// filing are words of the names of files that say nothing of what is in them. They are a closed
// class, as are the numbers that date or count files.
var filing = []string{"export", "exports", "exported", "extract", "dump", "copy", "data", "dataset", "table", "tbl", "file", "sheet", "backup", "csv", "xlsx", "raw", "final", "latest", "导出", "数据", "表", "备份"}

// unfiled takes the words that only file a table out of its name: "donations export 2025-26" is
// called donations, where nothing else is. The whole name stays as a synonym.
func (d *deriver) unfiled() {
	l := d.layer
	taken := map[string]int{}
	for i := range l.Dimensions {
		taken[strings.ToLower(l.Dimensions[i].Names.EN)]++
	}
	short := make([]string, len(l.Entities))
	for i := range l.Entities {
		words := strings.Fields(strings.ToLower(l.Entities[i].Names.EN))
		short[i] = strings.Join(slices.DeleteFunc(words, func(w string) bool {
			return slices.Contains(filing, w) || strings.Trim(w, "0123456789") == ""
		}), " ")
		taken[short[i]]++
	}
	for i := range l.Entities {
		e := &l.Entities[i]
		if short[i] == "" || taken[short[i]] > 1 || short[i] == strings.ToLower(e.Names.EN) {
			continue
		}
		e.Synonyms = append(e.Synonyms, e.Names.EN)
		e.Names.EN = short[i]
	}
}
