package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSlipsAreMendedAndTold: a word that is none reads as the general word, or the word of
// a name, that it is with one slip, and the answer says so.
func TestSlipsAreMendedAndTold(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for _, c := range []struct{ slip, right, said, meant string }{
		{"averge fee by species", "average fee by species", "averge", "average"},
		{"Whichh species has the highest average fee?", "Which species has the highest average fee?", "", ""}, // a capital: the first word
		{"hghest fee per species", "highest fee per species", "hghest", "highest"},
		{"How many differrent species are there?", "How many different species are there?", "differrent", "different"},
		{"number of visits by sppecies", "number of visits by species", "sppecies", "species"},
	} {
		got, read := s.ask(t, c.slip)
		want, _ := s.ask(t, c.right)
		require.Equal(t, want, got, c.slip)
		if c.said == "" {
			continue
		}
		told := false
		for _, n := range read.Notes {
			told = told || n.ID == "spelled" && n.Args[0] == c.said && n.Args[1] == c.meant
		}
		require.True(t, told, "%s: %v", c.slip, read.Notes)
	}
}

// TestWordsAreNoSlips: a word of English, a name in capitals, and what two words are near
// to, stay as they are.
func TestWordsAreNoSlips(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for _, question := range []string{
		"average feel by species",      // a word
		"How many visits of Larggest?", // a name
		"lowet fee by species",         // lower or lowest
		"How many visits have a xfees", // another first letter
	} {
		_, read := s.ask(t, question)
		for _, n := range read.Notes {
			require.NotEqual(t, "spelled", n.ID, question)
		}
	}
}
