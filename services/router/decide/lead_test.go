package decide

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// TestWhatIsSaidBeforeARequest: a thanks and the news that another question follows are no part of it,
// and a yes that may be an answer is.
func TestWhatIsSaidBeforeARequest(t *testing.T) {
	t.Parallel()
	book, err := words.Open()
	require.NoError(t, err)
	r, err := NewRules(book)
	require.NoError(t, err)
	for said, want := range map[string]struct {
		rest string
		anew bool
	}{
		"Thanks! Different thing: how many customers live in Brecon?": {"how many customers live in Brecon?", true},
		"New question: how many customers get the newsletter?":        {"how many customers get the newsletter?", true},
		"thanks, and by region?":                                      {"and by region?", false},
		"谢谢。换个问题：有多少客户？":                                              {"有多少客户？", true},
		"ok, and drivetrain?":                                         {"ok, and drivetrain?", false},
		"only 2024: how many?":                                        {"only 2024: how many?", false},
		"thanks, bye":                                                 {"thanks, bye", false},
		"thanks, yes":                                                 {"thanks, yes", false},
		"rows, columns":                                               {"rows, columns", false},
	} {
		rest, anew := r.withoutLead(said)
		require.Equal(t, want.rest, rest, said)
		require.Equal(t, want.anew, anew, said)
	}
}

// TestAReadingThatWasAskedAboutIsChanged: whoever goes on after "do you mean this?" takes the reading, so that
// it is what the change is of; a yes before or after it, and a question of its own, are not.
func TestAReadingThatWasAskedAboutIsChanged(t *testing.T) {
	t.Parallel()
	book, err := words.Open()
	require.NoError(t, err)
	r, err := NewRules(book)
	require.NoError(t, err)
	asked := Offered{CallID: "call_a", Label: "number of cars; status = sold"}
	history := []Message{
		{Role: store.RoleUser, Content: "How many sold cars are there?"},
		{Role: store.RoleAssistant, Tool: tools.GenerateSQL, CallID: "call_a", Content: "Do you mean this?", Offered: asked},
	}
	decide := func(said string, history []Message) Decision {
		d, err := r.Decide(t.Context(), In{Question: said, History: history})
		require.NoError(t, err)
		return d
	}
	d := decide("only red ones", history)
	require.Equal(t, "call_a", d.ChangesCall)
	require.Equal(t, asked, d.Taken)
	require.Equal(t, tools.Execute, d.Goal, "the answer is wanted, and not its SQL")

	for _, said := range []string{"no, only red ones", "不对，只看红色的"} {
		d = decide(said, history)
		require.Empty(t, d.ChangesCall, said)
		require.Empty(t, d.Taken, said)
	}
	require.Empty(t, decide("new question: how many cars are red?", history).ChangesCall)
	declined := append(slices.Clone(history), Message{Role: store.RoleUser, Content: "no"}, Message{Role: store.RoleAssistant, Content: "All right."})
	require.Empty(t, decide("only red ones", declined).ChangesCall, "what was turned down is not taken")
}

// TestRowsThatWereShownAreNoTable: several things that are pointed at after an answer are its rows.
func TestRowsThatWereShownAreNoTable(t *testing.T) {
	t.Parallel()
	book, err := words.Open()
	require.NoError(t, err)
	r, err := NewRules(book)
	require.NoError(t, err)
	history := []Message{
		{Role: store.RoleUser, Content: "How many pets are there per species?"},
		{Role: store.RoleAssistant, Tool: tools.DataDiscovery, CallID: "call_a", Tables: []string{"main.pets"}},
		{Role: store.RoleAssistant, Tool: tools.Execute, CallID: "call_b", SQL: "SELECT 1", Content: "dog has the most."},
	}
	decide := func(said string) Decision {
		d, err := r.Decide(t.Context(), In{Question: said, History: history})
		require.NoError(t, err)
		return d
	}
	require.Equal(t, "call_b", decide("the heaviest of these, with the owner").ChangesCall)
	require.Empty(t, decide("who owns that table?").ChangesCall)
}
