// Package checked writes and reads files of numbers and texts that tell their
// kind and version at the beginning and a checksum (XXH64) at the end. Whoever
// reads one that is cut, changed or of another version gets ErrDamaged.
package checked

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cespare/xxhash/v2"
)

// ErrDamaged says that a file is not what was written, or of another version.
var ErrDamaged = errors.New("the file is damaged or of another version")

const (
	headerSize = 8 // six letters of the kind, two bytes of the version
	kindSize   = 6
	sumSize    = 8
)

// Writer collects a file. Its methods only fail at Flush.
type Writer struct {
	w   io.Writer
	sum *xxhash.Digest
	buf []byte
	err error
}

// bufferSize is how much is collected before it is written.
const bufferSize = 1 << 16

// NewWriter begins a file of a kind of six letters.
func NewWriter(w io.Writer, kind string, version uint16) *Writer {
	c := &Writer{w: w, sum: xxhash.New()}
	c.buf = append(c.buf, (kind + "      ")[:kindSize]...)
	c.buf = binary.LittleEndian.AppendUint16(c.buf, version)
	return c
}

// Uint writes a number that is not negative.
func (c *Writer) Uint(v uint64) { c.grown(binary.AppendUvarint(c.buf, v)) }

// Text writes a text.
func (c *Writer) Text(s string) {
	c.Uint(uint64(len(s)))
	c.grown(append(c.buf, s...))
}

// Floats writes a list of numbers.
func (c *Writer) Floats(list []float32) {
	c.Uint(uint64(len(list)))
	for _, v := range list {
		c.grown(binary.LittleEndian.AppendUint32(c.buf, math.Float32bits(v)))
	}
}

func (c *Writer) grown(buf []byte) {
	c.buf = buf
	if len(c.buf) >= bufferSize {
		c.drain()
	}
}

func (c *Writer) drain() {
	if c.err == nil {
		_, _ = c.sum.Write(c.buf) // never fails
		_, c.err = c.w.Write(c.buf)
	}
	c.buf = c.buf[:0]
}

// Flush writes what is left and the checksum.
func (c *Writer) Flush() error {
	c.drain()
	c.buf = binary.LittleEndian.AppendUint64(c.buf, c.sum.Sum64())
	if c.err == nil {
		_, c.err = c.w.Write(c.buf)
	}
	return c.err
}

// Reader takes a file apart. After the first fault all its methods return
// nothing; Err tells of it.
type Reader struct {
	rest []byte
	err  error
}

// NewReader reads all of r, at most limit bytes, and checks it.
func NewReader(r io.Reader, kind string, version uint16, limit int64) (*Reader, error) {
	raw, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("the file is larger than %d bytes", limit)
	}
	end := len(raw) - sumSize
	header := NewWriter(nil, kind, version).buf
	if end < headerSize || !bytes.Equal(raw[:headerSize], header) || xxhash.Sum64(raw[:end]) != binary.LittleEndian.Uint64(raw[end:]) {
		return nil, ErrDamaged
	}
	return &Reader{rest: raw[headerSize:end]}, nil
}

// Err returns ErrDamaged where something was read that was not written so.
func (c *Reader) Err() error { return c.err }

// Uint reads what Writer.Uint wrote, at most limit.
func (c *Reader) Uint(limit uint64) uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 || v > limit {
		c.err = ErrDamaged
		c.rest = nil
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// bytes reads a count and count times size bytes.
func (c *Reader) bytes(size int) []byte {
	n := int(c.Uint(uint64(len(c.rest)/size))) * size
	if n > len(c.rest) {
		c.err, c.rest = ErrDamaged, nil
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

// Text reads what Writer.Text wrote.
func (c *Reader) Text() string { return string(c.bytes(1)) }

// Floats reads what Writer.Floats wrote.
func (c *Reader) Floats() []float32 {
	b := c.bytes(4)
	list := make([]float32, len(b)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return list
}
