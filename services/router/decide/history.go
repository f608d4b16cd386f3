package decide

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/store"
	"github.com/dibrain/dibrain/services/router/tools"
	"github.com/dibrain/dibrain/services/router/words"
)

// past is what the history says about the message.
type past struct {
	last    Message // newest of the assistant
	said    string  // newest message of the person
	topic   string  // newest request about data or logs, with the changes made to it
	topicIs string  // kind of the topic
	aside   string  // newest request, where it is of another kind than topics
	asideIs string
	sql     Message   // newest step with a SQL
	tables  Message   // newest step with tables
	steps   []Message // steps with a SQL of their own, oldest first
}

// past reads the history, oldest message first.
func (r *Rules) past(in In) past {
	var p past
	for _, m := range in.History {
		if m.Role == store.RoleUser {
			r.heard(&p, m.Content)
			continue
		}
		p.last = m
		if m.SQL != "" {
			if p.sql.SQL != m.SQL {
				p.steps = append(p.steps, m)
			}
			p.sql = m
		}
		if len(m.Tables) > 0 {
			p.tables = m
		}
	}
	return p
}

// heard takes an earlier message of the person in: as a topic, as a change of the
// topic, or as an aside.
func (r *Rules) heard(p *past, said string) {
	p.said = said
	f := r.read(In{Question: said})
	kind := r.rules.kindOf(f.on)
	if n, ok := Pick(said, Options(p.last.Content)); ok && p.last.Asked == AskedChoice {
		p.topic += ": " + Options(p.last.Content)[n]
		return
	}
	switch {
	case kind == "social", r.accepts(f), r.declines(f), runsBare(f):
	case r.followsUp(f, *p):
		p.topic = join(p.topic, said)
	case kind == "ambiguous":
	case r.rules.Kinds[kind].Goal == "" && kind != "explain":
		p.aside, p.asideIs = said, kind
	default:
		p.topic, p.topicIs, p.aside, p.asideIs = said, kind, "", ""
	}
}

func join(topic, change string) string {
	return strings.TrimRight(topic, "?？.。!！ ") + ", " + change
}

// goal is what the last turn was after.
func (r *Rules) goal(p past) string {
	switch p.last.Tool {
	case tools.Execute, tools.GenerateSQL, tools.SearchLog, tools.FixSQL:
		return p.last.Tool
	}
	return r.rules.Kinds[p.topicIs].Goal
}

// handedIn judges a SQL that was asked for: what to do with it was said before.
func (r *Rules) handedIn(in In, f found, p past) (Decision, bool) {
	if f.sql == "" || p.last.Tool != tools.AskHuman || f.on("run") || f.on("fix") || f.on("explain") {
		return Decision{}, false
	}
	whole := in
	whole.Question = p.said + "\n" + in.Question
	return r.judge(whole, r.read(whole)), true
}

// onSQL is a turn on the last SQL.
func (r *Rules) onSQL(in In, p past, kind, key string) Decision {
	k := r.rules.Kinds[kind]
	return Decision{Kind: kind, Goal: k.Goal, Plan: slices.Clone(k.Plan), SQLCall: p.sql.CallID, SQL: p.sql.SQL, Topic: p.topic,
		Rewritten: strings.TrimSpace(r.texts.Say(in.Language, key, "topic", p.topic, "reply", in.Question))}
}

// fromHistory judges a message that leans on what came before; false where it
// stands by itself.
func (r *Rules) fromHistory(in In, f found, p past) (Decision, bool) {
	if p.last.Asked != "" {
		if d, ok := r.reply(in, f, p); ok {
			return d, true
		}
	}
	short := f.message.size() <= fragmentSize
	lastSQL := p.sql.CallID != "" || p.sql.SQL != ""
	points := f.on("refer") || f.on("sql_noun")
	switch {
	// an error that came of the last SQL
	case lastSQL && f.on("has_error") && f.on("run") && !f.on("no_run"):
		return withError(r.onSQL(in, p, "fix_and_run", words.RewriteFixAndRun), f), true
	case lastSQL && f.on("has_error"):
		return withError(r.onSQL(in, p, "fix", words.RewriteFix), f), true
	case !short:
	// "run it", "ok now execute it"; after a failure also "fix it and try again"
	case lastSQL && f.on("bare") && f.on("fix") && f.on("run"):
		return r.onSQL(in, p, "fix_and_run", words.RewriteFixAndRun), true
	case lastSQL && (runsBare(f) || f.on("run") && r.echoes(f, p) && !f.on("no_run")):
		return r.onSQL(in, p, "run_sql", words.RewriteExecute), true
	case lastSQL && f.on("explain") && points && !f.on("names_table") && !f.on("metadata"),
		lastSQL && f.on("explain") && f.on("bare"):
		return r.onSQL(in, p, "explain", words.RewriteExplain), true
	case lastSQL && f.on("bare") && f.on("fix") && !f.on("affirm"):
		return r.onSQL(in, p, "fix", words.RewriteFix), true
	// "go ahead", "the SQL please" after tables were shown
	case p.last.Tool == tools.DataDiscovery && len(p.tables.Tables) > 0 && (r.accepts(f) || runsBare(f) || f.on("subjectless") && f.on("sql_noun")):
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
func (r *Rules) aboutTables(in In, f found, p past) (Decision, bool) {
	if len(p.tables.Tables) == 0 || f.on("names_table") || f.on("selected") || f.message.size() > fragmentSize {
		return Decision{}, false
	}
	about := p.tables.Tables
	n, chosen := ordinal(in.Question, len(about))
	if chosen {
		about = about[n : n+1]
	}
	kind := r.rules.kindOf(f.on)
	offered := p.last.Asked == OfferGenerate || p.last.Asked == OfferContinue
	asks := f.on("metadata") && (f.on("refer") || f.on("ordinal") || p.last.Tool == tools.DataDiscovery && !f.on("business"))
	switch {
	case asks && !f.on("chart") && kind != "faq" && kind != "logs" && kind != "sql" && kind != "discovery":
		k := r.rules.Kinds["metadata"]
		rewritten := in.Question + " (" + strings.Join(about, ", ") + ")"
		return Decision{Kind: "metadata", Goal: k.Goal, Plan: slices.Clone(k.Plan), Rewritten: rewritten, About: about}, true
	case (kind == "sql" || kind == "result" || kind == "ambiguous" || kind == "discovery") && (chosen || p.last.Tool == tools.DataDiscovery && f.on("on_table") || offered && f.on("agrees")):
		d := r.write(in, f, p, words.RewriteChange)
		d.About = about
		d.Rewritten += " (" + strings.Join(about, ", ") + ")"
		d.Subject = r.texts.Say(in.Language, words.RewriteChange, "topic", r.wraps.subject(p.topic), "reply", in.Question)
		return d, true
	}
	return Decision{}, false
}

// write is the turn that writes SQL over tables that were shown, and runs it
// where a figure was wanted.
func (r *Rules) write(in In, f found, p past, key string) Decision {
	d := Decision{Kind: "sql", Goal: tools.GenerateSQL, Plan: []string{tools.GenerateSQL}, TablesCall: p.tables.CallID}
	figure := p.last.Asked == OfferContinue && r.rules.Kinds[p.topicIs].Goal == tools.Execute ||
		p.last.Asked != OfferGenerate && p.topicIs == "result"
	told := f.on("sql_noun") || f.on("write")
	if !f.on("no_run") && (figure && !(f.on("sql_noun") && p.last.Asked == "") || f.on("run") || told && f.on("wants_result") ||
		key == words.RewriteChange && !(p.last.Asked == OfferGenerate && f.on("agrees")) && r.rules.kindOf(f.on) == "result") {
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
