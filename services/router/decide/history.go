package decide

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// Summary is what the messages so far say about the next one, whatever their
// number: a fold over them, which the router keeps with the session.
type Summary struct {
	Last    Message `json:"last"`            // newest of the assistant
	Said    string  `json:"said,omitempty"`  // newest message of the person
	Topic   string  `json:"topic,omitempty"` // newest request about data or logs, with the changes made to it
	TopicIs string  `json:"topic_is,omitempty"`
	Aside   string  `json:"aside,omitempty"` // newest request, where it is of another kind than topics
	AsideIs string  `json:"aside_is,omitempty"`
	SQL     Message `json:"sql"`    // newest step with a SQL
	Tables  Message `json:"tables"` // newest step with tables
	// Answered says that a SQL was written for the topic as it stands.
	Answered bool `json:"answered,omitempty"`
	// First is the first step with a SQL.
	First Message `json:"first,omitzero"`
	// Open is the newest change of the topic, where it could not be made.
	Open string `json:"open,omitempty"`
	// AskedOpen is the newest of which the person was asked whether to go on without it.
	AskedOpen string `json:"asked_open,omitempty"`
	// Offered is the reading that the newest answer asks about; zero: it asks about none.
	Offered Offered `json:"offered,omitzero"`
	// Steps with a SQL of their own, and discoveries, oldest first.
	Steps       []Message `json:"steps,omitempty"`
	Discoveries []Message `json:"discoveries,omitempty"`
}

// Bounds of a summary.
const (
	maxSteps       = 8 // and as many discoveries
	maxTopicBytes  = 4096
	maxSayingBytes = 4096 // of a message in it
	maxOpenBytes   = 512  // of a change that could not be made
)

// Summarize carries a summary on over further messages, oldest first; before is
// nil where there are none before them.
func (r *Rules) Summarize(before *Summary, messages []Message) Summary {
	var p Summary
	if before != nil {
		p = *before
		p.Steps, p.Discoveries = slices.Clone(p.Steps), slices.Clone(p.Discoveries)
	}
	for _, m := range messages {
		if m.Role == store.RoleUser {
			r.heard(&p, m.Content)
			continue
		}
		m.Content = lang.Clip(m.Content, maxSayingBytes)
		p.Last, p.Offered = m, m.Offered
		if m.Open != "" || m.SQL != "" { // what writes no SQL leaves it open
			p.Open = lang.Clip(m.Open, maxOpenBytes)
		}
		switch {
		case m.Asked == OfferWithout:
			p.AskedOpen = p.Open
		case m.Open != "" && m.SQL == "": // it could not be made just now
			p.AskedOpen = ""
		}
		if m.Tool == tools.GenerateSQL {
			p.pursued()
		}
		silent := m // its words count only while it is the last
		silent.Content, silent.Topic, silent.Offered = "", p.Topic, Offered{}
		if m.SQL != "" {
			if p.First.SQL == "" {
				p.First = silent
			}
			if p.SQL.SQL != m.SQL {
				p.Steps = newest(append(p.Steps, silent))
			}
			p.SQL, p.Answered = silent, true
		}
		if len(m.Tables) > 0 {
			p.Tables = silent
		}
		if m.Tool == tools.DataDiscovery && m.CallID != "" {
			p.Discoveries = newest(append(p.Discoveries, silent))
		}
	}
	return p
}

// pursued makes the newest message the topic where it was taken for something else by its
// words: what SQL was wanted for is about the data, as the turn knew and its words alone do not.
func (p *Summary) pursued() {
	if p.Aside != p.Said || p.Said == "" {
		return
	}
	p.Topic, p.TopicIs, p.Aside, p.AsideIs, p.Answered, p.Open = p.Said, "result", "", "", false, ""
}

// openAsked reports whether the person was asked whether to go on without the open change.
func (p *Summary) openAsked() bool { return p.Open != "" && p.AskedOpen == p.Open }

func (p *Summary) empty() bool { return p.Last.Role == "" && p.Said == "" }

func newest(messages []Message) []Message { return messages[max(0, len(messages)-maxSteps):] }

// heard takes an earlier message of the person in: as a topic, as a change of the
// topic, or as an aside.
func (r *Rules) heard(p *Summary, said string) {
	p.Said = lang.Clip(said, maxSayingBytes)
	if p.Said == p.Topic { // a change that could not be made: all stays as it was
		return
	}
	if topic := strings.TrimRight(p.Topic, "?？.。!！ "); topic != "" && strings.HasPrefix(p.Said, topic) { // with what was changed
		p.Topic, p.Answered = lang.Clip(said, maxTopicBytes), false
		return
	}
	in, f := r.readAfter(In{Question: said})
	said = in.Question
	kind := r.rules.kindOf(f.on)
	if n, ok := Pick(said, Options(p.Last.Content)); ok && p.Last.Asked == AskedChoice {
		p.Topic, p.Answered = lang.Clip(p.Topic+": "+Options(p.Last.Content)[n], maxTopicBytes), false
		return
	}
	switch {
	case r.wondersWhy(f, *p): // about what was shown, which stays as it is
	case kind == "social", r.accepts(f), r.declines(f), runsBare(f):
	case r.followsUp(f, *p):
		p.Answered = false
		if p.Topic = join(p.Topic, said); len(p.Topic) > maxTopicBytes {
			p.Topic = p.Said // so many changes that the request is another one
		}
	case kind == "ambiguous":
	case r.rules.Kinds[kind].Goal == "" && kind != "explain":
		p.Aside, p.AsideIs = p.Said, kind
	default:
		p.Topic, p.TopicIs, p.Aside, p.AsideIs, p.Answered, p.Open = lang.Clip(said, maxTopicBytes), kind, "", "", false, ""
	}
}

func join(topic, change string) string {
	return strings.TrimRight(topic, "?？.。!！ ") + ", " + change
}

// goal is what the last turn was after.
func (r *Rules) goal(p Summary) string {
	switch {
	case p.Last.Asked == OfferWithout: // an answer is wanted, and waits
		return tools.Execute
	case p.Offered.CallID != "": // what was asked for, and has only been asked about
		return r.rules.Kinds[p.TopicIs].Goal
	case p.Last.Tool != tools.GenerateSQL || p.Last.SQL != "":
	case p.Answered: // a change that could not be made
		p.Last = p.SQL
	default: // a question that could not be answered
		return r.rules.Kinds[p.TopicIs].Goal
	}
	switch p.Last.Tool {
	case tools.Execute, tools.GenerateSQL, tools.SearchLog, tools.FixSQL:
		return p.Last.Tool
	}
	return r.rules.Kinds[p.TopicIs].Goal
}

// handedIn judges a SQL that was asked for: what to do with it was said before.
func (r *Rules) handedIn(in In, f found, p Summary) (Decision, bool) {
	if f.sql == "" || p.Last.Tool != tools.AskHuman || f.on("run") || f.on("fix") || f.on("explain") {
		return Decision{}, false
	}
	whole := in
	whole.Question = p.Said + "\n" + in.Question
	return r.judge(whole, r.read(whole), p), true
}

// onSQL is a turn on the last SQL.
func (r *Rules) onSQL(in In, p Summary, kind, key string) Decision {
	k := r.rules.Kinds[kind]
	return Decision{Kind: kind, Goal: k.Goal, Plan: slices.Clone(k.Plan), SQLCall: p.SQL.CallID, SQL: p.SQL.SQL, Topic: p.Topic,
		Rewritten: strings.TrimSpace(r.texts.Say(in.Language, key, "topic", p.Topic, "reply", in.Question))}
}

// fromHistory judges a message that leans on what came before; false where it
// stands by itself.
func (r *Rules) fromHistory(in In, f found, p Summary) (Decision, bool) {
	if p.Last.Asked != "" {
		if d, ok := r.reply(in, f, p); ok {
			return d, true
		}
	}
	short := f.message.size() <= fragmentSize
	lastSQL := p.SQL.CallID != "" || p.SQL.SQL != ""
	points := f.on("refer") || f.on("sql_noun")
	switch {
	case f.on("no_run") && r.declines(f) && !f.on("sql_noun") && !f.on("write"): // what was shown has run, or will not
		return Decision{Kind: "decline", Rewritten: in.Question, Say: words.Declined}, true
	// an error that came of the last SQL
	case lastSQL && f.on("has_error") && f.on("run") && !f.on("no_run"):
		return withError(r.onSQL(in, p, "fix_and_run", words.RewriteFixAndRun), f), true
	case lastSQL && f.on("has_error"):
		return withError(r.onSQL(in, p, "fix", words.RewriteFix), f), true
	case !short:
	case r.wondersWhy(f, p):
		return r.why(in, p), true
	case p.Answered && p.SQL.SQL != "" && p.Last.Tool != tools.DataDiscovery && r.wantsSQL(f):
		return Decision{Kind: "show_sql", Rewritten: in.Question, Topic: p.Topic, SQL: p.SQL.SQL, SQLCall: p.SQL.CallID, Say: words.ShowSQL}, true
	case p.First.SQL != "" && r.goesBack(f):
		return r.back(in, p), true
	// "run it", "ok now execute it"; after a failure also "fix it and try again"
	case lastSQL && f.on("bare") && f.on("fix") && f.on("run") && !f.on("no_run"):
		return r.onSQL(in, p, "fix_and_run", words.RewriteFixAndRun), true
	case lastSQL && f.on("no_run") && f.on("fix") && f.only(append([]string{"no_run"}, bareParts...)...):
		return r.onSQL(in, p, "fix", words.RewriteFix), true
	case lastSQL && (runsBare(f) || f.on("run") && r.echoes(f, p) && !f.on("no_run")):
		return r.onSQL(in, p, "run_sql", words.RewriteExecute), true
	case lastSQL && f.on("explain") && points && !f.on("names_table") && !f.on("metadata"),
		lastSQL && f.on("explain") && f.on("bare"):
		return r.onSQL(in, p, "explain", words.RewriteExplain), true
	case lastSQL && f.on("bare") && f.on("fix") && !f.on("affirm"):
		return r.onSQL(in, p, "fix", words.RewriteFix), true
	// "go ahead", "the SQL please" after tables were shown
	case p.Last.Tool == tools.DataDiscovery && len(p.Tables.Tables) > 0 && (r.accepts(f) || runsBare(f) || f.on("subjectless") && f.on("sql_noun")):
		return r.write(in, f, p, words.RewriteGenerate), true
	}
	if d, ok := r.aboutTables(in, f, p); ok {
		return d, true
	}
	return r.change(in, f, p)
}

func withError(d Decision, f found) Decision {
	d.Error = f.failure
	return d
}

// aboutTables judges what is asked about, or wanted from, tables that were shown:
// "who owns the first one?", "write a query on it".
func (r *Rules) aboutTables(in In, f found, p Summary) (Decision, bool) {
	if len(p.Tables.Tables) == 0 || f.on("names_table") || f.on("selected") || f.message.size() > fragmentSize {
		return Decision{}, false
	}
	if r.speaksOfRows(f, p) {
		return Decision{}, false
	}
	about := p.Tables.Tables
	n, chosen := ordinal(in.Question, len(about))
	if rows := p.Last.Tool == tools.GenerateSQL || p.Last.Tool == tools.Execute; rows && !f.on("table_noun") && !f.on("metadata") && !f.on("on_table") {
		chosen = false // "cheapest first" after rows were shown counts no tables
	}
	if chosen {
		about = about[n : n+1]
	}
	kind := r.rules.kindOf(f.on)
	offered := p.Last.Asked == OfferGenerate || p.Last.Asked == OfferContinue
	asks := f.on("metadata") && (f.on("refer") || f.on("ordinal") || p.Last.Tool == tools.DataDiscovery && !f.on("business"))
	switch {
	case asks && !f.on("chart") && kind != "faq" && kind != "logs" && kind != "sql" && kind != "discovery":
		k := r.rules.Kinds["metadata"]
		rewritten := in.Question + " (" + strings.Join(about, ", ") + ")"
		return Decision{Kind: "metadata", Goal: k.Goal, Plan: slices.Clone(k.Plan), Rewritten: rewritten, About: about}, true
	case (kind == "sql" || kind == "result" || kind == "ambiguous" || kind == "discovery") && (chosen || p.Last.Tool == tools.DataDiscovery && f.on("on_table") || offered && f.on("agrees")):
		d := r.write(in, f, p, words.RewriteChange)
		d.About = about
		d.Rewritten += " (" + strings.Join(about, ", ") + ")"
		d.Subject = r.texts.Say(in.Language, words.RewriteChange, "topic", r.held(p), "reply", in.Question)
		return d, true
	}
	return Decision{}, false
}

// held is what SQL on the tables found is about: what they were to hold, where they were
// looked for, and not the search.
func (r *Rules) held(p Summary) string {
	about := r.wraps.subject(p.Topic)
	if r.rules.Kinds[p.TopicIs].Goal == tools.DataDiscovery {
		about = r.seeks.subject(about)
	}
	return about
}

// write is the turn that writes SQL over tables that were shown, and runs it
// where a figure was wanted.
func (r *Rules) write(in In, f found, p Summary, key string) Decision {
	d := Decision{Kind: "sql", Goal: tools.GenerateSQL, Plan: []string{tools.GenerateSQL}, TablesCall: p.Tables.CallID}
	figure := p.Last.Asked == OfferContinue && r.rules.Kinds[p.TopicIs].Goal == tools.Execute ||
		p.Last.Asked != OfferGenerate && p.TopicIs == "result"
	told := f.on("sql_noun") || f.on("write")
	if !f.on("no_run") && (figure && !(f.on("sql_noun") && p.Last.Asked == "") || f.on("run") || told && f.on("wants_result") ||
		key == words.RewriteChange && !(p.Last.Asked == OfferGenerate && f.on("agrees")) && r.rules.kindOf(f.on) == "result") {
		d.Kind, d.Goal, d.Plan = "result", tools.Execute, []string{tools.GenerateSQL, tools.Execute}
	}
	offer := ""
	if p.Last.Asked == OfferGenerate {
		offer = p.Last.Content
	}
	d.Subject = r.held(p)
	d.Rewritten = strings.TrimSpace(r.texts.Say(in.Language, key, "topic", p.Topic, "reply", in.Question, "offer", offer))
	return d
}
