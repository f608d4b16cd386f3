package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

// table is one physical table of a family.
type table struct {
	family    *family
	mart      *martFile
	name      catalog.Name
	countries []country // whose rows it has
	usage     float64   // share of the family's queries
}

// tables cuts all families into their physical tables, mart by mart.
func (b *blueprint) tables() []table {
	var all []table
	for i := range b.marts {
		m := &b.marts[i]
		for j := range m.Families {
			all = append(all, b.cut(m, &m.Families[j])...)
		}
	}
	return all
}

func (b *blueprint) cut(m *martFile, f *family) []table {
	schema, name, _ := strings.Cut(f.Manifest, ".")
	regions := b.regions()
	place := func(region, tableName string, countries []country, usage float64) table {
		return table{family: f, mart: m, name: catalog.Name{Region: region, Schema: schema, Table: tableName}, countries: countries, usage: usage}
	}
	var cut []table
	switch f.Per {
	case perCountry:
		for _, c := range b.countries {
			if len(f.Countries) > 0 && !slices.Contains(f.Countries, c.Code) {
				continue
			}
			region := c.IDCRegion
			if f.In != "" {
				region = f.In
			}
			cut = append(cut, place(region, strings.ReplaceAll(name, "{cid}", c.CID), []country{c}, c.Usage))
		}
	case perDataCentre:
		for i, region := range regions {
			var there []country
			for _, c := range b.countries {
				if c.IDCRegion == region {
					there = append(there, c)
				}
			}
			cut = append(cut, place(region, name, there, 1/float64(1+2*i)))
		}
	case perCompany:
		cut = append(cut, place(regions[0], name, b.countries, 1))
	}
	return cut
}

// query is the SQL that gives the table's rows, in stored order.
func (t table) query() string {
	columns := make([]string, len(t.family.Columns))
	for i, c := range t.family.Columns {
		columns[i] = fmt.Sprintf("CAST(%s AS %s) AS %s", c.source(), duckType(c.Type), printer.Quote(c.Name))
	}
	text := "SELECT " + strings.Join(columns, ", ") + " FROM " + t.family.Source
	if t.family.Per != perCompany {
		codes := make([]string, len(t.countries))
		for i, c := range t.countries {
			codes[i] = printer.String(c.Code)
		}
		text += " WHERE country IN (" + strings.Join(codes, ", ") + ")"
	}
	if len(t.family.OrderBy) > 0 {
		// By position, so that a column means the stored one and not its source.
		keys := make([]string, len(t.family.OrderBy))
		for i, name := range t.family.OrderBy {
			keys[i] = fmt.Sprint(1 + slices.IndexFunc(t.family.Columns, func(c column) bool { return c.Name == name }))
		}
		text += " ORDER BY " + strings.Join(keys, ", ")
	}
	return text
}

// fill puts the table's country into a template. {country}, {country_zh} and
// {currency} are of its first country, {countries}, {countries_zh} and {codes}
// list all of them.
func (t table) fill(template string) string {
	first := t.countries[0]
	var names, namesZH, codes []string
	for _, c := range t.countries {
		names, namesZH, codes = append(names, c.Name), append(namesZH, c.NameZH), append(codes, c.Code)
	}
	return strings.NewReplacer(
		"{country}", first.Name, "{country_zh}", first.NameZH, "{currency}", first.Currency,
		"{countries}", strings.Join(names, ", "), "{countries_zh}", strings.Join(namesZH, "、"), "{codes}", strings.Join(codes, ", "),
	).Replace(template)
}

// duckType is the DuckDB type that stores a Presto type. The types that the demo
// uses have the same names in both.
func duckType(presto string) string { return strings.ToUpper(presto) }
