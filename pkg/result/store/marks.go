package store

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sort"
)

// marks say where the batches of a file lie: an entry of markSize bytes for each batch,
// and one for what follows the last, which is the file's own list of batches. The Arrow
// library takes any length that a damaged file gives for memory to take, so nothing of a
// file reaches it that is not, by its checksum, what was written.
type marks []byte

// An entry is the number of the part's first row, the place of the file where it ends,
// each in 8 bytes, and its CRC-32C in 4.
const markSize = 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (m marks) add(row, end int64, sum uint32) marks {
	m = binary.BigEndian.AppendUint64(m, uint64(row)) //nolint:gosec // not negative
	m = binary.BigEndian.AppendUint64(m, uint64(end)) //nolint:gosec // not negative
	return binary.BigEndian.AppendUint32(m, sum)
}

// batches is the number of batches.
func (m marks) batches() int { return len(m)/markSize - 1 }

func (m marks) row(i int) int64  { return int64(binary.BigEndian.Uint64(m[i*markSize:])) }   //nolint:gosec // written from an int64
func (m marks) end(i int) int64  { return int64(binary.BigEndian.Uint64(m[i*markSize+8:])) } //nolint:gosec // written from an int64
func (m marks) sum(i int) uint32 { return binary.BigEndian.Uint32(m[i*markSize+16:]) }

// of is the batch that a row is in.
func (m marks) of(row int64) int {
	return max(sort.Search(m.batches(), func(i int) bool { return m.row(i) > row })-1, 0)
}

// checked is a file of which the parts can be read that were, and are as they were written:
// the file's own list of batches, and one batch.
type checked struct {
	files Files
	id    string
	where marks
	at    int64 // of Seek
	parts [2]part
}

type part struct {
	from  int64
	bytes []byte
}

// read reads a part and holds it against its checksum. The part after the last batch has
// to end with the file; of the others the one that was read last can be read.
func (c *checked) read(ctx context.Context, i int) error {
	from := int64(0)
	if i > 0 {
		from = c.where.end(i - 1)
	}
	n := c.where.end(i) - from
	if from < 0 || n < 0 {
		return errNotAsStored
	}
	bytes, size, err := c.files.Read(ctx, c.id, from, n)
	if err != nil {
		return err
	}
	last := i == c.where.batches()
	if int64(len(bytes)) != n || last && c.where.end(i) != size || crc32.Checksum(bytes, castagnoli) != c.where.sum(i) {
		return errNotAsStored
	}
	slot := 0
	if last {
		slot = 1
	}
	c.parts[slot] = part{from, bytes}
	return nil
}

// ReadAt implements io.ReaderAt.
func (c *checked) ReadAt(p []byte, at int64) (int, error) {
	for _, part := range c.parts {
		if begin := at - part.from; begin >= 0 && begin+int64(len(p)) <= int64(len(part.bytes)) {
			return copy(p, part.bytes[begin:]), nil
		}
	}
	return 0, errNotAsStored
}

// Read implements io.Reader.
func (c *checked) Read(p []byte) (int, error) {
	n, err := c.ReadAt(p, c.at)
	c.at += int64(n)
	return n, err
}

// Seek implements io.Seeker.
func (c *checked) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += c.where.end(c.where.batches())
	}
	if offset < 0 {
		return 0, errNotAsStored
	}
	c.at = offset
	return offset, nil
}
