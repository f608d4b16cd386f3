package findata

import (
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/services/findata/answer"
	"github.com/dibrain/dibrain/services/findata/memory"
	"github.com/dibrain/dibrain/services/findata/scope"
)

func queryOf(q *findatav1.DiscoverQuery) query {
	out := query{
		Source: q.GetSource(), Text: q.GetUserQuery(),
		UserRegion: q.GetUserContext().GetRegion(), Department: q.GetUserContext().GetDepartment(),
		Background: q.GetUserContext().GetBackground(), Email: q.GetUserContext().GetEmail(),
		Selected: q.GetSelectedTables(), Groups: q.GetSelectedTableGroups(), ChosenOption: q.GetChosenOptionId(), Reply: q.GetClarificationReply(),
		MakeSure:  q.GetScopeStrategy() == findatav1.ScopeStrategy_SCOPE_STRATEGY_USER_MAKE_SURE,
		MaxTables: int(q.GetMaxTables()), ForSQL: q.GetForSql(), Bases: q.GetKnowledgeBaseList(),
	}
	out.Strategy = map[findatav1.Strategy]string{
		findatav1.Strategy_STRATEGY_RULES: StrategyRules, findatav1.Strategy_STRATEGY_LLM: StrategyLLM,
	}[q.GetStrategy()]
	for _, turn := range q.GetChatHistory() {
		out.History = append(out.History, said{ByUser: turn.GetRole() == "user", Text: turn.GetContent()})
	}
	switch q.GetUserContext().GetLanguage() {
	case commonv1.Language_LANGUAGE_EN:
		out.Language = lang.English
	case commonv1.Language_LANGUAGE_ZH:
		out.Language = lang.Chinese
	case commonv1.Language_LANGUAGE_UNSPECIFIED:
	}
	switch q.GetSummaryLevel() {
	case findatav1.SummaryLevel_SUMMARY_LEVEL_FULL:
		out.Level = answer.Full
	case findatav1.SummaryLevel_SUMMARY_LEVEL_EXPERT:
		out.Level = answer.Expert
	case findatav1.SummaryLevel_SUMMARY_LEVEL_UNSPECIFIED, findatav1.SummaryLevel_SUMMARY_LEVEL_SHORT:
		out.Level = answer.Short
	}
	return out
}

func fromDiscovery(d *discovery, toolCallID string) *findatav1.DiscoverResult {
	out := &findatav1.DiscoverResult{RelatedTables: fromShown(d.Tables), Answer: prose.Safe(d.Answer), Marts: d.Marts}
	switch d.Outcome {
	case outcomeFound:
		out.Outcome = findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FOUND
	case outcomeAsk:
		out.Outcome = findatav1.DiscoverOutcome_DISCOVER_OUTCOME_ASK
		out.Question = fromQuestion(d.Question, toolCallID)
	case outcomeFallback:
		out.Outcome = findatav1.DiscoverOutcome_DISCOVER_OUTCOME_FALLBACK
	case outcomeNotFound:
		out.Outcome = findatav1.DiscoverOutcome_DISCOVER_OUTCOME_NOT_FOUND
	}
	out.SampleSql = prose.SafeAll(d.Samples)
	for _, t := range d.Terms {
		term := catalogpb.FromTerm(t)
		term.KnowledgeBase = knowledgeCatalog
		out.GlossaryTerms = append(out.GlossaryTerms, term)
	}
	for _, r := range d.Rules {
		rule := catalogpb.FromRule(r)
		rule.KnowledgeBase = knowledgeCatalog
		out.Rules = append(out.Rules, rule)
	}
	for _, u := range d.Unknown {
		out.UnknownTables = append(out.UnknownTables, &findatav1.UnknownTable{Name: u.Name, Near: answer.Names(u.Near)})
	}
	for _, doc := range d.Docs {
		out.RelatedDocs = append(out.RelatedDocs, &findatav1.RelatedDoc{
			KnowledgeBase: doc.Base, Id: doc.ID, Title: prose.Safe(doc.Title), Text: prose.Safe(doc.Text), Score: doc.Score, Reasons: prose.SafeAll(doc.Reasons),
		})
	}
	for _, m := range d.MissingBases {
		out.MissingKnowledgeBases = append(out.MissingKnowledgeBases, &findatav1.MissingKnowledgeBase{Name: m.Name, Reason: prose.Safe(m.Reason)})
	}
	if c := d.Context; c != nil {
		out.ResultContext = &findatav1.ResultContext{
			Countries: c.Countries, UserRegion: c.UserRegion, Grains: c.Grains, Layers: c.Layers, Subjects: c.Subjects,
			MissingWords: c.Missing, Reformulations: c.Reformulations,
		}
	}
	out.Warnings = fromWarnings(d.Warnings)
	return out
}

func fromWarnings(warnings []warning) []*commonv1.Warning {
	var out []*commonv1.Warning
	for _, w := range warnings {
		out = append(out, &commonv1.Warning{Code: w.Code, Message: prose.Safe(w.Message)})
	}
	return out
}

func fromQuestion(r scope.Result, toolCallID string) *commonv1.Question {
	q := &commonv1.Question{Text: prose.Safe(r.Text), ToolName: toolName, ToolCallId: toolCallID}
	for _, o := range r.Options {
		q.Options = append(q.Options, &commonv1.Option{
			Id: o.ID, Label: prose.Safe(prose.Line(o.Label)), Description: prose.Safe(o.Description),
		})
	}
	return q
}

func fromScopes(c clarified) []*findatav1.ScopeCandidate {
	var out []*findatav1.ScopeCandidate
	for _, one := range c.Scope.Scopes {
		out = append(out, &findatav1.ScopeCandidate{
			Mart: one.Mart, Reason: prose.Safe(one.Reason), Score: one.Score, Description: prose.Safe(c.About[one.Mart]),
		})
	}
	return out
}

func fromAnswered(a answered) *findatav1.AnswerQuestionResponse {
	out := &findatav1.AnswerQuestionResponse{
		Answer: prose.Safe(a.Text), RelatedTables: answer.Names(a.Tables), DontKnowReason: prose.Safe(a.DontKnow), Rounds: int32(a.Rounds),
		SearchedTables: answer.Names(a.Searched), Kind: findatav1.AnswerKind_ANSWER_KIND_DIRECT_ANSWER, Warnings: fromWarnings(a.Warnings),
	}
	if a.DontKnow != "" {
		out.Kind = findatav1.AnswerKind_ANSWER_KIND_DONT_KNOW
	}
	return out
}

func fromShown(tables []answer.Shown) []*findatav1.TableCandidate {
	out := make([]*findatav1.TableCandidate, 0, len(tables))
	for _, t := range tables {
		out = append(out, &findatav1.TableCandidate{
			Table: catalogpb.FromTable(*t.Table), Score: t.Score, Reasons: prose.SafeAll(t.Reasons), Variants: answer.Names(t.Variants), Features: t.Parts.All(),
			KnowledgeBase: knowledgeTables, EntryId: entryID(t), Locked: t.Locked, ApplyHint: prose.Safe(t.ApplyHint),
		})
	}
	return out
}

// entryID is a table's id as an entry of the knowledge base of tables.
func entryID(t answer.Shown) string {
	if t.Named {
		return "prefill_hive_table_" + t.Table.Name.String()
	}
	return "hive_table_" + t.Table.Name.String()
}

func fromPreferences(p memory.Preferences) *findatav1.Preferences {
	return &findatav1.Preferences{Marts: p.Marts, Tables: p.Tables, Region: p.Region, Grain: p.Grain}
}

func fromFigures(f memory.Figures) *findatav1.UseFigures {
	return &findatav1.UseFigures{Shown: f.Shown, ClickRate: f.ClickRate(), AcceptanceRate: f.AcceptanceRate(), Judged: f.Accepted + f.Rejected}
}

func fromExplanations(all []explanation) []*findatav1.TableExplanation {
	out := make([]*findatav1.TableExplanation, 0, len(all))
	kinds := map[excluded]findatav1.ExcludedBy{
		listed:          findatav1.ExcludedBy_EXCLUDED_BY_UNSPECIFIED,
		excludedUnknown: findatav1.ExcludedBy_EXCLUDED_BY_UNKNOWN,
		excludedRegion:  findatav1.ExcludedBy_EXCLUDED_BY_REGION,
		excludedFamily:  findatav1.ExcludedBy_EXCLUDED_BY_FAMILY,
		excludedMart:    findatav1.ExcludedBy_EXCLUDED_BY_MART,
		excludedNoMatch: findatav1.ExcludedBy_EXCLUDED_BY_NO_MATCH,
		excludedRank:    findatav1.ExcludedBy_EXCLUDED_BY_RANK,
	}
	for _, e := range all {
		out = append(out, &findatav1.TableExplanation{
			Table: e.Table, Found: e.Found, Rank: int32(e.Rank), Score: e.Score, Features: e.Features, Reasons: prose.SafeAll(e.Reasons),
			MissingWords: e.Missing, ExcludedBy: kinds[e.Excluded], Message: prose.Safe(e.Message), Instead: e.Instead, Near: answer.Names(e.Near),
		})
	}
	return out
}
