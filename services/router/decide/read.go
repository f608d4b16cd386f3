package decide

import (
	"slices"
	"strings"

	"github.com/dibrain/dibrain/services/router/words"
)

// found is what was found in a message.
//
// It keeps what it was asked for, so one goroutine at a time may use it.
type found struct {
	message message
	lexicon *lexicon
	facts   map[string]bool
	sql     string
	failure string
}

func (f found) on(name string) bool {
	if v, is := f.facts[name]; is {
		return v
	}
	v := f.lexicon.byName[name].holds(f.message)
	if f.facts != nil {
		f.facts[name] = v // rules ask for the same signals again and again
	}
	return v
}

// only reports whether the message says nothing beside the named signals.
func (f found) only(names ...string) bool { return !f.lexicon.leftover(f.message, names...) }

var (
	// bareParts are the signals whose words name nothing to work on.
	bareParts = []string{"run", "fix", "explain", "affirm", "refer", "polite", "filler", "sql_noun", "greeting"}
	// frameParts, beside those, say how something shall be shown, but not what.
	frameParts  = []string{"figures", "time", "chart", "find", "write", "change", "modifier", "what_is", "thanks", "praise", "wants_result", "no_run"}
	socialParts = []string{"greeting", "thanks", "praise", "farewell"}
	// dataParts are the signals of what this product is for.
	dataParts = []string{"business", "figures", "chart", "table_noun", "sql_noun", "column_noun", "log_noun", "platform", "names_table", "selected"}
	// requestParts are the signals of a wish, which make a thanks a request: "only rock and jazz"
	// changes what was asked for.
	requestParts = []string{"marker", "general", "other_help", "off_topic", "run", "fix", "explain", "write", "find", "change_data", "override", "secret", "feature"}
)

// thanksSize is the number of words up to which a thanks or a farewell may have
// words that nobody foresaw.
const thanksSize = 14

func (r *Rules) read(in In) found {
	p := Split(in.Question)
	p.Words = address.ReplaceAllString(p.Words, " ")
	sql := p.SQL
	if in.OriginalSQL != "" {
		sql = in.OriginalSQL
	}
	failure := p.Error
	if in.ErrorMessage != "" {
		failure = in.ErrorMessage
	}
	f := found{message: prepare(dotted.ReplaceAllString(p.Words, " ")), lexicon: r.lexicon, sql: sql, failure: failure}
	f.message.lower = prepare(p.Words).lower // expressions may look at names
	r.lexicon.look(&f.message)
	names := len(named(p.Words)) > 0
	f.facts = map[string]bool{
		"has_sql":     sql != "",
		"write_sql":   writing.MatchString(sql),
		"has_error":   failure != "",
		"names_table": names,
		"source":      in.Source,
		"selected":    len(in.SelectedTables) > 0 || len(in.SelectedGroups) > 0,
		"bare":        sql == "" && !names && f.only(bareParts...),
	}
	f.facts["about_data"] = slices.ContainsFunc(dataParts, f.on)
	f.facts["subjectless"] = sql == "" && !f.on("names_table") && f.without(slices.Concat(frameParts, bareParts)...).blank()
	f.facts["only_social"] = sql == "" && slices.ContainsFunc(socialParts, f.on) && r.isSocial(f)
	return f
}

// isSocial tells a thanks from a request that begins with one.
func (r *Rules) isSocial(f found) bool {
	if f.only("greeting", "thanks", "praise", "farewell", "filler", "time") {
		return true
	}
	return (f.on("thanks") || f.on("farewell")) && f.message.size() <= thanksSize &&
		!f.on("about_data") && !slices.ContainsFunc(requestParts, f.on)
}

// without returns the message with the words of the named signals taken out.
func (f found) without(names ...string) message {
	m := f.message
	for _, n := range names {
		m = f.lexicon.byName[n].without(m)
	}
	return m
}

// blank reports whether a message has nothing but numbers left.
func (m message) blank() bool {
	return !hasHan(m.compact) && !slices.ContainsFunc(m.words, func(w string) bool { return strings.Trim(w, "0123456789-'") != "" })
}

func (r *Rules) social(in In, f found) Decision {
	d := Decision{Kind: "social", Rewritten: in.Question, Say: words.Greeting}
	switch {
	case f.on("capabilities"):
		d.Say = words.Capabilities
	case f.on("farewell"):
		d.Say = words.Farewell
	case f.on("thanks"), f.on("praise"):
		d.Say = words.Welcome
	}
	return d
}

// accepts reports whether a message is a plain yes. Praise is one too, a thanks
// alone is none.
func (r *Rules) accepts(f found) bool {
	if f.sql != "" || f.on("farewell") || f.on("no_run") || f.on("explain") || r.declines(f) {
		return false
	}
	m := f.without("greeting", "thanks")
	yes := r.lexicon.byName["affirm"].holds(m) || !f.on("thanks") && r.lexicon.byName["praise"].holds(m)
	return yes && f.only(append([]string{"thanks", "praise", "write"}, bareParts...)...)
}

// declines reports whether a message is a plain no.
func (r *Rules) declines(f found) bool {
	no := f.on("no_run") || r.lexicon.byName["decline"].holds(f.without("affirm"))
	if f.on("calls_off") && f.message.size() <= fragmentSize/2 && !f.on("about_data") && !f.on("new_topic") {
		return true
	}
	return no && f.sql == "" && f.only("no_run", "decline", "affirm", "thanks", "praise", "farewell", "filler", "polite", "run", "refer", "write", "sql_noun")
}

// runsBare reports whether a message wants something run and names nothing.
func runsBare(f found) bool { return f.on("run") && f.on("bare") && !f.on("no_run") }

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
	case r.declines(f):
		return No
	case f.on("wonders"): // "why did it run so long?" has the words of a yes
		return Other
	case r.accepts(f) || runsBare(f):
		return Yes
	default:
		return Other
	}
}

// Numbered reads a reply that is the number of one of n options and nothing else:
// "2", "the second one please". It counts from 0.
func (r *Rules) Numbered(reply string, n int) (int, bool) {
	f := r.read(In{Question: reply})
	at, rest, ok := position(reply, n)
	if !ok || otherOrdinals.MatchString(strings.ToLower(reply)) || f.sql != "" || f.on("wonders") || r.declines(f) || r.goesBack(f) {
		return 0, false
	}
	left := r.read(In{Question: rest}).without(append([]string{"ordinal"}, bareParts...)...)
	return at, left.blank() && !hasDigit(left.compact)
}

// Names finds the option that a reply names by words of it: all that the reply says is in
// that option, and in no other. A reply that says more is a wish of its own.
func (r *Rules) Names(reply string, options []string) (int, bool) {
	f := r.read(In{Question: reply})
	said := f.without(append([]string{"ordinal"}, bareParts...)...)
	if f.sql != "" || f.on("wonders") || r.declines(f) || said.blank() && !hasDigit(said.compact) {
		return 0, false
	}
	at, n := 0, 0
	for i, o := range options {
		if within(said, prepare(o)) {
			at, n = i, n+1
		}
	}
	return at, n == 1
}

// IsFragment reports whether a message is too short to be a request of its own.
func (r *Rules) IsFragment(text string) bool {
	f := r.read(In{Question: text})
	return f.sql == "" && f.message.size() <= fragmentSize/2
}
