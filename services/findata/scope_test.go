package findata

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/dibrain/dibrain/pkg/shorttest"
	"github.com/dibrain/dibrain/services/findata/scope"
)

// scopeAs asks ClarifyScope's use case as somebody of a department or a region,
// with marts used often.
func scopeAs(t testing.TB, s *Service, q query, frequent []string) scope.Result {
	t.Helper()
	d, err := s.open(as(t, "ann"), "")
	require.NoError(t, err)
	defer d.release()
	w := s.newSearch(as(t, "ann"), d, q, nil)
	w.own.preferences.Marts = frequent
	require.NoError(t, w.find(as(t, "ann")))
	return w.scope
}

func martsOf(r scope.Result) []string {
	var marts []string
	for _, c := range r.Scopes {
		marts = append(marts, c.Mart)
	}
	return marts
}

func offered(r scope.Result) []string {
	var marts []string
	for _, o := range r.Options {
		marts = append(marts, strings.TrimPrefix(o.ID, scope.OptionPrefix))
	}
	return marts
}

// TestScopeCases asks the questions of scope.yaml.
func TestScopeCases(t *testing.T) {
	shorttest.Rules(t, "the scopes of many questions, one after another")
	t.Parallel()
	raw, err := os.ReadFile("testdata/scope.yaml")
	require.NoError(t, err)
	var cases []struct {
		Ask     string   `yaml:"ask"`
		Mart    []string `yaml:"mart"`
		Options []string `yaml:"options"`
		None    bool     `yaml:"none"`
		User    struct {
			Department string   `yaml:"department"`
			Region     string   `yaml:"region"`
			Frequent   []string `yaml:"frequent"`
		} `yaml:"user"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &cases))
	s := demoService(t, nil)
	right := 0
	for _, c := range cases {
		r := scopeAs(t, s, query{Text: c.Ask, Department: c.User.Department, UserRegion: c.User.Region}, c.User.Frequent)
		marts := martsOf(r)
		var ok bool
		switch {
		case c.None:
			ok = r.Outcome == scope.NoMatch || slices.Equal(marts, []string{"General"})
		case len(c.Options) > 0:
			ok = r.Outcome == scope.Ask && !slices.ContainsFunc(c.Options, func(o string) bool { return !slices.Contains(offered(r), o) })
		default:
			ok = r.Outcome == scope.Identified && len(marts) == 1 && slices.Contains(c.Mart, marts[0]) ||
				r.Outcome == scope.NoMatch && slices.Contains(c.Mart, r.Fallback)
		}
		if ok {
			right++
			continue
		}
		t.Logf("%q: outcome %d, marts %v, options %v, want %v %v %v", c.Ask, r.Outcome, marts, offered(r), c.Mart, c.Options, c.None)
	}
	t.Logf("%d of %d", right, len(cases))
	require.GreaterOrEqual(t, float64(right), 0.95*float64(len(cases)))
}

// TestWhatIsLackingNeedsBothMarts: who has not done something is known only to two
// marts together, so that it is no choice between them.
func TestWhatIsLackingNeedsBothMarts(t *testing.T) {
	t.Parallel()
	s := demoService(t, nil)
	for _, ask := range []string{"How many sellers have never sold anything?", "sellers that didn't sell this month", "有多少卖家从来没有卖出过东西？"} {
		r := scopeAs(t, s, query{Text: ask}, nil)
		require.Equal(t, scope.Identified, r.Outcome, ask)
		require.ElementsMatch(t, []string{"Order", "Seller"}, martsOf(r), ask)
	}
}

// blind is a case of scope_blind.yaml, which tells what the fields mean.
type blind struct {
	ID       string `yaml:"id"`
	Question string `yaml:"question"`
	User     struct {
		Department string   `yaml:"department"`
		Region     string   `yaml:"region"`
		Frequent   []string `yaml:"frequent_marts"`
	} `yaml:"user"`
	Expected struct {
		Scopes  []string `yaml:"scopes"`
		Match   string   `yaml:"match"`
		Also    []string `yaml:"also"`
		Ask     []string `yaml:"ask"`
		Answer  string   `yaml:"answer"`
		Then    []string `yaml:"then"`
		NoMatch bool     `yaml:"no_match"`
	} `yaml:"expected"`
}

func (b *blind) query() query {
	return query{Text: b.Question, Department: b.User.Department, UserRegion: b.User.Region}
}

// right judges the first answer to a case.
func (b *blind) right(r scope.Result) bool {
	e, marts := b.Expected, martsOf(r)
	allowed := append(slices.Clone(e.Scopes), e.Also...)
	none := func(in, of []string) bool {
		return !slices.ContainsFunc(in, func(m string) bool { return slices.Contains(of, m) })
	}
	switch {
	case e.NoMatch:
		return r.Outcome == scope.NoMatch || len(e.Also) > 0 && slices.Equal(marts, e.Also)
	case len(e.Ask) > 0:
		return r.Outcome == scope.Ask && subset(e.Ask, offered(r))
	case r.Outcome != scope.Identified || !subset(marts, allowed):
		return false
	case e.Match == "any_of":
		return !none(marts, e.Scopes)
	}
	return subset(e.Scopes, marts)
}

func subset(of, in []string) bool {
	return !slices.ContainsFunc(of, func(m string) bool { return !slices.Contains(in, m) })
}

// TestScopeBlind asks the questions that somebody wrote who had seen the catalog
// and not the code: it prints what is reached and holds it.
func TestScopeBlind(t *testing.T) {
	shorttest.Rules(t, "the scopes of sixty questions, one after another")
	t.Parallel()
	raw, err := os.ReadFile("testdata/scope_blind.yaml")
	require.NoError(t, err)
	var file struct {
		Cases []blind `yaml:"cases"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &file))
	require.Len(t, file.Cases, 60)
	s := demoService(t, nil)
	var right, asked, solved, needed int
	for _, c := range file.Cases {
		r := scopeAs(t, s, c.query(), c.User.Frequent)
		if r.Outcome == scope.Ask {
			asked++
		}
		if c.right(r) {
			right++
		} else {
			t.Logf("%s: outcome %d, marts %v, options %v", c.ID, r.Outcome, martsOf(r), offered(r))
		}
		if len(c.Expected.Ask) > 0 && r.Outcome == scope.Ask {
			needed++
			q := c.query()
			q.Reply = c.Expected.Answer
			if then := scopeAs(t, s, q, c.User.Frequent); then.Outcome == scope.Identified && subset(c.Expected.Then, martsOf(then)) {
				solved++
			} else {
				t.Logf("%s: after the answer %d %v", c.ID, then.Outcome, martsOf(then))
			}
		}
	}
	n := float64(len(file.Cases))
	t.Logf("right %d of 60 (%.1f%%), asked %d (%.1f%%), solved by the answer %d of %d", right, 100*float64(right)/n, asked, 100*float64(asked)/n, solved, needed)
	require.GreaterOrEqual(t, float64(right)/n, 0.95)
	require.Less(t, float64(asked)/n, 0.2)
	require.Greater(t, float64(solved), 0.7*float64(needed))
}
