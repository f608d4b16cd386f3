package flow_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dibrain/dibrain/pkg/flow"
)

type count struct {
	n     int
	until int
	trail []string
}

func nop(context.Context, *count) error { return nil }

// counter goes round until n reaches until.
func counter(t testing.TB) *flow.Graph[count] {
	g, err := flow.New("counter", "add",
		[]flow.Node[count]{
			{Name: "add", Do: func(_ context.Context, s *count) error { s.n++; return nil }},
			{Name: "done", Do: nop},
		},
		[]flow.Edge[count]{
			{From: "add", To: "add", Label: "not yet", When: func(s *count) bool { return s.n < s.until }},
			{From: "add", To: "done", Label: "enough"},
			{From: "done", To: flow.End},
		})
	require.NoError(t, err)
	return g
}

func TestRunTakesTheFirstEdgeThatHolds(t *testing.T) {
	t.Parallel()
	s := &count{until: 3}
	var steps []flow.Step
	last, err := counter(t).Run(t.Context(), s, flow.Options[count]{
		Around: func(ctx context.Context, step flow.Step, s *count, next func(context.Context) error) error {
			s.trail = append(s.trail, "in "+step.Node)
			return next(ctx)
		},
		After: func(_ context.Context, step flow.Step, _ *count) error { steps = append(steps, step); return nil },
	})
	require.NoError(t, err)
	require.Equal(t, []string{"in add", "in add", "in add", "in done"}, s.trail)
	require.Equal(t, []flow.Step{
		{Number: 1, Node: "add", Next: "add", Label: "not yet"},
		{Number: 2, Node: "add", Next: "add", Label: "not yet"},
		{Number: 3, Node: "add", Next: "done", Label: "enough"},
		{Number: 4, Node: "done", Next: flow.End},
	}, steps)
	require.Equal(t, steps[3], last)
}

// A run that ends at any step and goes on from what After stored comes to the
// same state as one that was left alone.
func TestResumeComesToTheSameState(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		g := counter(t)
		until := rapid.IntRange(1, 20).Draw(r, "until")
		death := rapid.IntRange(1, until+1).Draw(r, "death")
		killed := errors.New("killed")
		s, next := &count{until: until}, ""
		_, err := g.Run(t.Context(), s, flow.Options[count]{After: func(_ context.Context, step flow.Step, _ *count) error {
			if next = step.Next; step.Number == death {
				return killed
			}
			return nil
		}})
		if !errors.Is(err, killed) {
			r.Fatalf("%v", err)
		}
		if next == flow.End {
			return
		}
		if _, err := g.Run(t.Context(), s, flow.Options[count]{From: next}); err != nil || s.n != until {
			r.Fatalf("%v, n %d, want %d", err, s.n, until)
		}
	})
}

func TestErrorsNameTheirPlace(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	graph := func(do flow.Func[count]) *flow.Graph[count] {
		g, err := flow.New("g", "a", []flow.Node[count]{{Name: "a", Do: do}}, []flow.Edge[count]{{From: "a", To: flow.End}})
		require.NoError(t, err)
		return g
	}
	_, err := graph(func(context.Context, *count) error { return boom }).Run(t.Context(), &count{}, flow.Options[count]{})
	require.ErrorIs(t, err, boom)
	require.EqualError(t, err, "flow g: step 1, node a: boom")

	var panicked *flow.PanicError
	_, err = graph(func(context.Context, *count) error { panic("oh") }).Run(t.Context(), &count{}, flow.Options[count]{})
	require.ErrorAs(t, err, &panicked)
	require.Equal(t, "oh", panicked.Value)
	require.Contains(t, string(panicked.Stack), "flow_test.go")

	_, err = counter(t).Run(t.Context(), &count{until: 9}, flow.Options[count]{MaxSteps: 4})
	require.ErrorIs(t, err, flow.ErrCeiling)
	var at *flow.StepError
	require.ErrorAs(t, err, &at)
	require.Equal(t, 5, at.Step.Number)

	_, err = counter(t).Run(t.Context(), &count{}, flow.Options[count]{From: "nowhere"})
	require.ErrorContains(t, err, `no such node "nowhere"`)

	ctx, cancel := context.WithCancelCause(t.Context())
	s := &count{until: 9}
	_, err = counter(t).Run(ctx, s, flow.Options[count]{After: func(context.Context, flow.Step, *count) error { cancel(boom); return nil }})
	require.ErrorIs(t, err, boom, "the cause of a cancellation is kept")
	require.Equal(t, 1, s.n)
}

func TestNewRefusesWhatCannotRun(t *testing.T) {
	t.Parallel()
	a, b := flow.Node[count]{Name: "a", Do: nop}, flow.Node[count]{Name: "b", Do: nop}
	sometimes := func(*count) bool { return true }
	for name, tc := range map[string]struct {
		nodes []flow.Node[count]
		edges []flow.Edge[count]
		want  string
	}{
		"twice":     {[]flow.Node[count]{a, a}, []flow.Edge[count]{{From: "a", To: flow.End}}, `node "a" is without a function, has a reserved name, or is there twice`},
		"reserved":  {[]flow.Node[count]{a, {Name: flow.End, Do: nop}}, []flow.Edge[count]{{From: "a", To: flow.End}}, "reserved name"},
		"no func":   {[]flow.Node[count]{a, {Name: "b"}}, []flow.Edge[count]{{From: "a", To: "b"}, {From: "b", To: flow.End}}, "without a function"},
		"unknown":   {[]flow.Node[count]{a}, []flow.Edge[count]{{From: "a", To: "c"}}, "edge a -> c names an unknown node"},
		"no start":  {[]flow.Node[count]{b}, []flow.Edge[count]{{From: "b", To: flow.End}}, `start "a" is no node`},
		"unreached": {[]flow.Node[count]{a, b}, []flow.Edge[count]{{From: "a", To: flow.End}, {From: "b", To: flow.End}}, `node "b" is not reached`},
		"stuck":     {[]flow.Node[count]{a}, []flow.Edge[count]{{From: "a", To: flow.End, When: sometimes}}, `node "a" needs a last edge without a condition`},
		"no end":    {[]flow.Node[count]{a}, []flow.Edge[count]{{From: "a", To: "a"}}, "no path leads to END"},
		"dead edge": {[]flow.Node[count]{a}, []flow.Edge[count]{{From: "a", To: flow.End}, {From: "a", To: "a"}}, "stands behind one that is always taken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := flow.New("g", "a", tc.nodes, tc.edges)
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestMermaid(t *testing.T) {
	t.Parallel()
	require.Equal(t, `flowchart TD
    START([START]) --> add
    add -->|"not yet"| add
    add -->|"enough"| done
    done --> END([END])
`, counter(t).Mermaid())
}

func BenchmarkStep(b *testing.B) {
	g := counter(b)
	const steps = 1000
	b.ReportAllocs()
	for b.Loop() {
		if _, err := g.Run(b.Context(), &count{until: steps}, flow.Options[count]{MaxSteps: 2 * steps}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*(steps+1)), "ns/step")
}
