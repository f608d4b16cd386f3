package llm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/llmtest"
)

func TestWhatIsRecordedIsReplayed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sub", "cassette.jsonl")
	s := llmtest.Script(t, llmtest.Answer{Text: "first"}, llmtest.Answer{Text: "second"}, llmtest.Answer{Status: 404},
		llmtest.Answer{Calls: []llmtest.Call{{Name: "f", Arguments: `{"a":1}`}}})
	m, _ := client(t, s, nil)
	rec, err := llm.Record(path, m)
	require.NoError(t, err)
	r := hello()
	r.Prompt = "test.x@1"
	other := hello()
	other.Messages[1].Text = "password: Bearer abcdefgh12345678, <what> & why"
	tools := hello()
	tools.Tools = []llm.Tool{{Name: "f", Description: "d", Schema: map[string]any{"type": "object", "b": 1, "a": 2}}}
	for _, q := range []llm.Request{r, r, other, tools} {
		_, _ = rec.Chat(t.Context(), q)
	}
	require.NoError(t, rec.Close())

	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, secret := range []string{secretKey, "abcdefgh12345678", s.URL} {
		require.NotContains(t, string(raw), secret)
	}
	require.Contains(t, string(raw), "<what> & why", "people read it")

	again, err := llm.Replay(path)
	require.NoError(t, err)
	require.Equal(t, 3, again.Unasked())
	streamed := ""
	// What decides nothing about the answer is no part of the key.
	r.CacheKey, r.OnText, r.Prompt = "another session", func(p string) { streamed += p }, "test.x@2"
	for _, want := range []string{"first", "second", "second"} {
		got, err := again.Chat(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, want, got.Text)
	}
	require.Equal(t, "firstsecondsecond", streamed)
	_, err = again.Chat(t.Context(), other)
	require.Equal(t, llm.ReasonModelUnknown, fault.ReasonOf(err))
	got, err := again.Chat(t.Context(), tools)
	require.NoError(t, err)
	require.Equal(t, "f", got.Calls[0].Name)
	require.Zero(t, again.Unasked())

	tools.Tools[0].Description = "changed"
	_, err = again.Chat(t.Context(), tools)
	require.Equal(t, llm.ReasonNotRecorded, fault.ReasonOf(err))
	_, ok := llm.FallBack(t.Context(), err)
	require.True(t, ok)
}

func TestDamagedCassettesAreRefused(t *testing.T) {
	t.Parallel()
	_, err := llm.Replay(filepath.Join(t.TempDir(), "none"))
	require.Error(t, err)
	for _, text := range []string{"{", `{"request":{"messages":[]}}`, strings.Repeat("x", 5<<20)} {
		path := filepath.Join(t.TempDir(), "c.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := llm.Replay(path)
		require.Error(t, err)
	}
}
