package analysis

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/dibrain/dibrain/pkg/prose"
	"github.com/dibrain/dibrain/pkg/prose/prosetest"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/watch"
	"github.com/dibrain/dibrain/services/analysis/words"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// asKept are the parts of an analysis that are no sentences: ids, names, SQL, the tables
// and what a chart is drawn from.
var asKept = []protoreflect.FullName{
	"dibrain.analysis.v1.Analysis.analysis_id", "dibrain.analysis.v1.Analysis.source", "dibrain.analysis.v1.Analysis.node",
	"dibrain.analysis.v1.Analysis.request_kind", "dibrain.analysis.v1.Analysis.current_step",
	"dibrain.analysis.v1.PlanStep.id", "dibrain.analysis.v1.StepCost.step_id", "dibrain.analysis.v1.PlanStep.inputs",
	"dibrain.analysis.v1.StepResult.step_id", "dibrain.analysis.v1.StepResult.executed_sql", "dibrain.analysis.v1.NamedTable",
	"dibrain.common.v1.Chart.echarts_option_json", "dibrain.common.v1.TableFreshness", "dibrain.common.v1.Warning.code",
	"dibrain.common.v1.Certificate.statement_sha256", "dibrain.analysis.v1.Artifact", "dibrain.analysis.v1.Analysis.agent_id",
	"dibrain.analysis.v1.Watch.watch_id", "dibrain.analysis.v1.WatchSpec.source", "dibrain.analysis.v1.WatchSpec.schedule", "dibrain.analysis.v1.WatchSpec.time_zone",
	"dibrain.analysis.v1.WatchGates.tables", "dibrain.analysis.v1.WatchSpec.target", "dibrain.analysis.v1.WatchGrant",
	"dibrain.analysis.v1.WatchSpec.agent_id", "dibrain.analysis.v1.Analysis.node_at_work", "dibrain.analysis.v1.WatchRun.run_id", "dibrain.analysis.v1.WatchRun.analysis_id",
}

// TestEverySentenceOfAWatchIsText likewise.
func TestEverySentenceOfAWatchIsText(t *testing.T) {
	t.Parallel()
	var state watch.State
	prosetest.Fill(&state)
	m := (&Service{}).toWatch(watch.Record{Status: watch.Stopped}, state)
	require.Empty(t, prosetest.Unfit(m, asKept...))
	require.Equal(t, prose.Safe(prosetest.Active), m.GetRuns()[0].GetFindings()[0])
	require.Equal(t, prose.Safe(prosetest.Active), m.GetCurrent().GetMessage())
}

// TestEverySentenceIsText: whatever of an analysis holds a text that does something where
// it is drawn, its sentences leave this service as text.
func TestEverySentenceIsText(t *testing.T) {
	t.Parallel()
	sentences, err := words.New()
	require.NoError(t, err)
	s := &Service{words: sentences}
	i := &item{record: Record{Status: run.StatusWaiting, Title: prosetest.Active}, state: &workflow.State{}}
	prosetest.Fill(i.state)
	i.state.Plan.Version, i.state.Results[0].Chart.Kind = 1, 1
	m := s.toAnalysis(i, true)
	require.Empty(t, prosetest.Unfit(m, asKept...))
	require.Equal(t, prose.Safe(prosetest.Active), m.GetSummary()[0])
	require.Equal(t, prose.Safe(prosetest.Active), m.GetResults()[0].GetCertificate().GetFilters()[0])
	require.Equal(t, prose.Safe(prosetest.Active), m.GetPending().GetText())
}
