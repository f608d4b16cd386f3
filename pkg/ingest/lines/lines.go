// Package lines reads files of one record a line, plain or packed with gzip, with
// bounds on what a line and a file may take.
package lines

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// DefaultMaxLine is the most bytes of a line where Limits do not say.
const DefaultMaxLine = 16 << 20

// Limits of a file. Zero values mean the defaults named in the comments.
type Limits struct {
	MaxLine  int   // bytes of a line; DefaultMaxLine
	MaxBytes int64 // bytes of the file unpacked; 64 GiB
}

// ErrTooLong is what take is told of a line that is longer than MaxLine.
var ErrTooLong = errors.New("the line is too long")

// ErrTooLarge is the error of a file that is larger than MaxBytes.
var ErrTooLarge = errors.New("the file is too large when unpacked")

const bufferSize = 1 << 20

// Each hands the lines of a file to take, numbered from 1, without those that hold
// only spaces. The line is valid until take returns; with ErrTooLong it is nil. An
// error of take ends the reading and is returned as it is.
func Each(ctx context.Context, path string, l Limits, take func(n int, line []byte, err error) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	return Read(ctx, f, l, take)
}

// Read is Each of an open file.
func Read(ctx context.Context, from io.Reader, l Limits, take func(n int, line []byte, err error) error) error {
	if l.MaxLine <= 0 {
		l.MaxLine = DefaultMaxLine
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = 64 << 30
	}
	plain, err := unpacked(from)
	if err != nil {
		return err
	}
	r := reader{in: bufio.NewReaderSize(&bounded{ctx: ctx, from: plain, left: l.MaxBytes}, bufferSize), max: l.MaxLine}
	for n := 1; ; n++ {
		line, lineErr, err := r.next()
		if len(line) > 0 || lineErr != nil {
			if err := take(n, line, lineErr); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// unpacked knows gzip by its first bytes, whatever the file is called.
func unpacked(from io.Reader) (io.Reader, error) {
	peek := bufio.NewReaderSize(from, bufferSize)
	if head, err := peek.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		return gzip.NewReader(peek)
	}
	return peek, nil
}

// bounded ends with its context, and with an error when too much was read.
type bounded struct {
	ctx  context.Context
	from io.Reader
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrTooLarge
	}
	return n, err
}

// reader cuts lines. A line that fits the buffer is not copied.
type reader struct {
	in   *bufio.Reader
	max  int
	long []byte
}

// next returns a line without its end and the spaces around it. lineErr is
// ErrTooLong for one that was passed over; err is io.EOF at the end.
func (r *reader) next() (line []byte, lineErr, err error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		tooLong := len(r.long)+len(part) > r.max+1
		if !errors.Is(err, bufio.ErrBufferFull) {
			switch {
			case lineErr != nil || tooLong:
				return nil, ErrTooLong, err
			case len(r.long) == 0:
				return trim(part), nil, err
			}
			return trim(append(r.long, part...)), nil, err
		}
		if tooLong {
			lineErr = ErrTooLong
		}
		if lineErr == nil {
			r.long = append(r.long, part...)
		}
	}
}

func trim(line []byte) []byte {
	for len(line) > 0 && isSpace(line[0]) {
		line = line[1:]
	}
	for len(line) > 0 && isSpace(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }
