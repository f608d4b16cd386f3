package findata

import (
	"context"

	"github.com/dibrain/dibrain/pkg/retrieval"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/findata/memory"
)

// noteShown keeps what a person is shown with the features that ranked it, so that
// what becomes of it can be counted and learned from. The answer does not wait for
// a store that is out of order: that is logged.
func (w *search) noteShown(ctx context.Context) {
	person := run.From(ctx).Principal.ID
	if person == "" || len(w.result.Tables) == 0 || w.result.Outcome == outcomeFallback { // which is no answer
		return
	}
	w.deps.Meter.TablesShown(ctx)
	if w.config().MaxShown < 0 {
		return
	}
	a := memory.Answer{Question: w.asked, Names: retrieval.FeatureNames()}
	for _, t := range w.result.Tables {
		c := memory.Candidate{Table: t.Table.Name.String()}
		stored, ok := w.desk.view.Lookup(t.Table.Name)
		if !ok {
			continue
		}
		for _, f := range w.features[stored] {
			c.Features = append(c.Features, float32(f))
		}
		a.Candidates = append(a.Candidates, c)
	}
	if err := w.memory.AddShown(ctx, person, w.desk.source, a); err != nil {
		w.deps.Log.WarnContext(ctx, "what was shown is not kept", "error", err)
	}
}
