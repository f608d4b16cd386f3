package decide

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

const (
	// fragmentSize is the number of words up to which a message that points back
	// is taken for a change of what came before.
	fragmentSize = 14
	// correctionSize is that number where it begins as a change.
	correctionSize = 24
	// nameSize is the number of words that a name without a verb may have:
	// "Vietnam", "new customers please".
	nameSize = 4
)

// followsUp reports whether a message is a change of the topic, not a request of
// its own: it says so, it points back, or it has no subject.
func (r *Rules) followsUp(f found, p Summary) bool {
	if p.Topic == "" || f.sql != "" || f.on("new_topic") {
		return false
	}
	size := f.message.size()
	whole := f.on("asks") && f.on("business") && !f.on("pronoun") && !f.on("marker")
	marked := f.on("marker") || f.on("hesitates") && !whole || f.on("leading") && (!f.on("business") || size <= nameSize+1 && !f.on("asks"))
	if f.on("sql_wish") && f.on("business") && !f.on("pronoun") { // a verb and a subject of its own
		return false
	}
	switch kind := r.rules.kindOf(f.on); kind {
	case "result", "sql", "ambiguous", "unknown", "off_topic":
		if kind == "off_topic" && !f.on("marker") {
			return false
		}
	case "unsafe":
		// "remove the cancelled ones" is unsafe only where nothing has been shown.
		return marked && p.SQL.SQL != "" && !f.on("table_noun") && !f.on("override") && !f.on("secret")
	case "logs", "discovery":
		return r.rules.Kinds[kind].Goal == r.goal(p) && marked && size <= fragmentSize
	case "metadata": // "add the due date as a column"
		return (marked || r.speaksOfRows(f, p)) && p.SQL.SQL != "" && size <= fragmentSize
	default:
		return false
	}
	switch {
	case marked:
		return size <= correctionSize
	case f.on("why") && !f.on("business") && p.SQL.SQL != "": // why what was shown is so
		return size <= fragmentSize
	case f.on("subjectless"), size <= nameSize && !f.on("general") && !f.on("business"):
		return size <= fragmentSize
	default:
		return size <= fragmentSize && (f.on("pronoun") || f.on("change") && !f.on("business"))
	}
}

// change judges follow-ups and corrections: the earlier request with a change.
func (r *Rules) change(in In, f found, p Summary) (Decision, bool) {
	if d, ok := r.changedAside(in, f, p); ok {
		return d, true
	}
	if !r.followsUp(f, p) {
		return Decision{}, false
	}
	goal := r.goal(p)
	runs := (f.on("run") || f.on("wants_result")) && !f.on("no_run")
	switch {
	case goal == tools.GenerateSQL && (runs || p.Last.Asked == OfferExecute && f.on("agrees")):
		goal = tools.Execute
	case goal == tools.Execute && f.on("sql_wish") && !runs:
		goal = tools.GenerateSQL
	}
	d := Decision{Kind: "follow_up", Goal: goal, TablesCall: p.Tables.CallID}
	d.Rewritten = r.texts.Say(in.Language, words.RewriteChange, "topic", strings.TrimRight(p.Topic, "?？.。!！ "), "reply", in.Question)
	d.Subject = r.texts.Say(in.Language, words.RewriteChange, "topic", r.wraps.subject(p.Topic), "reply", in.Question)
	switch goal {
	case tools.SearchLog, tools.DataDiscovery:
		d.Plan = []string{goal}
	case tools.GenerateSQL, tools.FixSQL:
		d.Goal, d.Plan = tools.GenerateSQL, []string{tools.GenerateSQL}
	case tools.Execute:
		d.Plan = []string{tools.GenerateSQL, tools.Execute}
		// Another chart of the same figures needs no other SQL.
		if f.on("chart") && p.SQL.CallID != "" && f.only("chart", "change", "refer", "polite", "filler", "write", "find", "affirm", "run") {
			d.Plan, d.SQLCall = []string{tools.Execute}, p.SQL.CallID
		}
	default:
		return Decision{}, false
	}
	// An answer without a SQL in between has no intent that could be changed.
	p = r.withoutDeclined(in, p)
	if call := p.changeable(); call != "" && slices.Contains(d.Plan, tools.GenerateSQL) {
		d.ChangesCall, d.Taken, d.FollowUp, d.Unchanged, d.Open, d.OpenAsked = call, p.Offered, in.Question, p.Topic, p.Open, p.openAsked()
	}
	if d.Plan[0] == tools.GenerateSQL && len(p.Tables.Tables) == 0 {
		d.Plan = append([]string{tools.DataDiscovery}, d.Plan...)
	}
	return d, true
}

// changedAside judges "and for the other queue?" after a question on the platform.
func (r *Rules) changedAside(in In, f found, p Summary) (Decision, bool) {
	k := r.rules.Kinds[p.AsideIs]
	if p.AsideIs != "faq" || p.Last.Tool != tools.DatasuiteFAQ || !f.on("marker") || f.message.size() > fragmentSize ||
		p.Topic != "" && (f.on("figures") || f.on("chart") || f.on("time") || f.on("business")) || f.on("run") {
		return Decision{}, false
	}
	if kind := r.rules.kindOf(f.on); !slices.Contains([]string{"faq", "result", "unknown", "ambiguous"}, kind) {
		return Decision{}, false
	}
	rewritten := r.texts.Say(in.Language, words.RewriteChange, "topic", strings.TrimRight(p.Aside, "?？.。!！ "), "reply", in.Question)
	return Decision{Kind: "faq", Goal: k.Goal, Plan: slices.Clone(k.Plan), Rewritten: rewritten}, true
}

// mayChange lets who reads a short request decide whether it is one of its own or
// changes the one before: "and the number of loans?" has words of both.
func (r *Rules) mayChange(in In, f found, p Summary, d *Decision) {
	p = r.withoutDeclined(in, p)
	if d.Kind != "result" || f.on("new_topic") || f.on("names_table") || f.on("selected") || p.changeable() == "" ||
		p.Topic == "" || f.message.size() > fragmentSize || r.goal(p) != tools.Execute {
		return
	}
	d.ChangesCall, d.Taken, d.FollowUp, d.Open, d.OpenAsked = p.changeable(), p.Offered, in.Question, p.Open, p.openAsked()
	if d.TablesCall == "" { // where it has no tables of its own
		d.TablesCall = p.Tables.CallID
	}
}

// withoutDeclined is a summary without the reading that the newest answer asks about, where a message begins with a no:
// "no, by month" changes what was answered before, if anything was.
func (r *Rules) withoutDeclined(in In, p Summary) Summary {
	if lead := clause.FindString(in.Question); lead != "" && p.Offered.CallID != "" && r.declines(r.read(In{Question: lead})) {
		p.Offered = Offered{}
	}
	return p
}

// changeable is the call whose intent the next message may change: the one that asks about a reading,
// or that of the answer to the topic as it stands; empty: there is none.
func (p *Summary) changeable() string {
	switch {
	case p.Offered.CallID != "":
		return p.Offered.CallID
	case p.Answered:
		return p.SQL.CallID
	}
	return ""
}

// wantsSQL reports whether a message asks to see the SQL of the answer before, and
// nothing else.
func (r *Rules) wantsSQL(f found) bool {
	return f.on("sql_noun") && f.sql == "" && f.message.size() <= fragmentSize/2 &&
		!slices.ContainsFunc([]string{"run", "fix", "explain", "no_run", "marker", "method"}, f.on) &&
		f.only("sql_noun", "write", "find", "refer", "polite", "filler", "affirm", "thanks", "what_is", "modifier", "back_noun")
}

// rowsMeant are the words by which people point at several things that were shown.
var rowsMeant = regexp.MustCompile(`\b(?:them|these|those)\b|这些|那些|它们|他们|她们|其中`)

// speaksOfRows reports whether a message speaks of the rows that the newest answer showed: several
// things, and by no word for a table or a column.
func (r *Rules) speaksOfRows(f found, p Summary) bool {
	shown := p.Last.Tool == tools.Execute && p.Answered && p.SQL.SQL != ""
	return shown && !f.on("table_noun") && !f.on("column_noun") && !f.on("names_table") && rowsMeant.MatchString(f.message.lower)
}

// backParts are the signals that a message may have that only goes back.
var backParts = []string{"back", "back_noun", "ordinal", "refer", "polite", "filler", "sql_noun", "affirm", "modifier"}

// goesBack reports whether a message wants an earlier answer again and says no more.
func (r *Rules) goesBack(f found) bool {
	return f.on("back") && f.sql == "" && f.message.size() <= fragmentSize && f.only(backParts...)
}

// GoesBack reports whether a message wants an earlier answer again and says no more.
func (r *Rules) GoesBack(text string) bool { return r.goesBack(r.read(In{Question: text})) }

// back runs an earlier SQL again: the first one, the one that is counted, or the one
// before the last.
func (r *Rules) back(in In, p Summary) Decision {
	to := p.First
	if n := len(p.Steps); !backFirst.MatchString(strings.ToLower(in.Question)) && n > 1 {
		to = p.Steps[n-2]
		if i, ok := ordinal(in.Question, n); ok && p.Steps[0].CallID == p.First.CallID {
			to = p.Steps[i]
		}
	}
	k := r.rules.Kinds["run_sql"]
	return Decision{Kind: "run_sql", Goal: k.Goal, Plan: slices.Clone(k.Plan), SQLCall: to.CallID, SQL: to.SQL, Topic: to.Topic, Rewritten: cmp.Or(to.Topic, in.Question)}
}

// backFirst is how people name the first answer.
var backFirst = regexp.MustCompile(`\b(?:first|1st|original|initial|beginning|start)\b|第一|最初|最开始|最早|原来`)
