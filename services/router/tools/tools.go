// Package tools is the one table of what the router can call: names, agents,
// typed arguments, and the JSON schema of those arguments. The schema is read
// from the Go types below, and the bounds in it from the protobuf field that an
// argument ends up in, so nothing is written twice.
package tools

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Names of the tools.
const (
	AskHuman        = "ask_human"
	DataDiscovery   = "data_discovery"
	GenerateSQL     = "generate_sql"
	FixSQL          = "fix_sql"
	ExplainSQL      = "explain_sql"
	Execute         = "execute_sql_and_analyze_result"
	ExplainChange   = "explain_change"
	DatasuiteFAQ    = "datasuite_faq"
	DataSuiteExpert = "data_suite_expert"
	SearchLog       = "search_log"
	Reject          = "reject_out_of_scope"
	Analyze         = "analyze"
)

// Names of agents that are not a tool's own.
const (
	AgentCommon = "Common Agent"
	AgentError  = "Error"
)

// Definition describes a tool.
type Definition struct {
	Name        string
	Agent       string
	Description string
	// Direct tools may be named by a request's agent_name and skip the decision.
	Direct bool
	// Unbound tools are never offered to the decision.
	Unbound bool
	// Ends says that the tool has no final intent of its own: its answer ends the
	// turn.
	Ends bool
	// Arguments describes and reads what the tool takes.
	Arguments Arguments
}

// Arguments are what a tool takes.
type Arguments interface {
	// Schema returns the JSON schema of the arguments.
	Schema(ctx context.Context) (map[string]any, error)
	// Parse reads and checks arguments by the schema. The error is an
	// *ArgumentError where the arguments are at fault.
	Parse(ctx context.Context, tool string, raw []byte) (any, error)
}

// AskHumanArgs are the arguments of ask_human.
type AskHumanArgs struct {
	Question string   `json:"question" doc:"The question to the person, in their language." required:"true"`
	Options  []string `json:"options,omitempty" doc:"Choices, most likely first; empty when the answer is free text."`
}

// DataDiscoveryArgs are the arguments of data_discovery.
type DataDiscoveryArgs struct {
	UserQuestion        string   `json:"user_question" doc:"The question, with mentions of tables and groups removed." required:"true" field:"dibrain.findata.v1.DiscoverQuery.user_query"`
	SelectedTables      []string `json:"selected_tables,omitempty" doc:"Tables that the person chose or named, idc_region.schema.table." field:"dibrain.findata.v1.DiscoverQuery.selected_tables"`
	SelectedTableGroups []string `json:"selected_table_groups,omitempty" doc:"Groups: datamart_NAME or topic_NAME." field:"dibrain.findata.v1.DiscoverQuery.selected_table_groups"`
	FinalIntent         string   `json:"final_intent,omitempty" doc:"Goal of the whole turn; stays the same through it." enum:"final_intent"`
}

// GenerateSQLArgs are the arguments of generate_sql.
type GenerateSQLArgs struct {
	UserQuestion                 string `json:"user_question" doc:"The question that the SQL shall answer." required:"true" field:"dibrain.text2sql.v1.GenerateQuery.user_question"`
	RelatedTablesInfo            string `json:"related_tables_info,omitempty" doc:"Words on the tables; what the call below stored wins over them."`
	RelatedTableSourceToolCallID string `json:"related_table_source_tool_call_id,omitempty" doc:"Id of the data_discovery call whose tables are used." field:"dibrain.router.v1.GetToolCallRequest.tool_call_id"`
	FinalIntent                  string `json:"final_intent,omitempty" doc:"Goal of the whole turn; stays the same through it." enum:"final_intent"`
	// A follow-up changes the intent of an earlier call. The rules say so by these; a
	// model writes the whole question instead, and is not offered them.
	PreviousToolCallID string `json:"previous_tool_call_id,omitempty" doc:"Id of the earlier call whose intent follow_up changes." own:"true" field:"dibrain.router.v1.GetToolCallRequest.tool_call_id"`
	FollowUp           string `json:"follow_up,omitempty" doc:"The change, as the person said it." own:"true" field:"dibrain.text2sql.v1.GenerateQuery.follow_up"`
}

// FixSQLArgs are the arguments of fix_sql.
type FixSQLArgs struct {
	SQL         string `json:"sql,omitempty" doc:"The broken statement; needed unless tool_call_id is given." field:"dibrain.fixsql.v1.FixSQLRequest.sql"`
	SQLDialect  string `json:"sql_dialect,omitempty" doc:"Dialect it was written for; empty: Presto SQL." field:"dibrain.fixsql.v1.FixSQLRequest.sql_dialect"`
	ErrorInfo   string `json:"error_info,omitempty" doc:"The engine's error text." field:"dibrain.fixsql.v1.FixSQLRequest.error_info"`
	ToolCallID  string `json:"tool_call_id,omitempty" doc:"Id of the call that the SQL came from." field:"dibrain.router.v1.GetToolCallRequest.tool_call_id"`
	FinalIntent string `json:"final_intent,omitempty" doc:"Goal of the whole turn; stays the same through it." enum:"final_intent"`
}

// ExplainSQLArgs are the arguments of explain_sql.
type ExplainSQLArgs struct {
	SQL        string `json:"sql,omitempty" doc:"The statement; needed unless tool_call_id is given." field:"dibrain.fixsql.v1.ExplainSQLRequest.sql"`
	SQLDialect string `json:"sql_dialect,omitempty" doc:"Dialect; empty: Presto SQL." field:"dibrain.fixsql.v1.ExplainSQLRequest.sql_dialect"`
	ToolCallID string `json:"tool_call_id,omitempty" doc:"Id of the call that the SQL came from." field:"dibrain.router.v1.GetToolCallRequest.tool_call_id"`
}

// ExecuteArgs are the arguments of execute_sql_and_analyze_result.
type ExecuteArgs struct {
	SQL          string `json:"sql,omitempty" doc:"The statement; needed unless tool_call_id is given." field:"dibrain.chatbi.v1.ExecuteQuery.sql"`
	FindDataInfo string `json:"find_data_info,omitempty" doc:"Words on the tables; what is stored wins over them."`
	UserQuestion string `json:"user_question,omitempty" doc:"The question that the result answers." field:"dibrain.chatbi.v1.ExecuteQuery.user_question"`
	ToolCallID   string `json:"tool_call_id,omitempty" doc:"Id of the generate_sql or fix_sql call that the SQL came from." field:"dibrain.router.v1.GetToolCallRequest.tool_call_id"`
	FinalIntent  string `json:"final_intent,omitempty" doc:"Goal of the whole turn; stays the same through it." enum:"final_intent"`
}

// ExplainChangeArgs are the arguments of explain_change.
type ExplainChangeArgs struct {
	UserQuestion string `json:"user_question" doc:"The question why a figure changed, with the figure, its conditions and the period." required:"true" field:"dibrain.text2sql.v1.GenerateQuery.user_question"`
	// "why?" after an answer is about what that one measured. The rules say so by these; a
	// model writes the whole question instead, and is not offered them.
	PreviousToolCallID string `json:"previous_tool_call_id,omitempty" doc:"Id of the earlier call whose figure is asked about." own:"true" field:"dibrain.router.v1.GetToolCallRequest.tool_call_id"`
	FollowUp           string `json:"follow_up,omitempty" doc:"What was asked, as the person said it." own:"true" field:"dibrain.text2sql.v1.GenerateQuery.follow_up"`
}

// FAQArgs are the arguments of datasuite_faq.
type FAQArgs struct {
	UserQuestion string `json:"user_question" doc:"The question about the data platform." required:"true" field:"dibrain.knowledge.v1.FAQQuery.question"`
}

// ExpertArgs are the arguments of data_suite_expert.
type ExpertArgs struct {
	UserQuestion string `json:"user_question" doc:"The question." required:"true" field:"dibrain.knowledge.v1.ExpertQuery.user_question"`
	ProductName  string `json:"product_name,omitempty" doc:"The product; empty: any." field:"dibrain.knowledge.v1.ExpertQuery.product_name"`
	SessionID    string `json:"session_id,omitempty" doc:"Session of the expert; empty: a new one." field:"dibrain.knowledge.v1.ExpertQuery.session_id"`
}

// SearchLogArgs are the arguments of search_log.
type SearchLogArgs struct {
	UserQuestion string `json:"user_question" doc:"What to look for in the logs, in words." required:"true" field:"dibrain.logify.v1.GenerateLogQLRequest.user_question"`
	FinalIntent  string `json:"final_intent,omitempty" doc:"Goal of the whole turn; stays the same through it." enum:"final_intent"`
}

// RejectArgs are the arguments of reject_out_of_scope.
type RejectArgs struct {
	Reason string `json:"reason,omitempty" doc:"unsafe for what must not be done; else out_of_scope." enum:"reject_reason"`
}

// AnalyzeArgs are the arguments of analyze.
type AnalyzeArgs struct {
	Question                     string `json:"question" doc:"The question of the analysis." required:"true" field:"dibrain.analysis.v1.AnalysisQuery.question"`
	RelatedTableSourceToolCallID string `json:"related_table_source_tool_call_id,omitempty" doc:"Id of the data_discovery call whose tables are used." field:"dibrain.router.v1.GetToolCallRequest.tool_call_id"`
}

func of[T any]() Arguments { return newFields(reflect.TypeFor[T]()) }

// Set is a table of tools. It never changes.
type Set struct{ all []Definition }

// New returns the router's own tools and further ones behind them. An error names
// a tool or a direct agent that is there twice.
func New(further ...Definition) (*Set, error) {
	s := &Set{all: slices.Concat(own(), further)}
	for i, d := range s.all {
		if slices.ContainsFunc(s.all[:i], func(o Definition) bool { return o.Name == d.Name || o.Direct && d.Direct && o.Agent == d.Agent }) {
			return nil, fmt.Errorf("the tool %q, or its agent %q, is there already: give it another name", d.Name, d.Agent)
		}
	}
	return s, nil
}

// All returns every tool, in the order in which a list shows them.
func (s *Set) All() []Definition { return slices.Clone(s.all) }

// own are the router's own tools, read once.
var own = sync.OnceValue(func() []Definition {
	return []Definition{
		{Name: AskHuman, Agent: AgentCommon, Arguments: of[AskHumanArgs](),
			Description: "Asks the person when going on would be guessing. Ends the turn."},
		{Name: DataDiscovery, Agent: "Data Discovery", Direct: true, Arguments: of[DataDiscoveryArgs](),
			Description: "Finds tables for a question, describes tables, and answers questions about tables and columns."},
		{Name: GenerateSQL, Agent: "Text2SQL Agent", Arguments: of[GenerateSQLArgs](),
			Description: "Writes Presto SQL for a question over known tables. Does not run it."},
		{Name: FixSQL, Agent: "Fix SQL Agent", Direct: true, Arguments: of[FixSQLArgs](),
			Description: "Repairs a SQL with the smallest change. Does not run it."},
		{Name: ExplainSQL, Agent: "Explain SQL Agent", Ends: true, Direct: true, Arguments: of[ExplainSQLArgs](),
			Description: "Says in words what a SQL reads and returns, and its dangers."},
		{Name: Execute, Agent: "Chat BI Agent", Arguments: of[ExecuteArgs](),
			Description: "Runs a SQL as the asker and analyses the result: figures, findings, a chart."},
		{Name: ExplainChange, Agent: "Explain Change Agent", Ends: true, Arguments: of[ExplainChangeArgs](),
			Description: "Says what accounts for the change of a metric between two periods: factors, places, and since when. Runs its own statements."},
		{Name: DatasuiteFAQ, Agent: "Datasuite FAQ Agent", Arguments: of[FAQArgs](),
			Description: "Answers questions about the data platform itself from documents, with citations."},
		{Name: DataSuiteExpert, Agent: "Data Suite Expert", Ends: true, Direct: true, Unbound: true, Arguments: of[ExpertArgs](),
			Description: "Answers within one product of the platform, over several turns. Only by agent_name."},
		{Name: SearchLog, Agent: "Logify Agent", Direct: true, Arguments: of[SearchLogArgs](),
			Description: "Turns a question about logs into LogQL, and runs it where Loki is configured."},
		{Name: Reject, Agent: AgentCommon, Ends: true, Arguments: of[RejectArgs](),
			Description: "Declines what is not about data, the platform or logs, and says what the system can do."},
		{Name: Analyze, Agent: "Analysis Agent", Ends: true, Arguments: of[AnalyzeArgs](),
			Description: "A long analysis with a plan, SQL and Python steps, and a report."},
	}
})

// Own returns one of the router's own tools.
func Own(name string) (Definition, bool) { return (&Set{all: own()}).ByName(name) }

// Direct returns that of the router's own tools which a request's agent_name
// stands for.
func Direct(agent string) (Definition, bool) { return (&Set{all: own()}).ByDirectAgent(agent) }

// ByName returns a tool.
func (s *Set) ByName(name string) (Definition, bool) {
	return s.find(func(d Definition) bool { return d.Name == name })
}

// ByDirectAgent returns the tool that a request's agent_name stands for.
func (s *Set) ByDirectAgent(agent string) (Definition, bool) {
	return s.find(func(d Definition) bool { return d.Direct && d.Agent == agent })
}

// DirectAgents lists the values that agent_name may have.
func (s *Set) DirectAgents() []string {
	var out []string
	for _, d := range s.all {
		if d.Direct {
			out = append(out, d.Agent)
		}
	}
	return out
}

func (s *Set) find(is func(Definition) bool) (Definition, bool) {
	if i := slices.IndexFunc(s.all, is); i >= 0 {
		return s.all[i], true
	}
	return Definition{}, false
}
