package catalog

import (
	"strings"
	"unicode"
)

// Placeholder stands for the country's code in a manifest name.
const Placeholder = "{cid}"

// Family is a set of near-identical tables: one a country, one a date shard, or
// a table and its copies. Tables of one family may live in different regions.
type Family struct {
	Schema   string
	Manifest string   // "dws_seller_gmv_1d__{cid}_s0_live"
	Tables   []*Table // by name
}

// Key identifies a family within a snapshot.
func (f *Family) Key() string { return strings.ToLower(f.Schema + "." + f.Manifest) }

// copySuffixes mark a copy of the table that has the name without them.
var copySuffixes = [...]string{"_bak", "_backup", "_tmp", "_temp", "_copy", "_old", "_staging"}

func (x *Index) indexFamilies() {
	x.families = make(map[string]*Family, len(x.tables))
	x.familyOf = make(map[*Table]*Family, len(x.tables))
	x.byStem = make(map[string][]*Family)
	for _, t := range x.tables {
		f := &Family{Schema: t.Name.Schema, Manifest: x.manifestOf(t)}
		if known, ok := x.families[f.Key()]; ok {
			f = known
		} else {
			x.families[f.Key()] = f
			stem := stemOf(strings.ToLower(f.Manifest))
			x.byStem[stem] = append(x.byStem[stem], f)
		}
		f.Tables = append(f.Tables, t)
		x.familyOf[t] = f
	}
}

// manifestOf returns the name that a table's family shares: the one that its
// catalog gives, else its own without a date shard or the mark of a copy.
func (x *Index) manifestOf(t *Table) string {
	if t.Manifest != "" { // some catalogs write it with the schema
		return t.Manifest[strings.LastIndexByte(t.Manifest, '.')+1:]
	}
	name := maskShard(strings.ToLower(t.Name.Table))
	for _, suffix := range copySuffixes {
		base, isCopy := strings.CutSuffix(name, suffix)
		if !isCopy {
			continue
		}
		original := Name{Region: t.Name.Region, Schema: t.Name.Schema, Table: base}
		if o, ok := x.byKey[original.Key()]; ok && o != t {
			return x.manifestOf(o)
		}
	}
	return name
}

// maskShard replaces a date at the end of a name (6 or 8 digits after an
// underscore, or 8 glued to it) by a mark that all shards share.
func maskShard(name string) string {
	head := strings.TrimRightFunc(name, unicode.IsDigit)
	digits := len(name) - len(head)
	if head == "" || (digits != 6 && digits != 8) {
		return name
	}
	if year := name[len(head) : len(head)+2]; year != "19" && year != "20" {
		return name
	}
	return head + "#"
}

// stemOf cuts a manifest at the country's placeholder or at the double underscore
// that sets off where a table is kept, so that a family can be named by what its
// tables have in common.
func stemOf(manifest string) string {
	head, _, _ := strings.Cut(manifest, Placeholder)
	if i := strings.Index(head, "__"); i > 0 {
		head = head[:i]
	}
	return strings.TrimRight(head, "_#")
}

// FillPlaceholder puts a country's code into a manifest name, in lower case. An
// empty code keeps the placeholder.
func FillPlaceholder(manifest, country string) string {
	if country == "" {
		return manifest
	}
	return strings.ReplaceAll(manifest, Placeholder, strings.ToLower(country))
}
