// Package source keeps the warehouses that a data directory holds. A source is a
// folder with generations; one of them is current and is swapped in atomically:
//
//	DATA_DIR/sources/NAME/CURRENT          name of the current generation
//	DATA_DIR/sources/NAME/lock             held by whoever makes a new generation
//	DATA_DIR/sources/NAME/GEN/source.json  Manifest
//	DATA_DIR/sources/NAME/GEN/catalog.bin  catalog.Snapshot, see pkg/catalog/stored
//	DATA_DIR/sources/NAME/GEN/*.duckdb     attached databases, opened read-only
//	DATA_DIR/sources/NAME/GEN/semantic/    semantic layer, YAML, optional
//
// Readers open the current generation and keep it as long as they like; a
// generation that nobody points to is removed at the next ingest, never while a
// reader's process may still have it open for a query (grace period, config).
package source

import (
	"maps"
	"slices"
	"time"
)

// EngineKind names the engine of a source.
type EngineKind string

// Engines of sources.
const (
	EngineDuckDB EngineKind = "duckdb"
	EngineTrino  EngineKind = "trino"
	// EngineNone is of a source that only describes tables: they can be found and
	// SQL can be written for them, but nothing can run.
	EngineNone EngineKind = "none"
)

// Manifest describes one generation of a source.
type Manifest struct {
	Name       string     `json:"name"`
	Generation string     `json:"generation"`
	Engine     EngineKind `json:"engine"`
	// Databases maps an idc_region to a DuckDB file of the generation's folder.
	Databases map[string]string `json:"databases,omitempty"`
	// Trino says how the server is reached; set for the engine trino only.
	Trino *TrinoConnection `json:"trino,omitempty"`
	// DefaultRegion and DefaultSchema complete names with fewer than three parts.
	DefaultRegion string    `json:"default_region"`
	DefaultSchema string    `json:"default_schema"`
	CreatedAt     time.Time `json:"created_at"`
	// Day is the day that the data is relative to (demo), "2006-01-02"; else empty.
	Day string `json:"day,omitempty"`
	// Version of the maker; another version means that it has to be made again.
	Version string `json:"version"`
	Origin  string `json:"origin,omitempty"` // "demo", "csv", "parquet", "duckdb", "sql-dump", "trino", "jsonl", "dbt"
	// Profile tells by which options the tables were looked into; opaque to others
	// than the maker.
	Profile string `json:"profile,omitempty"`
	// SamplesBy is the Trino user who read the catalog's sample values; empty: none
	// were read, or by whom is not known. See SamplesShared.
	SamplesBy string `json:"samples_by,omitempty"`
	// Lost are the parts of the origin that could not be read; at most MaxLost.
	Lost []Lost `json:"lost,omitempty"`
}

// Lost is a part of an origin that the last ingest could not read.
type Lost struct {
	Where string `json:"where"` // "hive" or "hive.sales"
	Why   string `json:"why"`
	// Kept is how many of its tables stayed as the ingest before had found them.
	Kept int `json:"kept,omitempty"`
}

// MaxLost bounds Manifest.Lost.
const MaxLost = 100

// Regions are the data centres of the source, sorted, wherever their tables are.
func (m Manifest) Regions() []string {
	if m.Trino != nil {
		return slices.Sorted(maps.Keys(m.Trino.Regions))
	}
	return slices.Sorted(maps.Keys(m.Databases))
}
