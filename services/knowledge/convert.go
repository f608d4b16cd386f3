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
func concluded(ctx context.Context, a Answer, recorder *run.Recorder) *knowledgev1.KnowledgeAnswer {
	if !a.Answered {
		run.Conclude(ctx, run.OutcomeAbstained)
	}
	out := &knowledgev1.KnowledgeAnswer{
		Answered: a.Answered, Text: prose.Safe(a.Text), Confidence: a.Confidence, Ask: prose.Safe(a.Ask), Strategy: a.Strategy,
		SearchedAs: prose.Safe(a.SearchedAs), Trace: runpb.ToTrace(recorder),
	}
	for _, c := range a.Citations {
		out.Citations = append(out.Citations, fromCitation(c))
	}
	for _, h := range a.Nearest {
		out.NearestHeadings = append(out.NearestHeadings, &knowledgev1.NearestHeading{Section: prose.Safe(h.Section), Document: prose.Safe(h.Document), Url: h.URL})
	}
	for _, c := range a.Conflicts {
		m := &knowledgev1.Conflict{}
		for i, cited := range c.Cited {
			m.Values, m.Citations = append(m.Values, prose.Safe(c.Values[i])), append(m.Citations, fromCitation(cited))
		}
		out.Conflicts = append(out.Conflicts, m)
	}
	for _, w := range a.Warnings {
		out.Warnings = append(out.Warnings, prose.Safe(w))
	}
	return out
}

func fromCitation(c Citation) *knowledgev1.Citation {
	return &knowledgev1.Citation{
		Document: prose.Safe(c.Document), Section: prose.Safe(c.Section), Url: c.URL, Quote: prose.Safe(c.Quote), Score: c.Score,
		Collection: c.Collection, Product: prose.Safe(c.Product), ChangedAt: fromTime(c.Changed),
	}
}

func fromTime(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
