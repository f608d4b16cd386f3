package findata

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/prose/prosetest"
)

// asStored are the parts of the messages that are no sentences: names, ids and words,
// and the catalog's own descriptions, glossary and rules as they are stored, which other
// services read and whoever shows them cleans.
var asStored = []protoreflect.FullName{
	"dibrain.common.v1.TableDetail", "dibrain.common.v1.GlossaryTerm", "dibrain.common.v1.BusinessRule",
	"dibrain.common.v1.Option.id", "dibrain.common.v1.Question.tool_call_id",
	"dibrain.common.v1.Warning.code",
	"dibrain.findata.v1.DiscoverResult.marts", "dibrain.findata.v1.ResultContext", "dibrain.findata.v1.UnknownTable",
	"dibrain.findata.v1.RelatedDoc.knowledge_base", "dibrain.findata.v1.RelatedDoc.id", "dibrain.findata.v1.MissingKnowledgeBase.name",
	"dibrain.findata.v1.TableCandidate.variants", "dibrain.findata.v1.TableCandidate.entry_id", "dibrain.findata.v1.ScopeCandidate.mart",
	"dibrain.findata.v1.AnswerQuestionResponse.related_tables", "dibrain.findata.v1.AnswerQuestionResponse.searched_tables",
	"dibrain.findata.v1.TableExplanation.table", "dibrain.findata.v1.TableExplanation.missing_words",
	"dibrain.findata.v1.TableExplanation.instead", "dibrain.findata.v1.TableExplanation.near",
}

// TestEverySentenceIsText: whatever of an answer holds a text that does something where
// it is drawn, its sentences leave this service as text.
func TestEverySentenceIsText(t *testing.T) {
	t.Parallel()
	found := discovery{}
	prosetest.Fill(&found)
	found.Outcome = outcomeAsk
	var whereTo clarified
	prosetest.Fill(&whereTo)
	var said answered
	prosetest.Fill(&said)
	why := make([]explanation, 1)
	prosetest.Fill(&why)
	require.Len(t, found.Docs, 1)
	for _, m := range []proto.Message{
		fromDiscovery(&found, "call"),
		&findatav1.ClarifyScopeResponse{Scopes: fromScopes(whereTo), FallbackTables: fromShown(whereTo.Fallback), Warnings: fromWarnings(whereTo.Warnings)},
		fromAnswered(said),
		&findatav1.SearchTablesResponse{Explanations: fromExplanations(why)},
	} {
		require.Empty(t, prosetest.Unfit(m, asStored...), "%T", m)
	}
	require.Equal(t, prose.Safe(prosetest.Active), fromAnswered(said).GetAnswer())
	require.Equal(t, prose.Safe(prosetest.Active), fromScopes(whereTo)[0].GetDescription())
}
