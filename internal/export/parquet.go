package export

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/parquet"
)

// parquet writes the rows with the types of their columns. A value that is not of its
// column's type ends the export.
func (j *job) parquet(ctx context.Context) error {
	if len(j.Columns) == 0 {
		return fault.New(codes.FailedPrecondition, "PARQUET_UNWRITABLE", "the result has no columns, and a Parquet file has one at least: export .csv or .json")
	}
	columns := make([]result.Column, len(j.Columns))
	for i, name := range j.uniqueNames() {
		columns[i] = result.Column{Name: name, Type: j.Columns[i].Type}
	}
	err := parquet.Write(ctx, j.path, columns, func(yield func([]any, error) bool) {
		texts := make([]any, len(columns))
		for row, err := range j.Rows {
			for i, v := range row {
				texts[i] = nil
				if v != nil {
					texts[i] = exact(v)
				}
			}
			if !yield(texts, err) {
				return
			}
		}
	}, j.config.ParquetMemory)
	if unfit := (*parquet.UnfitError)(nil); errors.As(err, &unfit) {
		return fault.New(codes.FailedPrecondition, "PARQUET_UNWRITABLE",
			"the rows cannot be written as Parquet: export .csv or .xlsx, or raise export.parquet_memory where the memory did not do").Because(err).ForOperator("%v", err)
	}
	return err
}

// uniqueNames are the columns' names, made different where they are alike but for case:
// readers of Parquet find columns by name.
func (j *job) uniqueNames() []string {
	original, taken, names := map[string]bool{}, map[string]bool{}, make([]string, len(j.Columns))
	var changed []string
	for _, c := range j.Columns {
		original[strings.ToLower(valid(c.Name))] = true
	}
	for i, c := range j.Columns {
		name := strings.ReplaceAll(valid(c.Name), "\x00", "\uFFFD")
		if name == "" {
			name = "column_" + strconv.Itoa(i+1)
		}
		unique := name
		for n := 2; taken[strings.ToLower(unique)] || unique != c.Name && original[strings.ToLower(unique)]; n++ {
			unique = name + "_" + strconv.Itoa(n)
		}
		taken[strings.ToLower(unique)] = true
		if names[i] = unique; unique != c.Name {
			changed = append(changed, unique)
		}
	}
	if len(changed) > 0 {
		j.note("columns that had no name of their own are called %s", strings.Join(changed, ", "))
	}
	return names
}
