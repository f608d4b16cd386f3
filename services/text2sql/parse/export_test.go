package parse

// GrammarOf reads a grammar from a text, for tests of its mistakes.
func GrammarOf(text []byte, weights map[string]float64) (*Grammar, error) {
	return newGrammar(text, weights)
}
