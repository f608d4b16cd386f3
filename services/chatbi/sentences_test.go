package chatbi

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/dibrain/dibrain/pkg/prose/prosetest"
	"github.com/dibrain/dibrain/services/chatbi/explain/words"
)

// asRead are the parts of the messages that are no sentences: SQL, codes, names, the rows
// and the chart as they are drawn.
var asRead = []protoreflect.FullName{
	"dibrain.chatbi.v1.ExecuteResult.executed_sql", "dibrain.common.v1.ResultPage", "dibrain.common.v1.Chart",
	"dibrain.common.v1.Warning.code", "dibrain.common.v1.SqlDiagnostic.code", "dibrain.common.v1.SqlDiagnostic.suggestions",
	"dibrain.common.v1.Finding.kind", "dibrain.common.v1.Finding.evidence",
	"dibrain.common.v1.GuardChange.rule", "dibrain.common.v1.GuardChangeNote.rule",
	"dibrain.common.v1.TableFreshness", "dibrain.common.v1.Certificate.statement_sha256",
}

// asChanged are those of an explained change: the places are values as they are stored.
var asChanged = append([]protoreflect.FullName{
	"dibrain.chatbi.v1.ChangeRun.executed_sql", "dibrain.chatbi.v1.ChangePart.id", "dibrain.chatbi.v1.ChangePlace",
}, asRead...)

// TestEverySentenceIsText: whatever of an answer holds a text that does something where
// it is drawn, its sentences leave this service as text, in each outcome.
func TestEverySentenceIsText(t *testing.T) {
	t.Parallel()
	changes, err := words.New()
	require.NoError(t, err)
	s := &Service{analyst: mustAnalyst(t), changes: changes}
	for _, outcome := range []Outcome{OutcomeDone, OutcomeAsk, OutcomeRefused, OutcomeFailed} {
		var a Answer
		prosetest.Fill(&a)
		a.Outcome, a.Page.Columns, a.Page.Rows = outcome, nil, nil
		res, err := s.fromAnswer(Query{}, a)
		require.NoError(t, err)
		require.Empty(t, prosetest.Unfit(res, asRead...), "outcome %v", outcome)
		require.Equal(t, outcome != OutcomeAsk, len(res.GetCertificate().GetFilters()) == 1, "outcome %v", outcome)
	}
	for _, outcome := range []Outcome{OutcomeDone, OutcomeAsk, OutcomeRefused} {
		var a ChangeAnswer
		prosetest.Fill(&a)
		a.Outcome = outcome
		res, err := s.fromChange(ChangeQuery{Plan: ChangePlan{Factors: []ChangeItem{{ID: prosetest.Active, Name: prosetest.Active}}}}, a)
		require.NoError(t, err)
		require.Empty(t, prosetest.Unfit(res, asChanged...), "outcome %v of a change", outcome)
		require.Len(t, res.GetNotes(), 1)
	}
}
