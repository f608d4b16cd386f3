package rules

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"

	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/services/logify/drain"
)

// event is which lines a question is about.
type event struct {
	filters   []logql.Stage
	templates []*template
	// having are all templates whose lines pass the filters, those that were not
	// chosen too.
	having []*template
	// used are the stems of the question that the lines account for.
	used map[string]bool
}

const (
	// leastScore is the least share of what a question says that the words of a
	// template have to account for.
	leastScore = 0.3
	// alikeScore and beginScore are what a word counts that is not the template's
	// own but one of its group, or begins alike.
	alikeScore, beginScore = 0.6, 0.8
	// nearScore is what a word counts that is a value of the lines or of the labels
	// of their streams.
	nearScore = 0.5
	// thingScore is what a word counts that names what is counted or grouped by: it
	// says less about what happened.
	thingScore = 0.3
	// eventScore is what a word counts that says what happened: a predicate, or an
	// outcome such as a failure.
	eventScore      = 1.5
	maxAlternatives = 3
)

// findEvent chooses the templates that a question means among those of the streams.
func (g *Generator) findEvent(r *reading, k *Known, series []int) event {
	e := event{used: map[string]bool{}}
	phrases, values := g.splitQuoted(r, k, series, &e)
	candidates := e.templates
	if len(phrases) == 0 {
		candidates = k.at(series)
	}
	var chosen []*template
	if !g.onlyLevel(r) {
		chosen = g.choose(r, values, candidates, k, e.used)
	}
	if len(chosen) == 0 && len(phrases) > 0 {
		chosen = e.templates[:min(1, len(e.templates))]
	}
	e.templates = chosen
	for _, p := range phrases {
		e.filters = append(e.filters, contains(p))
	}
	if len(phrases) == 0 && len(chosen) > 0 {
		e.filters = append(e.filters, g.filtersOf(chosen, r.content, k, e.used)...)
	}
	for _, t := range candidates {
		if slices.Contains(chosen, t) || len(e.filters) > 0 && t.passes(e.filters) {
			e.having = append(e.having, t)
		}
	}
	e.filters = append(e.filters, g.literalFilters(r, k, chosen, values, &e)...)
	return e
}

// passes reports a template whose example passes line filters.
func (t *template) passes(filters []logql.Stage) bool {
	return !slices.ContainsFunc(filters, func(s logql.Stage) bool {
		f, is := s.(*logql.LineFilter)
		return !is || !slices.ContainsFunc(f.Values, func(v logql.LineValue) bool { return strings.Contains(t.Example, v.Text) })
	})
}

func contains(text string) *logql.LineFilter {
	return &logql.LineFilter{Op: logql.Contains, Values: []logql.LineValue{{Text: text}}}
}

// at returns the templates of streams.
func (k *Known) at(series []int) []*template {
	if len(series) == len(k.Series) {
		return k.templates
	}
	var out []*template
	for _, t := range k.templates {
		if slices.ContainsFunc(t.series, func(s int) bool { _, found := slices.BinarySearch(series, s); return found }) {
			out = append(out, t)
		}
	}
	return out
}

// splitQuoted tells quoted texts that lines of the streams have, in their spelling,
// from values; the former choose the templates.
func (g *Generator) splitQuoted(r *reading, k *Known, series []int, e *event) (phrases, values []string) {
	for _, q := range r.quoted {
		found := false
		var having []*template
		spelling := q
		for _, t := range k.at(series) {
			at := strings.Index(strings.ToLower(t.Example), strings.ToLower(q))
			if !strings.Contains(q, " ") && !t.says(q) {
				continue // a value of the line, such as a user
			}
			if at < 0 || at+len(q) > len(t.Example) {
				continue
			}
			if !found {
				spelling = t.Example[at : at+len(q)]
			}
			found = true
			having = append(having, t)
		}
		if found || len(strings.Fields(q)) > 1 {
			phrases = append(phrases, spelling)
			e.templates = append(e.templates, having...)
			for _, w := range wordsOf(q) {
				e.used[stem(w)] = true
			}
		} else {
			values = append(values, q)
		}
	}
	return phrases, values
}

// says reports a text among the constant words of a template.
func (t *template) says(text string) bool {
	return slices.ContainsFunc(t.runs, func(run string) bool { return strings.Contains(strings.ToLower(run), strings.ToLower(text)) })
}

// rank orders the templates that account for anything by how much that is.
func (g *Generator) rank(r *reading, values []string, candidates []*template, k *Known, used map[string]bool) []scored {
	var all []scored
	total := 0.0
	// A list, as the order of a sum decides between templates that are all but equal.
	type word struct {
		stem   string
		weight float64
	}
	var words []word
	things, predicates := thingsOf(r, g.words), predicatesOf(r, g.words)
	for _, s := range r.content {
		if used[s] || slices.ContainsFunc(words, func(w word) bool { return w.stem == s }) {
			continue
		}
		weight := g.weightOf(s, k)
		switch {
		case predicates[s] || g.words.outcomes[s]:
			weight *= eventScore
		case things[s]:
			weight *= thingScore
		}
		words = append(words, word{s, weight})
		total += weight
	}
	// What is written as it is tells the most, where a form has such a value.
	literal := math.Log(1 + float64(len(k.templates)))
	written := append(slices.Clone(r.literals), values...)
	total += literal * float64(len(written))
	if total == 0 {
		return nil
	}
	// Lines that have what is asked for beside the event are rather meant.
	askedFor, place := g.askedFor(r), literal*thingScore
	if len(askedFor) > 0 {
		total += place
	}
	for _, t := range candidates {
		score := 0.0
		for _, w := range words {
			score += w.weight * g.fits(w.stem, t)
		}
		for _, l := range written {
			if t.writes(l) {
				score += literal
			}
		}
		if score > 0 && len(askedFor) > 0 {
			if _, has := g.findPlace(askedFor, []*template{t}, false); has {
				score += place
			}
		}
		if score > 0 {
			all = append(all, scored{t, score / total, len(t.stems)})
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].score != all[j].score {
			return all[i].score > all[j].score
		}
		return all[i].extra < all[j].extra
	})
	return all
}

// scored is a template with the share of what a question says that it accounts for.
type scored struct {
	t     *template
	score float64
	extra int
}

// choose returns the templates that account for the most of the words, those that do
// so equally well together; none when even the best accounts for little.
func (g *Generator) choose(r *reading, values []string, candidates []*template, k *Known, used map[string]bool) []*template {
	all := g.rank(r, values, candidates, k, used)
	if len(all) == 0 || all[0].score < leastScore {
		return nil
	}
	var out []*template
	for _, c := range all {
		if c.score < all[0].score*0.999 {
			break
		}
		out = append(out, c.t)
	}
	if len(out) <= maxAlternatives {
		return out
	}
	// Where so many are as good, those that say little else are meant.
	return slices.DeleteFunc(out[:maxAlternatives:maxAlternatives], func(t *template) bool { return len(t.stems) > all[0].extra+2 })
}

var (
	scope = regexp.MustCompile(`\b(?:across|between|among) (?:all |the )*([a-z_-]+)`)
	// predicate finds the verb after an auxiliary: "were declined", "has been closed".
	predicate = regexp.MustCompile(`\b(?:is|are|was|were|been|being|got) (?:not |never |[a-z]+ly )?([a-z]+)`)
	nounWord  = regexp.MustCompile(`^\s*([A-Za-z][\w-]*)`)
)

// thingsOf returns the stems of the words that name what a question counts, lists,
// groups by or looks across, and of those that name a value which follows them.
func thingsOf(r *reading, l *lexicon) map[string]bool {
	out := map[string]bool{}
	add := func(text string) {
		for _, w := range wordsOf(text) {
			out[stem(w)] = true
		}
	}
	add(l.translate.Replace(r.group))
	add(l.translate.Replace(l.countedHan(r.lower)))
	if at := scope.FindStringSubmatchIndex(r.lower); at != nil {
		add(r.text[at[2]:at[3]]) // as written: names in camel case have parts
	}
	if at := counted.FindStringSubmatchIndex(r.lower); at != nil {
		// What stands before the noun only says how often, what before its head tells
		// something: "most frequently attempted invalid users".
		add(r.text[at[0]:at[2]])
		add(lastField(r.text[at[2]:at[3]]))
	}
	for _, end := range r.asked {
		add(headAt(r.text, end))
	}
	if r.listed > 0 {
		add(headAt(r.text, r.listed))
	}
	for _, from := range r.valuesAt {
		add(lastField(strings.TrimRight(r.text[:from], " \"'`“‘「:=#")))
	}
	return out
}

func lastField(text string) string {
	if fields := strings.Fields(text); len(fields) > 0 {
		return fields[len(fields)-1]
	}
	return ""
}

// askedFor returns the words that name the part of the lines that is grouped by or
// listed; none where the lines themselves are asked for.
func (g *Generator) askedFor(r *reading) []string {
	var words []string
	at := counted.FindStringSubmatchIndex(r.lower)
	han := g.words.countedHan(r.lower)
	switch {
	case r.group != "":
		words = wordsOf(g.words.translate.Replace(r.group))
	case han != "" && (r.unique || r.top > 0):
		words = wordsOf(g.words.translate.Replace(han))
	case at != nil && (r.unique || r.top > 0):
		words = wordsOf(r.lower[at[2]:at[3]])
	case r.kind == kindList && r.listed > 0:
		words = wordsOf(nounsAt(r.text, r.listed))
	}
	return slices.DeleteFunc(words, func(w string) bool { return g.words.empty[stem(w)] })
}

// headAt returns the head of the noun phrase at a place: its last word before a word
// of grammar, or before a participle that says what happened to it.
func headAt(text string, at int) string { return lastField(nounsAt(text, at)) }

// nounsAt returns the noun phrase at a place, without the words of grammar before it.
func nounsAt(text string, at int) string {
	from := -1
	for n := 0; ; {
		m := nounWord.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		lower := strings.ToLower(text[at+m[2] : at+m[3]])
		stop := english.IsStopWord(lower)
		if from >= 0 && (stop || n > 0 && strings.HasSuffix(lower, "ed")) {
			break
		}
		if !stop {
			if from < 0 {
				from = at + m[2]
			}
			n++
		}
		at += m[1]
	}
	if from < 0 {
		return ""
	}
	return text[from:at]
}

// predicatesOf returns the stems of the verbs that follow an auxiliary.
func predicatesOf(r *reading, l *lexicon) map[string]bool {
	out := map[string]bool{}
	for _, m := range predicate.FindAllStringSubmatch(r.lower, -1) {
		out[stem(m[1])] = true
	}
	for _, verb := range l.predicatesHan(r.lower) {
		for _, w := range wordsOf(l.translate.Replace(verb)) {
			out[stem(w)] = true
		}
	}
	return out
}

// onlyLevel reports a question that says nothing of the lines but their level, and
// which would otherwise be taken for one of the forms that errors have.
func (g *Generator) onlyLevel(r *reading) bool {
	if len(r.literals) > 0 || len(r.quoted) > 0 || len(r.content) == 0 {
		return false
	}
	group := map[string]bool{}
	for _, w := range wordsOf(r.group) {
		group[stem(w)] = true
	}
	return !slices.ContainsFunc(r.content, func(s string) bool {
		return !group[s] && !slices.ContainsFunc(g.words.levels, func(l named) bool { return l.re.MatchString(s) })
	})
}

// writes reports a template whose lines may have a text: it is in the example, or a
// value that was seen.
func (t *template) writes(text string) bool {
	return strings.Contains(t.Example, text) || slices.ContainsFunc(t.Words, func(w drain.Word) bool {
		return slices.ContainsFunc(w.Values, func(v string) bool { return strings.Contains(v, text) })
	})
}

// weightOf is how telling a stem is; words that no template has count little, as they
// may be of the question alone.
func (g *Generator) weightOf(s string, k *Known) float64 {
	if w := k.weight[s]; w > 0 {
		return w
	}
	best := 0.0
	for other, w := range k.weight {
		if (g.words.alikeStems(s, other) || beginAlike(s, other)) && w > best {
			best = w
		}
	}
	if best == 0 {
		return 0.3
	}
	return best * alikeScore
}

func beginAlike(a, b string) bool {
	if len(a) >= 6 && len(b) >= 6 && a[:6] == b[:6] {
		return true
	}
	return len(a) >= 4 && len(b) >= 4 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

func (g *Generator) fits(s string, t *template) float64 {
	if t.stems[s] {
		return 1
	}
	best := 0.0
	if t.near[s] {
		best = nearScore
	}
	for other := range t.stems {
		switch {
		case beginAlike(s, other):
			best = max(best, beginScore)
		case g.words.alikeStems(s, other):
			best = max(best, alikeScore)
		}
	}
	return best
}

// filtersOf looks for the constant texts of templates. Of one template these are the
// runs that the question speaks of, of several the telling run of each.
func (g *Generator) filtersOf(chosen []*template, content []string, k *Known, used map[string]bool) []logql.Stage {
	if len(chosen) > 1 {
		if shared := g.sharedText(chosen, content, k); shared != "" {
			for _, w := range wordsOf(shared) {
				for _, s := range content {
					if x := stem(w); x == s || beginAlike(x, s) || g.words.alikeStems(x, s) {
						used[s] = true
					}
				}
			}
			return []logql.Stage{contains(shared)}
		}
		var texts []string
		for _, t := range chosen {
			if runs := g.tellingRuns(t, content, k, used); len(runs) > 0 && !slices.Contains(texts, runs[0]) {
				texts = append(texts, runs[0])
			}
		}
		if len(texts) > 1 {
			f := &logql.LineFilter{Op: logql.Contains}
			for _, text := range texts {
				f.Values = append(f.Values, logql.LineValue{Text: text})
			}
			return []logql.Stage{f}
		}
	}
	var out []logql.Stage
	for _, run := range g.tellingRuns(chosen[0], content, k, used) {
		out = append(out, contains(run))
	}
	return out
}

// sharedText returns the longest text with words of the question that the constant
// parts of all chosen templates share, and those of no other template; empty: there is
// none.
func (g *Generator) sharedText(chosen []*template, content []string, k *Known) string {
	best := ""
	for _, run := range chosen[0].runs {
		words := strings.Fields(run)
		for from := range words {
			for to := len(words); to > from; to-- {
				text := strings.Join(words[from:to], " ")
				if len(text) <= len(best) || !strings.Contains(run, text) || !g.speaksOf(text, content) ||
					slices.ContainsFunc(k.templates, func(t *template) bool { return slices.Contains(chosen, t) != t.has(text) }) {
					continue
				}
				best = text
			}
		}
	}
	return best
}

// has reports a text in a constant part of a template.
func (t *template) has(text string) bool {
	return slices.ContainsFunc(t.runs, func(run string) bool { return strings.Contains(run, text) })
}

// speaksOf reports a text with a word of the question.
func (g *Generator) speaksOf(text string, content []string) bool {
	return slices.ContainsFunc(wordsOf(text), func(w string) bool {
		x := stem(w)
		return slices.ContainsFunc(content, func(s string) bool { return x == s || beginAlike(x, s) || g.words.alikeStems(x, s) })
	})
}

// tellingRuns returns the runs of a template that have words of the question, at most
// two, in the order of the line; the longest where none has.
func (g *Generator) tellingRuns(t *template, content []string, k *Known, used map[string]bool) []string {
	type run struct {
		text string
		at   int
		hits float64
	}
	var runs []run
	for i, text := range t.runs {
		hits := 0.0
		for _, w := range wordsOf(text) {
			for _, s := range content {
				if x := stem(w); x == s || beginAlike(x, s) || g.words.alikeStems(x, s) {
					hits += k.weight[x]
					used[s] = true
				}
			}
		}
		if strings.ContainsFunc(text, unicode.IsLetter) && len(text) > 2 {
			runs = append(runs, run{text, i, hits})
		}
	}
	sort.SliceStable(runs, func(i, j int) bool {
		if runs[i].hits != runs[j].hits {
			return runs[i].hits > runs[j].hits
		}
		return len(runs[i].text) > len(runs[j].text)
	})
	keep := runs[:min(len(runs), 1)]
	if len(runs) > 1 && runs[1].hits > runs[0].hits/3 && len(runs[1].text) > 4 {
		keep = runs[:2]
	}
	sort.SliceStable(keep, func(i, j int) bool { return keep[i].at < keep[j].at })
	var out []string
	for _, r := range keep {
		out = append(out, r.text)
	}
	return out
}

// literalFilters looks for what the question writes as it is: quoted values, ids,
// paths, addresses, codes, and words that are known as values of the lines.
func (g *Generator) literalFilters(r *reading, k *Known, chosen []*template, values []string, e *event) []logql.Stage {
	var out []logql.Stage
	add := func(text string) {
		for _, f := range append(e.filters, out...) {
			if slices.ContainsFunc(f.(*logql.LineFilter).Values, func(v logql.LineValue) bool { return strings.Contains(v.Text, text) }) {
				return
			}
		}
		out = append(out, contains(text))
	}
	for _, v := range values {
		add(v)
	}
	for _, l := range r.literals {
		add(g.withName(l, r, chosen))
	}
	// Words that are not of the form of the lines but among what varies in them.
	for _, w := range regexp.MustCompile(`[A-Za-z][\w-]{2,}`).FindAllString(r.text, -1) {
		s := stem(w)
		if e.used[s] || !slices.Contains(r.content, s) || g.formOf(chosen, s) {
			continue
		}
		for _, t := range chosen {
			if slices.ContainsFunc(t.Words, func(word drain.Word) bool { return slices.Contains(word.Values, w) }) {
				add(w)
				e.used[s] = true
				break
			}
		}
	}
	return out
}

// formOf reports a stem that is a constant word of one of the templates.
func (g *Generator) formOf(chosen []*template, s string) bool {
	return slices.ContainsFunc(chosen, func(t *template) bool { return t.stems[s] })
}

var plainNumber = regexp.MustCompile(`^\d+$`)

// withName puts the name before a bare number that a place of the templates has:
// "status: 500" instead of 500, which may be a part of anything.
func (g *Generator) withName(literal string, r *reading, chosen []*template) string {
	if !plainNumber.MatchString(literal) {
		return literal
	}
	for _, t := range chosen {
		for i, w := range t.Words {
			if !w.Varies || i == 0 && w.Prefix == "" || !slices.ContainsFunc(w.Values, plainNumber.MatchString) {
				continue
			}
			name := w.Prefix
			if i > 0 && !t.Words[i-1].Varies && w.Prefix == "" {
				name = t.Words[i-1].Text + " "
			}
			for _, word := range wordsOf(name) {
				s := stem(word)
				for _, c := range r.content {
					if c == s || g.words.alikeStems(c, s) {
						return name + literal
					}
				}
			}
		}
	}
	return literal
}
