package reader_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
)

// TestTheWholeOfAPart: of what a part is asked for, and what describes rows.
func TestTheWholeOfAPart(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for question, want := range map[string][]string{
		"What percentage of our dogs have a chip?": {"dog"},
		"What share of the dogs were urgent?":      {"dog"},
		"What is the percentage of dogs?":          nil, // dogs among all
		"percentage of dogs that have a chip":      nil, // not sure
		"What percentage of visits were urgent?":   nil, // no value
	} {
		require.Equal(t, want, s.reader.Question(question, s.view, today).Whole(), question)
	}
	for question, want := range map[string]int{
		"urgent visits by pet": 1, "visits by urgency": 0, "are the visits urgent?": 0, "number of visits by urgent": 0,
	} {
		require.Len(t, s.reader.Question(question, s.view, today).Describing(), want, question)
	}
}

// TestOneValueInManySpellings: what differs in capitals and blanks alone is one value to
// people, and all of it is meant.
func TestOneValueInManySpellings(t *testing.T) {
	t.Parallel()
	s := open(t, catalog.Table{Name: catalog.Name{Table: "animals"}, RowCount: 400, Columns: []catalog.Column{
		{Name: "animal_id", Type: "bigint", PrimaryKey: true, Distinct: 400}, {Name: "species", Type: "varchar", Distinct: 4, Samples: []string{"Cat", "CAT", "Cat ", "Dog"}},
		{Name: "blood_group", Type: "varchar", Distinct: 2, Samples: []string{"A", "A-"}},
	}})
	got, _ := s.ask(t, "How many cats are there?")
	require.Contains(t, got, "species IN ('Cat', 'CAT', 'Cat ')")
	got, _ = s.ask(t, "How many dogs are there?")
	require.Contains(t, got, "species = 'Dog'")
	got, _ = s.ask(t, "How many animals have the blood group 'A-'?")
	require.Contains(t, got, "blood_group = 'A-'")
}

// TestNoneOfThemAreNotWantedToBeThere: rows of which there are none are no condition that
// there are some.
func TestNoneOfThemAreNotWantedToBeThere(t *testing.T) {
	t.Parallel()
	s := open(t, clinic()...)
	for _, question := range []string{"Which owners have no pets?", "Which owners never had a pet?"} {
		got, _ := s.ask(t, question)
		require.NotRegexp(t, `[^T] EXISTS`, got, question)
	}
}
