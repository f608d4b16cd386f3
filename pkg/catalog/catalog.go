// Package catalog knows what a warehouse holds: tables, columns, keys, marts,
// glossary and usage. Its types are plain values; who may see a table is decided
// by whoever serves them (findata), before they leave it.
package catalog

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Name is a table's full name, idc_region.schema.table. Compared without case;
// kept as stored.
type Name struct {
	Region string `json:"region"` // data centre: Trino catalog, or attached DuckDB database
	Schema string `json:"schema"`
	Table  string `json:"table"`
}

// String returns region.schema.table, leaving out empty parts on the left.
func (n Name) String() string {
	switch {
	case n.Region != "" && n.Schema != "" && n.Table != "":
		return n.Region + "." + n.Schema + "." + n.Table // nearly always, and often called
	case n.Region == "" && n.Schema == "":
		return n.Table
	}
	parts := make([]string, 0, 3)
	for _, p := range []string{n.Region, n.Schema, n.Table} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ".")
}

// Key returns the form in which names are compared.
func (n Name) Key() string { return strings.ToLower(n.String()) }

// ParseName reads "region.schema.table", "schema.table" or "table", with an
// optional leading "@". Missing parts stay empty. A part in double quotes may hold
// points, and two quotes in it stand for one; of more than three parts those
// between the first and the last are the schema: some databases have schemas of
// their own.
func ParseName(s string) (Name, error) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "@")
	parts, err := nameParts(s)
	if err != nil {
		return Name{}, err
	}
	last := len(parts) - 1
	switch last {
	case 0:
		return Name{Table: parts[0]}, nil
	case 1:
		return Name{Schema: parts[0], Table: parts[1]}, nil
	}
	return Name{Region: parts[0], Schema: strings.Join(parts[1:last], "."), Table: parts[last]}, nil
}

// nameParts cuts a name at the points outside of quotes. A quote that does not end
// at a point is a letter as others are: some tables have one in their names.
func nameParts(s string) ([]string, error) {
	var parts []string
	for rest := s; ; {
		part, after, ok := cutQuoted(rest)
		if !ok || after != "" && after[0] != '.' {
			i := strings.IndexByte(rest, '.')
			if i < 0 {
				i = len(rest)
			}
			part, after = rest[:i], rest[i:]
		}
		if part == "" {
			return nil, fmt.Errorf("table name %q has an empty part: write region.schema.table", s)
		}
		parts = append(parts, part)
		if after == "" {
			return parts, nil
		}
		rest = after[1:]
	}
}

// cutQuoted cuts a part in quotes off the beginning.
func cutQuoted(s string) (part, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, `"`)
	if !ok {
		return "", "", false
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, `"`)
		if !found {
			return "", "", false
		}
		b.WriteString(before)
		if !strings.HasPrefix(after, `"`) {
			return b.String(), after, true
		}
		b.WriteByte('"')
		s = after[1:]
	}
}

// Kind says what a table-like thing is.
type Kind string

// Kinds of tables.
const (
	KindTable   Kind = "table"
	KindDataset Kind = "dataset"
	KindView    Kind = "view"
)

// Column of a table.
type Column struct {
	Name       string   `json:"name"`
	Type       string   `json:"type"` // Presto type as text: "bigint", "decimal(18,2)", "varchar"
	Comment    string   `json:"comment,omitempty"`
	PrimaryKey bool     `json:"primary_key,omitempty"`
	Partition  bool     `json:"partition,omitempty"`
	NotNull    bool     `json:"not_null,omitempty"`
	Distinct   int64    `json:"distinct,omitempty"` // distinct values at ingest; 0 unknown
	Samples    []string `json:"samples,omitempty"`  // distinct stored values as text, bounded; none for personal data

	// What the reading of a file made of its texts.
	Unit      string `json:"unit,omitempty"`      // of its numbers: "USD", "kg"; "%": stored as parts of 1
	Written   string `json:"written,omitempty"`   // how the file wrote the values, where that is not plain
	Unread    int64  `json:"unread,omitempty"`    // values that did not fit and are NULL
	Resembles string `json:"resembles,omitempty"` // of a text column: ResemblesNumber, ResemblesDate, ResemblesTime or empty
	Absent    int64  `json:"absent,omitempty"`    // values that were words for none, such as "N/A", and are NULL
	Missing   int64  `json:"missing,omitempty"`   // rows whose value is NULL, at ingest; 0 also where nobody counted
	// Low and High are the least and the greatest value at ingest of a column of numbers,
	// or the first and the last day (2006-01-02) of one of days or times. Empty where nobody
	// looked or they are nobody's business: data of persons, rows that not all may see.
	Low  string `json:"low,omitempty"`
	High string `json:"high,omitempty"`
	// Personal says which data of persons the column holds, and why it is taken to;
	// nil: none that is known of.
	Personal *Personal `json:"personal,omitempty"`
	// NotJoined tells that a person said that a join by the column means nothing: its name
	// alone proposes no other.
	NotJoined bool `json:"not_joined,omitempty"`
}

// Dependency is a functional dependency: all rows with one value of a column have one value, or
// none, of each column that it determines.
type Dependency struct {
	Column     string   `json:"column"`
	Determines []string `json:"determines"`
}

// Personal is a kind of data of persons, such as "email" or "name", and what it was
// told by: a sentence for people.
type Personal struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// What most values of a text column look like. Such a column is compared, ordered
// and added up by its letters, which is seldom what is meant.
const (
	ResemblesNumber = "number"
	ResemblesDate   = "date"
	// ResemblesTime is for times of day and lengths of time: "07:30", "1h 20m".
	ResemblesTime = "time"
)

// ForeignKey points from columns of a table to columns of another.
type ForeignKey struct {
	Columns    []string `json:"columns"`
	RefTable   Name     `json:"ref_table"`
	RefColumns []string `json:"ref_columns"`
	// Found says what speaks for a key that was not declared; nil: it was.
	Found *Evidence `json:"found,omitempty"`
}

// Evidence is what speaks for a foreign key that nobody declared.
type Evidence struct {
	// Reason is what proposed it: names, values, or a person. A sentence for people.
	Reason string `json:"reason"`
	// Person tells that somebody wrote it down, and nothing was compared.
	Person bool `json:"person,omitempty"`
	// Values are the different values that were compared; all of them are there.
	Values int64 `json:"values,omitempty"`
	// Sampled tells that Values are those of a sample of the rows.
	Sampled bool `json:"sampled,omitempty"`
}

// Table is everything known of a table.
type Table struct {
	Name        Name   `json:"name"`
	Kind        Kind   `json:"kind,omitempty"`
	Description string `json:"description,omitempty"`
	// Columns of tables that were read from the disk are shared by all whose columns are
	// the same: who changes one calls OwnColumns first.
	Columns     []Column     `json:"columns"`
	ForeignKeys []ForeignKey `json:"foreign_keys,omitempty"`
	Mart        string       `json:"mart,omitempty"`
	Topic       string       `json:"topic,omitempty"`    // chat topic that the table, mostly a dataset, is for
	Tags        []string     `json:"tags,omitempty"`     // words that its owner files it under
	Layer       string       `json:"layer,omitempty"`    // ods, dwd, dws, ads, dim or empty
	Country     string       `json:"country,omitempty"`  // "SG"; empty: all or none
	Manifest    string       `json:"manifest,omitempty"` // name with the country as {cid}; same for a family
	Grain       string       `json:"grain,omitempty"`    // what one row stands for
	// RowKey are the columns that together told the rows apart at ingest, of a table that has no
	// key: place and month of a table of monthly figures. Empty: there are none, or nobody looked.
	RowKey []string `json:"row_key,omitempty"`
	// Dependencies are the columns that others depended on at ingest: each film of weekly takings
	// has one rating. Empty: there are none, or nobody looked.
	Dependencies  []Dependency `json:"dependencies,omitempty"`
	Owner         string       `json:"owner,omitempty"`
	RowCount      int64        `json:"row_count"`             // -1 unknown
	UnreadRows    int64        `json:"unread_rows,omitempty"` // lines of its file that could not be read
	UpdatedAt     time.Time    `json:"updated_at,omitzero"`
	Quality       float64      `json:"quality,omitempty"` // 0 to 1, as its owner or its tests rate it; 0 unknown
	QueryCount30d int64        `json:"query_count_30d,omitempty"`
	Usage         *Usage       `json:"usage,omitempty"`     // from the query history; nil: none was read
	Successor     string       `json:"successor,omitempty"` // set when deprecated
	// Upstream are the tables that it is made from, one step back, sorted; empty: not known.
	Upstream []Name `json:"upstream,omitempty"`
	// ProfiledAt is when rows, keys and values were last looked at, where that is
	// done apart from reading the columns; zero: together with them, or never.
	ProfiledAt time.Time `json:"profiled_at,omitzero"`
}

// OwnColumns gives the table a list of columns that no other table shares.
func (t *Table) OwnColumns() { t.Columns = slices.Clone(t.Columns) }

// Column returns the column of that name, compared without case.
func (t *Table) Column(name string) (Column, bool) {
	for i := range t.Columns { // each is large: none is copied to be compared
		if strings.EqualFold(t.Columns[i].Name, name) {
			return t.Columns[i], true
		}
	}
	return Column{}, false
}

// PrimaryKey returns the names of the key's columns, in stored order.
func (t *Table) PrimaryKey() []string {
	var key []string
	for i := range t.Columns {
		if c := &t.Columns[i]; c.PrimaryKey {
			key = append(key, c.Name)
		}
	}
	return key
}

// PartitionColumns returns the names of the partition columns, in stored order.
func (t *Table) PartitionColumns() []string {
	var cols []string
	for i := range t.Columns {
		if c := &t.Columns[i]; c.Partition {
			cols = append(cols, c.Name)
		}
	}
	return cols
}

// Mart is a data mart: the scope of a business domain.
type Mart struct {
	Name        string   `json:"name" yaml:"name"` // "Order"
	Description string   `json:"description" yaml:"description"`
	Synonyms    []string `json:"synonyms,omitempty" yaml:"synonyms"` // words in any language
	// Fallback marks the general layer ("Layer-2") that answers when no mart fits.
	Fallback bool `json:"fallback,omitempty" yaml:"fallback"`
}

// Term is a business word.
type Term struct {
	Term       string   `json:"term" yaml:"term"`
	Synonyms   []string `json:"synonyms,omitempty" yaml:"synonyms"`
	Definition string   `json:"definition" yaml:"definition"`
	Mart       string   `json:"mart,omitempty" yaml:"mart"`
}

// Rule is a sentence that every SQL on its tables should respect.
type Rule struct {
	ID   string `json:"id" yaml:"id"`
	Text string `json:"text" yaml:"text"`
	Mart string `json:"mart,omitempty" yaml:"mart"`
}

// Snapshot is a whole catalog at one moment, as an ingest leaves it.
type Snapshot struct {
	Tables   []Table `json:"tables"`
	Marts    []Mart  `json:"marts,omitempty"`
	Glossary []Term  `json:"glossary,omitempty"`
	Rules    []Rule  `json:"rules,omitempty"`
}
