// Package flow is a small typed state machine. A graph has nodes, which are
// functions over one typed state, and edges, which are data: from, to, a label,
// and a condition on the state. Because edges are data, a graph is checked when
// it is built, its picture is printed from what runs (Mermaid), and a run can be
// stored after every step and taken up again at the node that came next.
//
//	g, err := flow.New("greeter", "ask",
//		[]flow.Node[state]{{"ask", ask}, {"answer", answer}},
//		[]flow.Edge[state]{
//			{From: "ask", To: "ask", Label: "no name yet", When: func(s *state) bool { return s.name == "" }},
//			{From: "ask", To: "answer"},
//			{From: "answer", To: flow.End},
//		})
//	last, err := g.Run(ctx, &state{}, flow.Options[state]{MaxSteps: 20})
//
// The edges of a node are tried in their order and the first whose condition
// holds is taken. A node does not choose where it goes: it changes the state,
// and the edges read it.
package flow

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
)

// End is where a run ends. It is not a node.
const End = "END"

// DefaultMaxSteps is the ceiling of a run that names none.
const DefaultMaxSteps = 100

// Func is what a node does. An error ends the run.
type Func[S any] func(ctx context.Context, state *S) error

// Node is a named piece of work.
type Node[S any] struct {
	Name string
	Do   Func[S]
}

// Edge leads from one node to another, or to End.
type Edge[S any] struct {
	From, To string
	// Label is the condition in words, for the picture.
	Label string
	// When says whether the edge is taken; nil means always.
	When func(state *S) bool
}

// Graph is a checked graph. It holds no state of a run and is safe for
// concurrent use.
type Graph[S any] struct {
	name, start string
	order       []string
	nodes       map[string]Func[S]
	edges       map[string][]Edge[S]
}

// New checks and returns a graph. It is an error when a node is without a name
// or function, named twice, not reached from start, or leads nowhere for
// certain (its last edge must be unconditional, so that a run never stands
// still); when an edge names an unknown node, stands behind an unconditional
// one, or when no path leads to End.
func New[S any](name, start string, nodes []Node[S], edges []Edge[S]) (*Graph[S], error) {
	g := &Graph[S]{name: name, start: start, nodes: make(map[string]Func[S], len(nodes)), edges: make(map[string][]Edge[S], len(nodes))}
	var problems []error
	complain := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("flow %s: "+format, append([]any{name}, args...)...))
	}
	for _, n := range nodes {
		if _, twice := g.nodes[n.Name]; twice || n.Name == "" || n.Name == End || n.Do == nil {
			complain("node %q is without a function, has a reserved name, or is there twice", n.Name)
		}
		g.nodes[n.Name] = n.Do
		g.order = append(g.order, n.Name)
	}
	for _, e := range edges {
		if !g.has(e.From) || (e.To != End && !g.has(e.To)) {
			complain("edge %s -> %s names an unknown node", e.From, e.To)
		}
		if before := g.edges[e.From]; len(before) > 0 && before[len(before)-1].When == nil {
			complain("edge %s -> %s stands behind one that is always taken", e.From, e.To)
		}
		g.edges[e.From] = append(g.edges[e.From], e)
	}
	if !g.has(start) {
		complain("start %q is no node", start)
	}
	reached := g.reached()
	for _, n := range g.order {
		if out := g.edges[n]; len(out) == 0 || out[len(out)-1].When != nil {
			complain("node %q needs a last edge without a condition", n)
		}
		if !reached[n] {
			complain("node %q is not reached from %q", n, start)
		}
	}
	if !reached[End] {
		complain("no path leads to %s", End)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return g, nil
}

func (g *Graph[S]) has(node string) bool { _, ok := g.nodes[node]; return ok }

func (g *Graph[S]) reached() map[string]bool {
	seen, todo := map[string]bool{g.start: true}, []string{g.start}
	for len(todo) > 0 {
		node := todo[0]
		todo = todo[1:]
		for _, e := range g.edges[node] {
			if !seen[e.To] {
				seen[e.To] = true
				todo = append(todo, e.To)
			}
		}
	}
	return seen
}

// Name returns the graph's name.
func (g *Graph[S]) Name() string { return g.name }

// Edges returns the edges of a node in the order in which they are tried.
func (g *Graph[S]) Edges(node string) []Edge[S] { return slices.Clone(g.edges[node]) }

// Step is one step of a run.
type Step struct {
	Number int    // from 1
	Node   string // that was run
	Next   string // node or End that comes next; known to After, empty in Around
	Label  string // of the edge taken; likewise
}

// Options of one run.
type Options[S any] struct {
	// From is the node to begin with; empty: the graph's start. A run that was
	// stored by After goes on at that step's Next.
	From string
	// MaxSteps is the ceiling; 0: DefaultMaxSteps.
	MaxSteps int
	// Around wraps every node, for tracing. It must call next once and return
	// its error or another one.
	Around func(ctx context.Context, step Step, state *S, next func(context.Context) error) error
	// After is called when a node has ended well and the edge is chosen, for
	// persistence. Its error ends the run.
	After func(ctx context.Context, step Step, state *S) error
}

// StepError is an error of a run, with the place where it happened.
type StepError struct {
	Graph string
	Step  Step
	Err   error
}

// Error implements error.
func (e *StepError) Error() string {
	return fmt.Sprintf("flow %s: step %d, node %s: %v", e.Graph, e.Step.Number, e.Step.Node, e.Err)
}

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

// ErrCeiling says that a run took more steps than it may.
var ErrCeiling = errors.New("too many steps")

// PanicError is what a node's panic becomes: a run ends with an error, and its
// process lives.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Run runs the graph over state until End and returns the last step. The
// context is looked at before every step; its end is an error. Every error is a
// *StepError.
func (g *Graph[S]) Run(ctx context.Context, state *S, o Options[S]) (Step, error) {
	node := o.From
	if node == "" {
		node = g.start
	}
	ceiling := o.MaxSteps
	if ceiling <= 0 {
		ceiling = DefaultMaxSteps
	}
	var step Step
	for n := 1; ; n++ {
		step = Step{Number: n, Node: node}
		fail := func(err error) (Step, error) { return step, &StepError{Graph: g.name, Step: step, Err: err} }
		do, known := g.nodes[node]
		switch {
		case !known:
			return fail(fmt.Errorf("no such node %q", node))
		case n > ceiling:
			return fail(fmt.Errorf("%w: %d", ErrCeiling, ceiling))
		case ctx.Err() != nil:
			return fail(context.Cause(ctx))
		}
		if err := g.do(ctx, step, do, state, o); err != nil {
			return fail(err)
		}
		edge := g.choose(node, state)
		step.Next, step.Label = edge.To, edge.Label
		if o.After != nil {
			if err := o.After(ctx, step, state); err != nil {
				return fail(err)
			}
		}
		if edge.To == End {
			return step, nil
		}
		node = edge.To
	}
}

func (g *Graph[S]) do(ctx context.Context, step Step, do Func[S], state *S, o Options[S]) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	if o.Around == nil {
		return do(ctx, state)
	}
	return o.Around(ctx, step, state, func(ctx context.Context) error { return do(ctx, state) })
}

// choose returns the first edge whose condition holds. There is one: New saw to
// it that the last has none.
func (g *Graph[S]) choose(node string, state *S) Edge[S] {
	out := g.edges[node]
	for _, e := range out {
		if e.When == nil || e.When(state) {
			return e
		}
	}
	return out[len(out)-1]
}
