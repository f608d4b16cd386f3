package ingest

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
)

// endingOf is what a file holds by its name, ".csv" of "a.CSV.gz", and how it is
// packed, ".gz".
func endingOf(path string) (ending, packing string) {
	path = strings.ToLower(path)
	if ext := filepath.Ext(path); slices.Contains([]string{".gz", ".zst", ".xz"}, ext) {
		path, packing = strings.TrimSuffix(path, ext), ext
	}
	return filepath.Ext(path), packing
}

// tableName is a file's name without its endings.
func tableName(path string) string {
	name := filepath.Base(path)
	if _, packing := endingOf(name); packing != "" {
		name = name[:len(name)-len(packing)]
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// unpack reads a packed file, up to maxBytes: a small one may hold any number.
func unpack(r io.Reader, packing string, maxBytes int64) (io.Reader, io.Closer, error) {
	var unpacked io.Reader
	var closer io.Closer = io.NopCloser(nil)
	var err error
	switch packing {
	case ".gz":
		var z *gzip.Reader
		if z, err = gzip.NewReader(r); err == nil {
			unpacked, closer = z, z
		}
	case ".zst":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20)); err == nil {
			rc := z.IOReadCloser()
			unpacked, closer = rc, rc
		}
	case ".xz":
		unpacked, err = xz.NewReader(r)
	default:
		return r, closer, nil
	}
	if err != nil {
		return nil, nil, &placed{message: "the file cannot be unpacked: " + err.Error()}
	}
	return &bounded{r: torn{unpacked}, left: maxBytes, max: maxBytes}, closer, nil
}

// torn tells of a packed file that ends too early or is damaged further on.
type torn struct{ r io.Reader }

// Read implements io.Reader.
func (t torn) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return n, err
	}
	return n, &placed{message: "the file cannot be unpacked to its end: " + err.Error() + "; bring it here again"}
}

// bounded fails where more than so many bytes come.
type bounded struct {
	r         io.Reader
	left, max int64
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, &placed{message: fmt.Sprintf("the file holds more than %d bytes when it is unpacked (MaxFileBytes)", b.max)}
	}
	return n, err
}

// closers close several things in turn; the first error counts.
type closers []io.Closer

// Close implements io.Closer.
func (c closers) Close() (err error) {
	for _, one := range c {
		if e := one.Close(); err == nil {
			err = e
		}
	}
	return err
}
