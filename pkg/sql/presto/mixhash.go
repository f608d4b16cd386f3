package presto

import (
	endian "encoding/binary"
	"math/bits"
)

// mixHashes are the hashes that no library here has.
func mixHashes() []Function {
	return []Function{
		unary("presto_murmur3", must(murmur3)),
		unary("presto_spooky32", func(b []byte) ([]byte, error) {
			h, err := spooky(b)
			return endian.BigEndian.AppendUint32(nil, uint32(h)), err
		}),
		unary("presto_spooky64", func(b []byte) ([]byte, error) {
			h, err := spooky(b)
			return endian.BigEndian.AppendUint64(nil, h), err
		}),
	}
}

// murmur3 is the 128-bit hash for 64-bit machines, with the seed 0.
func murmur3(b []byte) []byte {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	var h1, h2 uint64
	first := func(k uint64) { h1 ^= bits.RotateLeft64(k*c1, 31) * c2 }
	second := func(k uint64) { h2 ^= bits.RotateLeft64(k*c2, 33) * c1 }
	rest := b
	for ; len(rest) >= 16; rest = rest[16:] {
		first(endian.LittleEndian.Uint64(rest))
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		second(endian.LittleEndian.Uint64(rest[8:]))
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	var tail [16]byte
	copy(tail[:], rest)
	second(endian.LittleEndian.Uint64(tail[8:]))
	first(endian.LittleEndian.Uint64(tail[:]))
	h1 ^= uint64(len(b))
	h2 ^= uint64(len(b))
	h1 += h2
	h2 += h1
	h1, h2 = murmurEnd(h1), murmurEnd(h2)
	h1 += h2
	h2 += h1
	return endian.LittleEndian.AppendUint64(endian.LittleEndian.AppendUint64(nil, h1), h2)
}

func murmurEnd(k uint64) uint64 {
	k = (k ^ k>>33) * 0xff51afd7ed558ccd
	k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
	return k ^ k>>33
}

// maxSpooky is the length from which SpookyHash works in another way, which is
// not written here.
const maxSpooky = 192

// spooky is the first half of SpookyHash V2 of short texts, with the seeds 0.
func spooky(b []byte) (uint64, error) {
	if len(b) >= maxSpooky {
		return 0, &Error{"NOT_SUPPORTED", "SpookyHash of 192 bytes or more is not supported on the embedded engine"}
	}
	const filler = 0xdeadbeefdeadbeef
	s := [4]uint64{0, 0, filler, filler}
	rest := b
	take := func() {
		s[2] += endian.LittleEndian.Uint64(rest)
		s[3] += endian.LittleEndian.Uint64(rest[8:])
		spookyMix(&s)
		rest = rest[16:]
	}
	for len(rest) >= 32 {
		take()
		s[0] += endian.LittleEndian.Uint64(rest)
		s[1] += endian.LittleEndian.Uint64(rest[8:])
		rest = rest[16:]
	}
	if len(rest) >= 16 {
		take()
	}
	s[3] += uint64(len(b)) << 56
	if len(rest) == 0 {
		s[2] += filler
		s[3] += filler
	}
	var tail [16]byte
	copy(tail[:], rest)
	s[2] += endian.LittleEndian.Uint64(tail[:])
	s[3] += endian.LittleEndian.Uint64(tail[8:])
	return spookyEnd(&s), nil
}

func spookyMix(s *[4]uint64) {
	for i, turn := range [...]int{50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36} {
		x, y, z := (i+2)%4, (i+3)%4, i%4
		s[x] = bits.RotateLeft64(s[x], turn) + s[y]
		s[z] ^= s[x]
	}
}

func spookyEnd(s *[4]uint64) uint64 {
	for i, turn := range [...]int{15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63} {
		x, y := (i+3)%4, (i+2)%4
		s[x] ^= s[y]
		s[y] = bits.RotateLeft64(s[y], turn)
		s[x] += s[y]
	}
	return s[0]
}
