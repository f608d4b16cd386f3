package text2sql

import (
	"context"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/fault"
	chat "github.com/dibrain/dibrain/pkg/llm"
	"github.com/dibrain/dibrain/pkg/llm/budget"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/semantic"
	"github.com/dibrain/dibrain/pkg/source"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
	"github.com/dibrain/dibrain/services/text2sql/llm"
	"github.com/dibrain/dibrain/services/text2sql/team"
	"github.com/dibrain/dibrain/services/text2sql/tools"
)

// assemble makes the tools and the team.
func (s *Service) assemble() (err error) {
	deps := tools.Deps{Catalog: catalogTool{s}, Guard: s.guard}
	if s.deps.ChatBI != nil {
		deps.Executor = executor{s.deps.ChatBI, s.config.ToolTimeout}
	}
	if s.tools, err = tools.New(deps); err != nil {
		return err
	}
	evaluator := team.RulesEvaluator{Tools: s.tools}
	if s.deps.FixSQL != nil {
		evaluator.Fixer = fixer{s.deps.FixSQL, s.config.ToolTimeout}
	}
	members := team.Deps{Log: s.deps.Log, Rules: team.Members{
		Planner: team.RulesPlanner{}, Parser: team.RulesParser{Pipeline: s.pipeline}, Generator: team.RulesGenerator{}, Evaluator: evaluator,
	}}
	if s.deps.Model != nil {
		remembering := chat.NewCache(s.deps.Model, s.config.MaxModelAnswers, s.config.KeepModelAnswers, s.deps.Clock).Measured(s.deps.Meter, meter.CacheText2SQLModel)
		if members.Model, err = llm.New(s.config.Model, remembering, s.pipeline, members.Rules); err != nil {
			return err
		}
	}
	s.team, err = team.New(s.config.Team, members)
	return err
}

// admit decides who writes the SQL, gives the context a budget where that is a
// model, and lets candidates be run only where something can run them.
func (s *Service) admit(ctx context.Context, in *In) (context.Context, error) {
	if in.Strategy == "" {
		in.Strategy = s.config.Strategy
	}
	tries := in.Unsaid && in.Strategy == StrategyLLM && s.isEmbedded(in.Source)
	in.Probe = (in.Probe || tries) && s.deps.ChatBI != nil
	if in.Strategy != StrategyLLM {
		return ctx, nil
	}
	if s.deps.Model == nil {
		return nil, fault.New(codes.FailedPrecondition, chat.ReasonNotConfigured,
			"strategy llm needs a model and none is configured: ask with strategy rules, or set llm.base_url and llm.model")
	}
	return budget.Ensure(ctx, s.deps.ModelBudget), nil
}

// isEmbedded reports a source whose data lie beside the server: a try of what a model wrote
// takes nobody's warehouse.
func (s *Service) isEmbedded(name string) bool {
	g, err := s.deps.Sources.Current(name)
	return err == nil && g.Engine == source.EngineDuckDB
}

// maxExamplesTried bounds the examples whose tables are looked up for one question.
const maxExamplesTried = 10

// near are the verified queries most like the question over tables that the asker
// may read in full: others could tell of what they may not see.
func (s *Service) near(ctx context.Context, in In, layer *semantic.Layer) ([]team.Example, error) {
	have, err := s.examples.of(ctx, in.Source, layer)
	if err != nil {
		return nil, err
	}
	questions := make([]string, len(have.prepared))
	for i, p := range have.prepared {
		questions[i] = p.Question
	}
	var out []team.Example
	for _, i := range llm.Nearest(in.Question, questions, maxExamplesTried) {
		if len(out) == s.config.Model.MaxExamples {
			break
		}
		p := have.prepared[i]
		tables, whole, err := s.mayRead(ctx, in.Source, p.TablesRead())
		if err != nil {
			return nil, err
		}
		if tables != nil && whole {
			out = append(out, team.Example{Question: strings.TrimSpace(p.Question), SQL: p.SQL})
		}
	}
	return out, nil
}

// Bounds of what is asked of the catalog about a layer.
const (
	maxLayerTables   = 1000
	maxDescribeTable = 200 // names in one call, as in the contract
	maxLayerDepth    = 20  // of metrics made of metrics
)

// visibleLayer is the part of a layer, as the asker may know it, whose tables he sees: of the rest
// a model is not told, not even the names of its metrics. nil: nothing is left.
func (s *Service) visibleLayer(ctx context.Context, source string, layer *semantic.Layer) (*semantic.Layer, error) {
	names := layerTables(layer)
	if len(names) > maxLayerTables {
		names = names[:maxLayerTables]
	}
	var tables []catalog.Table
	for part := range slices.Chunk(names, maxDescribeTable) {
		described, err := s.describe(ctx, source, part)
		if err != nil {
			return nil, err
		}
		tables = append(tables, described...)
	}
	hidden := func(table string) bool { return len(semantic.Tables(table, tables)) == 0 }
	out := *layer
	out.Metrics = slices.DeleteFunc(slices.Clone(layer.Metrics), func(m semantic.Metric) bool {
		return anyPart(layer, &m, 0, func(m *semantic.Metric) bool { return hidden(m.Table) })
	})
	out.Dimensions = slices.DeleteFunc(slices.Clone(layer.Dimensions), func(x semantic.Dimension) bool { return hidden(x.Table) })
	withStored(out.Dimensions, tables)
	if s.config.Model.Personal != llm.SamplesOn {
		withoutPersonal(out.Dimensions, tables)
	}
	if err := s.withoutFiltered(ctx, source, &out, tables); err != nil {
		return nil, err
	}
	out.Entities = slices.DeleteFunc(slices.Clone(layer.Entities), func(x semantic.Entity) bool { return hidden(x.Table) })
	out.Filters = slices.DeleteFunc(slices.Clone(layer.Filters), func(f semantic.Filter) bool { return hidden(f.Table) })
	out.Exclusions = slices.DeleteFunc(slices.Clone(layer.Exclusions), func(f semantic.Filter) bool { return hidden(f.Table) })
	if len(out.Metrics) == 0 {
		return nil, nil //nolint:nilnil // nothing of the layer is there for this asker
	}
	return &out, nil
}

// maxStoredValues is how many different values a column has at most of which a model is told
// the stored ones: more are no categories.
const maxStoredValues = 100

// withStored gives dimensions for which nobody wrote values those that their columns store,
// without those of columns with data of persons.
func withStored(list []semantic.Dimension, tables []catalog.Table) {
	for i := range list {
		x := &list[i]
		if len(x.Values) > 0 || x.Role != "" && x.Role != semantic.RoleCategory {
			continue
		}
		read := x.Reads()
		if len(read.Columns) != 1 || x.Expr != "" && x.Expr != read.Columns[0] {
			continue // an expression's values are not those of its column
		}
		at := semantic.Tables(x.Table, tables)
		for _, t := range at {
			c, ok := t.Column(read.Columns[0])
			if !ok || c.Personal != nil || c.Distinct > maxStoredValues {
				break
			}
			if values, complete := semantic.ValuesOf(&c); len(values) > len(x.Values) {
				x.Values, x.Complete = values, complete && len(at) == 1
			}
		}
	}
}

// withoutPersonal takes the values, which people wrote, from dimensions that read columns
// with data of persons.
func withoutPersonal(list []semantic.Dimension, tables []catalog.Table) {
	for i := range list {
		x := &list[i]
		read := x.Reads()
		for _, t := range semantic.Tables(x.Table, tables) {
			if slices.ContainsFunc(read.Columns, func(name string) bool { c, ok := t.Column(name); return ok && c.Personal != nil }) {
				x.Values, x.Complete = nil, false
			}
		}
	}
}

// withoutFiltered takes out of a layer the values that it names of tables of which
// rows are left out for the asker: a model could offer one that only hidden rows have.
func (s *Service) withoutFiltered(ctx context.Context, source string, layer *semantic.Layer, tables []catalog.Table) error {
	rules, err := s.deps.Policy.Current()
	if err != nil {
		return err
	}
	grants := rules.For(run.From(ctx).Principal, source)
	if grants == nil {
		return nil
	}
	layer.Dimensions = slices.Clone(layer.Dimensions)
	for i, x := range layer.Dimensions {
		if slices.ContainsFunc(semantic.Tables(x.Table, tables), func(t *catalog.Table) bool { return grants.Access(t.Name).Filtered() }) {
			layer.Dimensions[i].Values, layer.Dimensions[i].Complete = nil, false
		}
	}
	return nil
}

// layerTables are the names of a layer's tables, those of families by country.
func layerTables(layer *semantic.Layer) []string {
	var out []string
	add := func(table string) {
		names := []string{table}
		if strings.Contains(table, semantic.CIDPlaceholder) {
			names = nil
			for _, c := range layer.Countries {
				names = append(names, strings.ReplaceAll(table, semantic.CIDPlaceholder, c.CID))
			}
		}
		for _, n := range names {
			if n != "" && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	for _, m := range layer.Metrics {
		add(m.Table)
	}
	for _, x := range layer.Dimensions {
		add(x.Table)
	}
	for _, x := range layer.Entities {
		add(x.Table)
	}
	for _, f := range slices.Concat(layer.Filters, layer.Exclusions) {
		add(f.Table)
	}
	return out
}
