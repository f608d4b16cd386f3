// Package jsonl makes a source of a file that describes a table a line, as JSON.
// There are no data: tables can be found, and SQL can be written for them.
//
//	{"db": "shop", "table": "orders", "description": "an order a row",
//	 "columns": [["id", "bigint", "number of the order"], ["city", "varchar", "", "Bern"]],
//	 "foreign_keys": ["customer_id->customer.id"], "mart": "Order", "owner": "ann"}
//
// A broken line is left out and named with its number.
package jsonl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/lines"
	"github.com/dibrain/dibrain/pkg/source"
)

// Origin of manifests.
const Origin = "jsonl"

// progressEvery is after how many tables progress is told.
const progressEvery = 500

// Each hands the lines of a file, which may be packed with gzip, to take. err is
// set, and the line nil, for one that cannot be read. An error of take ends it.
func Each(ctx context.Context, path string, limits lines.Limits, take func(n int, line *Line, err error) error) error {
	return lines.Each(ctx, path, limits, func(n int, text []byte, err error) error {
		if err != nil {
			return take(n, nil, err)
		}
		var line Line
		if err := json.Unmarshal(text, &line); err != nil {
			return take(n, nil, fmt.Errorf("it is no JSON object that describes a table: %w", err))
		}
		return take(n, &line, nil)
	})
}

// Ingest makes the source name from a file of lines. Errors: those of
// ingest.CheckInput, INPUT_UNREADABLE, INGEST_NOTHING.
func Ingest(ctx context.Context, store *source.Store, name, path string, options ingest.Options) (ingest.Report, error) {
	return ingest.Describe(ctx, store, name, Origin, options, func(ctx context.Context, d *ingest.Describer) error {
		o := d.Options()
		info, err := ingest.CheckInput(path, o.MaxFileBytes)
		if err != nil {
			return err
		}
		if info.IsDir() {
			return fault.Invalid("path", "INPUT_NOT_A_FILE", "%s is a folder: give the file with a table a line", path)
		}
		tables := 0
		err = Each(ctx, path, lines.Limits{MaxLine: o.MaxFieldBytes, MaxBytes: o.MaxFileBytes}, func(n int, line *Line, err error) error {
			at := ingest.Problem{File: path, Line: n}
			if err != nil {
				at.Kind, at.Message = ingest.KindTableSkipped, "this line is left out: "+err.Error()
				d.Problem(at)
				return nil //nolint:nilerr // it is told
			}
			take(d, line, at)
			if tables++; tables%progressEvery == 0 {
				o.Progress(tables, 0, line.Table)
			}
			return nil
		})
		if err != nil && ctx.Err() == nil {
			return fault.Invalid("path", "INPUT_UNREADABLE", "%s cannot be read to its end: %v", path, err).Because(err)
		}
		o.Progress(tables, tables, "")
		return errors.Join(err, ctx.Err())
	})
}

// take hands a line to the describer.
func take(d *ingest.Describer, line *Line, at ingest.Problem) {
	s := &d.Snapshot
	s.Marts, s.Glossary, s.Rules = append(s.Marts, line.Marts...), append(s.Glossary, line.Glossary...), append(s.Rules, line.Rules...)
	words := len(line.Marts)+len(line.Glossary)+len(line.Rules) > 0
	if line.Table != "" || !words {
		d.Add(line.CatalogTable(d.Region()), at)
	}
}
