package preprocess_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/findata/preprocess"
)

func TestSynonymsAreOfMartsAndMayBeEdited(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "synonyms.yaml")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(text string) {
		now = now.Add(time.Hour)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(path, now, now))
	}
	write("groups:\n- {words: [takings, 进账, GMV]}\n- {words: [first mile, 揽收], mart: Logistics}\n")
	s, err := preprocess.NewSynonyms(path, time.Minute, func() time.Time { return now })
	require.NoError(t, err)
	of := func(text string, marts ...string) []string {
		others, err := s.Of(text, func(mart string) bool { return len(marts) > 0 && marts[0] == mart })
		require.NoError(t, err)
		return others
	}
	require.Equal(t, []string{"进账", "GMV"}, of("daily takings"))
	require.Equal(t, []string{"first mile"}, of("揽收时长", "Logistics"))
	require.Empty(t, of("揽收时长"), "words of a mart that the asker does not see say nothing")

	write("groups:\n- {words: [takings, revenue]}\n")
	require.Equal(t, []string{"revenue"}, of("daily takings"))
	write("groups:\n- {words: [takings]}\n")
	others, err := s.Of("daily takings", nil)
	require.ErrorContains(t, err, "fewer than two words")
	require.Equal(t, []string{"revenue"}, others, "what was read before still counts")

	_, err = preprocess.NewSynonyms(filepath.Join(t.TempDir(), "none.yaml"), time.Minute, time.Now)
	require.ErrorContains(t, err, "not there")
}
