package trino

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Dialect is the language that a text was written in.
type Dialect string

// Dialects.
const (
	// DialectUnknown stands for Presto with habits of other dialects: what Presto
	// reads stays, and what it does not read is taken for the dialect it comes from.
	DialectUnknown    Dialect = ""
	DialectMySQL      Dialect = "mysql"
	DialectHive       Dialect = "hive"
	DialectSpark      Dialect = "spark"
	DialectPostgreSQL Dialect = "postgresql"
	DialectBigQuery   Dialect = "bigquery"
	DialectSQLite     Dialect = "sqlite"
	DialectDuckDB     Dialect = "duckdb"
)

// Dialects lists the dialects that have a name.
func Dialects() []Dialect {
	return []Dialect{DialectMySQL, DialectHive, DialectSpark, DialectPostgreSQL, DialectBigQuery, DialectSQLite, DialectDuckDB}
}

// ParseDialect reads a dialect's name, compared without case; "postgres" and
// "sparksql" are understood too.
func ParseDialect(name string) (Dialect, error) {
	switch name = strings.ToLower(strings.TrimSpace(name)); name {
	case "postgres", "pg":
		return DialectPostgreSQL, nil
	case "sparksql", "databricks":
		return DialectSpark, nil
	case "mariadb":
		return DialectMySQL, nil
	}
	if d := Dialect(name); d == DialectUnknown || slices.Contains(Dialects(), d) {
		return d, nil
	}
	return "", fmt.Errorf("no dialect %q: one of %v", name, Dialects())
}

// Where NULL sorts.
const (
	nullsLowest  = "lowest"
	nullsHighest = "highest"
)

// traits are a dialect's line of dialects.yaml.
type traits struct {
	DoubleQuotes string `yaml:"double_quotes"`
	Backticks    bool   `yaml:"backticks"`
	Brackets     bool   `yaml:"brackets"`
	Backslash    bool   `yaml:"backslash"`
	HashComment  bool   `yaml:"hash_comment"`
	LooseDashes  bool   `yaml:"loose_dashes"`
	TripleQuotes bool   `yaml:"triple_quotes"`
	Nulls        string `yaml:"nulls"`
	Division     string `yaml:"division"`
	OrConcat     bool   `yaml:"or_concat"`
	Caret        string `yaml:"caret"`
	BareGroup    bool   `yaml:"bare_group"`
	CaseBlind    bool   `yaml:"case_blind"`
	LooseTypes   bool   `yaml:"loose_types"`
}

//go:embed dialects.yaml
var dialectsFile []byte

var dialectTable = sync.OnceValues(func() (map[Dialect]traits, error) {
	table := map[Dialect]traits{}
	if err := yaml.Unmarshal(dialectsFile, &table); err != nil {
		return nil, fmt.Errorf("read dialects.yaml: %w", err)
	}
	return table, nil
})
