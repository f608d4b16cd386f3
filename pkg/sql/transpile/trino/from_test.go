package trino_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/transpile/trino"
)

var update = flag.Bool("update", false, "write what From gives into testdata")

// example is a statement of a dialect and what becomes of it.
type example struct {
	SQL      string   `yaml:"sql"`
	Want     string   `yaml:"want,omitempty"`
	No       string   `yaml:"not_supported,omitempty"` // the error
	Unread   bool     `yaml:"unread,omitempty"`        // Presto cannot read Want
	Warnings []string `yaml:"warnings,omitempty"`
	Invalid  string   `yaml:"invalid,omitempty"` // why Presto refuses Want all the same
}

// examplesOf reads testdata/DIALECT.yaml; "unknown" is DialectUnknown.
func examplesOf(t *testing.T, name string) (trino.Dialect, []example) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	require.NoError(t, err)
	var examples []example
	require.NoError(t, yaml.Unmarshal(raw, &examples))
	dialect := trino.Dialect(name)
	if name == "unknown" {
		dialect = trino.DialectUnknown
	}
	return dialect, examples
}

func dialectNames() []string {
	names := []string{"unknown"}
	for _, d := range trino.Dialects() {
		names = append(names, string(d))
	}
	return names
}

func TestFrom(t *testing.T) {
	t.Parallel()
	require.NotEmpty(t, dialectNames())
	for _, name := range dialectNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dialect, examples := examplesOf(t, name)
			got := make([]example, len(examples))
			for i, e := range examples {
				got[i] = translated(t, dialect, e.SQL)
				got[i].Invalid = e.Invalid
			}
			if *update {
				write(t, name, got)
				return
			}
			for i, e := range examples {
				require.Equal(t, e, got[i])
			}
		})
	}
}

func translated(t *testing.T, dialect trino.Dialect, sql string) example {
	t.Helper()
	e := example{SQL: sql}
	res, err := trino.From(dialect, sql, trino.Options{Scope: tpchScope()})
	if err != nil {
		var no *trino.NotSupported
		require.True(t, errors.As(err, &no), "%s: %v", sql, err)
		e.No = err.Error()
		return e
	}
	e.Want, e.Unread = res.Text, res.Unread != nil
	for _, w := range res.Warnings {
		e.Warnings = append(e.Warnings, fmt.Sprintf("%d:%d: %s", w.Line, w.Column, w.Message))
	}
	return e
}

func write(t *testing.T, name string, examples []example) {
	t.Helper()
	raw, err := yaml.Marshal(examples)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join("testdata", name+".yaml"), raw, 0o600))
}

// tpchScope has some tables of Trino's tpch connector.
func tpchScope() resolve.Scope {
	var tables []catalog.Table
	for name, columns := range map[string]string{
		"nation":   "nationkey bigint, name varchar(25), regionkey bigint, comment varchar(152)",
		"region":   "regionkey bigint, name varchar(25), comment varchar(152)",
		"orders":   "orderkey bigint, custkey bigint, orderstatus varchar(1), totalprice double, orderdate date, orderpriority varchar(15), clerk varchar(15), shippriority integer, comment varchar(79)",
		"customer": "custkey bigint, name varchar(25), address varchar(40), nationkey bigint, phone varchar(15), acctbal double, mktsegment varchar(10), comment varchar(117)",
		"lineitem": "orderkey bigint, partkey bigint, suppkey bigint, linenumber integer, quantity double, shipdate date, commitdate date, receiptdate date, shipmode varchar(10)",
	} {
		table := catalog.Table{Name: catalog.Name{Region: "tpch", Schema: "tiny", Table: name}}
		for _, c := range strings.Split(columns, ", ") {
			column, typ, _ := strings.Cut(c, " ")
			table.Columns = append(table.Columns, catalog.Column{Name: column, Type: typ})
		}
		tables = append(tables, table)
	}
	return resolve.Scope{Catalog: resolve.NewTables(tables), DefaultRegion: "tpch", DefaultSchema: "tiny"}
}
