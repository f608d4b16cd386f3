package text2sql

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/prose/prosetest"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
)

// asWritten are the parts of the messages that are no sentences: SQL, ids, names of
// columns and tables, the intent, and words of the asker's own.
var asWritten = []protoreflect.FullName{
	"dibrain.common.v1.SqlStatement.sql", "dibrain.common.v1.ColumnLabel.column", "dibrain.common.v1.TableName",
	"dibrain.common.v1.Option.id", "dibrain.common.v1.Warning.code",
	"dibrain.text2sql.v1.Suggestion.sql", "dibrain.text2sql.v1.UnderstoodSpan.text", "dibrain.text2sql.v1.UnderstoodSpan.kind",
	"dibrain.text2sql.v1.GenerateResult.intent_json", "dibrain.text2sql.v1.GenerateResult.not_understood",
	"dibrain.text2sql.v1.Verified",
}

// TestEverySentenceIsText: whatever of an answer holds a text that does something where
// it is drawn, its sentences leave this service as text, in each outcome.
func TestEverySentenceIsText(t *testing.T) {
	t.Parallel()
	s := &Service{config: Config{MaxAlternatives: 3}}
	for _, outcome := range []pipeline.Outcome{pipeline.Answered, pipeline.Asked, pipeline.Abstained} {
		var out Out
		prosetest.Fill(&out)
		out.Outcome, out.Intent = outcome, nil
		res, err := s.toResult(t.Context(), &text2sqlv1.GenerateQuery{MaxCandidates: 3}, out)
		require.NoError(t, err)
		require.Empty(t, prosetest.Unfit(res, asWritten...), "outcome %v", outcome)
		require.Equal(t, prose.Safe(prosetest.Active), res.GetRestatement())
		require.Equal(t, outcome == pipeline.Answered, len(res.GetCandidates()) == 2)
	}
}
