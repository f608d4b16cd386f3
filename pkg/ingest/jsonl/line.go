package jsonl

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Line is a table as a line of a file describes it. Only the name of the table has
// to be there.
type Line struct {
	// ID is the table's name elsewhere; it is not kept.
	ID     string `json:"id"`
	Region string `json:"region"`
	// DB and Schema together are the schema: a region would mean a data centre, which
	// a database is not.
	DB          string   `json:"db"`
	Schema      string   `json:"schema"`
	Table       string   `json:"table"`
	Kind        string   `json:"kind"` // table, view or dataset
	Description string   `json:"description"`
	Columns     []Column `json:"columns"`
	ForeignKeys []Key    `json:"foreign_keys"`
	PrimaryKey  []string `json:"primary_key"`
	Partitions  []string `json:"partitions"`

	Mart          string    `json:"mart"`
	Topic         string    `json:"topic"`
	Tags          []string  `json:"tags"`
	Layer         string    `json:"layer"`
	Country       string    `json:"country"`
	Manifest      string    `json:"manifest"`
	Grain         string    `json:"grain"`
	Owner         string    `json:"owner"`
	RowCount      *int64    `json:"row_count"`
	UpdatedAt     time.Time `json:"updated_at"`
	Quality       float64   `json:"quality"`
	QueryCount30d int64     `json:"query_count_30d"`
	Successor     string    `json:"successor"`
	// Upstream are the tables that it is made from, each table, schema.table or
	// region.schema.table.
	Upstream []string `json:"upstream"`

	// A line may describe no table, and marts and words instead.
	Marts    []catalog.Mart `json:"marts"`
	Glossary []catalog.Term `json:"glossary"`
	Rules    []catalog.Rule `json:"rules"`
}

// Column is [name, type, description, example …] or an object.
type Column struct {
	Name       string   `json:"name"`
	Type       string   `json:"type"`
	Comment    string   `json:"comment"`
	PrimaryKey bool     `json:"primary_key"`
	Partition  bool     `json:"partition"`
	NotNull    bool     `json:"not_null"`
	Distinct   int64    `json:"distinct"`
	Samples    []string `json:"samples"`
	Unit       string   `json:"unit"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Column) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '{' {
		type plain Column
		return json.Unmarshal(raw, (*plain)(c))
	}
	var parts []any
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	text := func(i int) string {
		if i >= len(parts) || parts[i] == nil {
			return ""
		}
		return fmt.Sprint(parts[i])
	}
	*c = Column{Name: text(0), Type: text(1), Comment: text(2)}
	for i := 3; i < len(parts); i++ {
		if s := text(i); s != "" {
			c.Samples = append(c.Samples, s)
		}
	}
	return nil
}

// Key is "column->table.column" within the table's schema, or an object whose
// ref_table is table, schema.table or region.schema.table.
type Key struct {
	Columns    []string `json:"columns"`
	RefTable   string   `json:"ref_table"`
	RefColumns []string `json:"ref_columns"`
}

// UnmarshalJSON implements json.Unmarshaler. A text that is no key gives none.
func (k *Key) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '{' {
		type plain Key
		return json.Unmarshal(raw, (*plain)(k))
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	from, to, ok := strings.Cut(s, "->")
	table, column, named := strings.Cut(to, ".")
	if ok && named {
		*k = Key{Columns: []string{from}, RefTable: table, RefColumns: []string{column}}
	}
	return nil
}

// CatalogTable returns the catalog's entry for the line; region stands in where
// the line names none. Where the line says nothing of its rows they are unknown.
func (l *Line) CatalogTable(region string) catalog.Table {
	if l.Region != "" {
		region = l.Region
	}
	schema := l.DB
	if l.DB != "" && l.Schema != "" {
		schema += "."
	}
	schema += l.Schema
	t := catalog.Table{
		Name: catalog.Name{Region: region, Schema: schema, Table: l.Table}, Kind: kindOf(l.Kind), Description: l.Description,
		Mart: l.Mart, Topic: l.Topic, Tags: l.Tags, Layer: l.Layer, Country: l.Country, Manifest: l.Manifest, Grain: l.Grain,
		Owner: l.Owner, RowCount: -1, UpdatedAt: l.UpdatedAt.UTC(), Quality: min(max(l.Quality, 0), 1),
		QueryCount30d: max(l.QueryCount30d, 0), Successor: l.Successor,
		Columns: make([]catalog.Column, 0, len(l.Columns)),
	}
	if l.RowCount != nil && *l.RowCount >= 0 {
		t.RowCount = *l.RowCount
	}
	for _, c := range l.Columns {
		t.Columns = append(t.Columns, catalog.Column{
			Name: c.Name, Type: c.Type, Comment: c.Comment, PrimaryKey: c.PrimaryKey, Partition: c.Partition, NotNull: c.NotNull,
			Distinct: c.Distinct, Samples: c.Samples, Unit: c.Unit,
		})
	}
	mark(t.Columns, l.PrimaryKey, func(c *catalog.Column) { c.PrimaryKey, c.NotNull = true, true })
	mark(t.Columns, l.Partitions, func(c *catalog.Column) { c.Partition = true })
	for _, k := range l.ForeignKeys {
		if k.RefTable != "" {
			t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{Columns: k.Columns, RefTable: refName(k.RefTable, t.Name), RefColumns: k.RefColumns})
		}
	}
	for _, from := range l.Upstream {
		if from != "" {
			t.Upstream = append(t.Upstream, refName(from, t.Name))
		}
	}
	return t
}

// mark changes the columns that are named.
func mark(columns []catalog.Column, names []string, change func(*catalog.Column)) {
	for _, name := range names {
		for i := range columns {
			if strings.EqualFold(columns[i].Name, name) {
				change(&columns[i])
			}
		}
	}
}

// refName completes the name of a table by that of the table that points to it.
// Schemas of databases have a point in them: the last part is the table.
func refName(written string, from catalog.Name) catalog.Name {
	name := catalog.Name{Region: from.Region, Schema: from.Schema, Table: written}
	i := strings.LastIndexByte(written, '.')
	if i < 0 {
		return name
	}
	name.Schema, name.Table = written[:i], written[i+1:]
	if schema, ours := strings.CutPrefix(name.Schema, from.Region+"."); ours {
		name.Schema = schema
	}
	return name
}

func kindOf(kind string) catalog.Kind {
	switch k := catalog.Kind(strings.ToLower(kind)); k {
	case catalog.KindView, catalog.KindDataset:
		return k
	}
	return catalog.KindTable
}
