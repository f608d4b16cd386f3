package semantic

import "strings"

// Bounds from which on a word that names begin with is a prefix and no name.
const (
	minPrefixedTables  = 3
	minPrefixedColumns = 8
)

// unprefixed takes the word that all tables begin with, and that all
// columns do, out of their names: "abcClient" and "abcClientName" are called client
// and client name. Where columns have such a prefix and all of a table begin with
// one more word, that goes too. The whole names stay as synonyms.
func (d *deriver) unprefixed() {
	l := d.layer
	tables := make([]*named, 0, len(l.Entities))
	for i := range l.Entities {
		tables = append(tables, &named{&l.Entities[i].Names, &l.Entities[i].Synonyms})
	}
	columns := make([]*named, 0, len(l.Dimensions))
	own := map[string][]*named{}
	for i := range l.Dimensions {
		n := &named{&l.Dimensions[i].Names, &l.Dimensions[i].Synonyms}
		columns = append(columns, n)
		own[l.Dimensions[i].Table] = append(own[l.Dimensions[i].Table], n)
	}
	strip(tables, minPrefixedTables)
	if !strip(columns, minPrefixedColumns) {
		return
	}
	for i := range l.Entities {
		strip(own[l.Entities[i].Table], minPrefixedTables)
	}
}

// named is what has a name.
type named struct {
	names    *Text
	synonyms *[]string
}

// strip takes the first word out of names that all have it, where each has more
// than that, and reports whether it did.
func strip(list []*named, least int) bool {
	if len(list) < least {
		return false
	}
	prefix, _, _ := strings.Cut(list[0].names.EN, " ")
	for _, n := range list {
		if rest, ok := strings.CutPrefix(n.names.EN, prefix+" "); !ok || rest == "" || prefix == "" {
			return false
		}
	}
	for _, n := range list {
		*n.synonyms = append(*n.synonyms, n.names.EN)
		n.names.EN = strings.TrimPrefix(n.names.EN, prefix+" ")
	}
	return true
}
