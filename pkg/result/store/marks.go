package store

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
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

// check reports whether a part of a file is as it was written. The part after the last
// batch has to end with the file.
func (m marks) check(file *os.File, i int) error {
	begin := int64(0)
	if i > 0 {
		begin = m.end(i - 1)
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if size := info.Size(); m.end(i) < begin || m.end(i) > size || i == m.batches() && m.end(i) != size {
		return errNotAsStored
	}
	sum := crc32.New(castagnoli)
	if _, err := io.Copy(sum, io.NewSectionReader(file, begin, m.end(i)-begin)); err != nil {
		return err
	}
	if sum.Sum32() != m.sum(i) {
		return errNotAsStored
	}
	return nil
}
