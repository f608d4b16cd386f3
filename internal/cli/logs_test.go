package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/shorttest"
)

// writeLog writes a log of the last hours: in each a few errors of two services, of
// which the second has them in every other hour alone.
func writeLog(t *testing.T, path string) {
	t.Helper()
	var text strings.Builder
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // the time of execute
	for hour := range 6 {
		for i := range 6 - hour {
			at := now.Add(-time.Duration(hour)*time.Hour - time.Duration(i+1)*time.Minute).Format(time.RFC3339)
			fmt.Fprintf(&text, `{"timestamp":%q,"labels":{"service":"web","level":"error"},"line":"request %d failed"}`+"\n", at, i)
			fmt.Fprintf(&text, `{"timestamp":%q,"labels":{"service":"api","level":"error"},"line":"request %d failed"}`+"\n", at, i)
		}
	}
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
}

func TestNumbersOfLogsAreDrawn(t *testing.T) {
	shorttest.Rules(t, "how numbers are drawn")
	t.Parallel()
	file := filepath.Join(t.TempDir(), "all.log")
	writeLog(t, file)
	env := []string{"DIBRAIN_DATA_DIR=" + filepath.Join(t.TempDir(), "data")}

	r := execute(t, env, "logs", "--file", file, "errors per hour in the last 6 hours by service")
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.out, "12 numbers over time; the highest is 6 (service ")
	require.Regexp(t, `(?m)^time +service +value$`, r.out)
	require.Equal(t, 2, strings.Count(r.out, "6.00 ┼")+strings.Count(r.out, "6.00 ┤"), "a line for each service: %s", r.out)
	require.Contains(t, r.out, "computed every 1h.")

	r = execute(t, env, "logs", "--file", file, "errors per hour in the last 6 hours")
	require.Contains(t, r.out, "┤", "one line: %s", r.out)
	r = execute(t, env, "logs", "--file", file, "count errors per service in the last 6 hours")
	require.Contains(t, r.out, "█", "bars: %s", r.out)

	r = execute(t, env, "logs", "--file", file, "--query", "--since", "5h", "--step", "1h", `sum(count_over_time({service="web"}[1h]))`)
	require.Regexp(t, `(?m)^time +value$`, r.out, r.err)
	require.Contains(t, r.out, "┤")
	r = execute(t, env, "logs", "--file", file, "--json", "errors per hour in the last 6 hours")
	require.Regexp(t, `"step": +"3600s"`, r.out) // protojson writes one blank or two
	require.Regexp(t, `"strategy": +"STRATEGY_RULES"`, r.out)
	require.Contains(t, r.out, `"CHART_KIND_LINE"`)

	for name, args := range map[string][]string{
		"a step without a query":   {"--step", "1h", "errors"},
		"a step that is too short": {"--query", "--step", "1ms", `{service="web"}`},
		"a strategy of no kind":    {"--strategy", "luck", "errors"},
	} {
		r = execute(t, env, append([]string{"logs", "--file", file}, args...)...)
		require.Equal(t, exitInput, r.code, "%s: %s", name, r.err)
	}
	r = execute(t, env, "logs", "--file", file, "--strategy", "llm", "count errors")
	require.Contains(t, r.err, "No model is configured here")
}
