package eval

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// corpusRegion is the data centre of all tables of a corpus.
const corpusRegion = "corpus"

// corpusTable is a line of a corpus.
type corpusTable struct {
	ID          string  `json:"id"`
	DB          string  `json:"db"`
	Schema      string  `json:"schema"`
	Table       string  `json:"table"`
	Description string  `json:"description"`
	Columns     [][]any `json:"columns"` // name, type, description, perhaps an example
	// ForeignKeys are written "column->table.column".
	ForeignKeys []string `json:"foreign_keys"`
}

// corpus is a set of tables with the ids that answers are given in.
type corpus struct {
	snapshot *catalog.Snapshot
	ids      map[string]string // by catalog.Name.Key()
	known    map[string]bool   // ids in lower case
}

func readCorpus(path string) (*corpus, error) {
	lines, err := readJSONLines[corpusTable](path)
	if err != nil {
		return nil, err
	}
	c := &corpus{snapshot: &catalog.Snapshot{}, ids: make(map[string]string, len(lines)), known: make(map[string]bool, len(lines))}
	for _, line := range lines {
		t := line.table()
		c.snapshot.Tables = append(c.snapshot.Tables, t)
		c.ids[t.Name.Key()] = line.ID
		c.known[strings.ToLower(line.ID)] = true
	}
	return c, nil
}

// table turns a line into a table of the catalog. A database with its schema is
// one schema there: a region would mean a data centre, which a database is not.
func (l corpusTable) table() catalog.Table {
	schema := l.DB
	if l.Schema != "" {
		schema += "." + l.Schema
	}
	t := catalog.Table{
		Name:        catalog.Name{Region: corpusRegion, Schema: schema, Table: l.Table},
		Kind:        catalog.KindTable,
		Description: l.Description,
		RowCount:    -1,
	}
	for _, c := range l.Columns {
		parts := make([]string, 4)
		for i := range min(len(c), len(parts)) {
			if c[i] != nil {
				parts[i] = fmt.Sprint(c[i])
			}
		}
		column := catalog.Column{Name: parts[0], Type: parts[1], Comment: parts[2]}
		if parts[3] != "" {
			column.Samples = []string{parts[3]}
		}
		t.Columns = append(t.Columns, column)
	}
	for _, key := range l.ForeignKeys {
		from, to, ok := strings.Cut(key, "->")
		table, column, named := strings.Cut(to, ".")
		if ok && named {
			ref := catalog.Name{Region: corpusRegion, Schema: schema, Table: table}
			t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{Columns: []string{from}, RefTable: ref, RefColumns: []string{column}})
		}
	}
	return t
}

func (c *corpus) has(id string) bool { return c.known[strings.ToLower(id)] }

// id returns the id of a table; one that is none of the corpus keeps its name.
func (c *corpus) id(n catalog.Name) string {
	if id, ok := c.ids[n.Key()]; ok {
		return id
	}
	return n.String()
}

// familyShare is the share of its tables that a corpus has to lose when digits
// are masked for its families to be scored as well.
const familyShare = 0.25

// hasFamilies reports whether the corpus keeps one table in many shards.
func (c *corpus) hasFamilies() bool {
	families := make(map[string]bool, len(c.known))
	for id := range c.known {
		families[maskDigits(id)] = true
	}
	return float64(len(families)) <= (1-familyShare)*float64(len(c.known))
}

var digits = regexp.MustCompile(`[0-9]+`)

func maskDigits(id string) string { return digits.ReplaceAllString(strings.ToLower(id), "#") }

// familiesOf masks digits; a family stands once, at its best place.
func familiesOf(ids []string) []string {
	var families []string
	seen := make(map[string]bool)
	for _, id := range ids {
		if f := maskDigits(id); !seen[f] {
			seen[f] = true
			families = append(families, f)
		}
	}
	return families
}
