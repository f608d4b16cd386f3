package presto

import (
	"crypto/hmac"
	"crypto/md5"  //nolint:gosec // a function of SQL, not a protection
	"crypto/sha1" //nolint:gosec // a function of SQL, not a protection
	"crypto/sha256"
	"crypto/sha512"
	endian "encoding/binary"
	"hash"
	"hash/crc32"
	"math/bits"
)

func hashFunctions() []Function {
	var out []Function
	for _, h := range []struct {
		name string
		make func() hash.Hash
	}{{"md5", md5.New}, {"sha1", sha1.New}, {"sha256", sha256.New}, {"sha512", sha512.New}} {
		out = append(out,
			unary("presto_"+h.name, must(func(b []byte) []byte { return sum(h.make(), b) })),
			binary("presto_hmac_"+h.name, must2(func(b, key []byte) []byte { return sum(hmac.New(h.make, key), b) })))
	}
	return append(out,
		unary("presto_crc32", must(func(b []byte) int64 { return int64(crc32.ChecksumIEEE(b)) })),
		unary("presto_xxhash64", must(func(b []byte) []byte { return endian.BigEndian.AppendUint64(nil, xxhash64(b)) })),
	)
}

func sum(h hash.Hash, b []byte) []byte {
	_, _ = h.Write(b) // never fails
	return h.Sum(nil)
}

// Primes of the XXH64 algorithm, https://github.com/Cyan4973/xxHash.
const (
	prime1 uint64 = 11400714785074694791
	prime2 uint64 = 14029467366897019727
	prime3 uint64 = 1609587929392839161
	prime4 uint64 = 9650029242287828579
	prime5 uint64 = 2870177450012600261
)

// xxhash64 is XXH64 with the seed 0.
func xxhash64(b []byte) uint64 {
	n := uint64(len(b))
	h := prime5
	if len(b) >= 32 {
		first, second := prime1, prime2 // wrap around below
		lanes := [4]uint64{first + second, prime2, 0, -first}
		for ; len(b) >= 32; b = b[32:] {
			for i := range lanes {
				lanes[i] = lane(lanes[i], endian.LittleEndian.Uint64(b[8*i:]))
			}
		}
		h = bits.RotateLeft64(lanes[0], 1) + bits.RotateLeft64(lanes[1], 7) + bits.RotateLeft64(lanes[2], 12) + bits.RotateLeft64(lanes[3], 18)
		for _, l := range lanes {
			h = (h^lane(0, l))*prime1 + prime4
		}
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^lane(0, endian.LittleEndian.Uint64(b)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(endian.LittleEndian.Uint32(b))*prime1, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

func lane(h, input uint64) uint64 { return bits.RotateLeft64(h+input*prime2, 31) * prime1 }
