package plan

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dibrain/dibrain/pkg/lang"
)

// Span is a piece of a text and what text to SQL takes it for.
type Span struct {
	Text string
	// Kind is "metric", "dimension", "value", "time", "number" and others.
	Kind string
	// Days are those of a time, none where it is no period.
	Days Days
}

// Parsed is what text to SQL understands of a text.
type Parsed struct {
	Spans         []Span
	NotUnderstood []string
}

// Metric is a figure that the semantic layer defines.
type Metric struct {
	Name string // in the asker's language
	Mart string
	Unit string // empty: a count
}

// Asks are what the rules ask to understand a request.
type Asks interface {
	// Parse says what text to SQL understands of a text.
	Parse(ctx context.Context, text string) (Parsed, error)
	// Metrics lists the figures that the source defines, as far as the asker may know.
	Metrics(ctx context.Context) ([]Metric, error)
	// Adds says how the values of the metric add up whose change a question is about, and
	// its id; "" where such a question cannot be answered.
	Adds(ctx context.Context, question string) (adds Adds, metric string, err error)
	// Writes says whether there is SQL for a question. It runs nothing.
	Writes(ctx context.Context, question string) (bool, error)
}

// Adds says how the values of a metric add up.
type Adds string

// Ways in which values add up.
const (
	AddsUp    Adds = "additive"
	AddsLevel Adds = "level"
	AddsNever Adds = "distinct"
	AddsRatio Adds = "ratio"
	// amount is what adds up and has a unit, such as money.
	amount Adds = "amount"
)

// Request is a question as the rules understand it.
type Request struct {
	Kind      string   `json:"kind"` // as in kinds.yaml
	Metrics   []string `json:"metrics,omitempty"`
	Dimension string   `json:"dimension,omitempty"`
	Filters   []string `json:"filters,omitempty"`
	Periods   Periods  `json:"periods"`
	N         int      `json:"n,omitempty"`
	// Known says that something of the source was recognised, a figure or not.
	Known bool `json:"known,omitempty"`
	// Rest is what is left of the question beside the acts around it.
	Rest        string   `json:"rest"`
	Unanswered  []Part   `json:"unanswered,omitempty"`
	Assumptions []string `json:"assumptions,omitempty"`
	// Unit of time that a request is about without naming a period, such as "week".
	Unit string `json:"unit,omitempty"`
	// Span is how many days back a series reaches, Horizon how many a forecast goes on.
	Span    int `json:"span,omitempty"`
	Horizon int `json:"horizon,omitempty"`
	// Within are the days that a sweep is asked about, the zero range where it is not said.
	Within Days `json:"within,omitzero"`
	// Grouped is what a text that names no figure and is nothing but a grouping groups by, such
	// as "by shop": over columns it may be about the figure that was named before.
	Grouped string `json:"grouped,omitempty"`
	// Unheard says that nothing was understood of the newest words of a person.
	Unheard bool `json:"unheard,omitempty"`
	// Named are the places of a request that is read by them, such as "of" and "by"; Rows
	// the questions whose rows its computation works on, Of what those are about.
	Named map[string]string `json:"named,omitempty"`
	Rows  []string          `json:"rows,omitempty"`
	Of    string            `json:"of,omitempty"`
	// OverColumns says that the figure is no one of a layer: it is columns, in words.
	OverColumns bool `json:"over_columns,omitempty"`
	// Drivers says that the question asks for reasons.
	Drivers bool `json:"drivers,omitempty"`
	// Lacks names what the kind needs and the question does not have.
	Lacks []string `json:"lacks,omitempty"`
}

// Bounds of what rules plan.
const (
	maxKPIs  = 4  // figures of a review that names none
	defaultN = 5  // of "top and bottom"
	maxN     = 50 // likewise
	// Days of a series, and of a forecast, that names none.
	sweptDays      = 90
	learnedDays    = 180
	maxSpan        = 400
	defaultHorizon = 14
)

// Read understands a request. feedback are words of a person about the plan before;
// what they say wins over the question.
func (r *Rules) Read(ctx context.Context, ask Asks, question string, feedback []string, now time.Time, l lang.Language) (Request, error) {
	req, err := r.readOne(ctx, ask, question, "", now, l)
	if err != nil {
		return req, err
	}
	for _, words := range feedback {
		subject := ""
		if len(req.Metrics) > 0 {
			subject = req.Metrics[0] // "by category" is about a figure
		}
		change, err := r.readOne(ctx, ask, words, subject, now, l)
		if err != nil {
			return req, err
		}
		req = req.changedBy(change)
		req.Unheard = !change.Says()
	}
	return r.complete(ctx, ask, req, l)
}

// changedBy puts what a change says in the place of what was said before.
func (req Request) changedBy(c Request) Request {
	if c.Kind != "single" {
		req.Kind = c.Kind
	}
	if c.Named != nil {
		req.Named = c.Named
	}
	if len(c.Metrics) > 0 {
		req.Metrics = c.Metrics
	}
	if c.Dimension != "" {
		req.Dimension = c.Dimension
	}
	if len(c.Filters) > 0 {
		req.Filters = c.Filters
	}
	if c.Periods.After != "" {
		req.Periods = c.Periods
	}
	if c.N > 0 {
		req.N = c.N
	}
	req.Drivers = req.Drivers || c.Drivers
	if c.Span > 0 {
		req.Span = c.Span
	}
	if c.Horizon > 0 {
		req.Horizon = c.Horizon
	}
	if c.Within.Known() {
		req.Within, req.Span = c.Within, 0
	} else if c.Span > 0 {
		req.Within = Days{}
	}
	if len(c.Metrics) == 0 && c.Dimension == "" {
		if len(req.Metrics) == 0 && c.Grouped != "" { // said of a figure over columns
			req.Dimension, c.Unanswered = c.Grouped, nil
		}
	}
	req.Unanswered = append(req.Unanswered, c.Unanswered...)
	return req
}

// Says reports whether anything of a request was understood.
func (req Request) Says() bool {
	return req.Known || len(req.Metrics) > 0 || req.Dimension != "" || len(req.Filters) > 0 || req.Periods.After != "" && !req.Periods.Assumed || req.Span > 0 || req.Horizon > 0 || req.Kind != "single"
}

// readOne understands one text by itself, or as said about the figure subject.
func (r *Rules) readOne(ctx context.Context, ask Asks, text, subject string, now time.Time, l lang.Language) (Request, error) {
	signals, rest := r.hits(text)
	req := Request{Kind: r.kind(signals), Drivers: signals["drivers"]}
	switch {
	case signals["weekly"]:
		req.Unit = "week"
	case signals["quarterly"]:
		req.Unit = "quarter"
	}
	if named := r.named[req.Kind]; named != nil {
		return r.readNamed(ctx, ask, req, text, now, l)
	}
	if req.Kind == "forecast" || req.Kind == "anomalies" || subject != "" {
		req.Span, req.Horizon, rest = reach(rest, now)
	}
	if signals["forecast"] && req.Kind != "forecast" {
		if _, rest = r.hits(r.without(text, "forecast_part")); subject != "" {
			_, _, rest = reach(rest, now)
		}
	}
	if ofDays := req.Kind == "forecast" || req.Kind == "anomalies"; !ofDays || subject != "" { // whose days text to SQL reads
		var named bool
		if req.Periods, rest, named = r.periods(rest, l); !named && req.Kind == "before_after" {
			req.Periods, rest, _ = around(rest, now, l)
		}
	}
	if m := topN.FindStringSubmatch(text); m != nil && req.Kind == "top_bottom" {
		n, err := strconv.Atoi(m[1])
		if err == nil && n >= 1 && n <= maxN {
			req.N = n
		}
	}
	if signals["forecast"] && req.Kind != "forecast" {
		req.Unanswered = append(req.Unanswered, Part{Text: l.Pick("a forecast", "预测"), Reason: l.Pick(
			"a forecast is made of one figure at a time: ask for it by itself, such as \"forecast sales\"", "预测一次针对一个指标：请单独提问，例如“预测销售额”")})
	}
	if signals["cluster"] {
		req.Unanswered = append(req.Unanswered, Part{Text: l.Pick("clusters or segments", "聚类分群"), Reason: l.Pick(
			"segments are made of one kind of things at a time: ask for them by themselves, such as \"cluster sellers by sales and orders\"", "分群一次针对一类对象：请单独提问，例如“把卖家按销售额和订单数分群”")})
	}
	req.Rest = r.clean(rest, l)
	if req.Rest == "" {
		return req, nil
	}
	if subject == "" && r.kinds[req.Kind].studies() {
		req.Rest = r.clean(r.withoutActs(text), l) // the periods and words are read with the table
		return req, nil
	}
	parsed, err := parse(ctx, ask, strings.TrimSpace(subject+" "+req.Rest))
	if err != nil {
		return req, fmt.Errorf("read %q: %w", lang.Shorten(req.Rest, 80), err)
	}
	req.takeSpans(parsed)
	req.takeDays(parsed, now, l)
	if x, y := r.apart(req.Rest, false, l); x == "" {
		req.Grouped = y
	}
	if subject != "" {
		req.Metrics = slices.DeleteFunc(req.Metrics, func(m string) bool { return m == subject })
		r.takeUnknown(&req, parsed, l)
		return req, nil
	}
	if req.Kind == "single" {
		req.Rest = r.clean(text, l) // text to SQL reads the periods itself
		if _, without := r.hits(text); signals["report"] {
			req.Rest = r.clean(without, l)
		}
		return req, nil
	}
	r.takeUnknown(&req, parsed, l)
	return req, nil
}

// particle joins words in Chinese and may be read as a part of the word before or behind
// it: 类目的成交额 has 类目 and 成交额, and 目的 too.
const particle = "的"

// parse asks what is understood of a text; where words are left, also of it without the
// particle, and takes what leaves fewer.
func parse(ctx context.Context, ask Asks, text string) (Parsed, error) {
	parsed, err := ask.Parse(ctx, text)
	if err != nil || len(parsed.NotUnderstood) == 0 || !strings.Contains(text, particle) {
		return parsed, err
	}
	without, err := ask.Parse(ctx, strings.ReplaceAll(text, particle, ""))
	if err != nil || len(without.NotUnderstood) >= len(parsed.NotUnderstood) {
		return parsed, err
	}
	return without, nil
}

// takeSpans takes over what text to SQL recognised.
func (req *Request) takeSpans(parsed Parsed) {
	for _, s := range parsed.Spans {
		words := strings.TrimSpace(strings.Trim(strings.TrimSpace(s.Text), particle))
		switch s.Kind {
		case "column", "table", "name":
			req.Known = true
		case "metric":
			if !slices.Contains(req.Metrics, words) {
				req.Metrics = append(req.Metrics, words)
			}
		case "dimension":
			if words = bare(words); req.Dimension == "" {
				req.Dimension = words
			}
		case "value":
			if !slices.Contains(req.Filters, words) {
				req.Filters = append(req.Filters, words)
			}
		}
	}
}

// takeUnknown tells what it did not, so that nothing is dropped in silence.
func (r *Rules) takeUnknown(req *Request, parsed Parsed, l lang.Language) {
	for _, word := range parsed.NotUnderstood {
		if r.isFiller(word, l) || req.N > 0 && word == strconv.Itoa(req.N) {
			continue
		}
		req.Unanswered = append(req.Unanswered, Part{Text: word, Reason: l.Pick("this was not understood, and nothing was done about it", "没有理解这部分，未作处理")})
	}
}

var (
	topN   = regexp.MustCompile(`(?i)(?:top|best|bottom|worst|最高|最低|前|后|最好|最差)(?:的)?(?:\s+and\s+(?:bottom|worst))?\s*(\d{1,3})`)
	pieces = regexp.MustCompile(`[,，;；。.!！?？、\s]+`)
)

// preposition is what a dimension is named with: text to SQL counts it among its words.
var preposition = regexp.MustCompile(`(?i)^(?:by|per|for each|each|every|across|分|各个?|每个?|按照?)\s*`)

// bare are the words of a dimension alone, to be put into other sentences.
func bare(words string) string { return strings.TrimSpace(preposition.ReplaceAllString(words, "")) }

// clean leaves what an act was around: no doubled blanks or commas, and no piece that
// holds nothing but filler.
func (r *Rules) clean(text string, l lang.Language) string {
	joint, split := " ", strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(",，;；。!！?？\n", c) })
	var kept []string
	for _, piece := range split {
		if piece = strings.TrimSpace(piece); piece != "" && !r.isFiller(piece, l) {
			kept = append(kept, strings.Join(strings.Fields(piece), " "))
		}
	}
	if l == lang.Chinese {
		joint = "，"
	}
	return strings.TrimSpace(strings.Join(kept, joint))
}

// isFiller reports whether words say nothing by themselves.
func (r *Rules) isFiller(words string, l lang.Language) bool {
	left := r.filler[lang.English].ReplaceAllString(words, "")
	if l == lang.Chinese {
		left = r.filler[lang.Chinese].ReplaceAllString(left, "")
	}
	return pieces.ReplaceAllString(left, "") == ""
}

// kind is the first that fits.
func (r *Rules) kind(signals map[string]bool) string {
	for _, name := range r.order {
		if !slices.ContainsFunc(r.kinds[name].When, func(s string) bool { return !signals[s] }) {
			return name
		}
	}
	return "single"
}

// complete fills in what a request leaves open and says so, and names what it lacks.
func (r *Rules) complete(ctx context.Context, ask Asks, req Request, l lang.Language) (Request, error) {
	kind := r.kinds[req.Kind]
	if req.Periods.After == "" && kind.uses("{after}") && req.Kind != "before_after" {
		unit := r.units[cmp.Or(req.Unit, "month")].in(l)
		req.Periods = Periods{After: unit.This, Before: unit.Last, Assumed: true}
		if req.Kind == "review" {
			req.Periods = Periods{After: unit.Last, Before: unit.Earlier, Assumed: true}
		}
		req.Assumptions = append(req.Assumptions, l.Pick(
			fmt.Sprintf("The question names no period: %s is compared with %s.", req.Periods.After, req.Periods.Before),
			fmt.Sprintf("问题没有指明时段：以%s与%s比较。", req.Periods.After, req.Periods.Before)))
	}
	if kind.ofDays() && req.Span == 0 {
		req.Span = sweptDays
		if req.Kind == "forecast" {
			req.Span = learnedDays
		}
	}
	if kind.uses("{horizon}") && req.Horizon == 0 {
		req.Horizon = defaultHorizon
		req.Assumptions = append(req.Assumptions, l.Pick(
			fmt.Sprintf("The question does not say how far to forecast: %d days.", req.Horizon), fmt.Sprintf("问题没有说明预测多远：取%d天。", req.Horizon)))
	}
	if req.Named != nil {
		if err := r.rowsOf(ctx, ask, &req, l); err != nil {
			return req, err
		}
	}
	if err := r.columnsAsMetric(ctx, ask, &req, l); err != nil {
		return req, err
	}
	if err := r.comparedColumns(ctx, ask, &req, l); err != nil {
		return req, err
	}
	if len(req.Metrics) == 0 && slices.Contains(kind.Needs, "metrics") {
		var err error
		if req.Metrics, err = r.keyFigures(ctx, ask, req, l); err != nil {
			return req, err
		}
		if len(req.Metrics) > 0 && req.Rest != "" { // what else is said is read beside a figure
			parsed, err := parse(ctx, ask, req.Metrics[0]+" "+req.Rest)
			if err != nil {
				return req, fmt.Errorf("read what a review is about: %w", err)
			}
			figures := req.Metrics
			req.takeSpans(parsed)
			req.Metrics = figures
			req.Unanswered = nil // the same words, read without a figure
			r.takeUnknown(&req, parsed, l)
		}
		if len(req.Metrics) > 0 {
			req.Assumptions = append(req.Assumptions, l.Pick("The question names no figures: ", "问题没有指明指标：")+
				strings.Join(req.Metrics, l.Pick(", ", "、"))+l.Pick(" are looked at.", "作为所看的指标。"))
		}
	}
	if req.N == 0 {
		req.N = defaultN
	}
	req.Lacks = nil
	for _, need := range kind.Needs {
		missing := false
		switch need {
		case "metric", "metrics":
			missing = len(req.Metrics) == 0
		case "dimension":
			missing = req.Dimension == ""
		case "date":
			missing = req.Periods.After == ""
		case "rows":
			missing = len(req.Rows) == 0
		case "rest":
			missing = req.Rest == ""
		}
		if missing {
			req.Lacks = append(req.Lacks, need)
		}
	}
	return req, nil
}

// columnsAsMetric takes what is left of a question over columns for its figure, such as
// "total amount of sales", where text to SQL writes the series of it: a source without a
// layer has no metrics. Comparisons are read by comparedColumns.
func (r *Rules) columnsAsMetric(ctx context.Context, ask Asks, req *Request, l lang.Language) error {
	kind := r.kinds[req.Kind]
	if len(req.Metrics) > 0 || !req.Known || req.Rest == "" || !kind.ofDays() {
		return nil
	}
	for _, t := range kind.Steps {
		if t.Kind != SQL {
			continue
		}
		ok, err := ask.Writes(ctx, req.fill(l.Pick(t.EN, t.ZH), req.Rest, l))
		if err != nil {
			return fmt.Errorf("look at %q: %w", lang.Shorten(req.Rest, 80), err)
		}
		if !ok {
			return nil
		}
	}
	req.Metrics, req.Filters = []string{req.Rest}, nil // all of it is in the sentence, but for times that no series is of
	req.Unanswered = slices.DeleteFunc(req.Unanswered, func(p Part) bool { return strings.Contains(req.Rest, p.Text) })
	return nil
}

// maxAsked is how many metrics of a mart are asked about to choose those of a review.
const maxAsked = 40

// keyFigures are the metrics of a review that names none: of the mart that defines most,
// those that can be compared between the periods; amounts before counts, and what adds
// up before what does not, since the latter is made of the former.
func (r *Rules) keyFigures(ctx context.Context, ask Asks, req Request, l lang.Language) ([]string, error) {
	metrics, err := ask.Metrics(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the metrics for a review: %w", err)
	}
	why, figure := "", ""
	for _, t := range slices.Concat(r.kinds[req.Kind].Steps, r.kinds["review"].Steps) {
		switch {
		case t.Kind == ExplainChange && why == "":
			why = l.Pick(t.EN, t.ZH)
		case t.Kind == SQL && figure == "":
			figure = l.Pick(t.EN, t.ZH)
		}
	}
	compared := req // how a metric adds up is asked of a change
	if compared.Periods.After == "" {
		month := r.units["month"].in(l)
		compared.Periods = Periods{After: month.Last, Before: month.Earlier}
	}
	var found [5][]string
	var ids []string
	main := mainMart(metrics)
	for _, m := range main[:min(len(main), maxAsked)] {
		adds, id, err := ask.Adds(ctx, compared.fill(why, m.Name, l))
		if err != nil {
			return nil, fmt.Errorf("look at the metric %s: %w", m.Name, err)
		}
		if adds == AddsUp && m.Unit != "" {
			adds = amount
		}
		rank := slices.Index([]Adds{amount, AddsUp, AddsLevel, AddsRatio, AddsNever}, adds)
		if rank >= 0 && !slices.Contains(ids, id) { // several names may lead to one metric
			ids = append(ids, id)
			found[rank] = append(found[rank], m.Name)
		}
	}
	var chosen []string
	for _, name := range slices.Concat(found[:]...) {
		if len(chosen) == maxKPIs {
			break
		}
		ok, err := ask.Writes(ctx, req.fill(figure, name, l))
		if err != nil {
			return nil, fmt.Errorf("look at the metric %s: %w", name, err)
		}
		if ok {
			chosen = append(chosen, name)
		}
	}
	return chosen, nil
}

// mainMart are the metrics of the mart that defines most of them.
func mainMart(metrics []Metric) []Metric {
	count := make(map[string]int)
	for _, m := range metrics {
		count[m.Mart]++
	}
	best := ""
	for mart, n := range count {
		if n > count[best] || n == count[best] && mart < best {
			best = mart
		}
	}
	return slices.DeleteFunc(slices.Clone(metrics), func(m Metric) bool { return m.Mart != best })
}

// Make fills in the steps of a request's kind. The version is left to the caller.
func (r *Rules) Make(req Request, l lang.Language) Plan {
	p := Plan{Unanswered: slices.Clone(req.Unanswered), Assumptions: slices.Clone(req.Assumptions)}
	ids := make(map[string][]string) // of the steps that a template became
	for _, t := range r.kinds[req.Kind].Steps {
		if t.If == "dimension" && req.Dimension == "" || t.Kind == ExplainChange && req.OverColumns {
			continue
		}
		metrics := req.Metrics[:min(1, len(req.Metrics))]
		if t.Each == "metric" || len(req.Metrics) > 1 && t.Kind == SQL && req.Kind != "forecast" {
			metrics = req.Metrics
		}
		if t.Each == "rows" {
			metrics = req.Rows
		}
		if len(metrics) == 0 {
			metrics = []string{""}
		}
		for _, metric := range metrics {
			s := Step{ID: "s" + strconv.Itoa(len(p.Steps)+1), Kind: t.Kind, Expects: t.Expects, Study: t.Study}
			switch t.Kind {
			case Forecast:
				s.Days = req.Horizon
			case Anomalies:
				s.Days = req.Within.told()
			}
			s.Instruction, s.Title = req.fill(l.Pick(t.EN, t.ZH), metric, l), lang.Capital(lang.Shorten(req.fill(t.Title.in(l), metric, l), 120))
			for _, in := range t.Inputs {
				made := ids[in]
				if t.Kind != Anomalies && t.Kind != Relation { // which look at all of them together
					made = made[:min(1, len(made))]
				}
				s.Inputs = append(s.Inputs, made...)
			}
			ids[t.ID] = append(ids[t.ID], s.ID)
			p.Steps = append(p.Steps, s)
		}
	}
	report := r.report[l]
	for _, s := range p.Steps {
		report.Inputs = append(report.Inputs, s.ID)
	}
	p.Steps = append(p.Steps, report)
	return p
}

// fill puts what a request is about into a text.
func (req Request) fill(text, metric string, l lang.Language) string {
	filters := strings.Join(req.Filters, l.Pick(" and ", "和"))
	if filters != "" && l != lang.Chinese {
		filters = " in " + filters
	}
	after, before := req.Periods.After, req.Periods.Before
	if l != lang.Chinese && strings.HasPrefix(before, "from ") {
		before = strings.TrimPrefix(before, "from ") // "compared with 2026-11-04 to 2026-11-10"
	}
	out := strings.NewReplacer("{metric}", metric, "{dimension}", req.Dimension, "{filters}", filters,
		"{after}", after, "{before}", before, "{n}", strconv.Itoa(max(req.N, 1)), "{rest}", req.Rest,
		"{window}", req.window(l), "{within}", req.Within.text(l), "{span}", strconv.Itoa(req.Span), "{horizon}", strconv.Itoa(req.Horizon), "{of}", req.Of).Replace(text)
	if !utf8.ValidString(out) {
		return strings.ToValidUTF8(out, "")
	}
	return strings.Join(strings.Fields(out), " ")
}
