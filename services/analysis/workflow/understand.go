package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/services/analysis/agent"
	"github.com/dibrain/dibrain/services/analysis/plan"
)

// Bounds of what is kept of what other services found.
const (
	maxTables   = 10
	maxQueries  = 6
	maxColumns  = 60
	maxEvidence = 30
	maxText     = 600 // bytes of one piece of evidence
)

// recognise is node 1: whether there is anything to analyse. A follow-up stands on the
// question before it.
func (w *Workflow) recognise(ctx context.Context, s *State) error {
	s.Status, s.Message = run.StatusRunning, w.say(s, "began")
	req, err := w.read(ctx, s, s.Query.Question)
	if err != nil {
		return err
	}
	if !req.Says() && len(s.Query.Earlier) > 0 {
		req, err = w.read(ctx, s, s.Query.Earlier[len(s.Query.Earlier)-1].Question, s.Query.Question)
		if err != nil {
			return err
		}
	}
	s.ByExample = s.Query.example() != nil
	s.Request, s.Irrelevant = req, !req.Says() && w.planner == nil && !s.ByExample
	if s.Irrelevant {
		return w.fail(s, "irrelevant")
	}
	return nil
}

// read understands a question with what was said about it afterwards.
func (w *Workflow) read(ctx context.Context, s *State, question string, feedback ...string) (plan.Request, error) {
	return w.rules.Read(ctx, asks{agents: w.agents, query: s.Query}, question, feedback, s.Query.Now, s.language())
}

// recallEvidence is node 2: glossary, rules and documents on the question.
func (w *Workflow) recallEvidence(ctx context.Context, s *State) error {
	found, err := w.agents.Discover(ctx, s.Query, s.Query.Question)
	if cannot := (*CannotError)(nil); err != nil && !errors.As(err, &cannot) {
		return fmt.Errorf("look for business knowledge: %w", err)
	}
	s.Evidence = nil
	for _, e := range found.Evidence[:min(len(found.Evidence), maxEvidence)] {
		e.Text = lang.Clip(e.Text, maxText)
		s.Evidence = append(s.Evidence, e)
	}
	s.Evidence = append(s.Evidence, agentEvidence(s.Query.Agent)...)
	s.Message = w.say(s, "evidence")
	return nil
}

// agentEvidence is what the agent of an analysis knows beside the documents that find data
// looks into: examples near the question. Its instructions go to whoever plans.
func agentEvidence(a *agent.Chosen) []Evidence {
	if a == nil {
		return nil
	}
	var out []Evidence
	for _, e := range a.Examples {
		var steps []string
		for _, s := range e.Steps {
			steps = append(steps, string(s.Kind)+": "+s.Instruction)
		}
		out = append(out, Evidence{Kind: "example", Name: e.Question, Text: lang.Clip(strings.Join(steps, "; "), maxText)})
	}
	return out
}

// enhance is node 3: the question standing alone, and what else is looked for.
func (w *Workflow) enhance(_ context.Context, s *State) error {
	s.Canonical = s.Query.Question
	if len(s.Query.Earlier) > 0 && len(s.Request.Metrics) > 0 && s.Request.Rest != "" {
		// What was taken over from the question before is said.
		s.Canonical = strings.Join(append(slices.Clone(s.Request.Metrics), s.Request.Rest), s.language().Pick(", ", "，"))
	}
	if strings.TrimSpace(s.Canonical) == "" {
		return w.fail(s, "empty")
	}
	s.Expanded = nil
	for _, m := range s.Request.Metrics {
		s.Expanded = append(s.Expanded, strings.TrimSpace(m+" "+s.Request.Dimension))
	}
	if s.Request.Dimension != "" { // which may fit several marts, where the figure fits one
		s.Expanded = append(s.Expanded, s.Request.Metrics...)
	}
	s.Message = w.say(s, "enhanced", "question", s.Canonical)
	return nil
}

// recallSchema is node 4: tables and columns.
func (w *Workflow) recallSchema(ctx context.Context, s *State) error {
	s.Tables = nil
	for _, name := range s.Query.Tables[:min(len(s.Query.Tables), maxTables)] {
		s.Tables = append(s.Tables, Document{Name: name})
	}
	var nearest []string
	reason := ""
	queries := s.Expanded
	if len(queries) == 0 {
		queries = []string{s.Canonical}
	}
	for _, q := range queries[:min(len(queries), maxQueries)] {
		found, err := w.agents.Discover(ctx, s.Query, q)
		if cannot := (*CannotError)(nil); errors.As(err, &cannot) {
			reason = cannot.Reason
			continue
		} else if err != nil {
			return fmt.Errorf("look for tables: %w", err)
		}
		nearest = append(nearest, found.Nearest...)
		if found.Reason != "" {
			reason = found.Reason
		}
		for _, t := range found.Tables {
			known := slices.ContainsFunc(s.Tables, func(d Document) bool { return d.Name == t.Name })
			if !known && len(s.Tables) < maxTables {
				t.Columns = t.Columns[:min(len(t.Columns), maxColumns)]
				s.Tables = append(s.Tables, t)
			}
		}
	}
	s.Message = w.say(s, "tables")
	if len(s.Tables) > 0 {
		return nil
	}
	if len(nearest) > 0 {
		reason += " " + w.say(s, "nearest", "tables", strings.Join(nearest[:min(len(nearest), 5)], ", "))
	}
	return w.fail(s, "no_tables", "reason", strings.TrimSpace(reason))
}

// relate is node 5: how the tables hang together, by the keys that the catalog knows.
func (w *Workflow) relate(_ context.Context, s *State) error {
	s.RelationTries++
	s.RelationError, s.RelationRetry, s.Relations = "", false, nil
	for _, t := range s.Tables {
		for _, r := range t.References {
			s.Relations = append(s.Relations, t.Name+": "+r)
		}
	}
	if len(s.Relations) == 0 {
		s.Relations = []string{w.say(s, "alone")}
	}
	s.Message = w.say(s, "related")
	return nil
}

// assess is node 6: whether the kind of request has what it needs.
func (w *Workflow) assess(ctx context.Context, s *State) error {
	s.Assessment = Assessment{Analysis: true, Kind: s.Request.Kind}
	if s.ByExample {
		s.Message = w.say(s, "feasible")
		return nil
	}
	var err error
	if s.ByModel, err = w.beyondRules(ctx, s); err != nil {
		return err
	}
	if len(s.Request.Lacks) > 0 {
		var reasons []string
		for _, lack := range s.Request.Lacks {
			reasons = append(reasons, w.say(s, "lacks_"+lack))
		}
		s.Assessment.Reason = strings.Join(reasons, s.language().Pick("; ", "；"))
		if s.ByModel {
			s.Message = w.say(s, "feasible")
			return nil
		}
		s.Assessment.Analysis = false
		return w.fail(s, "infeasible", "reason", s.Assessment.Reason)
	}
	s.Message = w.say(s, "feasible")
	return nil
}

// fail ends an analysis in words: it is no error of the program.
func (w *Workflow) fail(s *State, key string, args ...string) error {
	s.Status, s.Error = run.StatusFailed, w.say(s, key, args...)
	s.Message = s.Error
	return nil
}
