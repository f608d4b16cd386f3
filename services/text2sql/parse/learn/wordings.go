package learn

import (
	_ "embed" // data/wordings.yaml
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
)

//go:embed data/wordings.yaml
var wordingsFile []byte

// Wordings are questions over a few tables, in groups that mean the same.
type Wordings struct {
	Tables []catalog.Table
	Groups []Group
}

// Group is a SQL, as the generator writes it on one line, and questions that mean
// it.
type Group struct {
	SQL       string   `yaml:"sql"`
	Questions []string `yaml:"questions"`
}

// LoadWordings reads the embedded file.
func LoadWordings() (Wordings, error) {
	var data struct {
		Tables []struct {
			Name    string   `yaml:"name"`
			Columns []string `yaml:"columns"`
		} `yaml:"tables"`
		Groups []Group `yaml:"groups"`
	}
	if err := yaml.Unmarshal(wordingsFile, &data); err != nil {
		return Wordings{}, fmt.Errorf("wordings: %w", err)
	}
	w := Wordings{Groups: data.Groups}
	for _, t := range data.Tables {
		table := catalog.Table{Name: catalog.Name{Table: t.Name}, RowCount: wordingRows}
		for _, text := range t.Columns {
			if err := addColumn(&table, text); err != nil {
				return Wordings{}, fmt.Errorf("wordings: table %s: %w", t.Name, err)
			}
		}
		w.Tables = append(w.Tables, table)
	}
	return w, nil
}

// wordingRows is the number of rows that the tables are taken to have.
const wordingRows = 200

// addColumn adds "name type", followed by "key", by "> table" that it refers to by
// the same name, or by its values.
func addColumn(t *catalog.Table, text string) error {
	parts := strings.SplitN(text, " ", 3)
	if len(parts) < 2 {
		return fmt.Errorf("column %q has no type", text)
	}
	c := catalog.Column{Name: parts[0], Type: parts[1]}
	rest := ""
	if len(parts) == 3 {
		rest = parts[2]
	}
	target, refers := strings.CutPrefix(rest, "> ")
	switch {
	case rest == "key":
		c.PrimaryKey, c.NotNull, c.Distinct = true, true, wordingRows
	case refers:
		t.ForeignKeys = append(t.ForeignKeys, catalog.ForeignKey{Columns: []string{c.Name}, RefTable: catalog.Name{Table: target}, RefColumns: []string{c.Name}})
	case rest != "":
		c.Samples = strings.Split(rest, ",")
		c.Distinct = int64(len(c.Samples))
	default:
		c.Distinct = wordingRows / 2
	}
	t.Columns = append(t.Columns, c)
	return nil
}
