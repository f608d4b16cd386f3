package semantic

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/printer"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestShow tells every metric of the example in both languages and in SQL.
func TestShow(t *testing.T) {
	t.Parallel()
	layer, err := Load("testdata/full")
	require.NoError(t, err)
	var b strings.Builder
	for _, m := range layer.Metrics {
		for _, in := range []lang.Language{lang.English, lang.Chinese} {
			text, err := layer.InWords(m.ID, in)
			require.NoError(t, err)
			require.NotContains(t, text, "%!", "a sentence misses what is filled in")
			b.WriteString(m.ID + ": " + text + "\n")
		}
		stmt, err := layer.SQL(m.ID, "sg")
		require.NoError(t, err)
		sql := printer.Format(stmt)
		_, err = parser.Parse(sql)
		require.NoError(t, err)
		b.WriteString(sql + "\n\n")
	}
	golden := filepath.Join("testdata", "show.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func TestShowOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	_, err := (&Layer{}).SQL("gmv", "sg")
	require.ErrorContains(t, err, "no metric")
	_, err = (&Layer{}).InWords("gmv", lang.English)
	require.ErrorContains(t, err, "no metric")
}

// TestSentences has a sentence in both languages for every value of a field.
func TestSentences(t *testing.T) {
	t.Parallel()
	words, err := loadSentences()
	require.NoError(t, err)
	var keys []string
	for _, o := range overTimes {
		keys = append(keys, "over_time_"+string(o))
	}
	for _, b := range betters {
		keys = append(keys, "better_"+string(b))
	}
	for _, u := range windowUnits {
		keys = append(keys, "unit_"+u)
	}
	for _, g := range append(grains[1:], toDates...) {
		keys = append(keys, "one_"+g)
	}
	for _, k := range keys {
		require.NotEmpty(t, words[k].EN, k)
		require.NotEmpty(t, words[k].ZH, k)
	}
}
