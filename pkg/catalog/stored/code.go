package stored

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// encoder gathers records, and the texts that they name by number. Number 0 is
// the empty text. Without numbers the texts stand in the records themselves.
type encoder struct {
	numbers map[string]uint64
	lengths []byte
	letters []byte
	records []byte
}

func newEncoder() *encoder { return &encoder{numbers: map[string]uint64{"": 0}} }

func (e *encoder) uint(v uint64) { e.records = binary.AppendUvarint(e.records, v) }
func (e *encoder) int(v int64)   { e.records = binary.AppendVarint(e.records, v) }
func (e *encoder) float(v float64) {
	e.uint(math.Float64bits(v))
}

func (e *encoder) bool(v bool) {
	if v {
		e.uint(1)
	} else {
		e.uint(0)
	}
}

func (e *encoder) text(s string) {
	if e.numbers == nil {
		e.uint(uint64(len(s)))
		e.records = append(e.records, s...)
		return
	}
	n, known := e.numbers[s]
	if !known {
		n = uint64(len(e.numbers))
		e.numbers[s] = n
		e.lengths = binary.AppendUvarint(e.lengths, uint64(len(s)))
		e.letters = append(e.letters, s...)
	}
	e.uint(n)
}

func (e *encoder) texts(list []string) {
	e.uint(uint64(len(list)))
	for _, s := range list {
		e.text(s)
	}
}

// bytes returns the whole body.
func (e *encoder) bytes() []byte {
	body := binary.AppendUvarint(make([]byte, 0, len(e.lengths)+len(e.letters)+len(e.records)+16), uint64(len(e.numbers)))
	body = append(body, e.lengths...)
	body = append(body, e.letters...)
	return append(body, e.records...)
}

// decoder reads a body. After the first error all it reads is zero, so that only
// the end needs to look at err.
type decoder struct {
	texts   []string
	rest    []byte
	columns []catalog.Column            // memory that columns are cut from
	shared  map[uint64][]catalog.Column // columns of a table by the hash of their record
	records map[uint64][]byte           // the records, by their hash
	lists   []string                    // memory that lists of texts are cut from
	plain   bool                        // the texts stand in the records themselves
	version byte                        // of the records
	err     error
}

func newDecoder(body []byte) (*decoder, error) {
	d := &decoder{rest: body, version: Version}
	d.texts = make([]string, max(d.count(), 1))
	var total uint64
	lengths := make([]uint64, len(d.texts))
	for i := 1; i < len(lengths); i++ {
		lengths[i] = d.uint()
		total += lengths[i]
	}
	if d.err != nil || total > uint64(len(d.rest)) {
		d.fail()
		return nil, d.err
	}
	// One text holds them all, copied once: the body itself is not kept in memory.
	all := string(d.rest[:total])
	d.rest = d.rest[total:]
	for i, n := range lengths {
		d.texts[i], all = all[:n], all[n:]
	}
	return d, nil
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = fmt.Errorf("%w: a record does not fit", ErrDamaged)
	}
	d.rest = nil
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.rest)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) float() float64 { return math.Float64frombits(d.uint()) }
func (d *decoder) bool() bool     { return d.uint() != 0 }

// count reads the number of parts of something. Each takes a byte at least, so a
// wrong number takes no memory that the file does not justify.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.rest)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	n := d.uint()
	if d.plain {
		if n > uint64(len(d.rest)) {
			d.fail()
			return ""
		}
		s := string(d.rest[:n])
		d.rest = d.rest[n:]
		return s
	}
	if n >= uint64(len(d.texts)) {
		d.fail()
		return ""
	}
	return d.texts[n]
}

// textBlock is how many texts' memory is taken at once for lists of texts.
const textBlock = 4096

func (d *decoder) textList() []string {
	n := d.count()
	if n == 0 {
		return nil
	}
	if n > textBlock {
		d.lists = make([]string, 0, n)
	} else if len(d.lists)+n > cap(d.lists) {
		d.lists = make([]string, 0, textBlock)
	}
	from := len(d.lists)
	for range n {
		d.lists = append(d.lists, d.text())
	}
	return d.lists[from : from+n : from+n]
}

// list reads a counted list; nil where it is empty.
func list[T any](d *decoder, one func() T) []T {
	n := d.count()
	if n == 0 {
		return nil
	}
	out := make([]T, 0, min(n, maxTaken))
	for range n {
		out = append(out, one())
		if d.err != nil {
			return nil
		}
	}
	return out
}

// maxTaken is for how many entries of a list memory is taken before they are read.
const maxTaken = 4096
