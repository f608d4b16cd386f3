package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/text2sql/internal/reader"
)

// TestWhatIsIncludedIsNoCondition: it says that something is not left out, and the answer
// tells so.
func TestWhatIsIncludedIsNoCondition(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for _, c := range []struct{ question, plain, told string }{
		{"How many pets are there, dogs included?", "How many pets are there?", "dogs"},
		{"How many pets are there, including dogs?", "How many pets are there?", "dogs"},
		{"How many visits in 2030, urgent ones included?", "How many visits in 2030?", "urgent"},
		{"总共有多少宠物（包括dog）？", "总共有多少宠物？", "dog"},
	} {
		got, read := s.ask(t, c.question)
		want, _ := s.ask(t, c.plain)
		require.Equal(t, want, got, c.question)
		require.Empty(t, read.Unread, c.question)
		require.Contains(t, read.Notes, noteOf("included", c.told), c.question)
	}
	for question, want := range map[string]string{"where the fee is not known": "not known", "fees that are missing": "missing", "the fee is known": ""} {
		require.Equal(t, want, s.reader.Question(question, nil, today).Demands().Lack, question)
	}
	got, _ := s.ask(t, "How many pets are dogs?")
	require.Contains(t, got, "species = 'dog'")
	require.Equal(t, "included", s.reader.Question("All rides, cancelled ones included", nil, today).Demands().With)
	require.Empty(t, s.reader.Question("rides including a helmet", nil, today).Demands().With, "it may be what they have in them")
}

func noteOf(id string, args ...string) reader.Note { return reader.Note{ID: id, Args: args} }
