package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Tags of values. What follows a tag is named beside it.
const (
	tagNull   = iota
	tagFalse  //
	tagTrue   //
	tagInt    // varint
	tagFloat  // 8 bytes, little endian
	tagString // length, bytes
	tagBytes  // length, bytes
	tagList   // length, values
	tagMap    // length, keys as texts without tags and values in turn
)

// maxNested bounds lists within lists, so that a page cannot exhaust the stack.
const maxNested = 200

// AppendValue writes a value of a row, in one of the forms that package warehouse
// documents.
func AppendValue(to []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(to, tagNull), nil
	case bool:
		if v {
			return append(to, tagTrue), nil
		}
		return append(to, tagFalse), nil
	case int64:
		return binary.AppendVarint(append(to, tagInt), v), nil
	case float64:
		return binary.LittleEndian.AppendUint64(append(to, tagFloat), math.Float64bits(v)), nil
	case string:
		return append(binary.AppendUvarint(append(to, tagString), uint64(len(v))), v...), nil
	case []byte:
		return append(binary.AppendUvarint(append(to, tagBytes), uint64(len(v))), v...), nil
	case []any:
		to = binary.AppendUvarint(append(to, tagList), uint64(len(v)))
		for _, item := range v {
			var err error
			if to, err = AppendValue(to, item); err != nil {
				return nil, err
			}
		}
		return to, nil
	case map[string]any:
		to = binary.AppendUvarint(append(to, tagMap), uint64(len(v)))
		for key, item := range v {
			to = append(binary.AppendUvarint(to, uint64(len(key))), key...)
			var err error
			if to, err = AppendValue(to, item); err != nil {
				return nil, err
			}
		}
		return to, nil
	}
	return nil, fmt.Errorf("a value of the type %T has no form on the wire", value)
}

// AppendPage begins a page after Frame: the number of rows and the bytes of their
// values' text. Values follow row by row.
func AppendPage(to []byte, rows int, textBytes int64) []byte {
	to = binary.BigEndian.AppendUint32(to, uint32(rows))
	return binary.BigEndian.AppendUint64(to, uint64(textBytes))
}

// pageHead is the size of what AppendPage writes.
const pageHead = 12

// errPage is that a page does not hold what it announces.
var errPage = errors.New("a page of the embedded engine cannot be read")

// Page reads a page of a result with so many columns. The texts of its rows share
// one piece of memory.
func Page(payload []byte, columns int) (rows [][]any, textBytes int64, err error) {
	if len(payload) < pageHead {
		return nil, 0, errPage
	}
	n := int(binary.BigEndian.Uint32(payload))
	textBytes = int64(binary.BigEndian.Uint64(payload[4:]))
	body := string(payload[pageHead:])
	if n > 0 && (columns < 1 || n > len(body)/columns) { // a value takes a byte at least
		return nil, 0, errPage
	}
	d := decoder{rest: body}
	values := make([]any, n*columns)
	for i := range values {
		if values[i], err = d.value(0); err != nil {
			return nil, 0, err
		}
	}
	if d.rest != "" {
		return nil, 0, errPage
	}
	rows = make([][]any, n)
	for i := range rows {
		rows[i] = values[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return rows, textBytes, nil
}

type decoder struct{ rest string }

func (d *decoder) value(nested int) (any, error) {
	if d.rest == "" || nested > maxNested {
		return nil, errPage
	}
	tag := d.rest[0]
	d.rest = d.rest[1:]
	switch tag {
	case tagNull:
		return nil, nil
	case tagFalse:
		return false, nil
	case tagTrue:
		return true, nil
	case tagInt:
		u, err := d.uvarint()
		return int64(u>>1) ^ -int64(u&1), err
	case tagFloat:
		text, err := d.take(8)
		if err != nil {
			return nil, err
		}
		return math.Float64frombits(binary.LittleEndian.Uint64([]byte(text))), nil
	case tagString:
		return d.text()
	case tagBytes:
		text, err := d.text()
		return []byte(text), err
	case tagList:
		n, err := d.length(1)
		if err != nil {
			return nil, err
		}
		list := make([]any, n)
		for i := range list {
			if list[i], err = d.value(nested + 1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case tagMap:
		n, err := d.length(2)
		if err != nil {
			return nil, err
		}
		m := make(map[string]any, n)
		for range n {
			key, err := d.text()
			if err != nil {
				return nil, err
			}
			if m[key], err = d.value(nested + 1); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	return nil, errPage
}

func (d *decoder) uvarint() (uint64, error) {
	var u uint64
	for i := 0; i < len(d.rest) && i < binary.MaxVarintLen64; i++ {
		b := d.rest[i]
		u |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			d.rest = d.rest[i+1:]
			return u, nil
		}
	}
	return 0, errPage
}

// length reads how many items follow, each of which takes so many bytes at least.
func (d *decoder) length(each int) (int, error) {
	n, err := d.uvarint()
	if err != nil || n > uint64(len(d.rest)/each) {
		return 0, errPage
	}
	return int(n), nil
}

func (d *decoder) text() (string, error) {
	n, err := d.length(1)
	if err != nil {
		return "", err
	}
	return d.take(n)
}

func (d *decoder) take(n int) (string, error) {
	if n > len(d.rest) {
		return "", errPage
	}
	text := d.rest[:n]
	d.rest = d.rest[n:]
	return text, nil
}
