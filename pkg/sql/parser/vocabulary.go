package parser

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"
)

//go:embed reserved.txt
var reservedFile string

// keywords are the words that the grammar knows, in a hash table: each word of
// each text is looked up.
type keywords struct {
	slots [2048]struct {
		word string // upper case
		kind kind
	}
	names []bool // by kind: may be a name without quotes
}

// kind returns the kind of a word, in any case.
func (k *keywords) kind(word string) kind {
	for at := hash(word); ; at++ {
		slot := &k.slots[at%len(k.slots)]
		switch {
		case slot.word == "":
			return tIdentifier
		case sameWord(slot.word, word):
			return slot.kind
		}
	}
}

func (k *keywords) add(word string, of kind) {
	at := hash(word)
	for k.slots[at%len(k.slots)].word != "" {
		at++
	}
	k.slots[at%len(k.slots)].word, k.slots[at%len(k.slots)].kind = word, of
	k.names[of] = true
}

func hash(word string) int {
	h := uint32(2166136261)
	for i := 0; i < len(word); i++ {
		h = (h ^ uint32(upper(word[i]))) * 16777619
	}
	return int(h >> 8)
}

func sameWord(key, word string) bool {
	if len(key) != len(word) {
		return false
	}
	for i := 0; i < len(key); i++ {
		if key[i] != upper(word[i]) {
			return false
		}
	}
	return true
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// vocabulary reads the key words off the grammar.
var vocabulary = sync.OnceValue(func() *keywords {
	k := &keywords{names: make([]bool, kEnd+1)}
	lexer := grammar.NewTrinoLexer(antlr.NewInputStream(""))
	for number, literal := range lexer.LiteralNames {
		if word := strings.Trim(literal, "'"); word != "" && isLetter(word[0]) {
			k.add(word, kind(number))
		}
	}
	k.add("AUTO", kAuto)
	k.add("CORRESPONDING", kCorresponding)
	for line := range strings.Lines(reservedFile) {
		if word := strings.TrimSpace(line); word != "" && word[0] != '#' {
			k.names[k.kind(word)] = false
		}
	}
	for _, of := range []kind{tIdentifier, tQuotedIdentifier, tBackquotedIdentifier, tDigitIdentifier} {
		k.names[of] = true
	}
	return k
})

// grammarKind returns the grammar's number of a kind. What it does not know is
// nothing that it could read.
func grammarKind(k kind) int {
	switch k {
	case kAuto, kDollarString:
		return int(tUnrecognized)
	case kCorresponding:
		return int(tIdentifier)
	}
	return int(k)
}
