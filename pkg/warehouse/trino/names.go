package trino

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/tree"
)

// places knows where the tables of regions are in Trino. Statements name
// region.schema.table; the server is sent catalog.schema.table.
type places struct {
	regions   map[string]source.TrinoPlace // by lower-case region
	region    string                       // of names that have none
	schema    string
	names     map[string][]string // catalog -> its regions, lower-case and as written
	sameNames bool                // every region is the catalog of its name
}

func newPlaces(c Config) places {
	p := places{
		regions: map[string]source.TrinoPlace{}, region: c.DefaultRegion, schema: c.DefaultSchema,
		names: map[string][]string{}, sameNames: true,
	}
	for region, at := range c.Connection.Regions {
		p.regions[strings.ToLower(region)] = at
		catalog := strings.ToLower(at.Catalog)
		p.names[catalog] = append(p.names[catalog], region)
		p.sameNames = p.sameNames && strings.EqualFold(region, at.Catalog) && at.SchemaPrefix == ""
	}
	for _, regions := range p.names { // the longest prefix first: it is the most exact
		sort.Slice(regions, func(i, j int) bool {
			return len(p.of(regions[i]).SchemaPrefix) > len(p.of(regions[j]).SchemaPrefix)
		})
	}
	return p
}

func (p places) of(region string) source.TrinoPlace { return p.regions[strings.ToLower(region)] }

func (p places) defaultCatalog() string { return p.of(p.region).Catalog }

func (p places) defaultSchema() string {
	if p.schema == "" || p.defaultCatalog() == "" {
		return ""
	}
	return p.of(p.region).SchemaPrefix + p.schema
}

// known is the product's name of a table of the server.
func (p places) known(inCatalog, schema, table string) catalog.Name {
	for _, region := range p.names[strings.ToLower(inCatalog)] {
		if rest, ok := strings.CutPrefix(schema, strings.ToLower(p.of(region).SchemaPrefix)); ok {
			return catalog.Name{Region: region, Schema: rest, Table: table}
		}
	}
	return catalog.Name{Region: inCatalog, Schema: schema, Table: table}
}

// sent is a statement as the server gets it.
type sent struct {
	sql       string
	positions positions
}

// after returns the statement behind a line of the product's own.
func (s sent) after(line string) sent {
	return sent{sql: line + s.sql, positions: s.positions.below()}
}

// approved writes an approved statement with the server's names.
func (p places) approved(a guard.Approved) (sent, error) {
	if p.sameNames {
		return sent{sql: a.SQL()}, nil
	}
	// The approved text is read again, so that all of it has a place in it: parts of
	// the approved tree have one in the asker's text, parts have none.
	stmt, err := parser.Parse(a.SQL())
	if err != nil {
		return sent{}, fmt.Errorf("read the approved statement again: %w", err)
	}
	approved, again := named(a.Statement()), named(stmt)
	if len(approved) != len(again) {
		return sent{}, errors.New("read the approved statement again: it has other names")
	}
	known := knownTables(a.Resolution())
	changes := map[*tree.Ident]*tree.Ident{}
	for i, n := range approved {
		parts := again[i].parts
		if dotted(n.parts) != dotted(parts) {
			return sent{}, errors.New("read the approved statement again: it has other names")
		}
		if n.table != nil {
			if stored, ok := a.Resolution().Stored(n.table); ok {
				p.rename(parts, stored.Name, changes)
			}
			continue
		}
		if table, ok := known.qualifier(parts, n.star); ok {
			p.rename(parts, table, changes)
		}
	}
	return p.write(stmt, changes)
}

// metadata writes one of the product's own statements with the server's names.
func (p places) metadata(stmt *tree.Statement) (sent, error) {
	changes := map[*tree.Ident]*tree.Ident{}
	texts := map[*tree.String]*tree.String{}
	var at source.TrinoPlace
	tree.Walk(stmt, func(n tree.Node) bool {
		if table, ok := n.(*tree.Table); ok && len(table.Name.Parts) == 3 {
			parts := table.Name.Parts
			at = p.of(parts[0].Name)
			p.rename(parts, catalog.Name{Region: parts[0].Name, Schema: parts[1].Name, Table: parts[2].Name}, changes)
		}
		return true
	})
	tree.Walk(stmt, func(n tree.Node) bool {
		if x, ok := n.(*tree.Binary); ok {
			inCondition(at, x, texts)
		}
		return true
	})
	out, err := tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		if s, ok := n.(*tree.String); ok && texts[s] != nil {
			return texts[s]
		}
		if id, ok := n.(*tree.Ident); ok && changes[id] != nil {
			return changes[id]
		}
		return n
	})
	if err != nil {
		return sent{}, fmt.Errorf("write a metadata statement for Trino: %w", err)
	}
	return sent{sql: printer.Print(out)}, nil
}

// inCondition notes the server's names in a condition about information_schema, such
// as table_catalog = 'region'.
func inCondition(at source.TrinoPlace, x *tree.Binary, texts map[*tree.String]*tree.String) {
	column, isColumn := x.Left.(*tree.ColumnRef)
	text, isText := x.Right.(*tree.String)
	if !isColumn || !isText || x.Op != tree.OpEq || at.Catalog == "" {
		return
	}
	switch dotted(column.Parts) {
	case "table_catalog":
		texts[text] = tree.Str(at.Catalog)
	case "table_schema":
		texts[text] = tree.Str(at.SchemaPrefix + text.Value)
	}
}

// rename notes the server's names for the parts of a table's name. The names of
// information_schema have no prefix.
func (p places) rename(parts []*tree.Ident, table catalog.Name, changes map[*tree.Ident]*tree.Ident) {
	at := p.of(table.Region)
	if at.Catalog == "" {
		return
	}
	region, schema := qualifiers(parts, table)
	if region != nil && !strings.EqualFold(region.Name, at.Catalog) {
		changes[region] = &tree.Ident{Name: at.Catalog, Quoted: region.Quoted}
	}
	if schema != nil && at.SchemaPrefix != "" && schema.Key() != "information_schema" {
		changes[schema] = &tree.Ident{Name: at.SchemaPrefix + schema.Name, Quoted: schema.Quoted}
	}
}

// qualifiers are the parts of a written name that are a table's region and schema.
func qualifiers(parts []*tree.Ident, table catalog.Name) (region, schema *tree.Ident) {
	is := func(i int, name string) bool { return i < len(parts) && strings.EqualFold(parts[i].Name, name) }
	switch {
	case is(0, table.Region) && is(1, table.Schema) && is(2, table.Table):
		return parts[0], parts[1]
	case is(0, table.Schema) && is(1, table.Table):
		return nil, parts[0]
	}
	return nil, nil
}

// write prints a statement with other names, and notes what stands where.
func (p places) write(stmt *tree.Statement, changes map[*tree.Ident]*tree.Ident) (sent, error) {
	if len(changes) == 0 {
		return sent{sql: printer.Print(stmt)}, nil
	}
	out, err := tree.Rewrite(stmt, func(n tree.Node) tree.Node {
		if id, ok := n.(*tree.Ident); ok && changes[id] != nil {
			return changes[id]
		}
		return n
	})
	if err != nil {
		return sent{}, fmt.Errorf("write the statement for Trino: %w", err)
	}
	s := sent{sql: printer.Print(out)}
	s.positions = newPositions(stmt.Span(), s.sql, changes)
	return s, nil
}

// name is a dotted name of a statement: a table's, a column's or a star's.
type name struct {
	parts []*tree.Ident
	table *tree.Table // nil for the others
	star  bool
}

// named lists the dotted names of a statement, in the order of the tree.
func named(stmt *tree.Statement) []name {
	var out []name
	stars := map[tree.Node]bool{}
	tree.Walk(stmt, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Table:
			out = append(out, name{parts: n.Name.Parts, table: n})
		case *tree.Star:
			if n.Qualifier != nil {
				stars[n.Qualifier] = true
			}
		case *tree.ColumnRef:
			out = append(out, name{parts: n.Parts, star: stars[n]})
		}
		return true
	})
	return out
}

func dotted(parts []*tree.Ident) string {
	keys := make([]string, len(parts))
	for i, part := range parts {
		keys[i] = part.Key()
	}
	return strings.Join(keys, ".")
}

// storedTables are the tables that a statement reads.
type storedTables []catalog.Name

func knownTables(r *resolve.Resolution) storedTables { return r.Tables() }

// qualifier returns the table that a column's name, or a star's, begins with:
// region.schema.table.column or schema.table.column.
func (s storedTables) qualifier(parts []*tree.Ident, star bool) (catalog.Name, bool) {
	column := 1
	if star {
		column = 0
	}
	for _, table := range s {
		region, schema := qualifiers(parts, table)
		if (region != nil && len(parts) >= 3+column) || (region == nil && schema != nil && len(parts) >= 2+column) {
			return table, true
		}
	}
	return catalog.Name{}, false
}
