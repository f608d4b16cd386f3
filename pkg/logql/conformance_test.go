package logql_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/logql"
)

// envLoki names a real Loki server (test/servers/loki-start), which is asked instead of
// the recording. -update records its answers.
const envLoki = "DIBRAIN_TEST_LOKI"

var update = flag.Bool("update", false, "record the answers of the Loki server of "+envLoki)

const recording = "testdata/loki.json"

// recorded is what Loki said to a query.
type recorded struct {
	Query string `json:"query"`
	// Step of a metric over the last ten minutes, which it divides: Loki computes at
	// multiples of the step. Empty: computed once.
	Step string `json:"step,omitempty"`
	// Refused says that Loki did not take it. Why is not kept.
	Refused bool `json:"refused,omitempty"`
	// Result has LABELS, TIME and the line or number of each, in order: of lines with the
	// same time Loki promises none.
	Result []string `json:"result,omitempty"`
}

// differences are the queries of the corpus on which this package and Loki 3.4.2 do not
// agree, with what is meant by it. Everything else has to be the same.
var differences = map[string]string{
	"sum(count_over_time({app=\"web\"} | json [1h]))":       "Loki does not run a parser of which no label is used; here lines that it cannot read are told",
	"quantile_over_time(99, {app=\"web\"} | unwrap x [5m])": "a quantile above 1 is a mistake: .99 was meant",
	"{app=\"web\"} |~ \"(a{50}){19}b{900}c{300}\"":          "costly regular expressions are refused",
	"{app=\"web\"} | line_format \"{{range .x}}{{end}}\"":   "loops in templates are not supported, and named",
}

// generated are lines of programs that do not exist, always the same.
func generated() logql.Entries {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // test data
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	var out logql.Entries
	add := func(n int, labels map[string]string, line func() string) {
		for i := range n {
			at := evalNow().Add(-time.Duration(i*7200/n)*time.Second - time.Duration(i+1)*time.Millisecond)
			out = append(out, logql.Entry{Time: at, Labels: labels, Line: line()})
		}
	}
	add(200, map[string]string{"job": "gate", "zone": "north"}, func() string {
		return fmt.Sprintf(`level=%s method=%s path=/v1/%s status=%d took=%dms size=%dKB user=%q`,
			pick("info", "info", "warn", "error"), pick("GET", "POST"), pick("cart", "order", "pay"), 200+100*random.IntN(4), 1+random.IntN(900), 1+random.IntN(64), pick("ann", "bob lee", "cho"))
	})
	add(120, map[string]string{"job": "pay", "zone": "south"}, func() string {
		return fmt.Sprintf(`{"severity":%q,"amount":%d.%02d,"card":{"kind":%q,"ok":%t},"items":[%d,%d],"took":"%d.%ds"}`,
			pick("info", "error"), random.IntN(500), random.IntN(100), pick("debit", "credit"), random.IntN(2) == 0, random.IntN(9), random.IntN(9), random.IntN(3), random.IntN(10))
	})
	add(80, map[string]string{"job": "door", "zone": "north", "rack": "r1"}, func() string {
		return fmt.Sprintf(`%s[%d]: %s for %s from 10.%d.0.%d port %d`, pick("sshd", "pam"), 100+random.IntN(900),
			pick("Failed password", "Accepted key", "Session closed"), pick("root", "ann", "bob"), random.IntN(3), random.IntN(250), 1024+random.IntN(6000))
	})
	return out
}

// conformanceCorpus is every query that Loki is asked: the corpus of the grammar, that of
// the evaluator, and those over the generated lines.
func conformanceCorpus(t *testing.T) []recorded {
	t.Helper()
	var out []recorded
	for _, query := range corpus(t, "valid.logql") {
		out = append(out, recorded{Query: query})
	}
	for _, name := range []string{"spellings.logql", "faulty.logql"} {
		for _, pair := range corpus(t, name) {
			query, _, _ := strings.Cut(pair, " ==> ")
			out = append(out, recorded{Query: query})
		}
	}
	_, cases := evalFile(t)
	for _, c := range cases {
		out = append(out, recorded{Query: c.Query})
	}
	for _, line := range corpus(t, "generated.logql") {
		query, step, _ := strings.Cut(line, " ==> ")
		out = append(out, recorded{Query: query, Step: step})
	}
	slices.SortStableFunc(out, func(a, b recorded) int { return strings.Compare(a.Query+"\x00"+a.Step, b.Query+"\x00"+b.Step) })
	return slices.CompactFunc(out, func(a, b recorded) bool { return a.Query == b.Query && a.Step == b.Step })
}

// TestLokiAgrees holds the parser, the checks and the evaluator against what Loki says
// of the same queries over the same lines: against a server where there is one, else
// against the recording of its answers.
func TestLokiAgrees(t *testing.T) {
	t.Parallel()
	entries, _ := evalFile(t)
	entries = append(entries, generated()...)
	answers := map[string]recorded{}
	asked := conformanceCorpus(t)
	if server := os.Getenv(envLoki); server != "" {
		at := time.Now().UTC()
		loki := &realLoki{t: t, url: server, tenant: fmt.Sprintf("logql-%d", at.UnixNano()), later: at.Truncate(stepsRange).Sub(evalNow())}
		loki.push(entries)
		for i := range asked {
			loki.ask(&asked[i])
		}
		if *update {
			var text bytes.Buffer
			enc := json.NewEncoder(&text)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", " ")
			require.NoError(t, enc.Encode(asked))
			require.NoError(t, os.WriteFile(recording, text.Bytes(), 0o600))
		}
		for _, a := range asked {
			answers[a.Query+"\x00"+a.Step] = a
		}
	} else {
		require.False(t, *update, "%s is not set: nothing can be recorded", envLoki)
		text, err := os.ReadFile(recording)
		require.NoError(t, err)
		var all []recorded
		require.NoError(t, json.Unmarshal(text, &all))
		for _, a := range all {
			answers[a.Query+"\x00"+a.Step] = a
		}
	}
	for _, a := range asked {
		want, known := answers[a.Query+"\x00"+a.Step]
		require.True(t, known, "Loki's answer is not recorded: see test/servers/README.md\n%s", a.Query)
		t.Run(a.Query+" "+a.Step, func(t *testing.T) {
			t.Parallel()
			own := ownAnswer(t, entries, a)
			if why, differs := differences[a.Query]; differs {
				require.False(t, same(want, own), "the difference is gone (%s): delete it from the list", why)
				return
			}
			require.Equal(t, want.Refused, own.Refused, "Loki refused it, or this package did")
			require.True(t, same(want, own), "Loki:\n%s\nown:\n%s", strings.Join(want.Result, "\n"), strings.Join(own.Result, "\n"))
		})
	}
}

// ownAnswer is what this package says of a query.
func ownAnswer(t *testing.T, entries logql.Entries, a recorded) recorded {
	t.Helper()
	out := recorded{Query: a.Query, Step: a.Step}
	e, err := logql.Parse(a.Query)
	if err != nil || len(logql.Check(a.Query, e)) > 0 {
		out.Refused = true
		return out
	}
	w := logql.Window{From: evalNow().Add(-time.Hour), To: evalNow()}
	if a.Step != "" {
		w.Step, err = time.ParseDuration(a.Step)
		require.NoError(t, err)
		w.From = evalNow().Add(-stepsRange)
	}
	found, err := logql.Evaluate(t.Context(), e, entries, w, logql.Bounds{})
	if err != nil {
		out.Refused = true
		return out
	}
	for _, l := range found.Lines {
		out.add(l.Labels, l.Time.UnixNano(), l.Line)
	}
	for _, p := range found.Points {
		out.add(p.Labels, p.Time.UnixMilli(), strconv.FormatFloat(p.Value, 'g', -1, 64))
	}
	slices.Sort(out.Result)
	return out
}

// stepsRange is the time of a metric that is computed in steps.
const stepsRange = 10 * time.Minute

func (r *recorded) add(labels map[string]string, at int64, text string) {
	kept := map[string]string{}
	for name, value := range labels {
		// A label without a value is none; what is wrong with a line is said in own words.
		if value != "" && name != "__error_details__" {
			kept[name] = value
		}
	}
	key, _ := json.Marshal(kept) //nolint:errchkjson // texts
	r.Result = append(r.Result, fmt.Sprintf("%s %d %s", key, at, text))
}

// same compares results; numbers may differ in their last digits.
func same(a, b recorded) bool {
	return a.Refused == b.Refused && slices.EqualFunc(a.Result, b.Result, func(a, b string) bool {
		if a == b {
			return true
		}
		i, j := strings.LastIndexByte(a, ' '), strings.LastIndexByte(b, ' ')
		x, wrongX := strconv.ParseFloat(a[i+1:], 64)
		y, wrongY := strconv.ParseFloat(b[j+1:], 64)
		return a[:i] == b[:j] && wrongX == nil && wrongY == nil && (math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), 1) || math.IsNaN(x) && math.IsNaN(y))
	})
}

// realLoki is a server.
type realLoki struct {
	t           *testing.T
	url, tenant string
	// later is how much later than evalNow the lines are pushed and asked for: Loki takes
	// what is recent.
	later time.Duration
}

func (l *realLoki) push(entries logql.Entries) {
	type stream struct {
		Stream map[string]string `json:"stream"`
		Values [][2]string       `json:"values"`
	}
	var streams []*stream
	at := map[string]*stream{}
	for _, e := range entries {
		key := fmt.Sprint(e.Labels)
		if at[key] == nil {
			at[key] = &stream{Stream: e.Labels}
			streams = append(streams, at[key])
		}
		at[key].Values = append(at[key].Values, [2]string{strconv.FormatInt(e.Time.Add(l.later).UnixNano(), 10), e.Line})
	}
	for _, s := range streams {
		slices.SortFunc(s.Values, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	}
	body, err := json.Marshal(map[string]any{"streams": streams})
	require.NoError(l.t, err)
	status, text := l.do(http.MethodPost, "/loki/api/v1/push", body)
	require.Equal(l.t, http.StatusNoContent, status, text)
}

func (l *realLoki) do(method, path string, body []byte) (int, string) {
	ctx, cancel := context.WithTimeout(l.t.Context(), 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, l.url+path, bytes.NewReader(body))
	require.NoError(l.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Scope-OrgID", l.tenant)
	response, err := http.DefaultClient.Do(request)
	require.NoError(l.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(l.t, err)
	return response.StatusCode, string(text)
}

// ask writes Loki's answer into r.
func (l *realLoki) ask(r *recorded) {
	e, err := logql.Parse(r.Query)
	_, lines := e.(*logql.LogExpr)
	now := evalNow().Add(l.later)
	from, path := now.Add(-time.Hour), "query"
	values := url.Values{"query": {r.Query}, "time": {strconv.FormatInt(now.UnixNano(), 10)}}
	if err == nil && lines || r.Step != "" {
		path = "query_range"
		if r.Step != "" {
			from = now.Add(-stepsRange)
		}
		// Loki takes lines from start up to, not including, end; windows here are the other way.
		end := now
		if r.Step == "" {
			from, end = from.Add(1), end.Add(1)
		}
		values = url.Values{"query": {r.Query}, "start": {strconv.FormatInt(from.UnixNano(), 10)},
			"end": {strconv.FormatInt(end.UnixNano(), 10)}, "limit": {"5000"}}
		if r.Step != "" {
			values.Set("step", r.Step)
		}
	}
	status, text := l.do(http.MethodGet, "/loki/api/v1/"+path+"?"+values.Encode(), nil)
	if status != http.StatusOK {
		require.Less(l.t, status, http.StatusInternalServerError, "%s: %s", r.Query, text)
		r.Refused = true
		l.t.Logf("refused: %s: %s", r.Query, strings.TrimSpace(text))
		return
	}
	var answer struct {
		Data struct {
			ResultType string          `json:"resultType"`
			Result     json.RawMessage `json:"result"`
		} `json:"data"`
	}
	require.NoError(l.t, json.Unmarshal([]byte(text), &answer))
	if answer.Data.ResultType == "scalar" {
		var pair []any
		require.NoError(l.t, json.Unmarshal(answer.Data.Result, &pair))
		pair[0] = float64(now.Unix()) // Loki 3.4.2 gives a time in another unit
		r.pair(nil, l.later, pair)
		return
	}
	var series []struct {
		Stream, Metric map[string]string
		Value          []any
		Values         [][]any
	}
	require.NoError(l.t, json.Unmarshal(answer.Data.Result, &series), text)
	for _, s := range series {
		if s.Value != nil {
			r.pair(s.Metric, l.later, s.Value)
		}
		for _, v := range s.Values {
			if answer.Data.ResultType == "streams" {
				at, err := strconv.ParseInt(v[0].(string), 10, 64)
				require.NoError(l.t, err)
				r.add(s.Stream, at-int64(l.later), v[1].(string))
				continue
			}
			r.pair(s.Metric, l.later, v)
		}
	}
	slices.Sort(r.Result)
}

// pair is a number with its time in seconds.
func (r *recorded) pair(labels map[string]string, later time.Duration, pair []any) {
	value, err := strconv.ParseFloat(pair[1].(string), 64)
	if err != nil {
		value = math.NaN()
	}
	r.add(labels, int64(math.Round(pair[0].(float64)*1000))-later.Milliseconds(), strconv.FormatFloat(value, 'g', -1, 64))
}
