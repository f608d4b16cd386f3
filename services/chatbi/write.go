package chatbi

import (
	"context"
	"fmt"
	"math"

	"github.com/dibrain/dibrain/pkg/fault"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
	"github.com/dibrain/dibrain/services/chatbi/llm"
)

// answerID names the answer's own sentence to the model, beside its findings.
const answerID = "answer"

// write has a model write the sentences of an analysis, where one is configured for it.
// Those that do not hold against their finding stay as they are; how many were written is
// in the run's step. A result that shows data of persons is not told unless the
// configuration lets it.
func (s *Service) write(ctx context.Context, q Query, personal bool, a *Answer) {
	if s.writer == nil || a.Analysis.Answer == "" {
		return
	}
	ctx, step := run.Start(budget.Ensure(ctx, s.deps.ModelBudget), "chatbi.write")
	if personal && !s.writer.Personal() {
		step.Set("left_out", "the result shows data of persons")
		step.End(nil)
		return
	}
	findings := []llm.Finding{{ID: answerID, Kind: answerID, Sentence: a.Analysis.Answer}}
	for i, f := range a.Analysis.Findings {
		figures := map[string]float64{}
		for name, v := range f.Evidence {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				figures[name] = v
			}
		}
		findings = append(findings, llm.Finding{ID: fmt.Sprint("f", i+1), Kind: f.Kind, Sentence: f.Text, Figures: figures})
	}
	written, err := s.writer.Write(ctx, findings, a.Analysis.Names, q.Language)
	step.Set("findings", fmt.Sprint(len(findings)))
	step.Set("told", fmt.Sprint(written.Asked))
	step.Set("written", fmt.Sprint(len(written.Sentences)))
	if len(written.Refused) > 0 { // their number alone: the reasons have names and figures
		step.Set("refused", fmt.Sprint(len(written.Refused)))
	}
	step.End(err)
	if err != nil {
		s.modelFailed(ctx, q, err, a)
		return
	}
	if said, ok := written.Sentences[answerID]; ok {
		a.Analysis.Answer = said
	}
	for i := range a.Analysis.Findings {
		if said, ok := written.Sentences[fmt.Sprint("f", i+1)]; ok {
			a.Analysis.Findings[i].Text = said
		}
	}
}

// codeModelFailed is the code of the warning that rules went on without a model.
const codeModelFailed = "MODEL_FAILED"

// modelFailed says that the sentences are the rules' own, and why.
func (s *Service) modelFailed(ctx context.Context, q Query, err error, a *Answer) {
	reason, ok := chat.FallBack(ctx, err)
	switch {
	case ctx.Err() != nil: // nobody waits for an answer
		return
	case !ok:
		reason = "LLM_FAILED"
	}
	s.log.WarnContext(ctx, "sentences stay those of the rules: the model failed", "reason", reason, "error", fault.OperatorText(err))
	a.Analysis.Warnings = append(a.Analysis.Warnings, analyse.Warning{
		Code: codeModelFailed, Message: s.analyst.Sentence(q.Language, "model_failed", map[string]string{"reason": reason}),
	})
}
