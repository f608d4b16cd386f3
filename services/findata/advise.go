package findata

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/llm/prompt"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/findata/answer"
	advice "github.com/dibrain/dibrain/services/findata/llm"
	"github.com/dibrain/dibrain/services/findata/preprocess"
	"github.com/dibrain/dibrain/services/findata/scope"
)

// What a model is told of, and what its words count.
const (
	// manifestTables bounds the tables that it may name in an answer.
	manifestTables = 40
	// detailedTables is how many of them it is told in full at once.
	detailedTables = 3
	// martTables is how many of the best tables tell where a mart is.
	martTables = 12
	// reformulatedWeight is what a word of a reformulation counts in search
	// against one of the question.
	reformulatedWeight = 0.35
)

// admit checks a question and who is to decide, and gives the context a budget
// where that is a model.
func (s *Service) admit(ctx context.Context, q *query) (context.Context, error) {
	if strings.TrimSpace(q.Text) == "" {
		return nil, fault.Invalid("query.user_query", "QUESTION_EMPTY", "the question is empty: say what you want to know")
	}
	if q.Strategy == "" {
		q.Strategy = s.config().Strategy
	}
	if q.Strategy != StrategyLLM {
		return ctx, nil
	}
	if s.advisor == nil {
		return nil, fault.New(codes.FailedPrecondition, llm.ReasonNotConfigured,
			"strategy llm needs a model and none is configured: ask with strategy rules, or set llm.base_url and llm.model")
	}
	return budget.Ensure(ctx, s.deps.ModelBudget), nil
}

// byModel asks the model for one thing and reports whether it answered. Where it
// did not, the rules go on, and the answer says so once. A model that is away or
// out of budget is not asked again for this request.
func (w *search) byModel(ctx context.Context, ask func(ctx context.Context, a *advice.Advisor) error) bool {
	if w.query.Strategy != StrategyLLM || w.result.modelGone {
		return false
	}
	err := ask(ctx, w.advisor)
	if err == nil {
		return true
	}
	reason, _ := llm.FallBack(ctx, err)
	w.result.modelGone = reason != llm.ReasonMalformed && reason != llm.ReasonRefused
	if ctx.Err() != nil { // nobody waits for an answer
		return false
	}
	if reason == "" {
		reason = "LLM_FAILED"
	}
	w.deps.Log.WarnContext(ctx, "rules go on where the model failed", "reason", reason, "error", fault.OperatorText(err))
	if !slices.ContainsFunc(w.result.Warnings, func(have warning) bool { return have.Code == codeModelFailed }) {
		w.warn(codeModelFailed, "model_failed", "reason", reason)
	}
	return false
}

// codeModelFailed is the code of the warning that rules went on without a model.
const codeModelFailed = "MODEL_FAILED"

// effort is how able a model a question needs for its words and its mart.
type effort int

const (
	effortFast   effort = iota
	effortNone          // the rules are sure
	effortStrong        // the rules cannot tell: they would ask back, or find nothing
)

// effortFor decides by what the rules made of the question: rules is their scope.
func (w *search) effortFor(rules scope.Result) effort {
	switch rules.Outcome {
	case scope.Ask, scope.NoMatch:
		return effortStrong
	case scope.Identified:
	default:
		return effortFast
	}
	if w.isSmall() || !w.hasBusinessWords() || w.query.MakeSure || w.query.Reply != "" {
		return effortFast // the score is for sources with business words, and who replied has doubts settled
	}
	if s := w.signs(); s[signKnown] < wholly || w.about.probability(s) < w.config().SureFrom {
		return effortFast
	}
	return effortNone
}

// forModel is the question as a model is told it.
func (w *search) forModel(ctx context.Context) advice.Question {
	q := advice.Question{Text: w.query.Text, Language: w.question.Language, Session: run.From(ctx).SessionID}
	q.Today = w.now.Format("2006-01-02")
	q.Person = prompt.Asker(w.query.Background, w.query.Department, w.query.Email, w.question.Region)
	for _, h := range w.query.History {
		who := "assistant: "
		if h.ByUser {
			who = "person: "
		}
		q.History = append(q.History, who+h.Text)
	}
	return q
}

// reformulate adds the words of the model's reformulations to what is searched
// for. They find tables; they do not decide what the question is about.
func (w *search) reformulate(ctx context.Context) {
	if w.question.OffTopic || len(w.question.Query.Concepts) == 0 && len(w.question.Named) > 0 || w.handsOverWhole() || w.effort == effortNone {
		return
	}
	var versions []string
	w.byModel(ctx, func(ctx context.Context, a *advice.Advisor) (err error) {
		versions, err = a.Reformulate(ctx, w.forModel(ctx), w.questionTerms())
		return err
	})
	w.result.Reformulations = versions
	for _, v := range versions {
		w.desk.volume.Corpus.Also(&w.question.Query, v, reformulatedWeight)
	}
}

// questionTerms are the visible business words of the question.
func (w *search) questionTerms() []catalog.Term {
	var terms []catalog.Term
	for _, c := range w.question.Query.Concepts {
		for _, t := range c.Glossary {
			if w.isVisibleTerm(t) {
				t.Definition = w.desk.text(t.Definition)
				terms = append(terms, t)
			}
		}
	}
	return terms
}

// scopeByModel lets the model decide where nobody named a mart. rules is what the
// rules decided, which stands where the model fails.
func (w *search) scopeByModel(ctx context.Context, r scope.Request, rules scope.Result) scope.Result {
	if rules.Named || rules.Outcome == scope.NoMarts || w.question.OffTopic || w.effort == effortNone {
		return rules
	}
	var decided advice.Scope
	if !w.byModel(ctx, func(ctx context.Context, a *advice.Advisor) (err error) {
		decided, err = a.Scope(ctx, w.martsForModel(ctx, r))
		return err
	}) {
		return rules
	}
	candidates := make([]scope.Candidate, 0, len(decided.Marts))
	for _, m := range decided.Marts {
		candidates = append(candidates, scope.Candidate{Mart: m.Mart, Reason: m.Reason})
	}
	result := w.scopes.Take(r, candidates)
	if decided.Outcome == advice.InsufficientInfo {
		result = w.scopes.Offer(r, candidates)
	}
	if r.Reply != "" && result.Outcome == scope.Ask {
		return w.scopes.Replied(r, result)
	}
	w.aboutByModel = result.Outcome == scope.Identified
	return result
}

// martsForModel is what the model is told to decide a scope. Marts that the asker
// cannot see are in no part of it.
func (w *search) martsForModel(ctx context.Context, r scope.Request) advice.ScopeRequest {
	visible := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return !slices.ContainsFunc(r.Marts, func(m catalog.Mart) bool { return strings.EqualFold(m.Name, name) })
		})
	}
	out := advice.ScopeRequest{
		Question: w.forModel(ctx), Marts: r.Marts, Tables: make(map[string][]string),
		Department: r.Department, Region: r.Region, Frequent: visible(r.Frequent), Previous: visible(r.Previous),
		Hard: w.effort == effortStrong,
	}
	for _, t := range w.ranked[:min(len(w.ranked), martTables)] {
		out.Tables[t.Table.Mart] = append(out.Tables[t.Table.Mart], t.Table.Name.String())
	}
	return out
}

// explainByModel puts the model's words in the place of the rules' ones: an answer
// where the question is about the data itself, else a summary of what was found. Where
// SQL is to be written nobody reads either.
func (w *search) explainByModel(ctx context.Context) {
	if len(w.result.Tables) == 0 || w.query.ForSQL {
		return
	}
	if w.query.AboutData || w.question.Intent != preprocess.IntentNone {
		if a, ok := w.answerByModel(ctx); ok {
			w.result.ByModel, w.result.Answer = &a, cmp.Or(a.Text, w.result.Answer)
		}
		return
	}
	w.byModel(ctx, func(ctx context.Context, a *advice.Advisor) error {
		text, err := a.Summarize(ctx, w.summaryRequest(ctx))
		if err == nil {
			w.result.Answer = text
		}
		return err
	})
}

// summaryRequest is what the model is told to write a summary of what was found.
func (w *search) summaryRequest(ctx context.Context) advice.SummaryRequest {
	r := advice.SummaryRequest{
		Question: w.forModel(ctx), Terms: w.result.Terms, Rules: w.result.Rules,
		Level: map[answer.Level]advice.Level{answer.Short: advice.Short, answer.Full: advice.Full, answer.Expert: advice.Expert}[w.query.Level],
	}
	for _, t := range w.result.Tables {
		r.Tables = append(r.Tables, advice.Found{Table: t.Table, Reasons: t.Reasons})
	}
	return r
}

// answerByModel answers a question about the data.
func (w *search) answerByModel(ctx context.Context) (out advice.Answer, ok bool) {
	ok = w.byModel(ctx, func(ctx context.Context, a *advice.Advisor) (err error) {
		out, err = a.Answer(ctx, w.answerRequest(ctx))
		return err
	})
	return out, ok
}

// answerRequest is what the model is told to answer from: the tables shown, and
// those ranked after them.
func (w *search) answerRequest(ctx context.Context) advice.AnswerRequest {
	r := advice.AnswerRequest{Question: w.forModel(ctx), Terms: w.result.Terms, Rules: w.result.Rules, Detailed: detailedTables}
	of := make(map[string]bool)
	for _, t := range w.result.Tables {
		r.Manifest = append(r.Manifest, t.Table)
		of[t.Table.Mart] = true
	}
	marts, _ := w.desk.marts()
	r.Marts = slices.DeleteFunc(marts, func(m catalog.Mart) bool { return !of[m.Name] })
	for _, t := range w.ranked {
		// One of a family of near twins is enough to know of: it stands for the others.
		known := func(have *catalog.Table) bool {
			return have.Name == t.Table.Name || have.Manifest != "" && have.Manifest == t.Table.Manifest && have.Name.Schema == t.Table.Name.Schema
		}
		if len(r.Manifest) < manifestTables && !slices.ContainsFunc(r.Manifest, known) {
			clean := w.desk.table(t.Table)
			r.Manifest = append(r.Manifest, &clean)
		}
	}
	return r
}
