package decide

import (
	"testing"

	"github.com/stretchr/testify/require"

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
