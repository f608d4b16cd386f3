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

	"github.com/cespare/xxhash/v2"
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
		unary("presto_xxhash64", must(func(b []byte) []byte { return endian.BigEndian.AppendUint64(nil, xxhash.Sum64(b)) })),
	)
}

func sum(h hash.Hash, b []byte) []byte {
	_, _ = h.Write(b) // never fails
	return h.Sum(nil)
}
