// Package correct reads what people say of a source that its data do not tell, or
// tell wrongly: how tables are joined, what tells rows apart, which columns hold data
// of persons. It is a YAML file of the data directory, DATA_DIR/corrections/SOURCE.yaml:
//
//	joins:                 # that are not declared, and were not found
//	  - {from: orders, columns: [buyer], to: people, to_columns: [id]}
//	not_joins:             # that were found, or declared, and mean nothing
//	  - {from: games, columns: [rank], to: ranks}
//	keys:                  # what tells the rows of a table apart
//	  - {table: order_lines, columns: [order_id, line_no]}
//	personal:              # columns with data of persons
//	  - {table: people, column: nick, kind: name}
//	not_personal:          # columns that were taken to hold such, and do not
//	  - {table: films, column: director_name}
//
// A table is named by the end of its full name, schema.table where several schemas
// have it. to_columns may be left out: then the key of the table is meant. What
// a person says wins over what was found and over what was declared.
package correct

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// MaxFileBytes bounds a file of corrections: people write it.
const MaxFileBytes = 1 << 20

// Path is where the corrections of a source are.
func Path(dataDir, source string) string {
	return filepath.Join(dataDir, "corrections", source+".yaml")
}

// Corrections of a source, each with its line.
type Corrections struct {
	Joins       []Join `yaml:"joins"`
	NotJoins    []Join `yaml:"not_joins"`
	Keys        []Key  `yaml:"keys"`
	Personal    []Mark `yaml:"personal"`
	NotPersonal []Mark `yaml:"not_personal"`

	file string
}

// Join points from columns of a table to columns of another.
type Join struct {
	From      string   `yaml:"from"`
	Columns   []string `yaml:"columns"`
	To        string   `yaml:"to"`
	ToColumns []string `yaml:"to_columns"`
	line      int
}

// Key tells the rows of a table apart.
type Key struct {
	Table   string   `yaml:"table"`
	Columns []string `yaml:"columns"`
	line    int
}

// Mark is a column that holds data of persons, or does not.
type Mark struct {
	Table  string `yaml:"table"`
	Column string `yaml:"column"`
	Kind   string `yaml:"kind"`
	line   int
}

// lined decodes a node that knows only the fields of its form, and keeps its line.
func lined[T any](node *yaml.Node, out *T, line *int, fields ...string) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: write {%s: …}", node.Line, strings.Join(fields, ": …, "))
	}
	for i := 0; i < len(node.Content); i += 2 {
		if name := node.Content[i]; !slices.Contains(fields, name.Value) {
			return fmt.Errorf("line %d: %q is not known here: there are %s", name.Line, name.Value, strings.Join(fields, ", "))
		}
	}
	*line = node.Line
	return node.Decode(out)
}

// UnmarshalYAML reads a join.
func (j *Join) UnmarshalYAML(node *yaml.Node) error {
	type plain Join
	return lined(node, (*plain)(j), &j.line, "from", "columns", "to", "to_columns")
}

// UnmarshalYAML reads a key.
func (k *Key) UnmarshalYAML(node *yaml.Node) error {
	type plain Key
	return lined(node, (*plain)(k), &k.line, "table", "columns")
}

// UnmarshalYAML reads a mark.
func (m *Mark) UnmarshalYAML(node *yaml.Node) error {
	type plain Mark
	return lined(node, (*plain)(m), &m.line, "table", "column", "kind")
}

// Problem is a correction that says nothing of the tables that are there.
type Problem struct {
	File    string
	Line    int
	Message string
}

// String returns file:line: message.
func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message) }

// Read reads the corrections of a file. One that is not there corrects nothing and
// gives nil. The error of one that is not in the form names the file and the line.
func Read(path string) (*Corrections, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing is corrected
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if len(raw) > MaxFileBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, MaxFileBytes)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	decoder.KnownFields(true)
	c := &Corrections{file: path}
	if err := decoder.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n  ")
		return nil, fmt.Errorf("%s: %s", path, text)
	}
	return c, nil
}

// Apply corrects a catalog, which it changes, and returns the corrections that
// could not be applied, since what they name is not there.
func (c *Corrections) Apply(s *catalog.Snapshot) []Problem {
	if c == nil {
		return nil
	}
	a := applier{file: c.file, snapshot: s}
	for _, k := range c.Keys {
		a.key(k)
	}
	for _, j := range c.NotJoins {
		a.notJoin(j)
	}
	for _, j := range c.Joins {
		a.join(j)
	}
	for _, m := range c.NotPersonal {
		if column := a.column(m); column != nil {
			column.Personal = nil
		}
	}
	for _, m := range c.Personal {
		a.personal(m)
	}
	return a.problems
}

// Without reports whether somebody said that a column holds no data of persons.
func (c *Corrections) Without(t *catalog.Table, column string) bool {
	return c != nil && slices.ContainsFunc(c.NotPersonal, func(m Mark) bool {
		return named(t.Name, m.Table) && strings.EqualFold(m.Column, column)
	})
}

// Count is how many corrections there are.
func (c *Corrections) Count() int {
	if c == nil {
		return 0
	}
	return len(c.Joins) + len(c.NotJoins) + len(c.Keys) + len(c.Personal) + len(c.NotPersonal)
}
