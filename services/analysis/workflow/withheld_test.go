package workflow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/sandbox"
)

// TestWhatWentWrongIsToldWithoutValues: a writer of programs learns the kind of a mistake and
// its line, names of columns and its own words, and nothing that is stored.
func TestWhatWentWrongIsToldWithoutValues(t *testing.T) {
	t.Parallel()
	files := []sandbox.File{
		{Name: "in_1.csv", Data: []byte("first_name,amount,contact\nQuirin,5,quirin@secret.example\n\"Zo\u00eb, Ann\",7,+41 31 555 01 42\n张伟,7,\n")},
		{Name: "in_1.schema.json", Data: []byte(`{"rows": 3}`)},
	}
	code := "rows = float(row['first_name'])\nraise Exception('total amount')"
	for problem, want := range map[string]string{
		"Traceback (most recent call last):\n  File \"main.py\", line 5, in <module>\nValueError: could not convert string to float: 'Quirin'": "Traceback (most recent call last):\n  File \"main.py\", line 5, in <module>\nValueError: could not convert string to float: '…'",
		"KeyError: 'first_name'":                          "KeyError: 'first_name'",
		"unable to parse: QUIRIN, at position 0":          "unable to parse: …, at position 0",
		"wrong: Zo\u00eb, Ann and 张伟":                     "wrong: …, … and …",
		"contact quirin@secret.example, +41 31 555 01 42": "contact …@….…, +… … … … …",
		"Exception: total amount, rows 3":                 "Exception: total amount, rows 3",
		"":                                                "",
	} {
		require.Equal(t, want, withoutValues(problem, code, []string{"first_name", "amount", "contact"}, files), problem)
	}
	require.Equal(t, "KeyError: '…'", withoutValues("KeyError: 'amount'", "", []string{"amounts"}, files[:1]), "what no head is called is a value")
}
