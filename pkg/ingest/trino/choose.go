package trino

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/sql/meta"
)

const systemCatalog = "system"

// place is a part of the server that becomes a region.
type place struct {
	region    string
	catalog   string
	prefix    string // of the schemas that belong to the region; without it all do
	connector string // "hive", "iceberg"; empty where it is not known
	cluster   string // one of the connection's; empty: the source's own server
}

// where names the catalog to people.
func (p place) where() string {
	if p.cluster == "" {
		return p.catalog
	}
	return p.catalog + "@" + p.cluster
}

// choose lists the catalogs of the server and returns what is to be read of them.
func choose(ctx context.Context, server Server, o Options) ([]place, error) {
	for _, pattern := range slices.Concat(o.Include, o.Exclude) {
		if err := checkPattern(pattern); err != nil {
			return nil, err
		}
	}
	rows, err := all(ctx, server, meta.Catalogs(), o)
	if err != nil {
		return nil, fmt.Errorf("list the catalogs of the server: %w", err)
	}
	connectors := make(map[string]string, len(rows))
	for _, row := range rows {
		connectors[text(row, 0)] = text(row, 1)
	}
	wanted := o.Catalogs
	if len(wanted) == 0 && len(o.Regions) == 0 {
		wanted = slices.Sorted(maps.Keys(connectors))
		wanted = slices.DeleteFunc(wanted, func(c string) bool { return connectors[c] == systemCatalog || connectors[c] == "jmx" })
	}
	places, mapped := regionPlaces(o.Regions)
	for _, c := range wanted {
		if !mapped[c] {
			places = append(places, place{region: c, catalog: c})
		}
	}
	for i := range places {
		connector, known := connectors[places[i].catalog]
		if !known {
			return nil, fault.NotFound("TRINO_CATALOG_UNKNOWN", "the server shows no catalog %q to this user: it shows %s",
				places[i].catalog, strings.Join(slices.Sorted(maps.Keys(connectors)), ", "))
		}
		places[i].connector = connector
	}
	return places, nil
}

// regionPlaces are the regions that have names of their own, by name, and the
// catalogs that they take tables from.
func regionPlaces(regions map[string]source.TrinoPlace) (places []place, mapped map[string]bool) {
	mapped = make(map[string]bool, len(regions))
	for _, region := range slices.Sorted(maps.Keys(regions)) {
		p := regions[region]
		places = append(places, place{region: region, catalog: p.Catalog, prefix: p.SchemaPrefix})
		mapped[p.Catalog] = true
	}
	return places, mapped
}

// ownSchemas are schemas in which connectors and databases describe themselves.
var ownSchemas = []string{"information_schema", "system", "pg_catalog", "sys"}

// schemas returns the schemas of a catalog that belong to the place and fit the
// patterns, with their names in Trino.
func (p place) schemas(all []string, o Options) []string {
	var chosen []string
	for _, s := range all {
		schema, ours := strings.CutPrefix(s, p.prefix)
		if !ours || schema == "" || slices.Contains(ownSchemas, s) {
			continue
		}
		fits := len(o.Schemas) == 0
		for _, pattern := range o.Schemas {
			fits = fits || fit(pattern, schema) || fit(pattern, s)
		}
		if fits {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// wanted reports whether the patterns let a table in; its names are Trino's.
func (o Options) wanted(catalog, schema, table string) bool {
	matches := func(pattern string) bool {
		parts := strings.Split(pattern, ".")
		names := []string{catalog, schema, table}[3-len(parts):]
		for i, part := range parts {
			if !fit(part, names[i]) {
				return false
			}
		}
		return true
	}
	return (len(o.Include) == 0 || slices.ContainsFunc(o.Include, matches)) && !slices.ContainsFunc(o.Exclude, matches)
}

func checkPattern(pattern string) error {
	parts := strings.Split(pattern, ".")
	if len(parts) > 3 || slices.Contains(parts, "") {
		return fault.Invalid("pattern", "INGEST_PATTERN_INVALID", "the pattern %q is none: write table, schema.table or catalog.schema.table, with * for any characters", pattern)
	}
	return nil
}

// fit matches a name without regard to case; * stands for any characters.
func fit(pattern, name string) bool {
	pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	first, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	last := parts[len(parts)-1]
	for _, part := range parts[:len(parts)-1] {
		_, after, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name = after
	}
	return strings.HasSuffix(name, last)
}
