package decide

import (
	"slices"

	"github.com/dibrain/dibrain/services/router/tools"
)

// platformParts are the signals by which a message is taken for one about the platform.
var platformParts = []string{"platform", "usage", "rights", "limits", "feature"}

// fromTheData plans anew for a message that was put to the documents, which say nothing of
// it, where the conversation names its source: a word of the platform may be one of the data
// ("how long does a job take" over a table of jobs). ok is false where it asks for nothing
// that the data holds.
func (r *Rules) fromTheData(in In, first Decision) (d Decision, ok bool) {
	last := in.Calls[len(in.Calls)-1]
	if !in.Source || first.Kind != "faq" || last.Tool != tools.DatasuiteFAQ || last.Outcome != Nothing {
		return Decision{}, false
	}
	in.Question = first.Rewritten
	f := r.read(in)
	for _, name := range platformParts {
		f.facts[name] = false
	}
	name := r.rules.kindOf(f.on)
	k := r.rules.Kinds[name]
	if !slices.Contains(k.Plan, tools.GenerateSQL) {
		return Decision{}, false
	}
	d = Decision{Kind: name, Goal: k.Goal, Plan: slices.Clone(k.Plan), Rewritten: first.Rewritten, Instead: true}
	d.Subject = r.wraps.subject(d.Rewritten)
	return toGoal(d, in.Goal), true
}
