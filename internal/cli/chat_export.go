package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/dibrain/dibrain/internal/answer"
	"github.com/dibrain/dibrain/pkg/fault"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

const moreThanLimit = "! the engine had more rows than the limit let through: this is not all of them"

// export writes the whole last result as CSV into a file that is not there yet.
func (c *conversation) export(ctx context.Context, path string) error {
	page := answer.Page(c.last)
	if len(page.GetColumns()) == 0 {
		return fault.Invalid("export", "RESULT_MISSING", "there is no result yet: ask something that has rows")
	}
	if path == "" {
		return fault.Invalid("export", "FILE_MISSING", "name a file that is not there yet: /export result.csv")
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fault.Invalid("export", "FILE_EXISTS", "%s is there already: name another file", path)
	case err != nil:
		return fault.Invalid("export", "FILE_UNWRITABLE", "%s cannot be written: %v", path, err)
	}
	rows, err := writeCSV(ctx, c.services, file, page)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // half a result would be taken for a whole one
	}
	fmt.Fprintf(c.f.IO.Out, "%d rows are in %s\n", rows, path)
	if page.GetTruncated() {
		fmt.Fprintln(c.f.IO.Out, c.f.style().Warn(moreThanLimit))
	}
	return nil
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
	if rows, err = eachRow(ctx, s, page, w.Write); err != nil {
		return rows, err
	}
	w.Flush()
	return rows, w.Error()
}

// eachRow hands over the rows of the first page of a result and of the pages after it.
func eachRow(ctx context.Context, s *services, page *commonv1.ResultPage, take func([]string) error) (rows int64, err error) {
	for {
		for _, row := range page.GetRows() {
			texts := make([]string, len(row.GetValues()))
			for i, v := range row.GetValues() {
				texts[i] = answer.Exact(v)
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

// exportPath is what stands after the command.
func exportPath(line string) string {
	_, path, _ := strings.Cut(line, " ")
	return strings.TrimSpace(path)
}
