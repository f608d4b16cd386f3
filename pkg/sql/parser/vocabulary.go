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

// longestKeyword bounds the length of key words.
const longestKeyword = 32

// keywords are the words that the grammar knows.
type keywords struct {
	kinds map[string]kind // by the word in upper case
	names []bool          // by kind: may be a name without quotes
}

// vocabulary reads the key words off the grammar.
var vocabulary = sync.OnceValue(func() *keywords {
	k := &keywords{
		kinds: map[string]kind{"AUTO": kAuto, "CORRESPONDING": kCorresponding},
		names: make([]bool, kEnd+1),
	}
	lexer := grammar.NewTrinoLexer(antlr.NewInputStream(""))
	for number, literal := range lexer.LiteralNames {
		if word := strings.Trim(literal, "'"); word != "" && isLetter(word[0]) {
			k.kinds[word] = kind(number)
		}
	}
	for _, of := range k.kinds {
		k.names[of] = true
	}
	for line := range strings.Lines(reservedFile) {
		if word := strings.TrimSpace(line); word != "" && word[0] != '#' {
			k.names[k.kinds[word]] = false
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
