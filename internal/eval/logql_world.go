package eval

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/logql"
)

//go:embed logql_world.yaml
var logWorldYAML []byte

// logWorld is lines of the applications that the queries of the data name. Of the
// queries it takes names of applications and hosts alone, as Loki's label API would
// list them.
type logWorld struct {
	entries logql.Entries
	series  []map[string]string
}

// logWorldNow is when the queries of the suite are asked.
func logWorldNow() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

const (
	// logWorldLines is how often each form of line is written by an application.
	logWorldLines = 12
	logWorldSeed  = 20260301
)

type logFamily struct {
	Labels map[string]string `yaml:"labels"`
	Lines  []string          `yaml:"lines"`
}

func newLogWorld(golds []string) (*logWorld, error) {
	var file struct {
		Pools    map[string][]string    `yaml:"pools"`
		Families map[string][]logFamily `yaml:"families"`
	}
	if err := yaml.Unmarshal(logWorldYAML, &file); err != nil {
		return nil, fmt.Errorf("logql_world.yaml: %w", err)
	}
	w := &logWorld{}
	random := rand.New(rand.NewPCG(logWorldSeed, 1)) //nolint:gosec // data of a test, the same each time
	for _, app := range applications(golds) {
		family, _, _ := strings.Cut(app.name, "-")
		for _, source := range file.Families[family] {
			for _, host := range app.hosts {
				labels := map[string]string{"application": app.name}
				if host != "" && source.Labels == nil {
					labels["hostname"] = host
				}
				for name, value := range source.Labels {
					labels[name] = value
				}
				w.series = append(w.series, labels)
				for _, form := range source.Lines {
					w.write(random, labels, form, file.Pools)
				}
			}
		}
	}
	if len(w.entries) == 0 {
		return nil, fmt.Errorf("%w: no query names an application of a known family", ErrData)
	}
	return w, nil
}

// write writes a form of line some times, a half of them within the last hour and the
// rest within 30 days.
func (w *logWorld) write(random *rand.Rand, labels map[string]string, form string, pools map[string][]string) {
	for i := range logWorldLines {
		ago := time.Duration(random.Int64N(int64(time.Hour)))
		if i%2 == 1 {
			ago = time.Duration(random.Int64N(int64(30 * 24 * time.Hour)))
		}
		line := form
		for {
			name, rest, ok := strings.Cut(line, "{")
			if !ok {
				break
			}
			slot, after, _ := strings.Cut(rest, "}")
			pool := pools[slot]
			line = name + pool[random.IntN(len(pool))] + after
		}
		w.entries = append(w.entries, logql.Entry{Time: logWorldNow().Add(-ago), Labels: labels, Line: line})
	}
}

type application struct {
	name  string
	hosts []string
}

// applications returns the applications of queries with their hosts; one without a
// host has an empty one.
func applications(golds []string) []application {
	hosts := map[string]map[string]int{}
	for _, gold := range golds {
		e, err := logql.Parse(gold)
		if err != nil {
			e = selectorOf(gold)
		}
		if e == nil {
			continue
		}
		logql.Logs(e, func(l *logql.LogExpr) {
			values := map[string]string{}
			for _, m := range l.Matchers {
				if m.Op == logql.Equal {
					values[m.Label] = m.Value
				}
			}
			if app := values["application"]; app != "" {
				if hosts[app] == nil {
					hosts[app] = map[string]int{}
				}
				hosts[app][values["hostname"]]++
			}
		})
	}
	var out []application
	for _, name := range sortedNames(hosts) {
		out = append(out, application{name, hostsOf(hosts[name])})
	}
	return out
}

// hostsOf returns the hosts of an application: the one that most of its queries name,
// or all where none is. Lines without a host are of those.
func hostsOf(counts map[string]int) []string {
	list := sortedNames(counts)
	if len(list) > 1 {
		list = slices.DeleteFunc(list, func(h string) bool { return h == "" })
	}
	total := 0
	for _, h := range list {
		total += counts[h]
	}
	for _, h := range list {
		if counts[h]*2 > total {
			return []string{h}
		}
	}
	return list
}

func sortedNames[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// streams returns the streams that the selectors of a query pick.
func (w *logWorld) streams(e logql.Expr) []string {
	seen := map[string]bool{}
	logql.Logs(e, func(l *logql.LogExpr) {
		selects, err := logql.Selects(l.Matchers)
		if err != nil {
			return
		}
		for _, s := range w.series {
			if selects(s) {
				seen[streamName(s)] = true
			}
		}
	})
	return sortedNames(seen)
}

// streamName is the labels that streams of the world have, whatever was extracted.
func streamName(labels map[string]string) string {
	return strings.Join([]string{labels["application"], labels["hostname"], labels["log_file_type"], labels["component"], labels["log_level"]}, " ")
}
