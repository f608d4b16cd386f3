package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
)

// Page is a part of a stored result.
type Page struct {
	result.Table
	ResultID  string
	TotalRows int64
	NextToken string // empty on the last page
}

// Page reads up to size rows and, beyond the first row, up to maxBytes. What is
// unknown, too old, or somebody else's is the same RESULT_NOT_FOUND.
func (s *Store) Page(ctx context.Context, owner run.Principal, id, token string, size int, maxBytes int64) (Page, error) {
	first, err := readToken(id, token)
	if err != nil {
		return Page{}, err
	}
	page, err := s.header(ctx, owner, id)
	if err != nil {
		return Page{}, err
	}
	if first > page.TotalRows {
		return Page{}, badToken()
	}
	err = s.fill(ctx, &page, first, size, maxBytes)
	switch {
	case errors.Is(err, errNone): // it was removed meanwhile
		return Page{}, s.missing(ctx, owner, id)
	case errors.Is(err, fs.ErrNotExist):
		err = fault.NotFound("RESULT_REMOVED", "the rows of the result are not where they were kept: run the statement again").Because(err)
	}
	if err != nil {
		return Page{}, fmt.Errorf("read result %s: %w", id, err)
	}
	if next := first + int64(len(page.Rows)); next < page.TotalRows {
		page.NextToken = TokenAt(id, next)
	}
	return page, nil
}

func (s *Store) header(ctx context.Context, owner run.Principal, id string) (Page, error) {
	page := Page{ResultID: id}
	var columns string
	err := s.index.read(ctx, "read a result", func(ctx context.Context, q querier) error {
		return q.one(ctx, `SELECT columns, rows, truncated FROM results WHERE id = $1 AND owner = $2 AND created_ms > $3`,
			[]any{id, owner.ID, s.oldest()}, &columns, &page.TotalRows, &page.Truncated)
	})
	if errors.Is(err, errNone) {
		return Page{}, s.missing(ctx, owner, id)
	}
	if err != nil {
		return Page{}, fmt.Errorf("read result %s: %w", id, err)
	}
	if err := json.Unmarshal([]byte(columns), &page.Columns); err != nil {
		return Page{}, fmt.Errorf("read the columns of result %s: %w", id, err)
	}
	return page, nil
}

// missing says why an owner's result is not there.
func (s *Store) missing(ctx context.Context, owner run.Principal, id string) error {
	var why string
	err := s.index.read(ctx, "look for a result", func(ctx context.Context, q querier) error {
		return q.one(ctx, `SELECT why FROM results_removed WHERE id = $1 AND owner = $2 UNION ALL SELECT CAST($3 AS TEXT) FROM results WHERE id = $1 AND owner = $2 LIMIT 1`,
			[]any{id, owner.ID, whyAge}, &why)
	})
	switch {
	case err == nil && why == whyAge:
		return fault.NotFound("RESULT_REMOVED", "result %q was removed after %s: run the statement again", id, s.config.MaxAge)
	case err == nil && why == whyOwner:
		return fault.NotFound("RESULT_REMOVED", "result %q was deleted by you: run the statement again", id)
	case err == nil:
		return fault.NotFound("RESULT_REMOVED", "result %q was removed to make room for newer ones of yours (at most %d results and %d bytes are kept): run the statement again",
			id, s.config.MaxOwnResults, s.config.MaxOwnBytes)
	case errors.Is(err, errNone):
		return fault.NotFound("RESULT_NOT_FOUND", "there is no result %q of yours: results are kept for %s; ask the question again", id, s.config.MaxAge)
	}
	return fmt.Errorf("look for result %s: %w", id, err)
}

// fill reads the rows of a page. Whatever page it is, it reads the file's list of batches
// and those batches that the page is in. The error of a result that the index has let go
// meanwhile is errNone.
func (s *Store) fill(ctx context.Context, page *Page, first int64, size int, maxBytes int64) (err error) {
	if page.TotalRows == 0 {
		return nil
	}
	var where marks
	err = s.index.read(ctx, "read a result", func(ctx context.Context, q querier) error {
		return q.one(ctx, `SELECT marks FROM results_batches WHERE result_id = $1`, []any{page.ResultID}, (*[]byte)(&where))
	})
	if err != nil {
		return err
	}
	if len(where)%markSize != 0 || where.batches() < 1 {
		return errNotAsStored
	}
	on := &checked{files: s.files, id: page.ResultID, where: where}
	if err := on.read(ctx, where.batches()); err != nil {
		return err
	}
	file, err := openRows(on)
	if err != nil {
		return err
	}
	bytes := int64(0)
	for at := where.of(first); at < where.batches() && len(page.Rows) < size; at++ {
		if err := on.read(ctx, at); err != nil {
			return err
		}
		rows, err := readBatch(file, at, page.Columns, int(first-where.row(at)), size-len(page.Rows))
		if err != nil {
			return err
		}
		for _, row := range rows {
			if bytes += result.Size(row); len(page.Rows) > 0 && bytes > maxBytes {
				return nil
			}
			page.Rows = append(page.Rows, row)
			first++
		}
	}
	return nil
}

// TokenAt returns the token of the page that begins at a row, from 0.
func TokenAt(id string, row int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(id + ":" + strconv.FormatInt(row, 10)))
}

// readToken returns the row at which a page begins. A token is good for its own
// result only; it grants nothing, so it needs no signature.
func readToken(id, token string) (int64, error) {
	if token == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, badToken()
	}
	of, at, _ := strings.Cut(string(text), ":")
	row, err := strconv.ParseInt(at, 10, 64)
	if err != nil || of != id || row < 0 {
		return 0, badToken()
	}
	return row, nil
}

func badToken() error {
	return fault.Invalid("page_token", "PAGE_TOKEN_INVALID", "the page token is not one of this result: begin again without a token")
}
