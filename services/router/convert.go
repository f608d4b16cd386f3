package router

import (
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	knowledgev1 "github.com/dibrain/dibrain/gen/dibrain/knowledge/v1"
	logifyv1 "github.com/dibrain/dibrain/gen/dibrain/logify/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run/runpb"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
)

// toProtoCall returns the message of a call; output may be nil.
func toProtoCall(c *store.ToolCall, output proto.Message) *routerv1.ToolCall {
	out := &routerv1.ToolCall{
		ToolCallId: c.ID, ToolName: c.ToolName, AgentName: c.AgentName, Arguments: toStruct(c.Arguments),
		SourceToolCallId: c.SourceID, NextToolCallId: c.NextID, RunId: c.RunID, Status: runpb.FromStatus(c.Status),
		StartedAt: toTimestamp(c.StartedAt), EndedAt: toTimestamp(c.EndedAt), Error: c.Error, ErrorReason: c.ErrorReason,
	}
	switch o := output.(type) {
	case *findatav1.DiscoverResult:
		out.Output = &routerv1.ToolCall_DataDiscovery{DataDiscovery: o}
	case *text2sqlv1.GenerateResult:
		out.Output = &routerv1.ToolCall_GenerateSql{GenerateSql: o}
	case *fixsqlv1.FixSQLResponse:
		out.Output = &routerv1.ToolCall_FixSql{FixSql: o}
	case *fixsqlv1.ExplainSQLResponse:
		out.Output = &routerv1.ToolCall_ExplainSql{ExplainSql: o}
	case *chatbiv1.ExecuteResult:
		out.Output = &routerv1.ToolCall_Execute{Execute: o}
	case *chatbiv1.ExplainResult:
		out.Output = &routerv1.ToolCall_ExplainChange{ExplainChange: o}
	case *text2sqlv1.PlanChangeResponse:
		out.Output = &routerv1.ToolCall_Text{Text: o.GetAbstainedReason()}
	case *structpb.Struct:
		out.Output = &routerv1.ToolCall_Outside{Outside: o}
	case *wrapperspb.StringValue:
		out.Output = &routerv1.ToolCall_Text{Text: o.GetValue()}
	case *knowledgev1.KnowledgeAnswer:
		out.Output = &routerv1.ToolCall_Text{Text: o.GetText()}
	case *knowledgev1.ExpertAnswer:
		out.Output = &routerv1.ToolCall_Text{Text: o.GetAnswer().GetText()}
	case *logifyv1.GenerateLogQLResponse:
		out.Output = &routerv1.ToolCall_Text{Text: o.GetLogql()}
		out.Page, out.Chart = o.GetPage(), o.GetChart()
	case interface{ GetMessage() string }:
		out.Output = &routerv1.ToolCall_Text{Text: o.GetMessage()}
	}
	return out
}

func toStruct(raw []byte) *structpb.Struct {
	if len(raw) == 0 {
		return nil
	}
	var fields map[string]any
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	s, err := structpb.NewStruct(fields)
	if err != nil {
		return nil
	}
	return s
}

func toTimestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

func toProtoLanguage(l lang.Language) commonv1.Language {
	if l == lang.Chinese {
		return commonv1.Language_LANGUAGE_ZH
	}
	return commonv1.Language_LANGUAGE_EN
}

// intents pairs the goals with their enum.
func intents() map[string]routerv1.FinalIntent {
	return map[string]routerv1.FinalIntent{
		tools.DataDiscovery: routerv1.FinalIntent_FINAL_INTENT_DATA_DISCOVERY,
		tools.GenerateSQL:   routerv1.FinalIntent_FINAL_INTENT_GENERATE_SQL,
		tools.FixSQL:        routerv1.FinalIntent_FINAL_INTENT_FIX_SQL,
		tools.Execute:       routerv1.FinalIntent_FINAL_INTENT_EXECUTE_SQL_AND_ANALYZE_RESULT,
		tools.SearchLog:     routerv1.FinalIntent_FINAL_INTENT_SEARCH_LOG,
	}
}

func toProtoIntent(goal string) routerv1.FinalIntent { return intents()[goal] }

func fromProtoIntent(intent routerv1.FinalIntent) string {
	for goal, of := range intents() {
		if of == intent {
			return goal
		}
	}
	return ""
}

func toProtoSession(s store.Session) *routerv1.Session {
	return &routerv1.Session{SessionId: s.ID, Title: s.Title, Source: s.Source,
		CreatedAt: toTimestamp(s.CreatedAt), UpdatedAt: toTimestamp(s.UpdatedAt), Turns: int32(s.Turns)}
}

func toProtoMessage(m store.Message) *routerv1.Message {
	return &routerv1.Message{Role: m.Role, Content: m.Content, RunId: m.RunID, ChatId: m.ChatID,
		CreatedAt: toTimestamp(m.CreatedAt), ToolCallIds: m.ToolCallIDs}
}

// tableName writes a table's parts as idc_region.schema.table.
func tableName(ref *commonv1.TableRef) string {
	var parts []string
	for _, p := range []string{ref.GetIdcRegion(), ref.GetSchema(), ref.GetTable()} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ".")
}
