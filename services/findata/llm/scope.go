package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/lang"
	chat "github.com/dibrain/dibrain/pkg/llm"
)

// ScopeOutcome is what a model makes of a question's scope.
type ScopeOutcome string

// Outcomes, by the names of the specification.
const (
	ScopeIdentified  ScopeOutcome = "scope_identified"
	InsufficientInfo ScopeOutcome = "insufficient_info"
	NoMatch          ScopeOutcome = "no_match"
)

// ScopeRequest is what a scope is decided from.
type ScopeRequest struct {
	Question
	// Marts that the asker may see.
	Marts []catalog.Mart
	// Tables are names of the best tables found, by mart, best first.
	Tables map[string][]string
	// Tie-breakers, in their order.
	Department string
	Region     string
	Frequent   []string
	Previous   []string
	// Hard: rules cannot tell, so that the fast model is passed over.
	Hard bool
}

// Choice is a mart that a model chose.
type Choice struct {
	Mart   string `json:"mart" doc:"name of a mart, as listed" verbatim:"true"`
	Reason string `json:"reason" doc:"what the question means there, in 2 to 6 words of its language" optional:"true"`
}

// Scope is a model's decision. With ScopeIdentified there are one to four marts,
// with InsufficientInfo two or more, with NoMatch none.
type Scope struct {
	Outcome ScopeOutcome
	Marts   []Choice
}

// scopeAnswer is the form of the model's answer.
type scopeAnswer struct {
	Outcome string   `json:"outcome" enum:"scope_identified|insufficient_info|no_match"`
	Scopes  []Choice `json:"scopes" max:"4" optional:"true"`
}

// Bounds of a decision: characters of a reason, and what is told of a mart.
const (
	maxReason  = 160
	tablesTold = 3 // names of tables of a mart
)

// Scope decides to which marts a question belongs. Marts that are not among those
// of the request are dropped; where none is left of a decision for some, the model
// is told and asked again.
func (a *Advisor) Scope(ctx context.Context, r ScopeRequest) (Scope, error) {
	req, err := a.prompts.scope.Request(map[string]any{
		"Language": languageName(r.Language), "Marts": a.marts(r.Marts, r.Tables, r.Language), "Person": a.person(r),
		"History": a.history(r.Question), "Question": a.question(r.Question),
	})
	if err != nil {
		return Scope{}, err
	}
	req.CacheKey = r.Session
	if r.Hard {
		req.Role = chat.Standard
	}
	answer, err := chat.Ask(ctx, a.model, req, func(v *scopeAnswer) []string { return v.settle(r.Marts) })
	if err != nil {
		return Scope{}, err
	}
	said := groundOf(req)
	out := Scope{Outcome: ScopeOutcome(answer.Outcome), Marts: answer.Scopes}
	for i := range out.Marts {
		out.Marts[i].Reason = said.scrub(shorten(out.Marts[i].Reason, maxReason))
	}
	return out, nil
}

// settle drops what the model cannot know and says what is then missing.
func (v *scopeAnswer) settle(marts []catalog.Mart) []string {
	var known []Choice
	for _, c := range v.Scopes {
		for _, m := range marts {
			listed := slices.ContainsFunc(known, func(k Choice) bool { return k.Mart == m.Name })
			if strings.EqualFold(strings.TrimSpace(c.Mart), m.Name) && !listed {
				known = append(known, Choice{m.Name, c.Reason})
			}
		}
	}
	v.Scopes = known
	switch ScopeOutcome(v.Outcome) {
	case ScopeIdentified:
		if len(known) == 0 {
			return []string{"scopes holds no name of a listed mart"}
		}
	case InsufficientInfo:
		if len(known) == 1 { // nothing to choose between: that is a decision
			v.Outcome = string(ScopeIdentified)
		}
		if len(known) == 0 {
			return []string{"with insufficient_info scopes has to name the marts that may be meant"}
		}
	case NoMatch:
		v.Scopes = nil
	}
	return nil
}

// marts lists marts with what tells them apart.
func (a *Advisor) marts(marts []catalog.Mart, tables map[string][]string, l lang.Language) string {
	var lines []string
	for _, m := range marts {
		line := "- " + m.Name
		if m.Fallback {
			line += " (general layer, for what no other mart holds)"
		}
		if about := a.about(m.Description, l); about != "" {
			line += ": " + about
		}
		if len(m.Synonyms) > 0 {
			line += " Also called: " + a.text(strings.Join(m.Synonyms, ", ")) + "."
		}
		if found := tables[m.Name]; len(found) > 0 {
			line += " Tables found: " + strings.Join(found[:min(len(found), tablesTold)], ", ") + "."
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (a *Advisor) person(r ScopeRequest) string {
	var lines []string
	for _, f := range []struct{ name, value string }{
		{"department", r.Department}, {"region", r.Region},
		{"marts used often", strings.Join(r.Frequent, ", ")}, {"marts of the conversation", strings.Join(r.Previous, ", ")},
	} {
		if f.value != "" {
			lines = append(lines, fmt.Sprintf("- %s: %s", f.name, a.text(f.value)))
		}
	}
	for _, fact := range r.Question.Person {
		if name, _, _ := strings.Cut(fact, ":"); name != "department" && name != "country" { // told above
			lines = append(lines, "- "+a.text(fact))
		}
	}
	if len(r.Question.Person) > 0 && r.Question.Today != "" {
		lines = append(lines, "- today: "+r.Question.Today)
	}
	return strings.Join(lines, "\n")
}
