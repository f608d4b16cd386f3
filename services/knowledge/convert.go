package knowledge

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/run/runpb"
)

// concluded is the message of an answer; a question without one counts as abstained.
// Whatever comes out of a document is made fit to be shown.
func concluded(ctx context.Context, a answer, recorder *run.Recorder) *knowledgev1.KnowledgeAnswer {
	if !a.answered {
		run.Conclude(ctx, run.OutcomeAbstained)
	}
	out := &knowledgev1.KnowledgeAnswer{
		Answered: a.answered, Text: prose.Safe(a.text), Confidence: a.confidence, Ask: prose.Safe(a.ask), Strategy: a.strategy,
		SearchedAs: prose.Safe(a.searchedAs), Trace: runpb.ToTrace(recorder),
	}
	for _, c := range a.citations {
		out.Citations = append(out.Citations, fromCitation(c))
	}
	for _, h := range a.nearest {
		out.NearestHeadings = append(out.NearestHeadings, &knowledgev1.NearestHeading{Section: prose.Safe(h.section), Document: prose.Safe(h.document), Url: h.url})
	}
	for _, c := range a.conflicts {
		m := &knowledgev1.Conflict{}
		for i, cited := range c.cited {
			m.Values, m.Citations = append(m.Values, prose.Safe(c.values[i])), append(m.Citations, fromCitation(cited))
		}
		out.Conflicts = append(out.Conflicts, m)
	}
	for _, w := range a.warnings {
		out.Warnings = append(out.Warnings, prose.Safe(w))
	}
	return out
}

func fromCitation(c citation) *knowledgev1.Citation {
	return &knowledgev1.Citation{
		Document: prose.Safe(c.document), Section: prose.Safe(c.section), Url: c.url, Quote: prose.Safe(c.quote), Score: c.score,
		Collection: c.collection, Product: prose.Safe(c.product), ChangedAt: fromTime(c.changed),
	}
}

func fromTime(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
