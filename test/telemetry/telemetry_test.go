// Package telemetry_test holds what operators are given, a dashboard, alerts and the page
// about them, against the metrics that there are.
package telemetry_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

const (
	alertsFile    = "../../deploy/telemetry/alerts.yaml"
	dashboardFile = "../../deploy/telemetry/dashboard.json"
	page          = "../../docs/telemetry.md"
)

// use is a metric that an expression names, as tools/promcheck prints it.
type use struct {
	File, Where, Metric string
	Labels, Matchers    []string
}

// uses reads the files with Prometheus's parsers, which are a module of their own.
func uses(t *testing.T, files ...string) ([]use, error) {
	t.Helper()
	args := []string{"-C", "../../tools/promcheck", "run", "."}
	for _, file := range files {
		whole, err := filepath.Abs(file)
		require.NoError(t, err)
		args = append(args, whole)
	}
	command := exec.CommandContext(t.Context(), "go", args...)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	t.Log(errs.String())
	var all []use
	for lines := bufio.NewScanner(&out); lines.Scan(); {
		var u use
		require.NoError(t, json.Unmarshal(lines.Bytes(), &u))
		all = append(all, u)
	}
	return all, err
}

// scraped are labels that the scraper adds.
var scraped = []string{"job", "instance", "le"}

// problem says what is wrong with a use: no such metric, no such label, or a value that
// the label never has.
func problem(u use) string {
	if u.Metric == "up" || strings.HasPrefix(u.Metric, "go_") || strings.HasPrefix(u.Metric, "process_") {
		return ""
	}
	at := slices.IndexFunc(meter.Definitions(), func(d meter.Definition) bool { return slices.Contains(d.Prometheus(), u.Metric) })
	if at < 0 {
		return "no such metric"
	}
	d := meter.Definitions()[at]
	for _, label := range u.Labels {
		if !slices.Contains(d.Keys(), label) && !slices.Contains(scraped, label) {
			return "no such label: " + label
		}
	}
	for _, m := range u.Matchers {
		parts := regexp.MustCompile(`^([a-z_]+)[=!~]+"(.*)"$`).FindStringSubmatch(m)
		for _, l := range d.Labels {
			for value := range strings.SplitSeq(parts[2], "|") {
				if l.Key == parts[1] && len(l.Values) > 0 && !slices.Contains(l.Values, value) {
					return "no such value: " + m
				}
			}
		}
	}
	return ""
}

func TestDashboardAndAlertsNameWhatThereIs(t *testing.T) {
	t.Parallel()
	all, err := uses(t, alertsFile, dashboardFile)
	require.NoError(t, err)
	named := map[string]bool{}
	for _, u := range all {
		require.Empty(t, problem(u), "%s: %s: %s %v", u.File, u.Where, u.Metric, u.Matchers)
		named[u.File] = true
	}
	require.Len(t, named, 2)
	require.Greater(t, len(all), 40)
}

// TestMistakesAreFound breaks the alerts in the ways that the test above is to find.
func TestMistakesAreFound(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ expr, problem string }{
		"metric":     {`dibrain_turns_total > 1`, "no such metric"},
		"label":      {`sum by (table) (rate(dibrain_turn_seconds_count[5m])) > 1`, "no such label: table"},
		"matcher":    {`dibrain_model_tokens_total{principal="x"} > 1`, "no such label: principal"},
		"value":      {`dibrain_module_state{state=~"ready|broken"} == 1`, `no such value: state=~"ready|broken"`},
		"expression": {`sum(rate(dibrain_turn_seconds_count[5m]) > `, "unreadable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "alerts.yaml")
			require.NoError(t, os.WriteFile(file, []byte("groups:\n  - name: x\n    rules:\n      - alert: X\n        expr: '"+tc.expr+"'\n"), 0o600))
			all, err := uses(t, file)
			if tc.problem == "unreadable" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Len(t, all, 1)
			require.Equal(t, tc.problem, problem(all[0]))
		})
	}
}

// rows are the rows of the page's tables whose first cell names what begins with prefix:
// the names, and the row's other cells.
func rows(t *testing.T, prefix string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	all := map[string][]string{}
	quoted := regexp.MustCompile("`(" + prefix + "[A-Za-z_]+)`")
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for _, name := range quoted.FindAllStringSubmatch(cells[0], -1) {
			all[name[1]] = cells[1:]
		}
	}
	return all
}

func TestThePageHasEveryMetric(t *testing.T) {
	t.Parallel()
	told := rows(t, "dibrain_")
	for _, d := range meter.Definitions() {
		name := strings.TrimSuffix(d.Prometheus()[0], "_bucket")
		cells, ok := told[name]
		require.True(t, ok, "docs/telemetry.md does not tell of %s", name)
		require.Equal(t, strings.Join(d.Keys(), ", "), strings.TrimSpace(cells[0]), "labels of %s", name)
		delete(told, name)
	}
	require.Empty(t, told, "there are no such metrics")
}

func TestThePageSaysWhatToDoAtEachAlert(t *testing.T) {
	t.Parallel()
	told := rows(t, "Dibrain")
	text, err := os.ReadFile(alertsFile)
	require.NoError(t, err)
	alerts := regexp.MustCompile(`(?m)- alert: (\S+)$`).FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, alerts)
	for _, alert := range alerts {
		cells, ok := told[alert[1]]
		require.True(t, ok, "docs/telemetry.md does not tell of %s", alert[1])
		require.Len(t, cells, 2)
		require.NotEmpty(t, strings.TrimSpace(cells[1]), alert[1])
		delete(told, alert[1])
	}
	require.Empty(t, told, "there are no such alerts")
}
