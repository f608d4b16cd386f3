package cli

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/internal/export"
	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result/resultpb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

const moreThanLimit = "! the engine had more rows than the limit let through: this is not all of them"

// export writes the last answer into a file, as "/export FILE" says.
func (c *conversation) export(ctx context.Context, rest string) error {
	path, o, err := exportOf(rest)
	if err != nil {
		return err
	}
	if err := export.Check(path, o); err != nil {
		return err
	}
	e := exporter{services: c.services, config: c.exports, options: o, path: path, question: c.asked, at: c.askedAt}
	return e.write(ctx, c.f, c.f.IO.Out, c.last)
}

// exportOf reads what stands after the command: flags first, then the file, which may
// have blanks in its name.
func exportOf(rest string) (path string, o export.Options, err error) {
	for rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "--"); rest = strings.TrimSpace(rest) {
		flag, after, _ := strings.Cut(rest, " ")
		switch flag {
		case "--force":
			o.Force = true
		case "--bom":
			o.BOM = true
		default:
			return "", o, fault.Invalid("export", "FLAG_UNKNOWN", "there is no %s: /export knows --force and --bom, before the file", flag)
		}
		rest = after
	}
	return rest, o, nil
}

// exporter writes one answer into one file.
type exporter struct {
	services *services
	config   export.Config
	options  export.Options
	path     string
	question string
	at       time.Time
}

// write writes the file and tells what is in it.
func (e exporter) write(ctx context.Context, f *Factory, to io.Writer, a *routerv1.Answer) error {
	page := answer.Page(a)
	if len(page.GetColumns()) == 0 {
		return fault.Invalid("export", export.ReasonNoResult, "there is no result to export: ask something that has rows")
	}
	first, err := resultpb.FromPage(&commonv1.ResultPage{Columns: page.GetColumns()})
	if err != nil {
		return err
	}
	written, err := export.File(ctx, e.path, export.Result{
		Columns: first.Columns, Rows: pagesFrom(ctx, e.services, page), Total: page.GetTotalRows(),
		Document: answer.Document(a, e.question, e.at),
	}, e.config, e.options)
	if err != nil {
		return err
	}
	switch {
	case written.Picture:
		fmt.Fprintf(to, "the chart is in %s\n", e.path)
	case written.Rows == 1:
		fmt.Fprintf(to, "1 row is in %s\n", e.path)
	default:
		fmt.Fprintf(to, "%d rows are in %s\n", written.Rows, e.path)
	}
	for _, note := range written.Notes {
		fmt.Fprintln(to, f.style().Dim(term.Clean(note)))
	}
	if page.GetTruncated() {
		fmt.Fprintln(to, f.style().Warn(moreThanLimit))
	}
	return nil
}

// pagesFrom are the rows of the first page of a result and of the pages after it, which
// are read as they are needed.
func pagesFrom(ctx context.Context, s *services, page *commonv1.ResultPage) export.Rows {
	return func(yield func([]any, error) bool) {
		for page := page; ; {
			table, err := resultpb.FromPage(page)
			if err != nil {
				yield(nil, fmt.Errorf("read the result: %w", err))
				return
			}
			for _, row := range table.Rows {
				if !yield(row, nil) {
					return
				}
			}
			if page.GetNextPageToken() == "" {
				return
			}
			next, err := s.ChatBI.GetResultPage(ctx, &chatbiv1.GetResultPageRequest{ResultId: page.GetResultId(), PageToken: page.GetNextPageToken(), PageSize: maxPage})
			if err != nil {
				yield(nil, fmt.Errorf("read the rest of the result: %w", err))
				return
			}
			columns := page.GetColumns()
			if page = next.GetPage(); len(page.GetColumns()) == 0 {
				page.Columns = columns
			}
		}
	}
}

// writeCSV writes a whole result as CSV.
func writeCSV(ctx context.Context, s *services, to io.Writer, page *commonv1.ResultPage) (rows int64, err error) {
	w := csv.NewWriter(to)
	titles := make([]string, len(page.GetColumns()))
	for i, column := range page.GetColumns() {
		titles[i] = column.GetName()
	}
	if err := w.Write(titles); err != nil {
		return 0, err
	}
	if rows, err = eachRow(ctx, s, page, exactly, w.Write); err != nil {
		return rows, err
	}
	w.Flush()
	return rows, w.Error()
}

// exactly writes a value for programs.
func exactly(v *structpb.Value, _ []*commonv1.ResultColumn, _ int) string { return answer.Exact(v) }

// eachRow hands over the rows of the first page of a result and of the pages after it.
func eachRow(ctx context.Context, s *services, page *commonv1.ResultPage, write func(v *structpb.Value, columns []*commonv1.ResultColumn, i int) string, take func([]string) error) (rows int64, err error) {
	columns := page.GetColumns()
	for {
		for _, row := range page.GetRows() {
			texts := make([]string, len(row.GetValues()))
			for i, v := range row.GetValues() {
				texts[i] = write(v, columns, i)
			}
			if err := take(texts); err != nil {
				return rows, err
			}
			rows++
		}
		if page.GetNextPageToken() == "" {
			return rows, nil
		}
		next, err := s.ChatBI.GetResultPage(ctx, &chatbiv1.GetResultPageRequest{ResultId: page.GetResultId(), PageToken: page.GetNextPageToken(), PageSize: maxPage})
		if err != nil {
			return rows, fmt.Errorf("read the rest of the result: %w", err)
		}
		page = next.GetPage()
	}
}
