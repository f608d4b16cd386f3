package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dibrain/dibrain/pkg/lang"
	doc "github.com/dibrain/dibrain/pkg/report"
	"github.com/dibrain/dibrain/services/analysis/plan"
	"github.com/dibrain/dibrain/services/analysis/words"
	"github.com/dibrain/dibrain/services/analysis/workflow"
)

// Writer writes reports. It may be used concurrently.
type Writer struct {
	words *words.Words
	rows  int
}

// New returns a writer of reports whose tables have at most so many rows.
func New(said *words.Words, rows int) *Writer { return &Writer{words: said, rows: rows} }

// draft is a report while it is written.
type draft struct {
	*Writer
	state *workflow.State
	cells cells
	said  []sentence // all of them, for the check
	doc   doc.Document
}

// Check writes the report of a state and returns what to keep of it. Its error says what
// does not agree with the results; such a report is not to be shown.
func (w *Writer) Check(s *workflow.State) (*workflow.Report, error) {
	d, err := w.document(s)
	if err != nil {
		return nil, err
	}
	if err := doc.HTML(io.Discard, d, doc.Options{MaxRows: w.rows}); err != nil { // a chart that cannot be read is noticed now
		return nil, fmt.Errorf("write the report: %w", err)
	}
	return &workflow.Report{Title: d.Title, Summary: d.Summary}, nil
}

// Markdown writes the report of a state.
func (w *Writer) Markdown(to io.Writer, s *workflow.State) error {
	d, err := w.document(s)
	if err != nil {
		return err
	}
	return doc.Markdown(to, d, doc.Options{MaxRows: w.rows})
}

// HTML writes the report of a state as one page that needs nothing else.
func (w *Writer) HTML(to io.Writer, s *workflow.State) error {
	d, err := w.document(s)
	if err != nil {
		return err
	}
	return doc.HTML(to, d, doc.Options{MaxRows: w.rows})
}

// PDF writes the report of a state as A4 pages.
func (w *Writer) PDF(to io.Writer, s *workflow.State) error {
	d, err := w.document(s)
	if err != nil {
		return err
	}
	return doc.PDF(to, d, doc.Options{MaxRows: w.rows})
}

// document is the checked report of a state.
func (w *Writer) document(s *workflow.State) (doc.Document, error) {
	d := &draft{Writer: w, state: s, cells: cellsOf(s)}
	d.doc = doc.Document{
		Language: s.Query.Language, Title: d.title(),
		Asked: doc.Asked{Question: s.Query.Question, At: s.Query.Now},
	}
	d.summary()
	for _, step := range s.Plan.Steps {
		if step.Kind != plan.Report {
			d.section(step)
		}
	}
	d.left()
	for _, sentence := range d.said {
		if err := d.cells.check(sentence); err != nil {
			return doc.Document{}, err
		}
	}
	return d.doc, nil
}

// title is that of the first step that says what the report is about.
func (d *draft) title() string {
	looks := 0
	for _, step := range d.state.Plan.Steps {
		switch {
		case step.Kind.Computes() && step.Title != "":
			return step.Title // the others lead to it
		case step.Kind == plan.Study:
			looks++
		}
	}
	if looks > 1 { // none of them is the whole
		return lang.Shorten(d.state.Query.Question, 120)
	}
	for _, step := range d.state.Plan.Steps {
		if step.Title != "" && step.Kind != plan.Report {
			return step.Title
		}
	}
	return lang.Shorten(d.state.Query.Question, 120)
}

// arg is what stands in a place of a sentence.
type arg func() piece

func (d *draft) cell(r Ref) arg {
	return func() piece {
		shown, err := d.cells.show(r)
		if err != nil {
			shown = "?" // the check finds it
		}
		return piece{ref: &r, shown: shown}
	}
}

func quoted(text string) arg { return func() piece { return piece{quote: text} } }

// say makes a sentence of words.yaml with its places filled in.
func (d *draft) say(key string, args map[string]arg) string {
	s := d.fill(key, args)
	d.said = append(d.said, s)
	return s.String()
}

func (d *draft) fill(key string, args map[string]arg) sentence {
	text := d.words.Say(d.state.Query.Language, key)
	var s sentence
	for text != "" {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			s = append(s, piece{words: text})
			break
		}
		shut := strings.IndexByte(text[open:], '}')
		s = append(s, piece{words: text[:open]})
		if value := args[text[open+1:open+shut]]; value != nil {
			s = append(s, value())
		}
		text = text[open+shut+1:]
	}
	return s
}

// quote is a sentence of somebody else, as it is.
func (d *draft) quote(text string) string {
	d.said = append(d.said, sentence{{quote: text}})
	return text
}

// result returns the result of a step, nil where it has none.
func (d *draft) result(step string) *workflow.Result {
	i := slices.IndexFunc(d.state.Results, func(r workflow.Result) bool { return r.Step == step })
	if i < 0 {
		return nil
	}
	return &d.state.Results[i]
}

// summary is what stands alone: the most telling sentence of each step, and what could
// not be answered.
func (d *draft) summary() {
	dated := slices.ContainsFunc(d.state.Plan.Steps, d.explained)
	for _, step := range d.state.Plan.Steps {
		r := d.result(step.ID)
		if r == nil || step.Kind == plan.Report {
			continue
		}
		if r.Status != workflow.StepDone {
			d.doc.Summary = append(d.doc.Summary, d.say("r_unanswered", map[string]arg{"title": quoted(step.Title), "reason": quoted(r.Problem)}))
			continue
		}
		facts := d.facts(step, r)
		switch {
		case len(facts) == 0, step.Expects == plan.Series:
		case step.Expects == plan.Figures && d.explainedBy(step.ID): // said with its dates by the change
		case d.worked(step.ID): // what was computed of these rows says more
		case step.Kind == plan.Segments || step.Kind == plan.Anomalies: // a part of them would say something else
			d.doc.Summary = append(d.doc.Summary, facts...)
		case step.Kind.Computes():
			d.doc.Summary = append(d.doc.Summary, facts[:min(len(facts), summaryOfComputed)]...)
		case step.Kind == plan.ExplainChange:
			d.doc.Summary = slices.Concat(facts[:min(len(facts), summaryOfChange)], d.doc.Summary) // it says the whole
		default:
			d.doc.Summary = append(d.doc.Summary, facts[0])
			if !dated && step.Kind == plan.SQL { // nothing else in the summary says of which days it is
				dated = true
				for _, a := range r.Evidence.Assumptions {
					d.doc.Summary = append(d.doc.Summary, d.quote(a))
				}
			}
		}
	}
	for _, p := range d.state.Plan.Unanswered {
		d.doc.Summary = append(d.doc.Summary, d.say("r_left_out", map[string]arg{"part": quoted(p.Text), "reason": quoted(p.Reason)}))
	}
}

// explained reports whether a step has said what accounts for a change.
func (d *draft) explained(s plan.Step) bool {
	r := d.result(s.ID)
	return s.Kind == plan.ExplainChange && r != nil && r.Status == workflow.StepDone
}

// explainedBy reports whether a step has said what accounts for the change of another one.
func (d *draft) explainedBy(id string) bool {
	return slices.ContainsFunc(d.state.Plan.Steps, func(s plan.Step) bool { return slices.Contains(s.Inputs, id) && d.explained(s) })
}

// worked reports whether a later step has computed something of the rows of a step.
func (d *draft) worked(id string) bool {
	return slices.ContainsFunc(d.state.Plan.Steps, func(s plan.Step) bool {
		r := d.result(s.ID)
		return slices.Contains([]plan.Kind{plan.Segments, plan.Relation, plan.Python}, s.Kind) && slices.Contains(s.Inputs, id) && r != nil && r.Status == workflow.StepDone
	})
}

// summaryOfChange is how much of a change the summary says: the change, its outcome, and
// the cells that tell most.
const summaryOfChange = 4

// summaryOfComputed is how much of a forecast or a relation the summary says.
const summaryOfComputed = 3

// section is that of one step.
func (d *draft) section(step plan.Step) {
	r := d.result(step.ID)
	out := doc.Section{Heading: d.quote(step.Title)}
	out.Method = append(out.Method, d.say("r_method_"+string(step.Kind), map[string]arg{"instruction": quoted(step.Instruction)}))
	switch {
	case r == nil:
		out.Paragraphs = []string{d.say("r_not_run", nil)}
	case r.Status != workflow.StepDone:
		out.Paragraphs = []string{d.say("r_unanswered", map[string]arg{"title": quoted(step.Title), "reason": quoted(r.Problem)})}
	default:
		if facts := d.facts(step, r); len(facts) > 0 {
			out.Paragraphs, out.Findings = facts[:1], facts[1:]
		}
		if r.Chart.Option != "" {
			out.Chart = &doc.Chart{Option: r.Chart.Option, Title: r.Chart.Title}
		}
		for _, text := range r.SQL {
			out.SQL = append(out.SQL, doc.Statement{Text: text})
		}
		out.Code = r.Code
		out.Certificate = certificate(r.Evidence)
		for _, w := range r.Warnings {
			d.warn(w.Text)
		}
	}
	var tables []workflow.Table
	if r != nil {
		tables = r.Tables
	}
	if len(tables) > 0 {
		out.Table = d.table(tables[0])
	}
	d.doc.Sections = append(d.doc.Sections, out)
	for _, t := range tables[min(1, len(tables)):] { // further tables go on with the section
		d.doc.Sections = append(d.doc.Sections, doc.Section{Table: d.table(t)})
	}
}

func (d *draft) warn(text string) {
	if !slices.Contains(d.doc.Warnings, text) {
		d.doc.Warnings = append(d.doc.Warnings, d.quote(text))
	}
}

func (d *draft) table(t workflow.Table) *doc.Table {
	out := &doc.Table{Table: t.Result(), Total: t.Total}
	for i, c := range t.Columns {
		label := c.Label
		if label == "" {
			label = c.Name
		}
		switch c.Unit {
		case "":
		case "%", "fraction", "pp": // stored as parts of one, read as percent
			out.Columns[i].Type = "varchar"
			out.Rows = withColumn(out.Rows, i, func(v any) any {
				if v == nil {
					return nil
				}
				return textOf(v, c)
			})
		default:
			label += " (" + c.Unit + ")"
		}
		out.Labels = append(out.Labels, label)
	}
	return out
}

// left says what the plan left out and what it assumed.
func (d *draft) left() {
	var out doc.Section
	for _, p := range d.state.Plan.Unanswered {
		out.Findings = append(out.Findings, d.say("r_left_out", map[string]arg{"part": quoted(p.Text), "reason": quoted(p.Reason)}))
	}
	for _, a := range d.state.Plan.Assumptions {
		out.Findings = append(out.Findings, d.quote(a))
	}
	if len(out.Findings) > 0 {
		out.Heading = d.words.Say(d.state.Query.Language, "r_limits")
		d.doc.Sections = append(d.doc.Sections, out)
	}
}

// withColumn is rows with the values of a column changed; the rows stay as they are.
func withColumn(rows [][]any, at int, change func(any) any) [][]any {
	out := make([][]any, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
		out[i][at] = change(row[at])
	}
	return out
}

func certificate(e workflow.Evidences) *doc.Certificate {
	out := &doc.Certificate{
		Metrics: e.Metrics, Filters: e.Filters, Assumptions: e.Assumptions, GuardChanges: e.Guard,
		Rows: e.Rows, Bytes: e.Bytes, Confidence: e.Confidence, SHA256: e.SHA256, Paragraph: e.Paragraph,
	}
	for _, s := range e.Sources {
		out.Sources = append(out.Sources, doc.Source{Name: s.Name, Updated: s.Updated, Newest: s.Newest})
	}
	return out
}
