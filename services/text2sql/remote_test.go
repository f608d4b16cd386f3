package text2sql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogpb"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/result/resultpb"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/warehouse"
	"github.com/dibrain/dibrain/services/text2sql/intent"
	"github.com/dibrain/dibrain/services/text2sql/pipeline"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

var errAway = errors.New("it is away")

// others are the services that this one calls: each notes what it is asked and for how
// long it may take, and answers what a test says.
type others struct {
	chatbiv1.ChatBIServiceClient
	fixsqlv1.FixSQLServiceClient
	findatav1.CatalogServiceClient
	ran       *chatbiv1.ExecuteQuery
	fix       *fixsqlv1.FixSQLRequest
	list      *findatav1.ListTablesRequest
	describe  *findatav1.DescribeTablesRequest
	within    time.Duration
	executed  *chatbiv1.ExecuteResult
	fixed     *fixsqlv1.FixSQLResponse
	described []catalog.Table
	err       error
}

func (o *others) note(ctx context.Context) error {
	if at, ok := ctx.Deadline(); ok {
		o.within = time.Until(at)
	}
	return o.err
}

func (o *others) ExecuteAndAnalyzeUnary(ctx context.Context, in *chatbiv1.ExecuteAndAnalyzeUnaryRequest, _ ...grpc.CallOption) (*chatbiv1.ExecuteAndAnalyzeUnaryResponse, error) {
	o.ran = in.GetQuery()
	return &chatbiv1.ExecuteAndAnalyzeUnaryResponse{Result: o.executed}, o.note(ctx)
}

func (o *others) FixSQL(ctx context.Context, in *fixsqlv1.FixSQLRequest, _ ...grpc.CallOption) (*fixsqlv1.FixSQLResponse, error) {
	o.fix = in
	return o.fixed, o.note(ctx)
}

func (o *others) ListTables(ctx context.Context, in *findatav1.ListTablesRequest, _ ...grpc.CallOption) (*findatav1.ListTablesResponse, error) {
	o.list = in
	return &findatav1.ListTablesResponse{Tables: catalogpb.FromTables(o.described)}, o.note(ctx)
}

func (o *others) DescribeTables(ctx context.Context, in *findatav1.DescribeTablesRequest, _ ...grpc.CallOption) (*findatav1.DescribeTablesResponse, error) {
	o.describe = in
	return &findatav1.DescribeTablesResponse{Tables: catalogpb.FromTables(o.described)}, o.note(ctx)
}

// emptyService is a service over a source "shop" without tables of its own, and the
// services that it calls.
func emptyService(t *testing.T) (*Service, *others) {
	t.Helper()
	data := t.TempDir()
	store, err := source.Open(data)
	require.NoError(t, err)
	_, err = store.Make(t.Context(), "shop", func(context.Context, string) (source.Manifest, *catalog.Snapshot, error) {
		return source.Manifest{Engine: source.EngineDuckDB, DefaultRegion: "eu", DefaultSchema: "s"}, &catalog.Snapshot{}, nil
	})
	require.NoError(t, err)
	o := &others{}
	s, err := New(Config{DefaultSource: "shop"}, Deps{Sources: store, Catalog: o, DataDir: data})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, o
}

// withinMinutes holds that a call had a bound, and the one that was configured.
func (o *others) withinMinutes(t *testing.T, n int) {
	t.Helper()
	require.InDelta(t, time.Duration(n)*time.Minute, o.within, float64(time.Minute))
}

// TestWhatATryOfACandidateComesTo: each outcome of chat BI is what the tools are told.
func TestWhatATryOfACandidateComesTo(t *testing.T) {
	t.Parallel()
	page := func(change func(*commonv1.ResultPage)) *commonv1.ResultPage {
		p, err := resultpb.ToPage(result.Table{Columns: []result.Column{{Name: "town", Type: "varchar"}, {Name: "n", Type: "bigint"}}, Rows: [][]any{{"Rome", int64(7)}, {nil, int64(8)}}})
		require.NoError(t, err)
		change(p)
		return p
	}
	rows := [][]any{{"Rome", int64(7)}, {nil, int64(8)}}
	failed := &commonv1.SqlDiagnostic{Code: "DIVISION_BY_ZERO", Message: "by zero", Position: &commonv1.SqlPosition{Line: 3, Column: 9}}
	want := &warehouse.Error{Name: "DIVISION_BY_ZERO", Message: "by zero", Line: 3, Column: 9}
	for name, c := range map[string]struct {
		result *chatbiv1.ExecuteResult
		rows   tools.Rows
		err    error
	}{
		"all rows": {&chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Page: page(func(*commonv1.ResultPage) {})}, tools.Rows{Columns: []string{"town", "n"}, Rows: rows}, nil},
		"cut by the engine": {&chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Page: page(func(p *commonv1.ResultPage) { p.Truncated = true })},
			tools.Rows{Columns: []string{"town", "n"}, Rows: rows, Truncated: true}, nil},
		"a first page": {&chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Page: page(func(p *commonv1.ResultPage) { p.NextPageToken = "t" })},
			tools.Rows{Columns: []string{"town", "n"}, Rows: rows, Truncated: true}, nil},
		"failed":     {&chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_FAILED, Error: failed}, tools.Rows{}, want},
		"refused":    {&chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_REFUSED, Error: failed}, tools.Rows{}, want},
		"for a yes":  {&chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_ASK}, tools.Rows{}, tools.ErrNotRun},
		"who knows":  {&chatbiv1.ExecuteResult{}, tools.Rows{}, tools.ErrNotRun},
		"odd page":   {&chatbiv1.ExecuteResult{Outcome: chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE, Page: page(func(p *commonv1.ResultPage) { p.Columns = p.Columns[:1] })}, tools.Rows{}, errors.New("read the result")},
		"it is away": {nil, tools.Rows{}, errAway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &others{executed: c.result}
			if errors.Is(c.err, errAway) {
				o.err = errAway
			}
			got, err := executor{o, 5 * time.Minute}.Execute(t.Context(), "shop", "SELECT 1", 77)
			require.Equal(t, c.rows, got)
			require.Equal(t, "shop", o.ran.GetSource())
			require.Equal(t, "SELECT 1", o.ran.GetSql())
			require.EqualValues(t, 77, o.ran.GetPageSize())
			require.False(t, o.ran.GetCostConfirmed(), "nobody said yes")
			o.withinMinutes(t, 5)
			var engine, wanted *warehouse.Error
			switch {
			case c.err == nil:
				require.NoError(t, err)
			case errors.As(c.err, &wanted):
				require.ErrorAs(t, err, &engine)
				require.Equal(t, wanted, engine)
			case errors.Is(c.err, errAway), errors.Is(c.err, tools.ErrNotRun):
				require.ErrorIs(t, err, c.err)
			default:
				require.ErrorContains(t, err, c.err.Error())
			}
		})
	}
}

func TestWhatARepairIsAsked(t *testing.T) {
	t.Parallel()
	task := &team.Task{Source: "shop", Question: "how many?"}
	for i := range maxFixTables + 5 {
		task.Tables = append(task.Tables, catalog.Table{Name: catalog.Name{Region: "eu", Schema: "s", Table: fmt.Sprint("t", i)}})
	}
	for _, changed := range []bool{true, false} {
		o := &others{fixed: &fixsqlv1.FixSQLResponse{Fixed: &commonv1.SqlStatement{Sql: "SELECT 2"}, Changed: changed}}
		fixed, did, err := fixer{o, 6 * time.Minute}.Fix(t.Context(), task, "SELECT x", "COLUMN_NOT_FOUND: x")
		require.NoError(t, err)
		require.Equal(t, changed, did)
		require.Equal(t, "SELECT 2", fixed)
		require.Equal(t, []string{"shop", "SELECT x", "COLUMN_NOT_FOUND: x", "how many?"}, []string{o.fix.GetSource(), o.fix.GetSql(), o.fix.GetErrorInfo(), o.fix.GetUserQuestion()})
		require.Len(t, o.fix.GetTables(), maxFixTables, "no more than its contract takes")
		o.withinMinutes(t, 6)
	}
	_, did, err := fixer{&others{err: errAway}, time.Minute}.Fix(t.Context(), &team.Task{}, "SELECT x", "")
	require.ErrorIs(t, err, errAway)
	require.False(t, did)
}

// TestTheCatalogIsAskedWithinItsTime: each call names the source and has the bound of
// the configuration, and its error says what was being done.
func TestTheCatalogIsAskedWithinItsTime(t *testing.T) {
	t.Parallel()
	tables := []catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "s", Table: "a"}, RowCount: 4, Columns: []catalog.Column{{Name: "x", Type: "bigint"}}}}
	o := &others{described: tables}
	s := &Service{config: Config{CatalogTimeout: 7 * time.Minute, MaxTables: 33, DefaultSource: "usual"}, deps: Deps{Catalog: o}}
	listed, err := s.listTables(t.Context(), "shop")
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, "eu.s.a", listed[0].Name.String())
	require.Equal(t, "shop", o.list.GetSource())
	require.EqualValues(t, 33, o.list.GetPageSize())
	require.True(t, o.list.GetWithColumns())
	o.withinMinutes(t, 7)
	o.within = 0
	for given, asked := range map[string]string{"": "usual", "shop": "shop"} {
		described, err := catalogTool{s}.Tables(t.Context(), given, []string{"s.a", "s.b"})
		require.NoError(t, err)
		require.Equal(t, listed, described)
		require.Equal(t, asked, o.describe.GetSource())
		require.Equal(t, []string{"s.a", "s.b"}, o.describe.GetTables())
		o.withinMinutes(t, 7)
	}
	o.err = errAway
	_, err = s.listTables(t.Context(), "shop")
	require.ErrorIs(t, err, errAway)
	require.ErrorContains(t, err, "shop")
	_, err = s.describe(t.Context(), "shop", nil)
	require.ErrorIs(t, err, errAway)
	require.ErrorContains(t, err, "shop")
}

// TestWhatARequestSays: each field of a request arrives, alone, and what is not given is
// the zero value.
func TestWhatARequestSays(t *testing.T) {
	t.Parallel()
	base := In{Question: "how many towns?", FollowUp: "how many towns?", Validate: true, Unsaid: true}
	for name, c := range map[string]struct {
		query *text2sqlv1.GenerateQuery
		want  func(*In)
	}{
		"nothing more":                         {&text2sqlv1.GenerateQuery{}, func(*In) {}},
		"source":                               {&text2sqlv1.GenerateQuery{Source: "s"}, func(in *In) { in.Source = "s" }},
		"chosen":                               {&text2sqlv1.GenerateQuery{ChosenOptionId: "o"}, func(in *In) { in.Chosen = "o" }},
		"previous":                             {&text2sqlv1.GenerateQuery{PreviousIntentJson: "{}"}, func(in *In) { in.Previous = "{}" }},
		"a long question of a short follow-up": {&text2sqlv1.GenerateQuery{FollowUp: "towns?"}, func(in *In) { in.FollowUp = "towns?" }},
		"a follow-up alone":                    {&text2sqlv1.GenerateQuery{FollowUp: "how many towns?"}, func(in *In) { in.FollowUp, in.Alone = "how many towns?", true }},
		"basis":                                {&text2sqlv1.GenerateQuery{ShowBasis: true}, func(in *In) { in.ShowBasis = true }},
		"not checked":                          {&text2sqlv1.GenerateQuery{Execution: text2sqlv1.Execution_EXECUTION_NONE}, func(in *In) { in.Validate, in.Unsaid = false, false }},
		"checked":                              {&text2sqlv1.GenerateQuery{Execution: text2sqlv1.Execution_EXECUTION_VALIDATE}, func(in *In) { in.Unsaid = false }},
		"probed":                               {&text2sqlv1.GenerateQuery{Execution: text2sqlv1.Execution_EXECUTION_PROBE}, func(in *In) { in.Probe, in.Unsaid = true, false }},
		"candidates":                           {&text2sqlv1.GenerateQuery{MaxCandidates: 3}, func(in *In) { in.Candidates = 3 }},
		"by rules":                             {&text2sqlv1.GenerateQuery{Strategy: text2sqlv1.Strategy_STRATEGY_RULES}, func(in *In) { in.Strategy = StrategyRules }},
		"by a model":                           {&text2sqlv1.GenerateQuery{Strategy: text2sqlv1.Strategy_STRATEGY_LLM}, func(in *In) { in.Strategy = StrategyLLM }},
		"English":                              {&text2sqlv1.GenerateQuery{UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_EN}}, func(in *In) { in.Language = "en" }},
		"Chinese":                              {&text2sqlv1.GenerateQuery{UserContext: &commonv1.UserContext{Language: commonv1.Language_LANGUAGE_ZH}}, func(in *In) { in.Language = "zh" }},
		"any language":                         {&text2sqlv1.GenerateQuery{UserContext: &commonv1.UserContext{}}, func(*In) {}},
		"tables": {&text2sqlv1.GenerateQuery{Tables: catalogpb.FromTables([]catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "s", Table: "a"}}})}, func(in *In) {
			in.Tables = catalogpb.ToTables(catalogpb.FromTables([]catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "s", Table: "a"}}}))
		}},
		"terms": {&text2sqlv1.GenerateQuery{GlossaryTerms: []*commonv1.GlossaryTerm{{Term: "GMV"}, {Term: "AOV"}}}, func(in *In) {
			in.Terms = []catalog.Term{catalogpb.ToTerm(&commonv1.GlossaryTerm{Term: "GMV"}), catalogpb.ToTerm(&commonv1.GlossaryTerm{Term: "AOV"})}
		}},
		"rules": {&text2sqlv1.GenerateQuery{Rules: []*commonv1.BusinessRule{{Text: "paid only"}}}, func(in *In) {
			in.Rules = []catalog.Rule{catalogpb.ToRule(&commonv1.BusinessRule{Text: "paid only"})}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.query.UserQuestion = "how many towns?"
			want := base
			c.want(&want)
			got := fromQuery(c.query)
			if len(got.Tables) == 0 {
				got.Tables = nil
			}
			require.Equal(t, want, got)
		})
	}
}

func TestHowFarACandidateMayGo(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]bool]team.Mode{{}: team.ModeNone, {true, false}: team.ModeValidate, {true, true}: team.ModeProbe, {false, true}: team.ModeProbe} {
		require.Equal(t, want, mode(In{Validate: in[0], Probe: in[1]}), in)
	}
}

// TestTablesThatAnAnswerNeedsBeside: only an answer over the written layer asks for more,
// and only where the request brought tables or some are missing.
func TestTablesThatAnAnswerNeedsBeside(t *testing.T) {
	t.Parallel()
	s, c := emptyService(t)
	have := []catalog.Table{{Name: catalog.Name{Region: "eu", Schema: "s", Table: "a"}}}
	more := catalog.Table{Name: catalog.Name{Region: "eu", Schema: "s", Table: "b"}, Columns: []catalog.Column{{Name: "x", Type: "bigint"}}}
	for name, tc := range map[string]struct {
		asked     []catalog.Table
		res       pipeline.Result
		described []catalog.Table
		want      int
	}{
		"nothing of the layer is read":        {have, pipeline.Result{}, []catalog.Table{more}, 0},
		"all tables are known":                {nil, pipeline.Result{Reads: []string{"s.b"}}, []catalog.Table{more}, 0},
		"some are missing":                    {nil, pipeline.Result{Reads: []string{"s.b"}, MissingTables: []string{"s.b"}}, []catalog.Table{more}, 2},
		"the request brought its tables":      {have, pipeline.Result{Reads: []string{"s.b"}}, []catalog.Table{more, have[0]}, 2},
		"the asker may see no others":         {have, pipeline.Result{Reads: []string{"s.b"}}, have, 0},
		"what is missing is not described":    {nil, pipeline.Result{Reads: []string{"s.b"}, MissingTables: []string{"s.b"}}, nil, 0},
		"missing tables of no reading at all": {nil, pipeline.Result{MissingTables: []string{"s.b"}}, []catalog.Table{more}, 0},
	} {
		c.described, c.describe = tc.described, nil
		tables, schema, ok, err := s.more(t.Context(), In{Source: "shop", Tables: tc.asked}, have, nil, tc.res)
		require.NoError(t, err, name)
		require.Equal(t, tc.want > 0, ok, name)
		require.Len(t, tables, tc.want, name)
		require.Equal(t, ok, schema != nil, name)
		if ok {
			require.Equal(t, "eu.s.a", tables[0].Name.String(), "%s: those of the request come first", name)
			require.Equal(t, "eu.s.b", tables[1].Name.String(), name)
			require.Len(t, have, 1)
		}
	}
	c.err = errAway
	_, _, ok, err := s.more(t.Context(), In{Source: "shop", Tables: have}, have, nil, pipeline.Result{Reads: []string{"s.b"}})
	require.ErrorIs(t, err, errAway)
	require.False(t, ok)
}

func TestAnEarlierIntentIsRead(t *testing.T) {
	t.Parallel()
	none, err := previousIntent("")
	require.NoError(t, err)
	require.Nil(t, none)
	earlier := &intent.Intent{Type: intent.Trend, Country: []string{"BR"}}
	text, err := json.Marshal(earlier)
	require.NoError(t, err)
	got, err := previousIntent(string(text))
	require.NoError(t, err)
	require.Equal(t, earlier, got)
	_, err = previousIntent(`{"type":`)
	require.ErrorContains(t, err, "previous_intent_json")
}

// TestASettingOutOfRangeIsNamed: each key at its bounds, just beyond them, and its value
// where none is given.
func TestASettingOutOfRangeIsNamed(t *testing.T) {
	t.Parallel()
	full, err := Config{}.Complete()
	require.NoError(t, err)
	require.Equal(t, "demo", full.DefaultSource)
	require.Equal(t, StrategyRules, full.Strategy)
	require.Equal(t, []int{200, 2, 10_000, 1000}, []int{full.MaxTables, full.MaxAlternatives, full.MaxExamples, full.MaxModelAnswers})
	require.Equal(t, []time.Duration{10 * time.Second, time.Hour, 30 * time.Second}, []time.Duration{full.CatalogTimeout, full.KeepModelAnswers, full.ToolTimeout})
	again, err := full.Complete()
	require.NoError(t, err)
	require.Equal(t, full, again)
	for key, c := range map[string]struct{ good, bad []func(*Config) }{
		"strategy": {[]func(*Config){func(c *Config) { c.Strategy = StrategyLLM }}, []func(*Config){func(c *Config) { c.Strategy = "LLM" }}},
		"max_model_answers": {[]func(*Config){func(c *Config) { c.MaxModelAnswers = 1 }}, []func(*Config){
			func(c *Config) { c.MaxModelAnswers = -1 }, func(c *Config) { c.KeepModelAnswers = -1 }, func(c *Config) { c.ToolTimeout = -1 }}},
		"threshold": {[]func(*Config){func(c *Config) { c.Threshold = 1 }}, []func(*Config){func(c *Config) { c.Threshold = 1.01 }, func(c *Config) { c.Threshold = -0.01 }}},
		"max_tables": {[]func(*Config){func(c *Config) { c.MaxTables = 1 }, func(c *Config) { c.MaxTables = 1000 }},
			[]func(*Config){func(c *Config) { c.MaxTables = -1 }, func(c *Config) { c.MaxTables = 1001 }}},
		"max_alternatives": {[]func(*Config){func(c *Config) { c.MaxAlternatives = 1 }}, []func(*Config){func(c *Config) { c.MaxAlternatives = -1 }}},
		"max_examples":     {[]func(*Config){func(c *Config) { c.MaxExamples = 100_000 }}, []func(*Config){func(c *Config) { c.MaxExamples = 100_001 }, func(c *Config) { c.MaxExamples = -1 }}},
		"catalog_timeout":  {[]func(*Config){func(c *Config) { c.CatalogTimeout = 1 }}, []func(*Config){func(c *Config) { c.CatalogTimeout = -1 }}},
		"max_steps":        {[]func(*Config){func(c *Config) { c.Team.MaxSteps = 4 }}, []func(*Config){func(c *Config) { c.Team.MaxSteps = 3 }}},
	} {
		for _, set := range c.good {
			config := full
			set(&config)
			got, err := config.Complete()
			require.NoError(t, err, key)
			require.Equal(t, config, got, key)
		}
		for _, set := range c.bad {
			config := full
			set(&config)
			_, err := config.Complete()
			require.ErrorContains(t, err, "text2sql."+key)
		}
	}
}
