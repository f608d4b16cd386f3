package rules

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kljensen/snowball/english"

	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/logql"
	"github.com/dibrain/dibrain/pkg/semantic"
)

// Config of a generator. Zero values mean the defaults.
type Config struct {
	// Range is how far back is looked where the question says nothing of time: an
	// hour.
	Range time.Duration
	// Offer bounds the options of a question: 10.
	Offer int
}

// Generator writes LogQL by rules. It may be used concurrently.
type Generator struct {
	words  *lexicon
	config Config
}

// New returns a generator. An error means that its embedded lexicon is broken.
func New(c Config) (*Generator, error) {
	words, err := loadLexicon()
	if err != nil {
		return nil, err
	}
	if c.Range == 0 {
		c.Range = time.Hour
	}
	if c.Offer == 0 {
		c.Offer = 10
	}
	return &Generator{words: words, config: c}, nil
}

// Query is what a question means.
type Query struct {
	Expr logql.Expr
	// From and To bound the lines of a log query; a metric is computed at Now, its
	// range and offset are part of it. With a Step it is computed at From, From + Step
	// and so on up to To, each time over the Step before.
	From, To time.Time
	Step     time.Duration
	// Limit is what the question says of how many lines; 0: nothing.
	Limit int
	// Notes are what was assumed, in the language of the question.
	Notes []string
	// Ask is set, and Expr nil, when the question names no stream.
	Ask *Ask
}

// Ask is a question back.
type Ask struct {
	Text    string
	Options []string
	// Label is what the options are values of.
	Label string
}

// Generate reads a question over what is known.
func (g *Generator) Generate(question string, now time.Time, k *Known) Query {
	r := g.read(question, now, k)
	language := lang.Detect(question)
	w := &writer{g: g, r: r, k: k, language: language}
	return w.write()
}

// read reads the slots of a question.
func (g *Generator) read(question string, now time.Time, k *Known) *reading {
	r := newReading(strings.ToValidUTF8(question, " "))
	r.readQuoted(k)
	r.readTime(g.words, now, g.config.Range)
	r.readMentions(k, g.words.levelLabels)
	r.readKind(g.words)
	r.readLiterals()
	r.readContent(g.words)
	return r
}

// writer builds the query of one question.
type writer struct {
	g        *Generator
	r        *reading
	k        *Known
	language lang.Language
	out      Query
	log      *logql.LogExpr
	event    event
}

func (w *writer) note(en, zh string) { w.out.Notes = append(w.out.Notes, w.language.Pick(en, zh)) }

func (w *writer) write() Query {
	w.out.From, w.out.To = w.r.from, w.r.to
	w.log = &logql.LogExpr{}
	for _, label := range sortedKeys(w.r.mentions) {
		values := slices.Clone(w.r.mentions[label])
		slices.Sort(values)
		w.log.Matchers = append(w.log.Matchers, matcherFor(label, slices.Compact(values)))
	}
	series := w.k.picked(w.log.Matchers)
	w.event = w.g.findEvent(w.r, w.k, series)
	w.partialMentions()
	w.level()
	w.narrow(w.k.picked(w.log.Matchers))
	if len(w.log.Matchers) == 0 {
		return w.ask()
	}
	w.log.Stages = append(w.log.Stages, w.event.filters...)
	w.unknownWords()
	if !w.r.timeGiven {
		length := logql.FormatDuration(w.r.length)
		w.note("No time was said: the last "+length+" are looked at.", "没有说明时间：查看最近 "+length+"。")
	}
	w.over()
	switch w.r.kind {
	case kindCount:
		w.out.Expr = w.count()
	case kindFold:
		w.out.Expr = w.fold()
	default:
		w.out.Expr = w.list()
	}
	return w.out
}

// partialMentions reads words of the question that are a part of the values of a
// label, where no whole value of it stands there: "gateway" for gateway-eu and
// gateway-us.
func (w *writer) partialMentions() {
	if len(w.log.Matchers) > 0 {
		return
	}
	for _, s := range w.r.content {
		if w.event.used[s] || len(s) < 3 {
			continue
		}
		for _, label := range w.k.Labels {
			var values []string
			if slices.Contains(w.g.words.levelLabels, strings.ToLower(label.Name)) {
				continue // level reads them
			}
			for _, v := range label.Values {
				if slices.ContainsFunc(wordsOf(v), func(word string) bool { return stem(word) == s }) {
					values = append(values, v)
				}
			}
			if n := len(values); n > 0 && n <= 20 && (n < len(label.Values) || n == 1) {
				w.log.Matchers = append(w.log.Matchers, matcherFor(label.Name, values))
				w.event.used[s] = true
				return
			}
		}
	}
}

// level restricts the level where the question asks for errors, warnings and the
// like, and no form of lines says more.
func (w *writer) level() {
	if len(w.event.templates) > 0 || len(w.event.filters) > 0 {
		return
	}
	for _, level := range w.g.words.levels {
		if !level.re.MatchString(w.r.lower) {
			continue
		}
		for _, word := range wordsOf(level.re.FindString(w.r.lower)) {
			w.event.used[stem(word)] = true
		}
		w.event.used[stem(level.name)] = true
		for _, label := range w.k.Labels {
			if !slices.Contains(w.g.words.levelLabels, strings.ToLower(label.Name)) {
				continue
			}
			var values []string
			for _, v := range label.Values {
				if strings.HasPrefix(strings.ToLower(v), level.name) && w.has(label.Name, v) {
					values = append(values, v)
				}
			}
			if len(values) > 0 {
				w.log.Matchers = append(w.log.Matchers, matcherFor(label.Name, values))
				return
			}
		}
		w.event.filters = append(w.event.filters, &logql.LineFilter{Op: logql.LineMatches,
			Values: []logql.LineValue{{Text: `(?i)\b` + level.name}}})
		return
	}
}

// has reports a stream with a value of a label among those that are picked so far;
// without known streams any may be there.
func (w *writer) has(label, value string) bool {
	return len(w.k.Series) == 0 || len(w.k.picked(append(slices.Clone(w.log.Matchers), matcherFor(label, []string{value})))) > 0
}

// narrow adds labels that all streams with the lines in question share and other
// streams do not have, so that less is read: the one that leaves the fewest first.
// Levels are left out, as nobody asked for lines of one.
func (w *writer) narrow(series []int) {
	var having []int
	for _, t := range w.event.having {
		for _, s := range t.series {
			if _, picked := slices.BinarySearch(series, s); picked && !slices.Contains(having, s) {
				having = append(having, s)
			}
		}
	}
	for len(having) > 0 && len(having) < len(series) {
		var best logql.Matcher
		var left []int
		for _, label := range w.k.Labels {
			value := w.k.Series[having[0]][label.Name]
			differs := func(s int) bool { return w.k.Series[s][label.Name] != value }
			if value == "" || slices.Contains(w.g.words.levelLabels, strings.ToLower(label.Name)) || slices.ContainsFunc(having, differs) {
				continue
			}
			if rest := slices.DeleteFunc(slices.Clone(series), differs); len(rest) < len(series) && (left == nil || len(rest) < len(left)) {
				best, left = matcherFor(label.Name, []string{value}), rest
			}
		}
		if left == nil {
			return
		}
		w.log.Matchers = append(w.log.Matchers, best)
		series = left
	}
}

func (w *writer) ask() Query {
	label, ok := w.k.topLabel(w.g.words.levelLabels)
	if !ok {
		w.out.Ask = &Ask{Text: w.language.Pick("No label of a stream is known, so no stream can be chosen. Name one, such as app=\"web\".",
			"没有已知的日志流标签，无法选择日志流。请指定一个，例如 app=\"web\"。")}
		return w.out
	}
	w.out.Ask = &Ask{Label: label.Name, Options: label.Values[:min(len(label.Values), w.g.config.Offer)],
		Text: w.language.Pick("Which "+label.Name+" do you mean?", "您指的是哪个 "+label.Name+"？")}
	return w.out
}

// unknownWords looks for words that nothing accounts for as they are, when no form of
// lines was found; otherwise it tells which they are.
func (w *writer) unknownWords() {
	var left []string
	for _, s := range w.r.content {
		if !w.event.used[s] && !slices.Contains(left, s) && w.g.fitsNone(s, w.event.templates) {
			left = append(left, s)
		}
	}
	if len(left) == 0 || len(w.event.templates) > 0 {
		return
	}
	if len(w.event.filters) == 0 {
		for _, s := range left {
			w.log.Stages = append(w.log.Stages, &logql.LineFilter{Op: logql.LineMatches, Values: []logql.LineValue{{Text: "(?i)" + regexp.QuoteMeta(s)}}})
		}
		w.note("No known line says "+strings.Join(left, ", ")+": the words are looked for as they are.",
			"已知日志中没有 "+strings.Join(left, "、")+"：按字面查找。")
		return
	}
	w.note("Not used: "+strings.Join(left, ", ")+".", "未使用："+strings.Join(left, "、")+"。")
}

func (g *Generator) fitsNone(s string, templates []*template) bool {
	return !slices.ContainsFunc(templates, func(t *template) bool { return g.fits(s, t) > 0 })
}

// ranged is an aggregation over the time that the question is about, or over each span
// of it.
func (w *writer) ranged(op string) *logql.RangeAgg {
	if w.steps() {
		return &logql.RangeAgg{Op: op, Log: w.log, Range: w.r.every}
	}
	return &logql.RangeAgg{Op: op, Log: w.log, Range: w.r.length, Offset: w.r.offset}
}

// steps reports a question for a number of each span, unlike one for their average.
func (w *writer) steps() bool {
	return w.r.every > 0 && (w.r.kind == kindFold || w.r.kind == kindCount && !w.r.averaged)
}

// over says at which times a metric of spans is computed: at the end of each. The last
// span may end after the time that is asked for.
func (w *writer) over() {
	if !w.steps() {
		return
	}
	step := w.r.every
	spans := (w.r.length + step - 1) / step
	w.out.Step = step
	w.out.From, w.out.To = w.r.from.Add(step), w.r.from.Add(spans*step)
}

// count writes how many lines, by what, the first of them, or how many different.
func (w *writer) count() logql.Expr {
	op := "count_over_time"
	if w.r.rate {
		op = "rate"
	}
	by := w.groupLabel()
	if w.r.limited && w.r.unit > 0 {
		w.durationFilter()
	}
	var e logql.Expr = &logql.VectorAgg{Op: "sum", Inner: w.ranged(op)}
	if by != "" {
		e.(*logql.VectorAgg).By = &logql.Grouping{Labels: []string{by}}
	}
	e = w.average(e)
	if by == "" {
		return e
	}
	if w.r.limited && w.r.unit == 0 {
		compare := ">"
		if w.r.orEqual {
			compare = ">="
		}
		e = &logql.Binary{Op: compare, Left: e, Right: &logql.Number{Value: w.r.above}}
	}
	n := float64(w.r.top)
	switch {
	case w.r.bottom:
		return &logql.VectorAgg{Op: "bottomk", Param: &n, Inner: e}
	case w.r.top > 0:
		return &logql.VectorAgg{Op: "topk", Param: &n, Inner: e}
	case w.r.sorts:
		return &logql.VectorAgg{Op: "sort_desc", Inner: e}
	case w.r.group == "" && w.countsDifferent():
		return &logql.VectorAgg{Op: "count", Inner: e}
	}
	return e
}

// countsDifferent tells "how many different users" from "list the different users
// with more than five".
func (w *writer) countsDifferent() bool {
	if w.r.entities != "" {
		return true
	}
	at := w.g.words.counts.FindStringIndex(w.r.lower)
	return w.r.unique && (w.r.numbersOf || at != nil && (at[0] < beginning || hasHan(w.r.lower))) && !w.r.limited
}

// average divides a count that is asked for as an average of spans.
func (w *writer) average(e logql.Expr) logql.Expr {
	if w.r.every == 0 || w.steps() {
		return e
	}
	return &logql.Binary{Op: "/", Left: e, Right: &logql.Number{Value: float64(w.r.length) / float64(w.r.every)}}
}

// groupLabel returns the label that is grouped by, extracting it from the line where
// it is none of the stream; empty: there is none.
func (w *writer) groupLabel() string {
	phrase := w.groupPhrase()
	if len(phrase) == 0 {
		return ""
	}
	if label, ok := w.streamLabel(phrase); ok {
		return label
	}
	p, ok := w.g.findPlace(phrase, w.event.templates, false)
	if !ok {
		p, ok = w.g.findPlace(w.r.content, w.event.templates, false)
		ok = ok && w.r.top > 0
	}
	if !ok && (w.r.group != "" || w.r.top > 0 || w.r.unique) {
		p, ok = w.g.onlyName(w.event.templates)
	}
	label := labelOf(phrase[max(0, len(phrase)-2):])
	if ok {
		w.extract(p, label)
		return label
	}
	for _, word := range phrase {
		if w.g.words.alikeStems(stem(word), stem("ip")) {
			w.log.Stages = append(w.log.Stages, &logql.Parser{Kind: "regexp", Pattern: `(?P<` + label + `>\d+\.\d+\.\d+\.\d+)`})
			w.present(label)
			return label
		}
	}
	if w.r.group == "" && w.r.top == 0 && !w.r.limited && !w.r.unique {
		return "" // the things that are counted are the lines themselves
	}
	// The rest of the line after the telling text is what differs.
	if len(w.event.filters) > 0 {
		text := w.event.filters[0].(*logql.LineFilter).Values[0].Text
		w.log.Stages = append(w.log.Stages, &logql.Parser{Kind: "regexp", Pattern: regexp.QuoteMeta(text) + `(?P<` + label + `>.*)`})
		w.present(label)
		return label
	}
	w.note("Nothing of the lines is known that is a "+strings.Join(phrase, " ")+": the result is not grouped.",
		"未在日志中找到 "+strings.Join(phrase, " ")+"：结果不分组。")
	return ""
}

// labelOf is the name of a label that is made of words.
func labelOf(words []string) string {
	name := strings.Join(words, "_")
	if logql.Reserved(name) {
		name += "_"
	}
	return name
}

// groupPhrase is the words that name what is grouped by: those said so, else the noun
// after which, unique or top.
func (w *writer) groupPhrase() []string {
	if w.r.group != "" {
		words := wordsOf(w.translated(w.r.group))
		if len(words) > 0 {
			if _, ok := w.streamLabel(words); ok {
				return words
			}
		}
		return w.plain(words)
	}
	if m := beside.FindStringSubmatch(w.r.lower); w.r.sorts && m != nil {
		return w.plain(wordsOf(m[1]))
	}
	if w.r.entities != "" {
		return w.plain(wordsOf(w.r.entities))
	}
	if !w.r.unique && w.r.top == 0 {
		return nil
	}
	if noun := w.g.words.countedHan(w.r.lower); noun != "" {
		return w.plain(wordsOf(w.translated(noun)))
	}
	m := counted.FindStringSubmatch(w.r.lower)
	if m == nil {
		return w.plain(w.r.content[:min(1, len(w.r.content))])
	}
	return w.plain(wordsOf(m[1]))
}

var counted = regexp.MustCompile(`(?:unique|distinct|different|which|top (?:\d+ |[a-z]+ )?(?:most )?(?:frequent |frequently |common |commonly )?(?:attempted |seen |used )?|most (?:frequent|common|frequently|commonly) (?:attempted |seen |used )?)\s*((?:[a-z_-]+ )?[a-z_-]+?)(?: (?:with|that|had|has|have|were|was|are|is|did|experienced|encountered|targeted|names?|for|in|on|of|by|from|across|over|triggered|received|deleted|during|related|attempted)\b|,|\?|$)`)

func (w *writer) translated(text string) string {
	return w.g.words.translate.Replace(text)
}

// plain leaves out words that say nothing.
func (w *writer) plain(words []string) []string {
	var out []string
	for _, word := range words {
		if !w.g.words.empty[stem(word)] || word == "source" {
			out = append(out, semantic.Singular(word))
		}
	}
	return out[:min(len(out), 3)]
}

// streamLabel finds a label of streams by its name.
func (w *writer) streamLabel(phrase []string) (string, bool) {
	head := stem(phrase[len(phrase)-1])
	for _, label := range w.k.Labels {
		name := strings.Join(phrase, "_")
		if strings.EqualFold(label.Name, name) || stem(label.Name) == head {
			return label.Name, true
		}
	}
	for _, label := range w.k.Labels {
		name := stem(label.Name)
		if beginAlike(name, head) && strings.HasPrefix(name, head) || w.g.words.alikeStems(name, head) {
			return label.Name, true
		}
	}
	return "", false
}

func (w *writer) extract(p place, label string) {
	w.log.Stages = append(w.log.Stages, &logql.Parser{Kind: "regexp", Pattern: p.capture(label)})
	w.present(label)
}

// present leaves out lines from which nothing was extracted.
func (w *writer) present(label string) {
	w.log.Stages = append(w.log.Stages, &logql.LabelFilter{Cond: &logql.Compare{Label: label, Op: "!=", Kind: logql.TextValue}})
}

// durationFilter keeps lines whose number is above a length of time, in the unit that
// the lines write it in.
func (w *writer) durationFilter() {
	p, ok := w.g.findPlace([]string{"time"}, w.event.templates, true)
	if !ok {
		w.note("No length of time was found in the lines: it is not compared.", "日志中没有找到时长：未作比较。")
		return
	}
	w.log.Stages = append(w.log.Stages, &logql.Parser{Kind: "regexp", Pattern: p.capture("took")},
		&logql.LabelFilter{Cond: &logql.Compare{Label: "took", Op: map[bool]string{true: ">=", false: ">"}[w.r.orEqual], Kind: logql.NumberValue,
			Number: w.r.above * float64(w.r.unit) / float64(p.unit())}})
}

// unit is the unit of time of a number, by the word after it; seconds where none is.
func (p place) unit() time.Duration {
	if next := p.at + 1; next < len(p.t.Words) {
		switch stem(strings.Trim(p.t.Words[next].Text, ".,;:()")) {
		case "ms", stem("millis"), stem("milliseconds"), "msec":
			return time.Millisecond
		case "us", stem("microseconds"):
			return time.Microsecond
		case stem("minutes"), "min":
			return time.Minute
		}
	}
	return time.Second
}

// fold writes a measure of a number in the lines.
func (w *writer) fold() logql.Expr {
	p, ok := w.g.findPlace(w.measured(), w.event.templates, true)
	if !ok {
		w.note("No such number was found in the lines: they are counted instead.", "日志中没有找到这个数值：改为计数。")
		return w.count()
	}
	label := "value"
	for _, word := range w.measured() {
		if !english.IsStopWord(word) && w.g.describes([]string{word}, p.t, p.at, shapeOf(p.t.Words[p.at].Values)) > 0 {
			label = labelOf([]string{word})
			break
		}
	}
	by := ""
	if w.r.group != "" {
		by = w.groupLabel()
	}
	w.log.Stages = append(w.log.Stages, &logql.Parser{Kind: "regexp", Pattern: p.capture(label)}, &logql.Unwrap{Label: label})
	e := w.ranged(w.r.measure + "_over_time")
	if w.r.measure == "quantile" {
		e.Param = &w.r.q
	}
	labels := []string{}
	if by != "" {
		labels = append(labels, by)
	}
	if w.r.measure == "sum" { // takes no grouping of its own
		sum := &logql.VectorAgg{Op: "sum", Inner: e}
		if by != "" {
			sum.By = &logql.Grouping{Labels: labels}
		}
		return sum
	}
	e.By = &logql.Grouping{Labels: labels}
	return e
}

// measured is the words that name the number: those after the measure.
func (w *writer) measured() []string {
	for _, m := range w.g.words.measures {
		at := m.re.FindStringIndex(w.r.lower)
		if m.name != w.r.measure || at == nil {
			continue
		}
		// The phrase of the number ends where a preposition says of what it is.
		words := wordsOf(w.translated(w.r.lower[at[0]:]))
		if hasHan(w.r.lower) { // or before it: 耗时的最大值
			words = append(words, wordsOf(w.translated(w.g.words.lastNoun(strings.TrimRight(w.r.lower[:at[0]], " 的"))))...)
		}
		if end := slices.IndexFunc(words, isPreposition); end > 1 {
			words = words[:end]
		}
		return words[:min(len(words), 6)]
	}
	return w.r.content
}

func isPreposition(w string) bool {
	return slices.Contains([]string{"of", "in", "for", "to", "on", "by", "over", "from", "with", "at", "during", "per"}, w)
}

// list writes the lines themselves, the part that is asked for beside them.
func (w *writer) list() logql.Expr {
	if w.r.limited && w.r.unit > 0 {
		w.durationFilter()
		return w.log
	}
	if w.r.latest {
		w.out.Limit = 1
	}
	if w.r.howLong {
		if p, ok := w.g.findPlace([]string{"time"}, w.event.templates, true); ok {
			w.log.Stages = append(w.log.Stages, &logql.Parser{Kind: "regexp", Pattern: p.capture("took")})
			return w.log
		}
	}
	if at := beside.FindStringSubmatchIndex(w.r.lower); at != nil && !w.r.valueAfter(at[3]) {
		if phrase := w.plain(wordsOf(w.r.lower[at[2]:at[3]])); len(phrase) > 0 {
			if p, ok := w.g.findPlace(phrase, w.event.templates, false); ok {
				w.log.Stages = append(w.log.Stages, &logql.Parser{Kind: "regexp", Pattern: p.capture(labelOf(phrase))})
			}
		}
	}
	return w.log
}

// valueAfter reports a value right after a place: what stands before it is not asked
// for but given, as in "with the user 'ann'".
func (r *reading) valueAfter(at int) bool {
	return slices.ContainsFunc(r.valuesAt, func(from int) bool {
		return from >= at && strings.Trim(r.lower[at:from], " \"'`“‘「:=#") == ""
	})
}

var beside = regexp.MustCompile(`\b(?:including|with|along with|and)(?: the| their| timestamp and)* ([a-z_]+(?: [a-z_]+)?)`)
