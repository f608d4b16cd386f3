package team

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// TestMisordered: numbers of several lengths and dates that do not begin with the year are
// out of order as texts; names are not.
func TestMisordered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		stored, against []string
		want            bool
	}{
		{"numbers", []string{"900", "12000"}, nil, true},
		{"numbers of one length", []string{"0900", "1200"}, nil, false},
		{"numbers of one length against a shorter one", []string{"0900", "1200"}, []string{"95"}, true},
		{"decimals", []string{"1.5", "9.5"}, nil, true},
		{"years", []string{"1999", "2004"}, []string{"2000"}, false},
		{"days first", []string{"12/03/1998", "01/07/2004"}, nil, true},
		{"ISO dates", []string{"1998-03-12", "2004-07-01"}, []string{"2000-01-01"}, false},
		{"ISO dates against another form", []string{"1998-03-12", "2004-07-01"}, []string{"01/01/2000"}, true},
		{"Chinese dates", []string{"1998年3月12日"}, nil, true},
		{"names", []string{"Aurora", "12 Monkeys"}, []string{"B"}, false},
		{"numbers and words", []string{"900", "n/a"}, nil, false},
	} {
		require.Equal(t, c.want, misordered(c.stored, c.against), c.name)
	}
}

// TestLossyCasts: a cast that a stored value does not bear is told, and so is the value
// unless a model is asked and the column holds data of persons.
func TestLossyCasts(t *testing.T) {
	t.Parallel()
	for value, types := range map[string]map[string]bool{
		"7.5":        {"double": true, "decimal(10,2)": true, "bigint": false, "date": false, "varchar": true},
		"7,8":        {"double": false, "bigint": false},
		"12":         {"bigint": true, "integer": true, "real": true},
		"2024-03-01": {"date": true, "timestamp": true, "timestamp(3)": true, "double": false},
		"01/03/2024": {"date": false, "timestamp": false},
	} {
		for to, want := range types {
			require.Equal(t, want, bears(value, to), "%s to %s", value, to)
		}
	}
	name := catalog.Name{Region: "eu", Schema: "s", Table: "t"}
	use := []tools.TextUse{{Table: name.String(), Column: "c", To: "double"}}
	for _, personal := range []*catalog.Personal{nil, {Kind: "name"}} {
		words, err := loadWords()
		require.NoError(t, err)
		b := &Board{words: words, Task: Task{Language: lang.English, Strategy: ByModel, Tables: []catalog.Table{{
			Name: name, Columns: []catalog.Column{{Name: "c", Type: "varchar", Samples: []string{"1", " ", "Mary"}, Personal: personal}},
		}}}}
		found := b.texts("x", use)
		require.Len(t, found, 1)
		require.Equal(t, ClassCastLoss, found[0].Class)
		if personal == nil {
			require.Contains(t, found[0].Message, "Mary")
		} else {
			require.NotContains(t, found[0].Message, "Mary")
		}
		b.Task.Tables[0].Columns[0].Samples = []string{"1", " "}
		require.Empty(t, b.texts("x", use), "blanks are nothing to lose")
	}
}
