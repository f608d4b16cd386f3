package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
)

// catalogFlags say where a statement's tables are looked up.
type catalogFlags struct {
	source  string
	catalog string
	region  string
	schema  string
}

func (c *catalogFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&c.source, "source", "", "source whose tables the statements read, as \"dibrain sources list\" names it")
	flags.StringVar(&c.catalog, "catalog", "", "file that declares the tables: CREATE TABLE statements (.sql) or a catalog as JSON (.json)")
	flags.StringVar(&c.region, "default-catalog", "", "Trino catalog (idc_region) of names that have none")
	flags.StringVar(&c.schema, "default-schema", "", "schema of names that have none")
}

func (c *catalogFlags) given() bool { return c.source != "" || c.catalog != "" }

// scope reads the catalog; without one all that shows in the text is known.
func (c *catalogFlags) scope(f *Factory) (resolve.Scope, error) {
	var scope resolve.Scope
	var err error
	switch {
	case c.source != "" && c.catalog != "":
		return scope, badUsage("--source and --catalog cannot go together")
	case c.source != "":
		scope, err = scopeOf(f, c.source)
	case c.catalog != "":
		scope, err = scopeOfFile(c.catalog)
	}
	if c.region != "" {
		scope.DefaultRegion = c.region
	}
	if c.schema != "" {
		scope.DefaultSchema = c.schema
	}
	return scope, err
}

// scopeOf reads the catalog of a source.
func scopeOf(f *Factory, name string) (resolve.Scope, error) {
	store, err := openStore(f)
	if err != nil {
		return resolve.Scope{}, err
	}
	generation, err := store.Current(name)
	if err != nil {
		return resolve.Scope{}, err
	}
	snapshot, err := generation.Snapshot()
	if err != nil {
		return resolve.Scope{}, err
	}
	defaults := catalog.Defaults{Region: generation.Manifest.DefaultRegion, Schema: generation.Manifest.DefaultSchema}
	return resolve.Scope{
		Catalog:       catalog.NewIndex(snapshot, defaults),
		DefaultRegion: defaults.Region, DefaultSchema: defaults.Schema,
	}, nil
}

// scopeOfFile reads a catalog from a file.
func scopeOfFile(path string) (resolve.Scope, error) {
	file, err := os.Open(path)
	if err != nil {
		return resolve.Scope{}, unreadable(err)
	}
	defer file.Close() //nolint:errcheck // opened for reading
	var tables []catalog.Table
	if strings.EqualFold(filepath.Ext(path), ".json") {
		var snapshot catalog.Snapshot
		if err := json.NewDecoder(file).Decode(&snapshot); err != nil {
			return resolve.Scope{}, fault.Invalid("catalog", "CATALOG_UNREADABLE", "%s is no catalog: %v", path, err)
		}
		tables = snapshot.Tables
	} else {
		declared, problems, err := ingest.Declared(file, catalog.Defaults{})
		if err != nil {
			return resolve.Scope{}, err
		}
		if len(declared) == 0 {
			why := "it has no CREATE TABLE statement"
			if len(problems) > 0 {
				why = fmt.Sprintf("%d:%d: %s", problems[0].Line, problems[0].Column, problems[0].Message)
			}
			return resolve.Scope{}, fault.Invalid("catalog", "CATALOG_UNREADABLE", "%s declares no table: %s", path, why)
		}
		tables = declared
	}
	if len(tables) == 0 {
		return resolve.Scope{}, fault.Invalid("catalog", "CATALOG_UNREADABLE", "%s holds no tables", path)
	}
	return resolve.Scope{Catalog: &fileCatalog{resolve.NewTables(tables)}, DefaultRegion: tables[0].Name.Region, DefaultSchema: tables[0].Name.Schema}, nil
}

// fileCatalog finds tables by as much of their names as the file gives:
// declarations often leave the catalog out, and the schema too.
type fileCatalog struct{ *resolve.Tables }

// Lookup implements resolve.Catalog.
func (c *fileCatalog) Lookup(name catalog.Name) (*catalog.Table, bool) {
	for _, short := range []catalog.Name{name, {Schema: name.Schema, Table: name.Table}, {Table: name.Table}} {
		if t, ok := c.Tables.Lookup(short); ok {
			return t, true
		}
	}
	return nil, false
}
