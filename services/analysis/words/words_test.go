package words_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/analysis/words"
)

// TestSentencesAreFilledIn in the language of the asker, English where there is none, each
// place by its name and none twice.
func TestSentencesAreFilledIn(t *testing.T) {
	t.Parallel()
	w, err := words.New()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		language lang.Language
		key      string
		args     []string
		want     string
	}{
		"english":                {lang.English, "step", []string{"step", "s1", "title", "Fees"}, "Step s1: Fees"},
		"chinese":                {lang.Chinese, "step", []string{"step", "s1", "title", "Fees"}, "步骤s1：Fees"},
		"of no language":         {"", "step", []string{"title", "Fees", "step", "s1"}, "Step s1: Fees"},
		"of another language":    {"fr", "approve", nil, "Run it"},
		"a text with a place":    {lang.English, "step", []string{"step", "{title}", "title", "Fees"}, "Step {title}: Fees"},
		"nothing to be filled":   {lang.English, "began", nil, "Reading the question."},
		"a name without a text":  {lang.English, "step", []string{"step", "s1", "title"}, "Step s1: {title}"},
		"a key that nobody made": {lang.English, "no_such_key", []string{"a", "b"}, "no_such_key"},
	} {
		require.Equal(t, c.want, w.Say(c.language, c.key, c.args...), name)
	}
	require.True(t, w.Has("step"))
	require.False(t, w.Has("no_such_key"))
}
