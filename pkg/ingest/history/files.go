package history

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/ingest"
	"github.com/dibrain/dibrain/pkg/ingest/lines"
)

// endings of the files of a folder that are read.
var endings = []string{".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz"}

// progressEvery is after how many events progress is told.
const progressEvery = 1000

// read reads a file, or the files of a folder and those below it, in order of
// their names.
func (r *reader) read(ctx context.Context, path string) error {
	info, err := ingest.CheckInput(path, r.options.MaxFileBytes)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return r.file(ctx, path)
	}
	files, err := r.list(path)
	if err != nil {
		return err
	}
	for i, f := range files {
		if err := r.file(ctx, f); err != nil {
			return err
		}
		r.options.Progress(i+1, len(files), filepath.Base(f))
	}
	return nil
}

func (r *reader) list(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			r.problem(ingest.KindTableSkipped, path, 0, "this is left out: it cannot be read; check its rights")
			return nil //nolint:nilerr // it is told
		case d.IsDir():
			return nil
		case !slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(strings.ToLower(path), e) }):
			return nil
		case !d.Type().IsRegular():
			r.problem(ingest.KindTableSkipped, path, 0, "this is left out: it is no file")
			return nil
		case len(files) == r.options.MaxFiles:
			return fault.Invalid("path", "HISTORY_TOO_LARGE", "%s has more than %d files (MaxFiles): give its folders one after another", dir, r.options.MaxFiles)
		}
		files = append(files, path)
		return nil
	})
	return files, err
}

// file reads one file: an event a line, or events that stretch over lines. What
// breaks off in the middle has been counted up to there.
func (r *reader) file(ctx context.Context, path string) error {
	stretched, err := isStretched(path)
	if err == nil && stretched {
		err = r.stretched(ctx, path)
	} else if err == nil {
		err = r.lines(ctx, path)
	}
	var ours *fault.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ours):
		return err
	}
	r.report.Broken++
	r.problem(ingest.KindTableSkipped, path, 0, "the rest of this file is left out: %v", err)
	return nil
}

func (r *reader) lines(ctx context.Context, path string) error {
	limits := lines.Limits{MaxLine: r.options.MaxEvent, MaxBytes: r.options.MaxFileBytes}
	return lines.Each(ctx, path, limits, func(n int, line []byte, err error) error {
		if n%progressEvery == 0 {
			r.options.Progress(n, 0, filepath.Base(path))
		}
		var e event
		if err == nil {
			err = json.Unmarshal(line, &e)
		}
		if err != nil {
			r.report.Broken++
			r.problem(ingest.KindRowSkipped, path, n, "this line is no event and is left out: %v", err)
			return nil
		}
		return r.take(&e)
	})
}

// stretched reads events that are written over several lines, one after another or
// as a list.
func (r *reader) stretched(ctx context.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	in, err := plain(f)
	if err != nil {
		return err
	}
	d := json.NewDecoder(io.LimitReader(in, r.options.MaxFileBytes))
	list := false
	if start, err := firstByte(path); err == nil && start == '[' {
		list = true
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	for n := 1; !list || d.More(); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("event %d of it: %w", n, err)
		}
		if err := r.take(&e); err != nil {
			return err
		}
	}
	return nil
}

// isStretched looks whether the first line of a file holds a whole event.
func isStretched(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	in, err := plain(f)
	if err != nil {
		return false, err
	}
	for {
		line, err := in.ReadSlice('\n')
		if text := bytes.TrimSpace(line); len(text) > 0 {
			// A line longer than what is looked at holds an event, and not its beginning.
			return !errors.Is(err, bufio.ErrBufferFull) && (text[0] == '[' || text[0] == '{' && !json.Valid(text) && len(text) < shortLine), nil
		}
		if err != nil {
			return false, nil // empty, or unreadable: reading it tells
		}
	}
}

// shortLine is below how many bytes a line that is no event may be the first of one.
const shortLine = 64

func firstByte(path string) (byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	in, err := plain(f)
	if err != nil {
		return 0, err
	}
	for {
		c, err := in.ReadByte()
		if err != nil || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, err
		}
	}
}

// plain unpacks gzip, known by its first bytes.
func plain(from io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(from, 1<<16)
	if head, err := in.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		return bufio.NewReaderSize(z, 1<<16), nil
	}
	return in, nil
}
