package router

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// maxTablesNamed bounds the tables that a text lists.
const maxTablesNamed = 10

// answer puts the turn into words and messages, in the language of the question.
func (s *Service) answer(ctx context.Context, t *turn, took time.Duration) *routerv1.Answer {
	a := &routerv1.Answer{
		RunId: t.root.RunID(), SessionId: t.session.ID, ChatId: t.chatID,
		Language: toProtoLanguage(t.language), FinalIntent: toProtoIntent(t.goal()),
		RewrittenQuestion: t.rewritten(), InterruptionReason: t.interruption,
		Usage: &commonv1.Usage{Milliseconds: took.Milliseconds()}, Outcome: toProtoOutcome(t.outcome()),
	}
	if t.first != nil {
		a.Plan = t.first.Plan
	}
	a.ResponseAgent, a.Text = s.inWords(ctx, t)
	if t.notRun {
		a.Text = join(s.words.Say(t.language, words.NotRunYet), a.Text)
	}
	if t.question != nil {
		a.AskHuman, a.Question = true, t.question
	}
	for _, c := range t.calls {
		a.ToolCalls = append(a.ToolCalls, toProtoCall(&c.ToolCall, c.output))
		a.Warnings = addWarnings(a.Warnings, warningsOf(c.output))
		if r, ok := c.output.(*chatbiv1.ExecuteResult); ok {
			a.Usage.BytesScanned += r.GetCertificate().GetBytesScanned()
		}
	}
	if t.fellBack != "" {
		a.Warnings = addWarnings(a.Warnings, []*commonv1.Warning{{Code: t.fellBack, Message: s.words.Say(t.language, words.ModelAway)}})
	}
	if used := budget.From(ctx).Used(); used.Calls > 0 {
		a.Usage.ModelCalls, a.Usage.ModelTokens = int32(used.Calls), int64(used.Tokens)
		if used.Cost > 0 {
			a.Usage.ModelCost, a.Usage.ModelCurrency = used.Cost, s.deps.ModelCurrency
		}
	}
	a.MidState = s.writeMidState(t.principal, midState{SessionID: t.session.ID, ChatID: t.chatID, RunID: t.root.RunID()})
	return a
}

// inWords returns whose answer it is, and its text. Texts of models, agents, catalogs
// and data come together here: all but the SQL between fences is made fit to be shown.
func (s *Service) inWords(ctx context.Context, t *turn) (agent, text string) {
	say := func(key string, args ...string) string { return s.words.Say(t.language, key, args...) }
	last := t.last()
	agent = tools.AgentCommon
	if last != nil {
		agent = last.AgentName
	}
	switch {
	case t.failure != nil: // rule 1
		s.deps.Log.ErrorContext(ctx, "a turn failed", "error", t.failure)
		return tools.AgentError, say(words.Internal, "run", t.root.RunID())
	case t.interruption != routerv1.InterruptionReason_INTERRUPTION_REASON_UNSPECIFIED:
		return agent, join(s.interrupted(t), s.soFar(t))
	case t.question != nil && (last == nil || t.question.GetToolName() != "" || t.asked == decide.OfferWithout): // rules 2 and 7
		return agent, prose.Safe(questionText(t.question))
	case t.say == words.ArgumentsRefused:
		return agent, prose.Safe(say(t.say, "agent", agent, "reason", t.refusal))
	case t.text != "": // rule 4, in a model's words
		return agent, prose.Safe(t.text)
	case t.say == words.ShowSQL && t.first != nil:
		return agent, join(say(t.say), fenced(t.first.SQL))
	case t.say != "" && t.say != words.Done: // rule 4
		return agent, say(t.say)
	case last == nil:
		return agent, say(words.AskForMore)
	case last.err != nil: // rule 6
		return agent, prose.Safe(last.Error)
	}
	return agent, join(s.silent(t, last), s.outputText(t, last))
}

// silent is what the documents say in a turn that asked the data after them, as neither
// holds an answer; empty: one does.
func (s *Service) silent(t *turn, last *call) string {
	first := t.calls[0]
	if _, is := first.output.(*knowledgev1.KnowledgeAnswer); !is || first == last || usable(last.output) {
		return ""
	}
	return s.outputText(t, first)
}

func (s *Service) interrupted(t *turn) string {
	switch t.interruption {
	case routerv1.InterruptionReason_INTERRUPTION_REASON_TIMEOUT:
		return s.words.Say(t.language, words.TimedOut, "seconds", fmt.Sprintf("%g", s.timeOf(t).Seconds()))
	case routerv1.InterruptionReason_INTERRUPTION_REASON_TOOL_CALL_LIMIT:
		return s.words.Say(t.language, words.CallLimit, "limit", fmt.Sprint(s.config().MaxToolCalls))
	case routerv1.InterruptionReason_INTERRUPTION_REASON_SERVER_STOPPED:
		return s.words.Say(t.language, words.Stopping)
	default:
		return s.words.Say(t.language, words.Cancelled)
	}
}

// soFar is what an interrupted turn has to show: its last good output.
func (s *Service) soFar(t *turn) string {
	for _, c := range slices.Backward(t.calls) {
		if c.output != nil {
			return s.outputText(t, c)
		}
	}
	return ""
}

// outputText puts the output of a call into words.
func (s *Service) outputText(t *turn, c *call) string {
	switch o := c.output.(type) {
	case *text2sqlv1.GenerateResult:
		return s.sqlText(t, o)
	case *fixsqlv1.FixSQLResponse:
		text := s.fixText(t, o)
		if c.repair { // it did not help: the failure comes first
			text = join(prose.Safe(s.lastFailure(t)), text)
		}
		return text
	default:
		return prose.Safe(s.plainText(t, c))
	}
}

// plainText is outputText for outputs without SQL of their own.
func (s *Service) plainText(t *turn, c *call) string {
	say := func(key string, args ...string) string { return s.words.Say(t.language, key, args...) }
	switch o := c.output.(type) {
	case *findatav1.DiscoverResult:
		return s.tablesText(t, o)
	case *fixsqlv1.ExplainSQLResponse:
		return o.GetExplanation()
	case *chatbiv1.ExecuteResult:
		return s.resultText(t, o)
	case *chatbiv1.ExplainResult:
		return s.changeText(t, o)
	case *text2sqlv1.PlanChangeResponse:
		return o.GetAbstainedReason()
	case *knowledgev1.KnowledgeAnswer:
		return knowledgeText(o)
	case *knowledgev1.ExpertAnswer:
		return knowledgeText(o.GetAnswer())
	case *logifyv1.GenerateLogQLResponse:
		text := join(o.GetAnswer(), join(say(words.LogQL, "query", o.GetLogql()), o.GetExplanation()))
		for _, note := range o.GetAssumptions() {
			text += "\n" + note
		}
		if o.GetPage() == nil { // else they are a table beside the text
			for _, v := range o.GetSamples()[:min(len(o.GetSamples()), maxTablesNamed)] {
				text += "\n" + sampleText(v)
			}
		}
		for _, l := range o.GetLines()[:min(len(o.GetLines()), maxTablesNamed)] {
			text += "\n" + prose.Safe(prose.Line(l.GetLine()))
		}
		return text
	case *analysisv1.Analysis:
		if !o.GetHasReport() {
			return o.GetMessage()
		}
		return join(strings.Join(o.GetSummary(), "\n"), say(words.WholeReport, "id", o.GetAnalysisId()))
	case *wrapperspb.StringValue:
		return o.GetValue()
	case *structpb.Struct:
		if a, ok := s.outside[c.ToolName]; ok {
			return a.TextOf(o)
		}
		return ""
	default:
		return ""
	}
}

// sampleText is a number of a metric of logs with the labels of its series.
func sampleText(v *logifyv1.LogSample) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(v.GetLabels())) {
		parts = append(parts, name+"="+v.GetLabels()[name])
	}
	return strings.TrimSpace(prose.Safe(prose.Line(strings.Join(parts, " "))) + " " + strconv.FormatFloat(v.GetValue(), 'f', -1, 64))
}

func (s *Service) tablesText(t *turn, o *findatav1.DiscoverResult) string {
	say := func(key string, args ...string) string { return s.words.Say(t.language, key, args...) }
	var lines []string
	for _, u := range o.GetUnknownTables() {
		line := say(words.TablesUnknown, "name", u.GetName())
		if len(u.GetNear()) > 0 {
			line += t.language.Pick(" ", "") + say(words.TablesNear, "near", strings.Join(u.GetNear(), ", "))
		}
		lines = append(lines, line)
	}
	switch {
	case o.GetAnswer() != "":
		lines = append(lines, o.GetAnswer())
	case len(o.GetRelatedTables()) == 0:
		lines = append(lines, say(words.TablesNone))
	default:
		lines = append(lines, say(words.TablesFound))
		for _, c := range o.GetRelatedTables()[:min(len(o.GetRelatedTables()), maxTablesNamed)] {
			line := "- " + tableName(c.GetTable().GetRef())
			if why := firstText(append([]string{c.GetTable().GetDescription()}, c.GetReasons()...)...); why != "" {
				line += ": " + why
			}
			lines = append(lines, line)
		}
	}
	switch {
	case t.asked == decide.OfferContinue, t.first.Kind == "discovery" && usable(o):
		if t.asked == "" {
			t.asked = decide.OfferGenerate
		}
		lines = append(lines, "", say(words.OfferGenerate))
	}
	return strings.Join(lines, "\n")
}

func (s *Service) sqlText(t *turn, o *text2sqlv1.GenerateResult) string {
	say := func(key string, args ...string) string { return s.words.Say(t.language, key, args...) }
	if len(o.GetCandidates()) == 0 {
		lines := []string{say(words.SQLAbstained, "reason", o.GetAbstainedReason())}
		if n := o.GetNotUnderstood(); len(n) > 0 && !strings.Contains(o.GetAbstainedReason(), n[0]) {
			lines = append(lines, say(words.SQLNotUnderstood, "words", strings.Join(o.GetNotUnderstood(), ", ")))
		}
		for _, c := range slices.Backward(t.calls) {
			if names := tablesOf(c); len(names) > 0 && c.ToolName == tools.DataDiscovery {
				lines = append(lines, say(words.SQLTablesSeen, "tables", strings.Join(names[:min(len(names), maxTablesNamed)], ", ")))
				break
			}
		}
		return prose.Safe(strings.Join(lines, "\n"))
	}
	best := o.GetCandidates()[0]
	lines := []string{say(words.SQLReady), "", fenced(best.GetSql())}
	var told []string
	if read := o.GetRestatement(); read != "" {
		told = append(told, say(words.SQLReadAs, "reading", prose.Safe(read)))
	}
	if best.GetReason() != "" {
		told = append(told, prose.Safe(best.GetReason()))
	}
	if len(told) > 0 {
		lines = append(append(lines, ""), told...)
	}
	for _, assumed := range slices.Concat(o.GetChanges(), best.GetAssumptions()) {
		lines = append(lines, "- "+prose.Safe(assumed))
	}
	if t.question == nil && t.interruption == routerv1.InterruptionReason_INTERRUPTION_REASON_UNSPECIFIED {
		t.asked = decide.OfferExecute
	}
	if t.asked == decide.OfferExecute {
		lines = append(lines, "", say(words.OfferExecute))
	}
	return strings.Join(lines, "\n")
}

func (s *Service) fixText(t *turn, o *fixsqlv1.FixSQLResponse) string {
	say := func(key string, args ...string) string { return s.words.Say(t.language, key, args...) }
	var lines []string
	switch {
	case o.GetChanged():
		lines = append(lines, say(words.SQLFixed), "", fenced(o.GetFixed().GetSql()))
	case len(o.GetRemaining()) == 0:
		lines = append(lines, say(words.SQLUnchanged))
	}
	if o.GetDiagnosis() != "" {
		lines = append(lines, "", prose.Safe(o.GetDiagnosis()))
	}
	for _, c := range o.GetChanges() {
		lines = append(lines, "- "+prose.Safe(c.GetMessage()))
	}
	if len(o.GetRemaining()) > 0 {
		lines = append(lines, prose.Safe(say(words.SQLStillWrong, "errors", diagnostics(o.GetRemaining()))))
	}
	if len(o.GetDangers()) > 0 {
		lines = append(lines, "", say(words.SQLDangers))
	}
	for _, d := range o.GetDangers() {
		lines = append(lines, "- "+prose.Safe(d.GetMessage()))
	}
	return strings.Join(lines, "\n")
}

// resultText is the service's own sentence, which holds the number; repairs of
// this turn are told with it.
func (s *Service) resultText(t *turn, o *chatbiv1.ExecuteResult) string {
	say := func(key string, args ...string) string { return s.words.Say(t.language, key, args...) }
	var text string
	switch o.GetOutcome() {
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE:
		text = o.GetAnswer()
		if text == "" {
			text = say(words.RunDone, "rows", fmt.Sprint(o.GetPage().GetTotalRows()))
		}
	case chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED:
		text = say(words.RunRefused, "error", o.GetError().GetMessage())
	default:
		text = say(words.RunFailed, "error", o.GetError().GetMessage())
	}
	var changes []string
	for _, c := range t.calls {
		if f, ok := c.output.(*fixsqlv1.FixSQLResponse); ok && f.GetChanged() {
			for _, change := range f.GetChanges() {
				changes = append(changes, change.GetMessage())
			}
			if len(f.GetChanges()) == 0 {
				changes = append(changes, f.GetDiagnosis())
			}
		}
	}
	if len(changes) > 0 {
		text = join(text, say(words.RunRepaired, "changes", strings.Join(changes, "; ")))
	}
	return join(t.definition(), join(text, s.changedText(t)))
}

// definition is what the metric of the turn means, where that was asked for; its figure stands
// behind it.
func (t *turn) definition() string {
	for _, c := range slices.Backward(t.calls) {
		o, ok := c.output.(*text2sqlv1.GenerateResult)
		if !ok {
			continue
		}
		for _, u := range o.GetUnderstood() {
			if u.GetKind() == understoodDefinition {
				return u.GetMeaning()
			}
		}
		return ""
	}
	return ""
}

// understoodDefinition is the kind of what text to SQL understood where the meaning of a metric
// is asked for.
const understoodDefinition = "definition"

// changesMade are what the turn changed of the question before, in words; none where it
// is a question of its own.
func (t *turn) changesMade() []string { return t.changed().GetChanges() }

// changed is the newest SQL of the turn that changes the question before; nil: none does.
func (t *turn) changed() *text2sqlv1.GenerateResult {
	for _, c := range slices.Backward(t.calls) {
		if o, ok := c.output.(*text2sqlv1.GenerateResult); ok && len(o.GetChanges()) > 0 {
			return o
		}
	}
	return nil
}

// changedText says what a change of the question before came to, and which earlier one
// is still open; empty: nothing was changed.
func (s *Service) changedText(t *turn) string {
	lines := t.changesMade()
	if len(lines) > 0 && t.first != nil && t.first.Taken.Label != "" {
		reading := s.words.Say(t.language, words.ReadingTaken, "reading", closed(t.first.Taken.Label, t.language))
		lines = slices.Insert(slices.Clone(lines), 0, reading)
	}
	if len(lines) > 0 && t.first != nil && t.first.Open != "" {
		lines = append(slices.Clone(lines), s.words.Say(t.language, words.ChangeOpen, "change", t.first.Open))
	}
	return prose.Safe(strings.Join(lines, map[bool]string{true: "", false: " "}[t.language == lang.Chinese]))
}

// closed ends a sentence that has no end.
func closed(text string, language lang.Language) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "。") {
		return text
	}
	return text + language.Pick(".", "。")
}

// lastFailure tells the failed execution that a repair was tried for.
func (s *Service) lastFailure(t *turn) string {
	if r := t.failedExecution(); r != nil {
		return s.resultText(t, r)
	}
	return ""
}

// failedExecution is the newest execution that failed; nil where there is none.
func (t *turn) failedExecution() *chatbiv1.ExecuteResult {
	for _, c := range slices.Backward(t.calls) {
		if r, ok := c.output.(*chatbiv1.ExecuteResult); ok && failed(r) {
			return r
		}
	}
	return nil
}

func questionText(q *commonv1.Question) string {
	lines := []string{q.GetText()}
	for i, o := range q.GetOptions() {
		line := fmt.Sprintf("%d) %s", i+1, o.GetLabel())
		if o.GetDescription() != "" {
			line += ": " + o.GetDescription()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// knowledgeText is an answer out of documents with what it rests on.
func knowledgeText(o *knowledgev1.KnowledgeAnswer) string {
	var lines []string
	for i, c := range o.GetCitations() {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("[%d] %s, %s %s", i+1, c.GetDocument(), c.GetSection(), c.GetUrl())))
	}
	return join(o.GetText(), strings.Join(lines, "\n"), strings.Join(o.GetWarnings(), "\n"))
}

func diagnostics(ds []*commonv1.SqlDiagnostic) string {
	var out []string
	for _, d := range ds {
		out = append(out, d.GetMessage())
	}
	return strings.Join(out, "; ")
}

// fenced marks SQL as code, with a fence that nothing in it ends.
func fenced(sql string) string {
	fence := "```"
	for strings.Contains(sql, fence) {
		fence += "`"
	}
	return fence + "sql\n" + prose.Visible(sql) + "\n" + fence
}

func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}

func warningsOf(m proto.Message) []*commonv1.Warning {
	if w, ok := m.(interface{ GetWarnings() []*commonv1.Warning }); ok {
		return w.GetWarnings()
	}
	return nil
}

// addWarnings leaves out what is said already.
func addWarnings(all, more []*commonv1.Warning) []*commonv1.Warning {
	for _, w := range more {
		if !slices.ContainsFunc(all, func(have *commonv1.Warning) bool {
			return have.GetCode() == w.GetCode() && have.GetMessage() == w.GetMessage()
		}) {
			all = append(all, w)
		}
	}
	return all
}
