package remote

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"regexp"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/dibrain/dibrain/pkg/retrieval/lexical"
	"github.com/dibrain/dibrain/pkg/retrieval/vector"
)

// Names makes the names that a source has on a server: an alias, and an index for
// each generation, which is named by its content, so that replicas that index the
// same content use the same index and what is there is not sent again.
type Names struct {
	Prefix, Separator string
}

// Alias returns the name that stands for the current generation of a source.
func (n Names) Alias(source string) string { return n.Prefix + n.Separator + source }

// Generation returns the name of a generation.
func (n Names) Generation(source string, print Print) string {
	return n.Alias(source) + n.Separator + print.String()
}

// IsGeneration tells whether a name is of a generation of the source, and not of
// another source whose name begins alike.
func (n Names) IsGeneration(source, name string) bool {
	rest, ok := strings.CutPrefix(name, n.Alias(source)+n.Separator)
	return ok && len(rest) == printDigits && strings.Trim(rest, "0123456789abcdef") == ""
}

var plain = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)

// IsPlain tells whether a prefix or a source's name can be part of a name on any
// of the servers.
func IsPlain(name string) bool { return plain.MatchString(name) }

const printDigits = 16

// Print is a fingerprint of content.
type Print uint64

// String returns 16 hexadecimal digits.
func (p Print) String() string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(p)))
}

// PrintOfDocuments returns the fingerprint of documents together with settings
// that the index is made by.
func PrintOfDocuments(docs *lexical.Documents, settings string) Print {
	h := newSum(settings)
	for n := range docs.Size() {
		h.labels(docs.Labels(n))
		for _, p := range docs.Of(n) {
			h.text(docs.Term(p.Term))
			h.number(uint64(p.Field())<<32 | uint64(p.Count()))
		}
	}
	return h.print()
}

// PrintOfVectors returns the fingerprint of vectors together with settings.
func PrintOfVectors(set vector.Set, settings string) Print {
	h := newSum(settings)
	h.number(uint64(set.Dim))
	for _, v := range set.Data {
		h.number(uint64(math.Float32bits(v)))
	}
	for _, l := range set.Labels {
		h.labels(l)
	}
	return h.print()
}

// sum adds up what a fingerprint is of.
type sum struct {
	digest *xxhash.Digest
	buf    []byte
}

func newSum(settings string) *sum {
	s := &sum{digest: xxhash.New()}
	s.text(settings)
	return s
}

func (s *sum) number(v uint64) {
	s.buf = binary.LittleEndian.AppendUint64(s.buf[:0], v)
	_, _ = s.digest.Write(s.buf) // never fails
}

func (s *sum) text(t string) {
	s.number(uint64(len(t)))
	_, _ = s.digest.WriteString(t)
}

func (s *sum) labels(l lexical.Labels) {
	s.text(l.Region)
	s.text(l.Schema)
	s.text(l.Mart)
}

func (s *sum) print() Print { return Print(s.digest.Sum64()) }
