package parser

import (
	"sync"

	"github.com/antlr4-go/antlr/v4"
	grammar "github.com/bytebase/parser/trino"
)

// maxLearned is how many tokens are read with one set of predictions. The
// grammar's runtime remembers every way through the grammar that a text took,
// for the process's life: texts that all differ, such as a fuzzer's, would fill
// the memory. After so many tokens it starts to learn anew, which costs the next
// few statements some milliseconds each.
const maxLearned = 25_000

// predictions are what the runtime has learned. It is a cache: nothing but speed
// depends on it.
type predictions struct {
	mu       sync.Mutex
	learned  int
	dfas     []*antlr.DFA
	contexts *antlr.PredictionContextCache
}

var shared predictions

// give makes p use and extend the predictions for a text of so many tokens.
func (c *predictions) give(p *grammar.TrinoParser, tokens int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	atn := p.GetATN()
	if c.dfas == nil || c.learned > maxLearned {
		c.learned, c.contexts = 0, antlr.NewPredictionContextCache()
		c.dfas = make([]*antlr.DFA, len(atn.DecisionToState))
		for i, state := range atn.DecisionToState {
			c.dfas[i] = antlr.NewDFA(state, i)
		}
	}
	c.learned += tokens
	p.Interpreter = antlr.NewParserATNSimulator(p, atn, c.dfas, c.contexts)
}
