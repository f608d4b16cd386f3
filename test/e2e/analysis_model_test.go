package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	analysisv1 "github.com/dibrain/dibrain/gen/dibrain/analysis/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
)

// played is a chat model whose answers were written by hand, once, and are given again to
// the same words. What it was never asked, it answers with an error, and the test fails.
type played struct {
	mu      sync.Mutex
	answers map[string]json.RawMessage
	unknown []string
	asked   map[string]bool
}

func play(t *testing.T, file string) (*played, string) {
	t.Helper()
	p := &played{answers: map[string]json.RawMessage{}, asked: map[string]bool{}}
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Asked  string          `json:"asked"`
			Answer json.RawMessage `json:"answer"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		p.answers[line.Asked] = line.Answer
	}
	require.NoError(t, lines.Err())
	s := httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(s.Close)
	return p, s.URL + "/v1"
}

func (p *played) serve(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || len(request.Messages) == 0 {
		http.Error(w, "no messages", http.StatusBadRequest)
		return
	}
	asked := request.Messages[len(request.Messages)-1].Content
	p.mu.Lock()
	answer, known := p.answers[asked]
	p.asked[asked] = true
	if !known {
		p.unknown = append(p.unknown, asked)
	}
	p.mu.Unlock()
	if !known {
		http.Error(w, "this was never asked", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": "x", "object": "chat.completion", "model": "played",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": string(answer)}}},
		"usage":   map[string]any{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
	})
}

// TestPlansOfAModel: plans and programs that a model wrote are made over gRPC, run in the
// sandbox and are reported; figures agree with SQL, or with arithmetic, that is written here.
func TestPlansOfAModel(t *testing.T) {
	t.Parallel()
	dir := freshDemo(t)
	files := filepath.Join(t.TempDir(), "pets")
	require.NoError(t, os.MkdirAll(files, 0o700))
	pets, err := os.ReadFile("testdata/plans/pets.csv")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(files, "pets.csv"), pets, 0o600))
	r := command(t, "", nil, "ingest", "csv", files, "--name", "pets", "--data-dir", dir)
	require.Zero(t, r.code, r.err)
	model, url := play(t, "testdata/plans/cassette.jsonl")
	c := monolith(t, dir, "DIBRAIN_LLM_BASE_URL="+url, "DIBRAIN_LLM_MODEL=played", "DIBRAIN_ANALYSIS_PYTHON=sandbox", "DIBRAIN_LIMITS_REQUESTS_PER_SECOND=0")
	one := func(sql string) float64 { return figure(t, c.over(t, "pets", sql)[0][0]) }

	for question, holds := range map[string]func(rows [][]string){
		"Fit a straight line of food grams on weight kg of pets and tell slope and intercept": func(rows [][]string) {
			require.InDelta(t, one("SELECT regr_slope(food_grams, weight_kg) FROM pets.main.pets"), figure(t, rows[0][0]), 1e-5)
			require.InDelta(t, one("SELECT regr_intercept(food_grams, weight_kg) FROM pets.main.pets"), figure(t, rows[0][1]), 1e-5)
			require.Equal(t, "240", rows[0][3])
		},
		"Compute the Gini coefficient of total food grams over the owners of pets": func(rows [][]string) {
			want := one(`SELECT sum(abs(CAST(a.v - b.v AS double))) / (2.0 * count(*) * avg(a.v)) FROM (SELECT sum(food_grams) AS v FROM pets.main.pets GROUP BY owner) a
				CROSS JOIN (SELECT sum(food_grams) AS v FROM pets.main.pets GROUP BY owner) b`)
			require.InDelta(t, want, figure(t, rows[0][0]), 1e-5)
		},
		"Which pets are heavier than the 95th percentile of their species": func(rows [][]string) {
			require.Len(t, rows, 12, "four of eighty in each of three species")
			for _, row := range rows {
				more := one("SELECT count(*) FROM pets.main.pets WHERE species = '" + row[1] + "' AND weight_kg > " + row[2])
				require.Less(t, more, 4., "%v", row)
			}
		},
		"Bootstrap an interval for the median weight kg of each species of pets": func(rows [][]string) {
			require.Len(t, rows, 3)
			for _, row := range rows {
				require.Less(t, figure(t, row[3]), figure(t, row[2]), "%v", row)
				require.Greater(t, figure(t, row[4]), figure(t, row[2]), "%v", row)
			}
		},
		"用visits和food grams给pets的owner打分并分为三档": func(rows [][]string) {
			require.Equal(t, []string{"高", "40"}, rows[0][:2])
			require.Len(t, rows, 3)
			require.Greater(t, figure(t, rows[0][2]), figure(t, rows[1][3])-1e-9)
		},
		"How many pets per city would it take to detect a weight difference of two kilograms with 80% power": func(rows [][]string) {
			want := one("SELECT sqrt(sum(n * v) / sum(n)) FROM (SELECT count(*) - 1 AS n, var_samp(weight_kg) AS v FROM pets.main.pets GROUP BY city) AS c")
			require.InDelta(t, want, figure(t, rows[0][1]), 1e-5)
			require.InDelta(t, 2*7.8489*want*want/4, figure(t, rows[0][0]), 1.1)
		},
		"Rank species of pets by the coefficient of variation of weight kg": func(rows [][]string) {
			for _, row := range rows {
				require.InDelta(t, one("SELECT stddev_samp(weight_kg) / avg(weight_kg) FROM pets.main.pets WHERE species = '"+row[0]+"'"), figure(t, row[4]), 1e-5)
			}
		},
		"ABC analysis of the owners of pets by total food grams": func(rows [][]string) {
			require.InDelta(t, 120, figure(t, rows[0][1])+figure(t, rows[1][1])+figure(t, rows[2][1]), 0)
			require.InDelta(t, one("SELECT sum(food_grams) FROM pets.main.pets"), figure(t, rows[0][2])+figure(t, rows[1][2])+figure(t, rows[2][2]), 1e-6)
			require.LessOrEqual(t, figure(t, rows[0][3]), .8)
		},
		"Permutation test whether the mean weight kg of pets differs between the cities": func(rows [][]string) {
			want := one("SELECT avg(CASE WHEN city = 'north' THEN weight_kg END) - avg(CASE WHEN city = 'south' THEN weight_kg END) FROM pets.main.pets")
			require.InDelta(t, want, figure(t, rows[0][0]), 1e-5)
			require.Greater(t, figure(t, rows[0][1]), .05)
		},
		"Theil index of total visits over the owners of pets": func(rows [][]string) {
			want := one(`SELECT avg(v / m * ln(v / m)) FROM (SELECT CAST(sum(visits) AS double) AS v FROM pets.main.pets GROUP BY owner) AS a
				CROSS JOIN (SELECT avg(v) AS m FROM (SELECT CAST(sum(visits) AS double) AS v FROM pets.main.pets GROUP BY owner) AS o) AS b`)
			require.InDelta(t, want, figure(t, rows[0][0]), 1e-5)
		},
	} {
		a := c.analysed(t, "pets", question)
		steps := a.GetPlan().GetSteps()
		last := len(steps) - 2
		require.Equal(t, analysisv1.StepKind_STEP_KIND_PYTHON, steps[last].GetKind(), question)
		rows := table(t, a, last, "python1")
		require.NotEmpty(t, rows, question)
		holds(rows)
	}

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	refused, err := analysisv1.NewAnalysisServiceClient(dial(t, c.router)).StartAnalysisUnary(ctx, &analysisv1.StartAnalysisUnaryRequest{Query: &analysisv1.AnalysisQuery{
		Source: "pets", Question: "What will the shares of pet food makers cost next year", Review: analysisv1.Review_REVIEW_NONE,
	}})
	require.NoError(t, err)
	require.Equal(t, commonv1.RunStatus_RUN_STATUS_FAILED, refused.GetAnalysis().GetStatus())
	require.Contains(t, refused.GetAnalysis().GetError(), "They hold no share prices")

	model.mu.Lock()
	defer model.mu.Unlock()
	require.Empty(t, model.unknown, "the words of a request have changed: record the answers anew")
	require.Len(t, model.asked, len(model.answers), "%s", strings.Join(model.unknown, "\n"))
}

// TestAProgramOnARunner: a plan of a model has its step in Python run by a process that is a
// runner; where that is gone the step is told as not computed, and the rest is reported.
func TestAProgramOnARunner(t *testing.T) {
	t.Parallel()
	dir := freshDemo(t)
	files := filepath.Join(t.TempDir(), "pets")
	require.NoError(t, os.MkdirAll(files, 0o700))
	pets, err := os.ReadFile("testdata/plans/pets.csv")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(files, "pets.csv"), pets, 0o600))
	r := command(t, "", nil, "ingest", "csv", files, "--name", "pets", "--data-dir", dir)
	require.Zero(t, r.code, r.err)
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("a token of the test"), 0o600))

	address := freeAddress(t)
	runner := exec.Command(binary, "python-runner", "--listen", address)
	runner.Env = environ("DIBRAIN_DATA_DIR="+t.TempDir(), "DIBRAIN_ANALYSIS_PYTHON_RUNNER_TOKEN_FILE="+token)
	log := &lockedBuffer{}
	runner.Stdout, runner.Stderr = log, log
	require.NoError(t, runner.Start())
	exited := make(chan struct{})
	go func() {
		_ = runner.Wait()
		close(exited)
	}()
	end := func() {
		_ = runner.Process.Kill()
		<-exited
	}
	t.Cleanup(end)
	require.Eventually(t, func() bool {
		response, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusNoContent
	}, time.Minute, 10*time.Millisecond, "%s", log)

	_, url := play(t, "testdata/plans/cassette.jsonl")
	c := monolith(t, dir, "DIBRAIN_LLM_BASE_URL="+url, "DIBRAIN_LLM_MODEL=played", "DIBRAIN_ANALYSIS_PYTHON=remote",
		"DIBRAIN_ANALYSIS_PYTHON_RUNNER=http://"+address, "DIBRAIN_ANALYSIS_PYTHON_RUNNER_TOKEN_FILE="+token)
	const question = "Fit a straight line of food grams on weight kg of pets and tell slope and intercept"
	a := c.analysed(t, "pets", question)
	rows := table(t, a, len(a.GetPlan().GetSteps())-2, "python1")
	require.InDelta(t, figure(t, c.over(t, "pets", "SELECT regr_slope(food_grams, weight_kg) FROM pets.main.pets")[0][0]), figure(t, rows[0][0]), 1e-5)
	require.Contains(t, log.String(), "a program has run")

	end()
	a = c.analysed(t, "pets", question)
	last := a.GetResults()[len(a.GetPlan().GetSteps())-2]
	require.Equal(t, analysisv1.StepStatus_STEP_STATUS_UNANSWERED, last.GetStatus())
	require.Contains(t, last.GetProblem(), "no runner could be reached")
}
