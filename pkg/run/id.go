package run

import (
	"crypto/rand"
	"encoding/hex"
	"io"
)

// Prefixes of ids. The rest of an id is 24 hex digits.
const (
	PrefixRun     = "run_"
	PrefixCall    = "call_"
	PrefixSession = "ses_"
	PrefixChat    = "chat_"
)

const (
	idBytes = 12
	// MaxIDLength bounds every id that arrives from outside, in bytes.
	MaxIDLength = 64
)

// NewID returns prefix and 24 hex digits read from random. A nil reader, and
// one that fails, is replaced by the operating system's generator: an id is
// never weaker than that by accident.
func NewID(prefix string, random io.Reader) string {
	var b [idBytes]byte
	if random == nil {
		random = rand.Reader
	}
	if _, err := io.ReadFull(random, b[:]); err != nil {
		_, _ = rand.Read(b[:]) // crypto/rand.Read does not return errors
	}
	return prefix + hex.EncodeToString(b[:])
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
