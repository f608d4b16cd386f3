package decide

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// yesOrNo is how many options a question has that the router asks with a yes and a no.
const yesOrNo = 2

// reply judges the answer to an offer or a question of the last turn.
func (r *Rules) reply(in In, f found, p Summary) (Decision, bool) {
	if r.declines(f) {
		offersSQL := p.Last.Asked == OfferGenerate || p.Last.Asked == OfferContinue
		if offersSQL && f.on("no_run") && f.on("write") { // "write it, don't run it" takes such an offer up
			return r.write(in, f, p, words.RewriteGenerate), true
		}
		return Decision{Kind: "decline", Rewritten: in.Question, Say: words.Declined}, true
	}
	if p.Last.Asked == OfferWithout && r.goesBack(f) { // takes up nothing
		return Decision{}, false
	}
	if p.Last.Asked == AskedChoice {
		return r.choice(in, f, p)
	}
	if n, ok := r.Numbered(in.Question, yesOrNo); ok && p.Last.Asked == OfferWithout {
		if n > 0 {
			return Decision{Kind: "decline", Rewritten: in.Question, Say: words.Declined}, true
		}
		return r.onSQL(in, p, "run_sql", words.RewriteExecute), true
	}
	if !r.accepts(f) && !runsBare(f) && !r.agrees(f, p) {
		return Decision{}, false
	}
	switch p.Last.Asked {
	case OfferExecute, OfferWithout, AskedCost:
		return r.onSQL(in, p, "run_sql", words.RewriteExecute), true
	case OfferGenerate, OfferContinue:
		return r.write(in, f, p, words.RewriteGenerate), true
	}
	return Decision{}, false
}

// agrees reports whether a message that is more than a plain yes is one: it
// repeats what was offered, or begins with a yes and names nothing new.
func (r *Rules) agrees(f found, p Summary) bool {
	if f.on("decline") || f.on("no_run") || f.on("explain") || f.sql != "" {
		return false
	}
	if (f.on("run") || f.on("affirm")) && r.echoes(f, p) {
		return true
	}
	brings := slices.ContainsFunc([]string{"marker", "business", "time", "asks", "chart", "platform", "table_noun"}, f.on)
	return f.on("agrees") && (f.on("run") || f.on("write")) && !brings && f.message.size() <= fragmentSize/2
}

// echoes reports whether all that a message says beside words of action was said
// before, in the topic or in the last step.
func (r *Rules) echoes(f found, p Summary) bool {
	if f.message.size() > fragmentSize || f.on("marker") || f.on("general") && !f.on("affirm") {
		return false
	}
	m := f.without(append([]string{"write", "thanks", "praise", "table_noun"}, bareParts...)...)
	before := prepare(p.Topic + " " + p.Last.Content)
	for _, w := range m.words {
		if !slices.Contains(before.words, w) {
			return false
		}
	}
	// A period says something here, also one whose word is idle elsewhere ("have a nice week").
	timeless := f.without("time").words
	for _, w := range f.message.words {
		if !slices.Contains(timeless, w) && !slices.Contains(before.words, w) {
			return false
		}
	}
	for _, c := range m.compact {
		if hasHan(string(c)) && !strings.ContainsRune(before.compact, c) {
			return false
		}
	}
	return true
}

// choice takes an option of a list in the last message: "the second one", "2",
// words of the option, or, where nothing was listed, the reply itself.
func (r *Rules) choice(in In, f found, p Summary) (Decision, bool) {
	options := Options(p.Last.Content)
	var option string
	n, picked := Pick(in.Question, options)
	switch {
	case f.message.size() > fragmentSize:
		return Decision{}, false
	case f.on("both_options") && len(options) > 0:
		option = strings.Join(options, ", ")
	case picked:
		option = options[n]
	case f.on("any_option") && len(options) > 0:
		option = options[0]
	case len(options) == 0 && f.message.size() <= fragmentSize/2 && p.Topic != "" && !f.on("general"):
		option = in.Question
	default:
		return Decision{}, false
	}
	rewritten := r.texts.Say(in.Language, words.RewriteChoice, "topic", p.Topic, "option", option)
	if p.Last.Tool != tools.AskHuman { // back to the tool that asked, then on
		k := r.rules.Kinds[p.TopicIs]
		plan := slices.Clone(k.Plan)
		if at := slices.Index(plan, p.Last.Tool); at > 0 {
			plan = plan[at:]
		}
		return Decision{Kind: "choice", Goal: k.Goal, Plan: plan, Rewritten: rewritten}, true
	}
	if asked := r.read(In{Question: p.Last.Content}); asked.on("run") && picked && len(p.Steps) > 1 && n < len(p.Steps) {
		p.SQL = p.Steps[len(p.Steps)-min(len(p.Steps), len(options)):][n]
		d := r.onSQL(in, p, "run_sql", words.RewriteExecute)
		d.Rewritten += ": " + option
		return d, true
	}
	d := r.write(in, f, p, words.RewriteGenerate)
	d.Rewritten, d.Subject = rewritten, r.wraps.subject(p.Topic)+": "+option
	if len(p.Tables.Tables) == 0 {
		d.Plan = append([]string{tools.DataDiscovery}, d.Plan...)
	}
	return d, true
}
