// Package stored is the form in which a catalog lies on the disk: a header with
// version, length and checksum, and a compressed body in which each text stands
// once. A catalog of 50,000 tables is read several times faster than as JSON, and
// texts that tables share, such as names of columns and types, share memory.
//
//	8 bytes "dicat" 0 version 0 | 8 bytes length of the body | 8 bytes XXH64 of it
//	body, zstd: number of texts, their lengths, the texts | records (record.go)
//
// Numbers of the header are little-endian, those of the body varints.
package stored

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Version of the body. Older ones are read too: in the first, foreign keys had no evidence
// and tables no rows that an ingest could not read; in the second, usage had neither
// shapes of queries nor words; in the third, columns had no range; in the
// fourth, tables had no upstream; in the fifth, no row key; in the
// sixth, no dependencies. A reader refuses what is newer.
const (
	Version         = 7
	firstOne        = 1
	hasEvidence     = 2
	hasShapes       = 3
	hasUpstream     = 5
	hasRowKey       = 6
	hasDependencies = 7
)

const (
	headerSize = 24
	// maxBody bounds the unpacked body: what is larger was not written by us.
	maxBody = 8 << 30
)

// Errors of reading.
var (
	// ErrNotStored says that a file is no catalog in this form.
	ErrNotStored = errors.New("not a stored catalog")
	// ErrDamaged says that a file was a catalog, and is cut off or changed.
	ErrDamaged = errors.New("the stored catalog is damaged")
	// ErrVersion says that a newer version wrote the file.
	ErrVersion = errors.New("the stored catalog is of another version")
)

func header(v byte) [8]byte { return [8]byte{'d', 'i', 'c', 'a', 't', 0, v, 0} }

// Write writes a catalog.
func Write(w io.Writer, s *catalog.Snapshot) error {
	e := newEncoder()
	e.snapshot(s)
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("pack the catalog: %w", err)
	}
	body := packer.EncodeAll(e.bytes(), nil)
	var head [headerSize]byte
	mark := header(Version)
	copy(head[:], mark[:])
	binary.LittleEndian.PutUint64(head[8:], uint64(len(body)))
	binary.LittleEndian.PutUint64(head[16:], xxhash.Sum64(body))
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

// ReadFile reads the catalog of a file.
func ReadFile(path string) (*catalog.Snapshot, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Read(raw)
}

// Read reads a catalog from all bytes of its file. Errors wrap ErrNotStored,
// ErrVersion or ErrDamaged.
func Read(raw []byte) (*catalog.Snapshot, error) {
	if len(raw) < headerSize {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrNotStored, len(raw))
	}
	if mark := header(raw[6]); string(raw[:8]) != string(mark[:]) {
		return nil, ErrNotStored
	}
	if raw[6] < firstOne || raw[6] > Version {
		return nil, fmt.Errorf("%w: %d, and this program reads %d", ErrVersion, raw[6], Version)
	}
	body := raw[headerSize:]
	if want := binary.LittleEndian.Uint64(raw[8:]); uint64(len(body)) != want {
		return nil, fmt.Errorf("%w: it has %d of %d bytes", ErrDamaged, len(body), want)
	}
	if xxhash.Sum64(body) != binary.LittleEndian.Uint64(raw[16:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong", ErrDamaged)
	}
	unpacker, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
	if err != nil {
		return nil, fmt.Errorf("unpack the catalog: %w", err)
	}
	defer unpacker.Close()
	plain, err := unpacker.DecodeAll(body, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	d, err := newDecoder(plain)
	if err != nil {
		return nil, err
	}
	d.version = raw[6]
	s := d.snapshot()
	if d.err != nil {
		return nil, d.err
	}
	return s, nil
}
