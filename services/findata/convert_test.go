package findata

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/services/findata/scope"
)

// active is text as a table's owner may have stored it; shown is what is told of it.
const (
	active = "see [here](http://evil.example/a) ![x](http://evil.example/b)<img src=x>\u202e\x1b[31m"
	shown  = "see here (http://evil.example/a) x (http://evil.example/b)‹img src=x>"
)

// TestStoredTextInMessagesIsText: what is stored leaves this service fit to be shown,
// whoever draws it.
func TestStoredTextInMessagesIsText(t *testing.T) {
	t.Parallel()
	d := fromDiscovery(&discovery{
		Outcome: outcomeAsk, Answer: active, Warnings: []warning{{"CODE", active}},
		Question: scope.Result{Text: active, Options: []scope.Option{{ID: "id", Label: "two\nlines " + active, Description: active}}},
	}, "call")
	require.Equal(t, shown, d.GetAnswer())
	require.Equal(t, shown, d.GetWarnings()[0].GetMessage())
	require.Equal(t, shown, d.GetQuestion().GetText())
	option := d.GetQuestion().GetOptions()[0]
	require.Equal(t, "two lines "+shown, option.GetLabel())
	require.Equal(t, shown, option.GetDescription())
	require.Equal(t, "id", option.GetId())
}
