package knowledge

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/prose"
)

const (
	// ownerTimeout bounds how long an answer waits for the catalog.
	ownerTimeout = 2 * time.Second
	// ownersLooked is how many tables of the catalog are looked at.
	ownersLooked = 5
	// maxOwners bounds the owners that one answer names.
	maxOwners = 3
)

// tableName finds what may be the name of a table: a word with an underscore, with what
// is put before it by dots.
var tableName = regexp.MustCompile(`[A-Za-z][A-Za-z0-9]*(?:[._][A-Za-z0-9]+)*_[A-Za-z0-9]+(?:[._][A-Za-z0-9]+)*`)

// tableOwners returns who answers for the tables that a question names, by the catalog, of
// those that the asker may see. It is asked with the asker's rights. Where the catalog does
// not answer, nobody is named: what could not be answered stays so.
func (s *Service) tableOwners(ctx context.Context, question string) []string {
	names := tableName.FindAllString(question, -1)
	if s.deps.FindData == nil || len(names) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, ownerTimeout)
	defer cancel()
	var out []string
	for _, name := range names[:min(len(names), maxOwners)] {
		found, err := s.deps.FindData.SearchTables(ctx, &findatav1.SearchTablesRequest{Query: name, PageSize: ownersLooked})
		if err != nil {
			s.deps.Log.InfoContext(ctx, "the catalog names no owner of a table that a question names", "error", err)
			return out
		}
		for _, c := range found.GetTables() {
			t := c.GetTable()
			if owner := prose.Safe(prose.Line(t.GetOwner())); owner != "" && named(name, t.GetRef().GetSchema(), t.GetRef().GetTable()) && !slices.Contains(out, owner) {
				out = append(out, owner)
			}
		}
	}
	return out[:min(len(out), maxOwners)]
}

// named reports a name that is a table's, with its schema and what stands before that or
// without.
func named(name, schema, table string) bool {
	name = strings.ToLower(name)
	table = strings.ToLower(table)
	whole := strings.ToLower(schema) + "." + table
	return name == table || name == whole || strings.HasSuffix(name, "."+whole)
}
