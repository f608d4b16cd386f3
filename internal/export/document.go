package export

import (
	"context"

	"github.com/dibrain/dibrain/pkg/chart"
	"github.com/dibrain/dibrain/pkg/chart/draw"
	"github.com/dibrain/dibrain/pkg/report"
	"github.com/dibrain/dibrain/pkg/result"
)

func (j *job) html(ctx context.Context) error {
	d, err := j.document(ctx)
	if err != nil {
		return err
	}
	return report.HTML(j.to, d, report.Options{MaxRows: j.config.DocumentRows})
}

func (j *job) markdown(ctx context.Context) error {
	d, err := j.document(ctx)
	if err != nil {
		return err
	}
	return report.Markdown(j.to, d, report.Options{MaxRows: j.config.DocumentRows})
}

func (j *job) svg(ctx context.Context) error { return j.picture(ctx, draw.SVG) }

func (j *job) png(ctx context.Context) error { return j.picture(ctx, draw.PNG) }

// picture draws the chart of the answer; its rows are not read, for the chart has its
// own values.
func (j *job) picture(ctx context.Context, f draw.Format) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.written.Picture = true
	for _, s := range j.Document.Sections {
		if s.Chart == nil {
			continue
		}
		spec, err := s.Chart.Spec(j.Document.Language)
		if err != nil {
			return err
		}
		return draw.Draw(j.to, spec, f)
	}
	return draw.Draw(j.to, chart.Spec{}, f) // which says that there is none
}

// document is the answer with as many of its rows as a reader is shown.
func (j *job) document(ctx context.Context) (report.Document, error) {
	table := report.Table{Table: result.Table{Columns: j.Columns}, Total: j.Total}
	for row, err := range j.Rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return report.Document{}, err
		}
		if len(table.Rows) == j.config.DocumentRows {
			table.Total = max(table.Total, int64(len(table.Rows))+1)
			break
		}
		table.Rows = append(table.Rows, row)
	}
	j.written.Rows = int64(len(table.Rows))
	if left := table.Total - j.written.Rows; left > 0 {
		j.note("the page shows the first %s of %s rows (export.document_rows): a .csv, .parquet or .xlsx file holds all of them",
			result.Int(j.written.Rows), result.Int(table.Total))
	}
	d := j.Document
	if len(d.Sections) == 0 {
		d.Sections = []report.Section{{}}
	}
	first := d.Sections[0]
	first.Table = &table
	d.Sections = append([]report.Section{first}, d.Sections[1:]...)
	return d, nil
}
