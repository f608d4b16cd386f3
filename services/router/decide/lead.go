package decide

import (
	"regexp"
	"slices"
)

// clause is what a message begins with, up to its first mark.
var clause = regexp.MustCompile(`^[^.!?:;,，。！？：；、]*[.!?:;,，。！？：；、]+\s*`)

// leadParts are the signals of what is said before a request and wants nothing by itself.
// The words of one signal are taken out before those of the next.
var leadParts = []string{"new_topic", "greeting", "thanks", "praise", "affirm", "filler"}

// withoutLead is a message without the clauses before its request that want nothing: a thanks, and
// that another question follows. anew reports whether the latter was said. A message that is nothing
// else stays as it is.
func (r *Rules) withoutLead(text string) (rest string, anew bool) {
	rest = text
	if r.read(In{Question: text}).on("only_social") {
		return text, false
	}
	for left := text; ; {
		c := clause.FindString(left)
		if c == "" || len(c) == len(left) {
			return rest, anew
		}
		f := r.read(In{Question: c})
		announces := f.on("new_topic")
		parts := leadParts
		if announces {
			parts = append(slices.Clone(parts), "polite", "find")
		}
		if !f.only(parts...) {
			return rest, anew
		}
		left = left[len(c):]
		if announces || f.on("thanks") || f.on("praise") { // a yes alone may be an answer
			if after := r.read(In{Question: left}); after.on("only_social") || r.accepts(after) || r.declines(after) {
				return rest, anew
			}
			rest, anew = left, anew || announces
		}
	}
}

// readAfter reads a message without its lead.
func (r *Rules) readAfter(in In) (In, found) {
	rest, anew := r.withoutLead(in.Question)
	in.Question = rest
	f := r.read(in)
	if anew {
		f.facts["new_topic"] = true
	}
	return in, f
}
