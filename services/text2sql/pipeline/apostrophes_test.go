package pipeline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// Apostrophes of contractions and genitives are written in more than one way; what is quoted
// stays.
func TestCurledApostrophes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"How many haven’t come? What’s the total?": "How many haven't come? What's the total?",
		"named ‘Joe’":              "named ‘Joe’",
		"the boss’s ‘Tea’ they’ve": "the boss's ‘Tea’ they've",
		"Don’Tea":                  "Don’Tea",
	} {
		require.Equal(t, want, straight(text))
	}
}

// What is added in brackets behind the mark at the end is said of the question.
func TestWhatIsAddedInBrackets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"预订有多少？（按入住日期）":             "预订有多少（按入住日期）？",
		"How many stays? (2030)":    "How many stays (2030)?",
		"How many stays (2030)?":    "How many stays (2030)?",
		"Is it so? (a) and (b) too": "Is it so? (a) and (b) too",
	} {
		require.Equal(t, want, inside(text))
	}
}

// An e-mail address is one value of the columns of such, however it stands in the question.
func TestAddressesAreValues(t *testing.T) {
	t.Parallel()
	p, err := New(Config{})
	require.NoError(t, err)
	schema := p.Prepare([]catalog.Table{{Name: catalog.Name{Table: "tickets"}, RowCount: 90, Columns: []catalog.Column{
		{Name: "ticket_id", Type: "bigint", PrimaryKey: true, Distinct: 90},
		{Name: "agent_email", Type: "varchar", Distinct: 3, Personal: &catalog.Personal{Kind: "email"}},
	}}}, nil)
	for _, question := range []string{
		"how many tickets where agent email is kim@help.example",
		`how many tickets where agent email is "kim@help.example"`,
	} {
		got := p.Answer(Input{Question: question, Schema: schema, Now: time.Date(2025, 7, 9, 0, 0, 0, 0, time.UTC)})
		require.Equal(t, Answered, got.Outcome, question)
		require.Contains(t, got.SQL, "'kim@help.example'", question)
	}
}
