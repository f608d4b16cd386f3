package cli

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"

	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
)

// TestJSONShowsWhatATerminalWouldObey: a person who looks at JSON sees the characters
// that are there, and programs read the text that was written.
func TestJSONShowsWhatATerminalWouldObey(t *testing.T) {
	t.Parallel()
	const text = "é \u009b2J \u202e \x1b[2J \U000e0041 😀 <b> \ufeff"
	var own, message bytes.Buffer
	require.NoError(t, writeOwnJSON(&own, map[string]string{"text": text}))
	require.NoError(t, writeJSONLine(&message, &routerv1.Answer{Text: text}))
	for _, written := range []string{own.String(), message.String()} {
		require.Contains(t, written, "é")
		require.Contains(t, written, "😀")
		require.Contains(t, written, `\u202e`)
		for _, r := range "\u009b\u202e\x1b\U000e0041\ufeff" {
			require.NotContains(t, written, string(r))
		}
	}
	var back map[string]string
	require.NoError(t, json.Unmarshal(own.Bytes(), &back))
	require.Equal(t, text, back["text"])
	var answer routerv1.Answer
	require.NoError(t, protojson.Unmarshal(message.Bytes(), &answer))
	require.Equal(t, text, answer.GetText())
}
