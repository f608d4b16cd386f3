package knowledge

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/prose/prosetest"
)

// asStored are the parts of an answer that are no sentences: addresses, names of
// collections and of the strategy.
var asStored = []protoreflect.FullName{
	"dibrain.knowledge.v1.KnowledgeAnswer.strategy",
	"dibrain.knowledge.v1.Citation.url", "dibrain.knowledge.v1.NearestHeading.url", "dibrain.knowledge.v1.Citation.collection",
}

// TestEverySentenceIsText: whatever a document holds that does something where it is
// drawn, the sentences of an answer out of it leave this service as text.
func TestEverySentenceIsText(t *testing.T) {
	t.Parallel()
	var a Answer
	prosetest.Fill(&a)
	m := concluded(t.Context(), a, nil)
	require.Empty(t, prosetest.Unfit(m, asStored...))
	require.Equal(t, prose.Safe(prosetest.Active), m.GetCitations()[0].GetQuote())
	require.Equal(t, prose.Safe(prosetest.Active), m.GetConflicts()[0].GetValues()[0])
}
