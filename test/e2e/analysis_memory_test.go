package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// analysing are the services that an analysis needs, one process each.
var analysing = []string{"findata", "text2sql", "fixsql", "chatbi", "analysis"}

// mostMemory is what the service of analyses may take with fifty that wait and five at work,
// in MB.
const mostMemory = 500

// TestMemoryOfAnalyses: fifty plans that wait for their person and five analyses at work, one
// of which computes over as many rows of 90,000 as a result may have, in a service of its own.
// It takes minutes and runs where DIBRAIN_TEST_MEMORY asks for it, as .ci/run full does.
func TestMemoryOfAnalyses(t *testing.T) {
	t.Parallel()
	if os.Getenv("DIBRAIN_TEST_MEMORY") == "" || underRace {
		t.Skip("DIBRAIN_TEST_MEMORY does not ask for it, or the program looks for races, which takes several times the memory")
	}
	const waiting, atWork, rows, most = 50, 5, 90_000, 10_000
	dir := freshDemo(t)
	sales := filepath.Join(t.TempDir(), "sales")
	require.NoError(t, os.MkdirAll(sales, 0o700))
	var text strings.Builder
	text.WriteString("shop,amount,hours\n")
	for i := range rows {
		fmt.Fprintf(&text, "shop %d,%d,%d\n", i, 100+i*7919%1000, 1+i*104729%40)
	}
	require.NoError(t, os.WriteFile(filepath.Join(sales, "sales.csv"), []byte(text.String()), 0o600))
	r := command(t, "", nil, "ingest", "csv", sales, "--name", "sales", "--data-dir", dir)
	require.Zero(t, r.code, r.err)

	c := &cluster{t: t, dataDir: dir, processes: map[string]*process{}, addresses: map[string]string{}}
	env := []string{"DIBRAIN_LIMITS_REQUESTS_PER_SECOND=0"}
	for _, name := range analysing {
		c.addresses[name] = freeAddress(t)
		env = append(env, "DIBRAIN_"+strings.ToUpper(name)+"_ADDRESS="+c.addresses[name])
	}
	for _, name := range analysing {
		c.start(name, c.addresses[name], env...)
	}
	client := analysisv1.NewAnalysisServiceClient(dial(t, c.addresses["analysis"]))
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	var planned errgroup.Group
	planned.SetLimit(atWork)
	for n := range waiting {
		planned.Go(func() error {
			a, err := client.StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{
				Question: fmt.Sprintf("Compare GMV of last %d days and the %d days before by region, find what drives the change, and write a report", n%20+5, n%20+5),
				Review:   analysisv1.Review_REVIEW_WAIT,
			}})
			if err == nil && a.GetAnalysis().GetStatus() != commonv1.RunStatus_RUN_STATUS_WAITING {
				err = fmt.Errorf("%s instead of a plan that waits: %s", a.GetAnalysis().GetStatus(), a.GetAnalysis().GetError())
			}
			return err
		})
	}
	require.NoError(t, planned.Wait())
	before := memoryOf(t, c.processes["analysis"])

	ended := make(chan *analysisv1.Analysis, atWork)
	for n := range atWork {
		query := &analysisv1.AnalysisQuery{Question: "Write a weekly business review by region", CostConfirmed: true, Review: analysisv1.Review_REVIEW_NONE}
		if n == 0 {
			query.Source, query.Question = "sales", "is amount related to hours of sales"
		}
		go func() {
			a, err := client.StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: query})
			if err != nil {
				a = &analysisv1.StartAnalysisUnaryResponse{Analysis: &analysisv1.Analysis{Error: err.Error()}}
			}
			ended <- a.GetAnalysis()
		}()
	}
	for range atWork {
		a := <-ended
		require.Equal(t, commonv1.RunStatus_RUN_STATUS_SUCCEEDED, a.GetStatus(), "%s: %s", a.GetQuestion(), a.GetError())
		if a.GetSource() == "sales" {
			require.EqualValues(t, most, a.GetResults()[0].GetRows())
		}
	}
	after := memoryOf(t, c.processes["analysis"])
	t.Logf("analysis service, most of its life: %d MB with %d waiting, %d MB with %d more at work", before, waiting, after, atWork)
	require.Less(t, after, mostMemory)

	list, err := client.ListAnalyses(ctx, &analysisv1.ListAnalysesRequest{PageSize: 100})
	require.NoError(t, err)
	still := 0
	for _, a := range list.GetAnalyses() {
		if a.GetStatus() == commonv1.RunStatus_RUN_STATUS_WAITING {
			still++
		}
	}
	require.Equal(t, waiting, still)
}

// memoryOf is the most memory that a process has had, in MB.
func memoryOf(t *testing.T, p *process) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Skip("this system does not say what a process takes")
	}
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, "VmHWM:"); is {
			kb, err := strconv.Atoi(strings.Fields(value)[0])
			require.NoError(t, err)
			return kb >> 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
