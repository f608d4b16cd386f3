package duckdb

import (
	"strings"

	"github.com/dibrain/dibrain/pkg/sql/tree"
	"github.com/dibrain/dibrain/pkg/sql/types"
)

// tableFunction writes the table functions that every Trino has.
func (e *emitter) tableFunction(f *tree.TableFunction) string {
	if len(f.Name.Parts) == 1 {
		switch f.Name.Key() {
		case "sequence":
			return e.sequenceTable(f)
		case "exclude_columns":
			return e.excludeColumns(f)
		}
	}
	return e.no(f, "the table function %s", f.Name)
}

// argumentOf finds an argument by its name or its place, which counts from 0; nil
// where it is not given.
func argumentOf(f *tree.TableFunction, name string, place int) *tree.TableArgument {
	for i, a := range f.Args {
		if a.Name == nil && i == place || a.Name != nil && a.Name.Key() == name {
			return a
		}
	}
	return nil
}

func (e *emitter) sequenceTable(f *tree.TableFunction) string {
	texts := []string{"0", "NULL", "1"}
	for i, name := range []string{"start", "stop", "step"} {
		a := argumentOf(f, name, i)
		switch {
		case a != nil && a.Value != nil:
			texts[i] = e.coerced(a.Value, types.Bigint())
		case a != nil || name == "stop":
			return e.no(f, "this argument of sequence")
		}
	}
	return "(SELECT unnest(presto_numbers(" + strings.Join(texts, ", ") + ")) AS sequential_number)"
}

func (e *emitter) excludeColumns(f *tree.TableFunction) string {
	input, columns := argumentOf(f, "input", 0), argumentOf(f, "columns", 1)
	if input == nil || columns == nil || input.Relation == nil || len(columns.Descriptor) == 0 {
		return e.no(f, "this call of exclude_columns")
	}
	excluded := join(columns.Descriptor, ", ", func(d *tree.DescriptorField) string { return name(d.Name) })
	return "(SELECT * EXCLUDE (" + excluded + ") FROM " + e.relation(input.Relation) + ")"
}
