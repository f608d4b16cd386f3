package presto

import (
	"encoding/base32"
	"encoding/base64"
	endian "encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

func byteFunctions() []Function {
	return []Function{
		unary("presto_to_hex", must(func(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) })),
		unary("presto_from_hex", fromHex),
		unary("presto_to_base64", must(base64.StdEncoding.EncodeToString)),
		unary("presto_to_base64url", must(base64.URLEncoding.EncodeToString)),
		unary("presto_to_base32", must(base32.StdEncoding.EncodeToString)),
		unary("presto_from_base64", func(s string) ([]byte, error) { return fromBase64(s, base64.RawStdEncoding) }),
		unary("presto_from_base64url", func(s string) ([]byte, error) { return fromBase64(s, base64.RawURLEncoding) }),
		unary("presto_from_base32", fromBase32),
		unary("presto_from_utf8", must(func(b []byte) string { return repaired(b, "\uFFFD") })),
		binary("presto_from_utf8_with", fromUTF8),
		binary("presto_bytes_substr", must2(func(b []byte, from int64) []byte { return bytesSubstr(b, from, math.MaxInt64) })),
		ternary("presto_bytes_substr_count", must3(bytesSubstr)),
		ternary("presto_bytes_lpad", func(b []byte, size int64, with []byte) ([]byte, error) { return padBytes(b, size, with, true) }),
		ternary("presto_bytes_rpad", func(b []byte, size int64, with []byte) ([]byte, error) { return padBytes(b, size, with, false) }),
		unary("presto_bytes_reverse", must(func(b []byte) []byte {
			out := slices.Clone(b)
			slices.Reverse(out)
			return out
		})),
		unary("presto_to_big_endian_32", must(func(n int64) []byte { return endian.BigEndian.AppendUint32(nil, uint32(n)) })),
		unary("presto_to_big_endian_64", must(func(n int64) []byte { return endian.BigEndian.AppendUint64(nil, uint64(n)) })),
		unary("presto_from_big_endian_32", func(b []byte) (int64, error) {
			if len(b) != 4 {
				return 0, invalid("expected 4 bytes, got %d", len(b))
			}
			return int64(int32(endian.BigEndian.Uint32(b))), nil
		}),
		unary("presto_from_big_endian_64", func(b []byte) (int64, error) {
			if len(b) != 8 {
				return 0, invalid("expected 8 bytes, got %d", len(b))
			}
			return int64(endian.BigEndian.Uint64(b)), nil
		}),
		unary("presto_to_ieee754_64", must(func(x float64) []byte { return endian.BigEndian.AppendUint64(nil, math.Float64bits(x)) })),
		unary("presto_to_ieee754_32", must(func(x float32) []byte { return endian.BigEndian.AppendUint32(nil, math.Float32bits(x)) })),
		unary("presto_from_ieee754_64", func(b []byte) (float64, error) {
			if len(b) != 8 {
				return 0, invalid("the value must be 8 bytes long")
			}
			return math.Float64frombits(endian.BigEndian.Uint64(b)), nil
		}),
		unary("presto_from_ieee754_32", func(b []byte) (float32, error) {
			if len(b) != 4 {
				return 0, invalid("the value must be 4 bytes long")
			}
			return math.Float32frombits(endian.BigEndian.Uint32(b)), nil
		}),
	}
}

func fromHex(s string) ([]byte, error) {
	out, err := hex.DecodeString(s)
	if err != nil {
		return nil, invalid("'%s' is not hexadecimal", Short(s))
	}
	return out, nil
}

// fromBase64 reads texts with or without their padding, as Java does.
func fromBase64(s string, encoding *base64.Encoding) ([]byte, error) {
	body := strings.TrimRight(s, "=")
	if padding := len(s) - len(body); strings.ContainsAny(s, "\r\n") || padding > 0 && len(s)%4 != 0 || padding > 2 {
		return nil, invalid("'%s' is not base64", Short(s))
	}
	out, err := encoding.DecodeString(body)
	if err != nil {
		return nil, invalid("'%s' is not base64", Short(s))
	}
	return out, nil
}

func fromBase32(s string) ([]byte, error) {
	out, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(s, "="))
	if err != nil || strings.ContainsAny(s, "\r\n") {
		return nil, invalid("'%s' is not base32", Short(s))
	}
	return out, nil
}

// repaired puts a text in the place of each sequence that is no UTF-8. A sequence
// is the longest beginning of a character, or one byte.
func repaired(b []byte, with string) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r != utf8.RuneError || size > 1 {
			out.Write(b[:size])
			b = b[size:]
			continue
		}
		out.WriteString(with)
		b = b[brokenLength(b):]
	}
	return out.String()
}

// brokenLength is how many bytes at the beginning belong to one broken character.
func brokenLength(b []byte) int {
	n := 1
	for n < len(b) && n < 4 && !utf8.RuneStart(b[n]) && couldContinue(b[:n+1]) {
		n++
	}
	return n
}

// couldContinue reports whether some character begins with these bytes.
func couldContinue(b []byte) bool {
	need := map[bool]int{true: 3, false: 4}[b[0] < 0xF0]
	if b[0] < 0xE0 || b[0] > 0xF4 || len(b) >= need {
		return false
	}
	for _, fill := range []byte{0x80, 0x90, 0xA0, 0xBF} {
		try := slices.Clone(b)
		for len(try) < need {
			try = append(try, fill)
		}
		if r, size := utf8.DecodeRune(try); r != utf8.RuneError && size == need {
			return true
		}
	}
	return false
}

func fromUTF8(b []byte, with string) (string, error) {
	if utf8.RuneCountInString(with) > 1 {
		return "", invalid("the replacement must be empty or a single character")
	}
	return repaired(b, with), nil
}

// bytesSubstr counts from 1, from the end where from is negative.
func bytesSubstr(b []byte, from, count int64) []byte {
	n := int64(len(b))
	if from < 0 {
		from += n + 1
	}
	if from < 1 || from > n || count <= 0 {
		return []byte{}
	}
	return slices.Clone(b[from-1 : from-1+min(count, n-from+1)])
}

// padBytes fills up on one side, or cuts at the end.
func padBytes(b []byte, size int64, with []byte, left bool) ([]byte, error) {
	switch {
	case size < 0 || size > MaxText:
		return nil, invalid("the length of lpad and rpad must be from 0 to %d", MaxText)
	case len(with) == 0:
		return nil, invalid("what lpad and rpad fill up with must not be empty")
	case int64(len(b)) >= size:
		return b[:size], nil
	}
	missing := int(size) - len(b)
	fill := slices.Repeat(with, missing/len(with)+1)[:missing]
	if left {
		return slices.Concat(fill, b), nil
	}
	return slices.Concat(b, fill), nil
}
