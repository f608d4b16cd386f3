package decide_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/services/router/decide"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// routingCase is a line of the shared routing cases.
type routingCase struct {
	ID             string           `json:"id"`
	Kind           string           `json:"kind"`
	Lang           string           `json:"lang"`
	History        []decide.Message `json:"history"`
	AgentName      string           `json:"agent_name"`
	SelectedTables []string         `json:"selected_tables"`
	Question       string           `json:"question"`
	FinalIntent    string           `json:"final_intent"`
	FirstTool      string           `json:"first_tool"`
	Chain          []string         `json:"chain"`
	MustMention    []string         `json:"rewritten_must_mention"`
}

func newRules(t testing.TB) *decide.Rules {
	book, err := words.Open()
	require.NoError(t, err)
	r, err := decide.NewRules(book)
	require.NoError(t, err)
	return r
}

// walk decides until no tool is wanted, as if every call succeeded.
func walk(t testing.TB, s decide.Strategy, in decide.In) (first decide.Decision, chain []string) {
	in.Language = lang.Detect(in.Question)
	d, err := s.Decide(t.Context(), in)
	require.NoError(t, err)
	first = d
	for d.Tool != "" && len(chain) < 8 {
		chain = append(chain, d.Tool)
		if d.Tool == d.Goal || d.Tool == tools.AskHuman || d.Tool == tools.Reject {
			break
		}
		in.Turn = &first
		in.Calls = append(in.Calls, decide.Call{ID: fmt.Sprint("call_turn_", len(chain)), Tool: d.Tool, Outcome: decide.Done})
		d, err = s.Decide(t.Context(), in)
		require.NoError(t, err)
	}
	return first, chain
}

// TestSharedCases logs how the rules do on the shared routing cases. It holds no
// case to its result: the figures and their minimum belong to the evaluation.
func TestSharedCases(t *testing.T) {
	t.Parallel()
	path := sharedFile("data/routing/cases.jsonl")
	if path == "" {
		t.Skip("the shared routing cases are not beside the repository")
	}
	file, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	rules := newRules(t)
	tally := map[string]*score{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c routingCase
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		in := decide.In{Question: c.Question, History: c.History, SelectedTables: c.SelectedTables}
		var d decide.Decision
		var chain []string
		if tool, direct := tools.Direct(c.AgentName); direct {
			d, chain = decide.Decision{Goal: goalOf(tool.Name), Rewritten: c.Question}, []string{tool.Name}
		} else {
			d, chain = walk(t, rules, in)
		}
		for _, key := range []string{"all", "lang " + c.Lang, c.Kind} {
			if tally[key] == nil {
				tally[key] = &score{}
			}
			tally[key].add(c, d, chain)
		}
		if testing.Verbose() && (orNone(d.Goal) != c.FinalIntent || !slices.Equal(chain, c.Chain) || !mentions(d.Rewritten, c.MustMention)) {
			t.Logf("%s %s %q\n  kind %s, goal %s (want %s), chain %v (want %v), rewritten %q (must %v)",
				c.ID, c.Kind, c.Question, d.Kind, d.Goal, c.FinalIntent, chain, c.Chain, d.Rewritten, c.MustMention)
		}
	}
	require.NoError(t, lines.Err())
	keys := make([]string, 0, len(tally))
	for k := range tally {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		t.Logf("%-16s %s", k, tally[k])
	}
}

func goalOf(tool string) string {
	if slices.Contains(tools.Intents(), tool) {
		return tool
	}
	return ""
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func mentions(text string, must []string) bool {
	for _, m := range must {
		if !strings.Contains(strings.ToLower(text), m) {
			return false
		}
	}
	return true
}

type score struct{ n, goal, first, chain, rewrites, rewritten int }

func (s *score) add(c routingCase, d decide.Decision, chain []string) {
	s.n++
	first := "none"
	if len(chain) > 0 {
		first = chain[0]
	}
	s.goal += btoi(orNone(d.Goal) == c.FinalIntent)
	s.first += btoi(first == c.FirstTool)
	s.chain += btoi(slices.Equal(chain, c.Chain))
	if len(c.MustMention) > 0 {
		s.rewrites++
		s.rewritten += btoi(mentions(d.Rewritten, c.MustMention))
	}
}

func (s *score) String() string {
	pct := func(a, b int) string {
		if b == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(b))
	}
	return fmt.Sprintf("n %3d, final_intent %s, first_tool %s, chain %s, rewrite %s",
		s.n, pct(s.goal, s.n), pct(s.first, s.n), pct(s.chain, s.n), pct(s.rewritten, s.rewrites))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sharedFile walks up from here to a folder that has shared/name.
func sharedFile(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		p := filepath.Join(dir, "shared", name)
		if _, err := os.Stat(p); err == nil {
			return p
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
