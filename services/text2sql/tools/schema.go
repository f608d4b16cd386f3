package tools

import (
	"context"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
)

// SchemaArgs are the arguments of get_schema.
type SchemaArgs struct {
	Source string   `json:"source" doc:"the warehouse; empty: the default one" max:"64" optional:"true"`
	Tables []string `json:"tables" doc:"names of tables, idc_region.schema.table" max:"50"`
}

// SchemaOut is what get_schema answers.
type SchemaOut struct {
	Tables []catalog.Table `json:"tables"`
}

// Describe is get_schema.
func (s *Set) Describe(ctx context.Context, in SchemaArgs) (SchemaOut, error) {
	if len(in.Tables) == 0 || len(in.Tables) > maxTables {
		return SchemaOut{}, fault.Invalid("tables", "TABLES_INVALID", "name from 1 to %d tables", maxTables)
	}
	tables, err := s.deps.Catalog.Tables(ctx, in.Source, in.Tables)
	if err != nil {
		return SchemaOut{}, err
	}
	return SchemaOut{Tables: tables}, nil
}
