package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// TestTextOfOthersInMessagesIsText: an engine quotes values in its errors, and
// warnings name tables; they leave this service fit to be shown.
func TestTextOfOthersInMessagesIsText(t *testing.T) {
	t.Parallel()
	const (
		active = "[here](http://evil.example/a) ![x](http://evil.example/b)<img src=x>\u202e\x1b[31m"
		shown  = "here (http://evil.example/a) x (http://evil.example/b)‹img src=x>"
	)
	var a Answer
	a.Outcome = OutcomeFailed
	a.Analysis.Answer = active
	a.Analysis.Warnings = []analyse.Warning{{Code: "CODE", Message: active}}
	a.Problem = &Problem{Code: "INVALID_CAST_ARGUMENT", Message: active}
	got, err := (&Service{}).fromAnswer(Query{}, a)
	require.NoError(t, err)
	require.Equal(t, shown, got.GetAnswer())
	require.Equal(t, shown, got.GetWarnings()[0].GetMessage())
	require.Equal(t, shown, got.GetError().GetMessage())
}
