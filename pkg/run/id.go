package run

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"io"
	"time"
)

// Prefixes of ids. The rest of an id is 24 hex digits.
const (
	PrefixRun     = "run_"
	PrefixCall    = "call_"
	PrefixSession = "ses_"
	PrefixChat    = "chat_"
)

const (
	idBytes     = 12
	idTimeBytes = 5
	// MaxIDLength bounds every id that arrives from outside, in bytes.
	MaxIDLength = 64
)

// NewID returns prefix and 24 hex digits read from random. A nil reader, and
// one that fails, is replaced by the operating system's generator: an id is
// never weaker than that by accident.
func NewID(prefix string, random io.Reader) string {
	var b [idBytes]byte
	fill(b[:], random)
	return prefix + hex.EncodeToString(b[:])
}

// NewIDAt is NewID for what is stored in large numbers: the first ten of the digits are the
// time to 17 ms, so that ids of one time lie together in an index, and what is written
// together touches few of its pages. The other fourteen tell ids of that time apart.
func NewIDAt(prefix string, at time.Time, random io.Reader) string {
	var b [idBytes]byte
	var nanos [8]byte
	binary.BigEndian.PutUint64(nanos[:], uint64(at.UnixNano())) //nolint:gosec // its bits
	fill(b[copy(b[:], nanos[:idTimeBytes]):], random)
	return prefix + hex.EncodeToString(b[:])
}

func fill(b []byte, random io.Reader) {
	if random == nil {
		random = rand.Reader
	}
	if _, err := io.ReadFull(random, b); err != nil {
		_, _ = rand.Read(b) // crypto/rand.Read does not return errors
	}
}

// ValidID reports whether id may be an id that a caller chose: 1 to MaxIDLength
// letters, digits, and the signs "_-.:". Ids end up in logs, file names and
// SQL comments, so nothing else is let in.
func ValidID(id string) bool {
	if id == "" || len(id) > MaxIDLength {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '_', c == '-', c == '.', c == ':':
		default:
			return false
		}
	}
	return true
}
