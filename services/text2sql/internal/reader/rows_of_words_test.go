package reader_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoRowOfWordsBreaksTheReader: whatever stands beside what, a question is read or refused.
func TestNoRowOfWordsBreaksTheReader(t *testing.T) {
	t.Parallel()
	const rows, longest = 1500, 9
	words := strings.Split(`how many|which|who|list|what is the|number of|average|total|highest|lowest|most|the most|fewest|most popular|busiest|share of|percentage of|ratio of|rate|`+
		`per|by|in each|each|and|or|to|with a|with their|without|never|not|that are|are|did|over 10|at least 5|three or more different|more than the average|over 10%|under 20 kg|in kW|`+
		`members|tools|loans|branches|people|home branch|introduced|introducer|category|weight|power|fee|full name|phone|signed up|lent|returned|paid|unpaid|outcome|setting|`+
		`damaged|lost|private|trade|Harbour|Jigsaw|urban|"nowhere"|borrowed|lends|visited|in 2025|last month|compared with|against|month|weekday|days|top 5|first|latest|between|sorted by|still|yet`, "|")
	s := open(t, toolshed()...)
	rnd := rand.New(rand.NewPCG(7, 11))
	reads := func(text string) {
		require.NotPanics(t, func() {
			list, _ := s.reader.Question(text, s.view, today).Readings()
			for i := range list {
				_, _ = s.gen.Statement(&list[i].Intent)
			}
		}, text)
	}
	for _, text := range []string{ // that once did
		"How many members have an average fee over 12?", `members with a "nowhere" rate over 10%`, `busiest rate "nowhere" urban`, "who signed up home branch category",
	} {
		reads(text)
	}
	for range rows {
		question := make([]string, 2+rnd.IntN(longest-1))
		for i := range question {
			question[i] = words[rnd.IntN(len(words))]
		}
		reads(strings.Join(question, " "))
	}
}
