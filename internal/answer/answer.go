// Package answer prints an answer of the router for a terminal: the sentence,
// the rows, a small chart, the SQL, the tables with a reason each, what to watch
// out for, and the run's id.
package answer

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/dibrain/dibrain/internal/term"
	"github.com/dibrain/dibrain/pkg/prose"

	chatbiv1 "github.com/dibrain/dibrain/gen/dibrain/chatbi/v1"
	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	findatav1 "github.com/dibrain/dibrain/gen/dibrain/findata/v1"
	fixsqlv1 "github.com/dibrain/dibrain/gen/dibrain/fixsql/v1"
	routerv1 "github.com/dibrain/dibrain/gen/dibrain/router/v1"
	text2sqlv1 "github.com/dibrain/dibrain/gen/dibrain/text2sql/v1"
)

// Options of printing.
type Options struct {
	Width int // cells of the terminal
	// TableWidth is where columns of the result are cut, in cells; 0: nowhere.
	TableWidth int
	MaxRows    int // rows of the table; the rest is counted
	Verbose    bool
	// Wrap breaks long lines of text at words: a terminal breaks them within words.
	Wrap  bool
	Style term.Style
}

// maxTables is how many tables are listed with their reasons.
const maxTables = 3

// Print writes the answer.
func Print(w io.Writer, a *routerv1.Answer, o Options) {
	p := printer{w: w, o: o, words: wordsOf(a.GetLanguage())}
	for _, line := range p.lines(cleanLines(a.GetText())) {
		p.line(o.Style.Bold(line))
	}
	if q := a.GetQuestion(); a.GetAskHuman() && !listed(a.GetText(), q.GetOptions()) {
		p.question(q)
	}
	outputs := collect(a)
	if outputs.execute != nil {
		p.result(outputs.execute)
	}
	if outputs.numbers != nil {
		p.result(outputs.numbers)
	}
	p.sql(outputs, a.GetText())
	p.tables(outputs)
	p.warnings(a, outputs)
	if o.Verbose {
		p.details(outputs)
	}
	p.footer(a)
}

// outputs are the last outputs of each kind of a turn.
type outputs struct {
	discover *findatav1.DiscoverResult
	generate *text2sqlv1.GenerateResult
	fix      *fixsqlv1.FixSQLResponse
	execute  *chatbiv1.ExecuteResult
	// numbers are a table beside an output that is text.
	numbers *chatbiv1.ExecuteResult
}

func collect(a *routerv1.Answer) outputs {
	var out outputs
	for _, c := range a.GetToolCalls() {
		switch v := c.GetOutput().(type) {
		case *routerv1.ToolCall_DataDiscovery:
			out.discover = v.DataDiscovery
		case *routerv1.ToolCall_GenerateSql:
			out.generate = v.GenerateSql
		case *routerv1.ToolCall_FixSql:
			out.fix = v.FixSql
		case *routerv1.ToolCall_Execute:
			out.execute = v.Execute
		case *routerv1.ToolCall_ExplainChange:
			out.execute = ofChange(v.ExplainChange)
		}
		if c.GetPage() != nil {
			out.numbers = &chatbiv1.ExecuteResult{Page: c.GetPage(), Chart: c.GetChart()}
		}
	}
	return out
}

type printer struct {
	w     io.Writer
	o     Options
	words words
}

func (p printer) line(format string, args ...any) {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	fmt.Fprintln(p.w, format)
}

// lines cuts a text into lines that the terminal does not break; code stays as it is.
func (p printer) lines(text string) (out []string) {
	code := false
	for line := range strings.SplitSeq(text, "\n") {
		body := strings.TrimLeft(line, " ")
		code = code != strings.HasPrefix(body, "```")
		if !p.o.Wrap || code || len(line) <= p.o.Width {
			out = append(out, line)
			continue
		}
		begin := line[:len(line)-len(body)]
		for _, part := range term.Wrap(body, max(minText, p.o.Width-len(begin))) {
			out = append(out, begin+part)
		}
	}
	return out
}

// minText is the least width that text is broken to, in cells.
const minText = 40

// item writes a line of a list, its further lines under the first word; paint may be nil.
func (p printer) item(mark, text string, paint func(string) string) {
	lines := []string{text}
	if p.o.Wrap {
		lines = term.Wrap(text, max(minText, p.o.Width-utf8.RuneCountInString(mark)))
	}
	for i, line := range lines {
		if i > 0 {
			mark = strings.Repeat(" ", utf8.RuneCountInString(mark))
		}
		indent := mark[:len(mark)-len(strings.TrimLeft(mark, " "))]
		if line = strings.TrimPrefix(mark, indent) + line; paint != nil {
			line = paint(line)
		}
		p.line("%s", indent+line)
	}
}

func (p printer) heading(title string) {
	p.line("")
	p.line(p.o.Style.Bold(title))
}

// listed says whether a text names all the options: the router's own texts do,
// for programs that show nothing else.
func listed(text string, options []*commonv1.Option) bool {
	return !slices.ContainsFunc(options, func(o *commonv1.Option) bool {
		return !strings.Contains(text, o.GetLabel())
	})
}

func (p printer) question(q *commonv1.Question) {
	for i, option := range q.GetOptions() {
		text := term.Clean(option.GetLabel())
		if d := option.GetDescription(); d != "" {
			text += p.o.Style.Dim("  " + term.Clean(d))
		}
		p.line(fmt.Sprintf("  %d) ", i+1) + text)
	}
}

func (p printer) result(r *chatbiv1.ExecuteResult) {
	page := r.GetPage()
	if len(page.GetColumns()) > 0 && len(page.GetRows()) > 0 {
		p.line("")
		text, columns := pageTable(page, p.o)
		fmt.Fprint(p.w, text)
		if columns > 0 {
			p.line(p.o.Style.Dim(fmt.Sprintf(p.words.moreColumns, columns)))
		}
		shown := min(len(page.GetRows()), p.o.MaxRows)
		switch left := page.GetTotalRows() - int64(shown); {
		case left == 1:
			p.line(p.o.Style.Dim(p.words.moreRow))
		case left > 1:
			p.line(p.o.Style.Dim(fmt.Sprintf(p.words.moreRows, left)))
		}
	}
	drawn := pageChart(r.GetChart(), p.o.Width)
	note := p.chartNote(r.GetChart(), drawn != "")
	if drawn != "" || note != "" {
		p.line("")
		fmt.Fprint(p.w, drawn)
	}
	if note != "" {
		p.line(p.o.Style.Dim(note))
	}
	var findings []string
	for _, f := range r.GetFindings() {
		if f.GetKind() != "value" { // the answer itself says a single value
			findings = append(findings, term.Clean(f.GetText()))
		}
	}
	if len(findings) > 0 {
		p.heading(p.words.findings)
		for _, text := range findings {
			p.item("  • ", text, nil)
		}
	}
}

// sqlOf is the SQL that ran, else the repaired one, else the one written.
func sqlOf(out outputs) string {
	if text := out.execute.GetExecutedSql(); text != "" {
		return text
	}
	if out.fix.GetChanged() {
		return out.fix.GetFixed().GetSql()
	}
	if candidates := out.generate.GetCandidates(); len(candidates) > 0 {
		return candidates[0].GetSql()
	}
	return ""
}

// ofChange is an explanation of a change in the form of a result: its cells are the rows,
// its statements the SQL.
func ofChange(e *chatbiv1.ExplainResult) *chatbiv1.ExecuteResult {
	var statements []string
	for _, run := range e.GetRuns() {
		statements = append(statements, run.GetExecutedSql())
	}
	return &chatbiv1.ExecuteResult{
		Outcome: e.GetOutcome(), Page: e.GetPage(), Certificate: e.GetCertificate(), Warnings: e.GetWarnings(),
		ExecutedSql: strings.Join(statements, ";\n\n"),
	}
}

func (p printer) sql(out outputs, said string) {
	text := sqlOf(out)
	if text == "" || strings.Contains(said, text) {
		return
	}
	p.heading("Presto SQL")
	p.line(indent(cleanLines(text)))
}

// PrintSQL writes the SQL of an answer alone, ready to be copied.
func PrintSQL(w io.Writer, a *routerv1.Answer) {
	if text := sqlOf(collect(a)); text != "" {
		fmt.Fprintln(w, cleanLines(text))
		return
	}
	fmt.Fprintln(w, "there is no SQL yet")
}

// PrintTables writes the tables that an answer used, or could use where it has no SQL.
func PrintTables(w io.Writer, a *routerv1.Answer, o Options) {
	out := collect(a)
	if len(relevant(out)) == 0 {
		fmt.Fprintln(w, "there are no tables yet")
		return
	}
	printer{w: w, o: o, words: wordsOf(a.GetLanguage())}.tables(out)
}

func (p printer) tables(out outputs) {
	tables := relevant(out)
	if len(tables) == 0 {
		return
	}
	p.heading(p.words.tables)
	for _, t := range tables {
		p.line("  %s", term.Clean(TableName(t.GetTable().GetRef())))
		if reasons := t.GetReasons(); len(reasons) > 0 {
			for _, line := range term.Wrap(term.Clean(strings.Join(reasons, "; ")), max(40, p.o.Width-4)) {
				p.line("    %s", p.o.Style.Dim(line))
			}
		}
	}
}

// relevant are the tables that the SQL reads, and where there is no SQL the best
// candidates.
func relevant(out outputs) []*findatav1.TableCandidate {
	used := make(map[string]bool)
	for _, t := range out.execute.GetCertificate().GetTables() {
		used[strings.ToLower(t.GetTable())] = true
	}
	if len(used) == 0 && len(out.generate.GetCandidates()) > 0 {
		for _, t := range out.generate.GetCandidates()[0].GetTables() {
			used[strings.ToLower(t.GetName())] = true
		}
	}
	all := out.discover.GetRelatedTables()
	if len(used) == 0 {
		return all[:min(len(all), 2*maxTables)]
	}
	var tables []*findatav1.TableCandidate
	for _, t := range all {
		name := strings.ToLower(TableName(t.GetTable().GetRef()))
		if used[name] {
			tables = append(tables, t)
			delete(used, name)
		}
	}
	for _, t := range out.execute.GetCertificate().GetTables() { // read, though discovery did not list them
		if used[strings.ToLower(t.GetTable())] {
			tables = append(tables, &findatav1.TableCandidate{Table: &commonv1.TableDetail{Ref: &commonv1.TableRef{Table: t.GetTable()}}})
		}
	}
	return tables[:min(len(tables), 2*maxTables)]
}

func (p printer) warnings(a *routerv1.Answer, out outputs) {
	all := warningsOf(a, out)
	certificate := out.execute.GetCertificate()
	if len(all)+len(certificate.GetAssumptions())+len(certificate.GetMetrics())+len(certificate.GetFilters()) == 0 {
		return
	}
	p.heading(p.words.notes)
	for _, warning := range all {
		p.item("  ! ", term.Clean(warning.GetMessage()), p.o.Style.Warn)
	}
	notes := append(slices.Clone(certificate.GetMetrics()), certificate.GetAssumptions()...)
	if filters := certificate.GetFilters(); len(filters) > 0 {
		notes = append(notes, p.words.filters+strings.Join(filters, "; "))
	}
	for _, text := range notes {
		p.item("  · ", term.Clean(text), nil)
	}
}

func (p printer) details(out outputs) {
	if spans := out.generate.GetUnderstood(); len(spans) > 0 {
		p.heading(p.words.understood)
		for _, s := range spans {
			p.line("  %s → %s (%.2f)", term.Clean(s.GetText()), term.Clean(understood(s, p.words.language)), s.GetScore())
		}
	}
	if changes := out.execute.GetGuardChanges(); len(changes) > 0 {
		p.heading(p.words.guard)
		for _, c := range changes {
			p.line("  %s: %s", c.GetRule(), term.Clean(c.GetMessage()))
		}
	}
	if next := out.generate.GetSuggestions(); len(next) > 0 && out.execute.GetOutcome() == chatbiv1.ExecuteOutcome_EXECUTE_OUTCOME_DONE {
		p.heading(p.words.next)
		for _, s := range next {
			p.line("  " + term.Clean(s.GetFollowUp()))
		}
	}
}

// money writes what models cost: two significant digits where it is less than a cent, else
// cents.
func money(amount float64, currency string) string {
	const cent = 0.01
	text := strconv.FormatFloat(amount, 'f', 2, 64)
	if amount < cent {
		digits := 1 - int(math.Floor(math.Log10(amount)))
		text = strconv.FormatFloat(amount, 'f', min(digits, 9), 64)
	}
	return strings.TrimSpace(text + " " + currency)
}

func (p printer) footer(a *routerv1.Answer) {
	parts := []string{a.GetRunId()}
	if text := p.confidence(collect(a)); text != "" {
		parts = append(parts, text)
	}
	if ms := a.GetUsage().GetMilliseconds(); ms > 0 {
		parts = append(parts, term.Duration(time.Duration(ms)*time.Millisecond))
	}
	if u := a.GetUsage(); u.GetModelCalls() > 0 {
		call := p.words.modelCalls
		if u.GetModelCalls() == 1 {
			call = p.words.modelCall
		}
		parts = append(parts, fmt.Sprintf(call, u.GetModelCalls()), fmt.Sprintf(p.words.tokens, message.NewPrinter(language.English).Sprint(u.GetModelTokens())))
		switch {
		case u.GetModelCost() > 0:
			parts = append(parts, money(u.GetModelCost(), u.GetModelCurrency()))
		case u.GetModelTokens() > 0:
			parts = append(parts, p.words.noPrice)
		}
	}
	parts = append(parts, a.GetSessionId())
	p.line("")
	p.line(p.o.Style.Dim(strings.Join(parts, " · ")))
}

// TableName writes a table as idc_region.schema.table, leaving out empty parts.
func TableName(ref *commonv1.TableRef) string {
	var parts []string
	for _, part := range []string{ref.GetIdcRegion(), ref.GetSchema(), ref.GetTable()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ".")
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// cleanLines cleans a text of several lines and keeps its line breaks.
func cleanLines(text string) string {
	return strings.ReplaceAll(prose.Visible(text), "\t", "    ")
}
