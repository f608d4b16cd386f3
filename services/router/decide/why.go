package decide

import (
	"slices"

	"github.com/dibrain/dibrain/services/router/tools"
)

// whyParts are the signals that a message may have that only asks why what was shown is
// so: "why?", "why is that", "why did it fall so much",
// "what accounts for the change between May and June".
var whyParts = append([]string{"asks_why", "moved", "time", "two_times", "thanks", "praise"}, bareParts...)

// wondersWhy reports whether a message asks for the reason of the figure that was shown,
// and names no other.
func (r *Rules) wondersWhy(f found, p Summary) bool {
	shown := p.Last.Tool == tools.Execute || p.Last.Tool == tools.ExplainChange
	return shown && p.SQL.CallID != "" && f.sql == "" && f.on("asks_why") && !f.on("has_error") && f.message.size() <= fragmentSize &&
		!slices.ContainsFunc([]string{"business", "platform", "names_table", "table_noun", "log_noun", "how_do"}, f.on) &&
		(f.on("moved") && f.on("pronoun") || f.only(whyParts...))
}

// why is the turn that looks into the change of the figure that was shown.
func (r *Rules) why(in In, p Summary) Decision {
	k := r.rules.Kinds["change"]
	return Decision{
		Kind: "change", Goal: k.Goal, Plan: slices.Clone(k.Plan), Rewritten: in.Question, Topic: p.Topic,
		ChangesCall: p.SQL.CallID, FollowUp: in.Question,
	}
}
