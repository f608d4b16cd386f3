package router

import (
	"errors"
	"slices"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// outcome is what came of a turn, as its asker would say it.
func (t *turn) outcome() run.Outcome {
	switch t.interruption {
	case routerv1.InterruptionReason_INTERRUPTION_REASON_CANCELLED:
		return run.OutcomeCancelled
	case routerv1.InterruptionReason_INTERRUPTION_REASON_TIMEOUT, routerv1.InterruptionReason_INTERRUPTION_REASON_TOOL_CALL_LIMIT,
		routerv1.InterruptionReason_INTERRUPTION_REASON_SERVER_STOPPED:
		return run.OutcomeCut
	}
	switch last := t.last(); {
	case t.failure != nil:
		return run.OutcomeFailed
	case t.question != nil:
		return run.OutcomeAsked
	case t.say != "" && t.say != words.Done:
		return outcomeOfWords(t.say)
	case last == nil && t.text == "":
		return run.OutcomeAsked // for more
	case last == nil || t.text != "":
		return run.OutcomeAnswered
	default:
		return t.outcomeOf(last)
	}
}

// outcomeOfWords is the outcome of a turn that ends with words of the router.
func outcomeOfWords(key string) run.Outcome {
	switch key {
	case words.OutOfScope, words.Unsafe, words.ArgumentsRefused:
		return run.OutcomeRefused
	case words.AskForMore, words.NarrowDown:
		return run.OutcomeAsked
	default:
		return run.OutcomeAnswered
	}
}

// outcomeOf is the outcome of the call that ends the turn.
func (t *turn) outcomeOf(c *call) run.Outcome {
	var wrong *tools.ArgumentError
	switch {
	case errors.Is(c.err, errNotServed), errors.As(c.err, &wrong), c.ToolName == tools.Reject:
		return run.OutcomeRefused
	case c.err != nil:
		return run.OutcomeOf(c.err)
	}
	switch o := c.output.(type) {
	case *findatav1.DiscoverResult:
		if o.GetAnswer() == "" && len(o.GetRelatedTables()) == 0 {
			return run.OutcomeAbstained
		}
	case *text2sqlv1.GenerateResult:
		if len(o.GetCandidates()) == 0 {
			return run.OutcomeAbstained
		}
	case *fixsqlv1.FixSQLResponse:
		if before := t.failedExecution(); c.repair && before != nil {
			return outcomeOfExecution(before)
		}
		if len(o.GetRemaining()) > 0 {
			return run.OutcomeAbstained
		}
	case *chatbiv1.ExecuteResult:
		return outcomeOfExecution(o)
	case *chatbiv1.ExplainResult:
		return outcomeOfChange(o)
	case *text2sqlv1.PlanChangeResponse:
		return run.OutcomeAbstained
	case *analysisv1.Analysis:
		if !o.GetHasReport() {
			return run.OutcomeAbstained
		}
	case *knowledgev1.KnowledgeAnswer:
		return outcomeOfKnowledge(o)
	case *knowledgev1.ExpertAnswer:
		return outcomeOfKnowledge(o.GetAnswer())
	}
	return run.OutcomeAnswered
}

// outcomeOfKnowledge is the outcome of a question to documents.
func outcomeOfKnowledge(a *knowledgev1.KnowledgeAnswer) run.Outcome {
	if !a.GetAnswered() {
		return run.OutcomeAbstained
	}
	return run.OutcomeAnswered
}

// outcomeOfExecution is the outcome of a statement that ran, or did not.
func outcomeOfExecution(r *chatbiv1.ExecuteResult) run.Outcome {
	switch r.GetOutcome() {
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED:
		return run.OutcomeOfProblem(r.GetError().GetCode(), r.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED)
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK:
		return run.OutcomeAsked
	default:
		return run.OutcomeAnswered
	}
}

// toProtoOutcome translates to the contract.
func toProtoOutcome(o run.Outcome) routerv1.Outcome {
	switch o {
	case run.OutcomeAnswered:
		return routerv1.Outcome_OUTCOME_ANSWERED
	case run.OutcomeAsked:
		return routerv1.Outcome_OUTCOME_ASKED
	case run.OutcomeAbstained:
		return routerv1.Outcome_OUTCOME_ABSTAINED
	case run.OutcomeRefused:
		return routerv1.Outcome_OUTCOME_REFUSED
	case run.OutcomeDenied:
		return routerv1.Outcome_OUTCOME_DENIED
	case run.OutcomeCut:
		return routerv1.Outcome_OUTCOME_CUT
	case run.OutcomeFailed:
		return routerv1.Outcome_OUTCOME_FAILED
	case run.OutcomeCancelled:
		return routerv1.Outcome_OUTCOME_CANCELLED
	default:
		return routerv1.Outcome_OUTCOME_UNSPECIFIED
	}
}

// confidence is how sure the writer of the SQL was that the turn answered with, in classes.
// A statement that a person wrote, or an earlier turn, has it in its certificate.
func (t *turn) confidence() meter.Confidence {
	ran := meter.NotTold
	for _, c := range slices.Backward(t.calls) {
		switch o := c.output.(type) {
		case *text2sqlv1.GenerateResult:
			return meter.ConfidenceOf(o.GetConfidence())
		case *chatbiv1.ExecuteResult:
			ran = meter.ConfidenceOf(o.GetCertificate().GetConfidence())
		}
	}
	return ran
}
