package decide

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// fragmentSize is the number of words up to which a message that points back is
// taken for a change of what came before.
const fragmentSize = 14

// past is what the history says about the message.
type past struct {
	last    Message // newest of the assistant
	topic   string  // newest request of the person that stands by itself
	sql     Message // newest step with a SQL
	tables  Message // newest step with tables
	topicIs string  // kind of the topic
}

func (r *Rules) past(in In) past {
	var p past
	for _, m := range slices.Backward(in.History) {
		switch m.Role {
		case store.RoleAssistant:
			if p.last.Role == "" {
				p.last = m
			}
			if p.sql.Role == "" && m.SQL != "" {
				p.sql = m
			}
			if p.tables.Role == "" && len(m.Tables) > 0 {
				p.tables = m
			}
		case store.RoleUser:
			if p.topic != "" {
				continue
			}
			f := r.read(In{Question: m.Content})
			if kind := r.rules.kindOf(f.on); kind != "social" && kind != "ambiguous" {
				p.topic, p.topicIs = m.Content, kind
			}
		}
	}
	return p
}

// goal is what the last turn was after.
func (r *Rules) goal(p past) string {
	switch p.last.Tool {
	case tools.Execute, tools.GenerateSQL, tools.SearchLog, tools.FixSQL:
		return p.last.Tool
	}
	return r.rules.Kinds[p.topicIs].Goal
}

// fromHistory judges a message that leans on what came before; false where it
// stands by itself.
func (r *Rules) fromHistory(in In, f found) (Decision, bool) {
	p := r.past(in)
	if p.last.Asked != "" {
		if d, ok := r.reply(in, f, p); ok {
			return d, true
		}
	}
	short := f.message.size() <= fragmentSize
	lastSQL := p.sql.CallID != "" || p.sql.SQL != ""
	say := func(key string) string { return r.texts.Say(in.Language, key, "topic", p.topic, "reply", in.Question) }
	onSQL := func(kind, rewritten string) Decision {
		k := r.rules.Kinds[kind]
		return Decision{Kind: kind, Goal: k.Goal, Plan: slices.Clone(k.Plan), Rewritten: rewritten, SQLCall: p.sql.CallID, SQL: p.sql.SQL, Topic: p.topic}
	}
	switch {
	case !short:
		return Decision{}, false
	// "run it", "ok now execute it"; after a failure also "fix it and try again"
	case lastSQL && f.on("bare") && f.on("fix") && f.on("run"):
		return onSQL("fix_and_run", say(words.RewriteFixAndRun)), true
	case lastSQL && f.on("bare") && f.on("run"):
		return onSQL("run_sql", say(words.RewriteExecute)), true
	case lastSQL && f.on("explain") && (f.on("refer") || f.on("sql_noun")) && !f.on("names_table"):
		return onSQL("explain", say(words.RewriteExplain)), true
	case lastSQL && f.on("bare") && f.on("fix"):
		return onSQL("fix", say(words.RewriteFix)), true
	// "go ahead" after tables were shown
	case p.last.Tool == tools.DataDiscovery && len(p.tables.Tables) > 0 && f.on("affirm") && f.on("bare"):
		return r.write(in, p, words.RewriteGenerate), true
	// "who owns the first one?"
	case len(p.tables.Tables) > 0 && f.on("metadata") && (f.on("refer") || f.on("ordinal")) && !f.on("names_table"):
		about := p.tables.Tables
		if n, ok := ordinal(in.Question, len(about)); ok {
			about = about[n : n+1]
		}
		k := r.rules.Kinds["metadata"]
		rewritten := in.Question + " (" + strings.Join(about, ", ") + ")"
		return Decision{Kind: "metadata", Goal: k.Goal, Plan: slices.Clone(k.Plan), Rewritten: rewritten, About: about}, true
	}
	return r.change(in, f, p)
}

// change judges follow-ups and corrections: the earlier request with a change.
func (r *Rules) change(in In, f found, p past) (Decision, bool) {
	kind := r.rules.kindOf(f.on)
	alone := kind == "discovery" || kind == "metadata" || kind == "faq" || kind == "unsafe" || kind == "off_topic" || kind == "logs"
	if p.topic == "" || !f.on("change") || (alone && !(kind == "logs" && p.last.Tool == tools.SearchLog)) {
		return Decision{}, false
	}
	rewritten := r.texts.Say(in.Language, words.RewriteChange, "topic", strings.TrimRight(p.topic, "?？.。!！ "), "reply", in.Question)
	goal := r.goal(p)
	if goal == tools.GenerateSQL && f.on("run") && !f.on("no_run") {
		goal = tools.Execute
	}
	d := Decision{Kind: "follow_up", Goal: goal, Rewritten: rewritten, TablesCall: p.tables.CallID}
	d.Subject = r.texts.Say(in.Language, words.RewriteChange, "topic", r.wraps.subject(p.topic), "reply", in.Question)
	switch goal {
	case tools.SearchLog, tools.DataDiscovery:
		d.Plan = []string{goal}
	case tools.GenerateSQL, tools.FixSQL:
		d.Goal, d.Plan = tools.GenerateSQL, []string{tools.GenerateSQL}
	case tools.Execute:
		d.Plan = []string{tools.GenerateSQL, tools.Execute}
		// Another chart of the same figures needs no other SQL.
		if f.on("chart") && p.sql.CallID != "" && !r.lexicon.leftover(f.message, "chart", "change", "refer", "polite", "filler", "write") {
			d.Plan, d.SQLCall = []string{tools.Execute}, p.sql.CallID
		}
	default:
		return Decision{}, false
	}
	if d.Plan[0] == tools.GenerateSQL && len(p.tables.Tables) == 0 {
		d.Plan = append([]string{tools.DataDiscovery}, d.Plan...)
	}
	return d, true
}

// write is the turn that writes SQL over tables that were shown, and runs it
// where a figure was wanted.
func (r *Rules) write(in In, p past, key string) Decision {
	d := Decision{Kind: "sql", Goal: tools.GenerateSQL, Plan: []string{tools.GenerateSQL}, TablesCall: p.tables.CallID}
	if p.last.Asked == OfferContinue && r.rules.Kinds[p.topicIs].Goal == tools.Execute ||
		p.last.Asked != OfferGenerate && p.topicIs == "result" {
		d.Kind, d.Goal, d.Plan = "result", tools.Execute, []string{tools.GenerateSQL, tools.Execute}
	}
	offer := ""
	if p.last.Asked == OfferGenerate {
		offer = p.last.Content
	}
	d.Subject = r.wraps.subject(p.topic)
	d.Rewritten = strings.TrimSpace(r.texts.Say(in.Language, key, "topic", p.topic, "reply", in.Question, "offer", offer))
	return d
}

// reply judges the answer to an offer or a question of the last turn.
func (r *Rules) reply(in In, f found, p past) (Decision, bool) {
	yes := f.on("affirm") && !r.lexicon.leftover(f.message, append([]string{"write"}, bareParts...)...)
	no := f.on("decline") && !r.lexicon.leftover(f.message, "decline", "thanks", "filler", "polite")
	bareRun := f.on("run") && f.on("bare")
	if no && !bareRun {
		return Decision{Kind: "decline", Rewritten: in.Question, Say: words.Declined}, true
	}
	switch p.last.Asked {
	case OfferExecute, AskedCost:
		if !yes && !bareRun {
			return Decision{}, false
		}
		k := r.rules.Kinds["run_sql"]
		return Decision{Kind: "run_sql", Goal: k.Goal, Plan: slices.Clone(k.Plan), SQLCall: p.sql.CallID, SQL: p.sql.SQL, Topic: p.topic,
			Rewritten: r.texts.Say(in.Language, words.RewriteExecute, "topic", p.topic)}, true
	case OfferGenerate, OfferContinue:
		if !yes && !bareRun {
			return Decision{}, false
		}
		return r.write(in, p, words.RewriteGenerate), true
	case AskedChoice:
		return r.choice(in, p)
	}
	return Decision{}, false
}

var listed = regexp.MustCompile(`(\d+)[)）.、]\s*`)

// choice takes an option of a list in the last message: "the second one", "2",
// or words of the option.
func (r *Rules) choice(in In, p past) (Decision, bool) {
	options := Options(p.last.Content)
	n, ok := Pick(in.Question, options)
	if !ok {
		return Decision{}, false
	}
	rewritten := r.texts.Say(in.Language, words.RewriteChoice, "topic", p.topic, "option", options[n])
	if p.last.Tool != tools.AskHuman { // back to the tool that asked, then on
		k := r.rules.Kinds[p.topicIs]
		plan := slices.Clone(k.Plan)
		if at := slices.Index(plan, p.last.Tool); at > 0 {
			plan = plan[at:]
		}
		return Decision{Kind: "choice", Goal: k.Goal, Plan: plan, Rewritten: rewritten}, true
	}
	d := r.write(in, p, words.RewriteGenerate)
	d.Rewritten, d.Subject = rewritten, r.wraps.subject(p.topic)+": "+options[n]
	return d, true
}

// Options reads "1) … 2) …" out of a message.
func Options(content string) []string {
	marks := listed.FindAllStringIndex(content, -1)
	var out []string
	for i, m := range marks {
		end := len(content)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		out = append(out, strings.TrimSpace(content[m[1]:end]))
	}
	return out
}

// Pick finds the option that a reply means: by number, ordinal, or the words of
// one option alone.
func Pick(reply string, options []string) (int, bool) {
	if len(options) == 0 {
		return 0, false
	}
	if n, ok := ordinal(reply, len(options)); ok {
		return n, true
	}
	hit, hits := 0, 0
	said := prepare(reply)
	for i, o := range options {
		if shares(said, prepare(o)) {
			hit, hits = i, hits+1
		}
	}
	return hit, hits == 1
}

// shares reports whether a reply has a telling word of an option: a Latin word
// of three letters or more, or two Han characters in a row.
func shares(said, option message) bool {
	for _, w := range said.words {
		if len(w) >= 3 && slices.Contains(option.words, w) {
			return true
		}
	}
	runes := []rune(said.compact)
	for i := 0; i+1 < len(runes); i++ {
		if lang.Detect(string(runes[i:i+2])) == lang.Chinese && strings.Contains(option.compact, string(runes[i:i+2])) {
			return true
		}
	}
	return false
}

var ordinals = [][]string{{"first", "第一", "第1"}, {"second", "第二", "第2"}, {"third", "第三", "第3"}, {"fourth", "第四", "第4"}, {"fifth", "第五", "第5"}}

var digit = regexp.MustCompile(`(?:^|[^\d\w])([1-9])(?:$|[^\d\w])`)

// ordinal reads "the second one", "第二个", "2" or "the last one", from 0.
func ordinal(text string, n int) (int, bool) {
	lower := strings.ToLower(text)
	for i, names := range ordinals {
		for _, name := range names {
			if strings.Contains(lower, name) {
				return i, i < n
			}
		}
	}
	if strings.Contains(lower, "last one") || strings.Contains(lower, "最后一") {
		return n - 1, n > 0
	}
	if m := digit.FindStringSubmatch(lower); m != nil && prepare(text).size() <= 4 {
		i, err := strconv.Atoi(m[1])
		return i - 1, err == nil && i <= n
	}
	return 0, false
}

// Verdict is a plain yes or no.
type Verdict int

// The verdicts. Other is anything that is more than a yes or a no.
const (
	Other Verdict = iota
	Yes
	No
)

// Verdict reads a reply to a question that has just been put.
func (r *Rules) Verdict(reply string) Verdict {
	f := r.read(In{Question: reply})
	switch {
	case f.on("decline") && !r.lexicon.leftover(f.message, "decline", "thanks", "filler", "polite"):
		return No
	case (f.on("affirm") || f.on("run")) && f.on("bare"):
		return Yes
	default:
		return Other
	}
}

// IsFragment reports whether a message is too short to be a request of its own.
func (r *Rules) IsFragment(text string) bool {
	f := r.read(In{Question: text})
	return f.sql == "" && f.message.size() <= fragmentSize/2
}
