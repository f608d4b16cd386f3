package text2sql

import (
	"testing"

	"github.com/stretchr/testify/require"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
)

// TestStoredTextInMessagesIsText: names and descriptions of others stand in warnings,
// questions and reasons; they leave this service fit to be shown.
func TestStoredTextInMessagesIsText(t *testing.T) {
	t.Parallel()
	const (
		active = "[here](http://evil.example/a) ![x](http://evil.example/b)<img src=x>\u202e\x1b[31m"
		shown  = "here (http://evil.example/a) x (http://evil.example/b)‹img src=x>"
	)
	s := &Service{}
	asked, err := s.toResult(t.Context(), &text2sqlv1.GenerateQuery{}, Out{
		Result:   pipeline.Result{Outcome: pipeline.Asked, Question: active, Options: []pipeline.Option{{ID: "id", Label: active}}},
		Warnings: []team.Warning{{Code: "CODE", Message: active}},
	})
	require.NoError(t, err)
	require.Equal(t, shown, asked.GetQuestion().GetText())
	require.Equal(t, shown, asked.GetQuestion().GetOptions()[0].GetLabel())
	require.Equal(t, shown, asked.GetWarnings()[0].GetMessage())
	abstained, err := s.toResult(t.Context(), &text2sqlv1.GenerateQuery{}, Out{Result: pipeline.Result{Outcome: pipeline.Abstained, Reason: active}})
	require.NoError(t, err)
	require.Equal(t, shown, abstained.GetAbstainedReason())
}
