package chatbi

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dibrain/dibrain/pkg/catalog"
	"github.com/dibrain/dibrain/pkg/catalog/catalogrpc"
	"github.com/dibrain/dibrain/pkg/ingest/written"
	"github.com/dibrain/dibrain/pkg/lang"
	"github.com/dibrain/dibrain/pkg/result"
	"github.com/dibrain/dibrain/pkg/run"
	"github.com/dibrain/dibrain/pkg/sql/guard"
	"github.com/dibrain/dibrain/pkg/sql/lineage"
	"github.com/dibrain/dibrain/pkg/sql/parser"
	"github.com/dibrain/dibrain/pkg/sql/resolve"
	"github.com/dibrain/dibrain/pkg/sql/types"
	"github.com/dibrain/dibrain/services/chatbi/analyse"
)

// Certificate is what an answer rests on.
type Certificate struct {
	Tables          []Freshness
	Metrics         []string
	Filters         []string
	Changes         []guard.Change
	Rows            int64
	Assumptions     []string
	Confidence      float64
	AbstainedReason string
	SHA256          string
	// RangeTold says that an assumption tells a range of days that is no filter here any more.
	RangeTold bool
	// Paragraph is all of it in a few sentences; empty where there is no answer.
	Paragraph string
}

// Freshness says how fresh a table was.
type Freshness struct {
	Table           catalog.Name
	UpdatedAt       time.Time // zero: not known
	LatestPartition string    // empty: not known
}

// Rules of the guard that bound the rows of a result.
const ruleLimit = "limit"

// analyse reads the result and writes the certificate.
func (s *Service) analyse(ctx context.Context, p run.Principal, q Query, x *engine, approved guard.Approved, known *catalogrpc.Excerpt, read *fetched, a *Answer) {
	ctx, step := run.Start(ctx, "chatbi.analyse")
	defer step.End(nil)
	table := read.whole()
	filters := filtersOf(approved, q.Language)
	facts := describe(approved.Asked(), len(table.Columns), q.Metrics, s.analyst.CurrencyOf, s.unitIn(known), keyIn(known))
	names := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		names[i] = c.Name
	}
	facts.relabel(names, q.Labels)
	asked, column := askedRange(approved.Asked().Statement(), q.Now)
	periods := s.compared(ctx, p, q, x, approved, known, table.Columns)
	var base analyse.Range
	if periods != nil {
		asked, base = periods.Own, periods.Base
	}
	if !asked.OfDays() {
		column = "" // it is told as a condition like others
	}
	countries, conditions := s.scopeOf(approved, known, q.Language, column, table.Columns)
	beyond := s.beyond(ctx, p, q, x, facts, read) // stored rows are of the same version of the data
	begin, end := s.edges(ctx, p, x, approved, known, table)
	cut := limited(approved, facts, int(read.rows))
	table.Truncated = table.Truncated || cut == limitOfGuard

	a.Analysis = s.analyst.Analyse(analyse.Input{
		Table: table, Columns: facts.columns, Language: q.Language, Now: q.Now, Asked: asked, Begin: begin, End: end, Compared: periods, Filters: filters,
		Countries: countries, Conditions: conditions,
		Limited: cut != limitNone, Picked: facts.picks, Order: facts.order, Question: q.Question, Wanted: q.Wanted, MaxPoints: s.config().Limits.MaxChartPoints, Named: s.writer != nil,
		Beyond: beyond,
	})
	switch {
	case read.rows > int64(len(table.Rows)):
		s.warnPart(q, read, a)
	case cut == limitOfGuard:
		s.warnLimit(q, len(table.Rows), a)
	}
	s.warnPolicy(q, approved, a)
	s.warnDoubts(q, approved, known, a)
	personal := s.warnPersonal(q, approved, facts, known, a) || filtersPersonal(approved, known)
	s.write(ctx, q, personal, a)
	shown, rangeTold := toldOnce(approved, q, column, asked, base)
	a.Certificate = Certificate{
		Metrics: q.Metrics, Filters: shown, RangeTold: rangeTold, Changes: approved.Changes(), Rows: read.rows,
		Assumptions: once(q.Assumptions), Confidence: q.Confidence, SHA256: approved.SHA256(),
	}
	for i, name := range approved.Tables() {
		newest := i < freshTables && !approved.Protected() // what its newest rows are is not for everybody
		f := x.freshnessOf(ctx, p, known, name, newest)
		if t, ok := known.Lookup(name); ok && newest && !asked.From.IsZero() {
			s.warnEarly(q, name, x.partition(ctx, p, t, true), asked, a)
		}
		a.Certificate.Tables = append(a.Certificate.Tables, f)
		s.warnLate(q, f, asked, a)
	}
	a.Certificate.Paragraph = s.paragraph(a.Certificate, q.Language)
}

// edges are the first and the last day of the data that a result over time is made from: those of
// the table's partitions, else of the column that its times come from, as they were when it was
// read. Zero: not known, or nothing that may be told.
func (s *Service) edges(ctx context.Context, p run.Principal, x *engine, approved guard.Approved, known *catalogrpc.Excerpt, table result.Table) (begin, end time.Time) {
	at := slices.IndexFunc(table.Columns, func(c result.Column) bool {
		return c.Kind() == result.KindDate || c.Kind() == result.KindTimestamp
	})
	tables := approved.Tables()
	if len(tables) != 1 || approved.Protected() || at < 0 || len(table.Rows) == 0 {
		return begin, end
	}
	t, ok := known.Lookup(tables[0])
	if !ok {
		return begin, end
	}
	first, last := x.partition(ctx, p, t, true), x.partition(ctx, p, t, false)
	if outputs := approved.Asked().Output(); first == "" && last == "" && at < len(outputs) && len(outputs[at].Sources) == 1 {
		c, _ := t.Column(outputs[at].Sources[0].Column)
		first, last = c.Low, c.High
	}
	begin, _, _ = result.ParseMoment(first, time.UTC)
	end, _, _ = result.ParseMoment(last, time.UTC)
	return begin, end
}

// once leaves out what was said before: two parts of a statement may assume the same.
func once(sentences []string) []string {
	var out []string
	for _, sentence := range sentences {
		if !slices.Contains(out, sentence) {
			out = append(out, sentence)
		}
	}
	return out
}

// unitIn tells the unit of a stored column: what the ingest of its file found, else
// the currency that its name has in it.
func (s *Service) unitIn(known *catalogrpc.Excerpt) func(resolve.Origin) string {
	return func(o resolve.Origin) string {
		unit := ""
		if t, ok := known.Lookup(o.Table); ok {
			c, _ := t.Column(o.Column)
			unit = c.Unit
		}
		switch unit {
		case "":
			return s.analyst.CurrencyOf(o.Column)
		case written.Percent:
			return analyse.UnitFraction
		}
		return unit
	}
}

// keyIn tells whether a stored column is the key of its table, or points to that of another.
// Of a key of several columns only those are that point to others: a line's number is told by
// its name.
func keyIn(known *catalogrpc.Excerpt) func(resolve.Origin) bool {
	return func(o resolve.Origin) bool {
		t, ok := known.Lookup(o.Table)
		if !ok {
			return false
		}
		if key := t.PrimaryKey(); len(key) == 1 && strings.EqualFold(key[0], o.Column) {
			return true
		}
		return slices.ContainsFunc(t.ForeignKeys, func(f catalog.ForeignKey) bool {
			return slices.ContainsFunc(f.Columns, func(c string) bool { return strings.EqualFold(c, o.Column) })
		})
	}
}

// toldOnce are the conditions in words but for those of a column whose ranges of days the
// assumptions tell: "Time: 2026-11-16 to 2026-11-22". column "": there is none.
func toldOnce(approved guard.Approved, q Query, column string, ranges ...analyse.Range) (filters []string, told bool) {
	tells := func(r analyse.Range) bool {
		if r == (analyse.Range{}) {
			return true
		}
		return r.OfDays() && slices.ContainsFunc(q.Assumptions, func(text string) bool {
			return (r.From.IsZero() || strings.Contains(text, r.From.Format(time.DateOnly))) &&
				(r.To.IsZero() || strings.Contains(text, r.To.AddDate(0, 0, -1).Format(time.DateOnly)))
		})
	}
	if column == "" || !slices.ContainsFunc(ranges, func(r analyse.Range) bool { return r != (analyse.Range{}) }) || slices.ContainsFunc(ranges, func(r analyse.Range) bool { return !tells(r) }) {
		column = ""
	}
	return filtersBut(approved, q.Language, column), column != ""
}

// filtersOf are the conditions in words; in Chinese those without a subquery as written, which is
// shorter than a translation of SQL would be and says the same.
func filtersOf(approved guard.Approved, l lang.Language) []string { return filtersBut(approved, l, "") }

// filtersBut are those that are not about a column, each once: the parts of a union have many
// in common.
func filtersBut(approved guard.Approved, l lang.Language, column string) []string {
	var out []string
	for _, f := range lineage.Of(approved.Asked()).Filters {
		if !f.Within && (column == "" || !about(f, column)) {
			out = append(out, l.Pick(f.Text, f.Chinese))
		}
	}
	return once(out)
}

type limitKind int

const (
	limitNone    limitKind = iota
	limitOfQuery           // the statement's own LIMIT was reached
	limitOfGuard           // one that the guard added or lowered was
)

// limited says which LIMIT, if any, the rows have come up to.
func limited(approved guard.Approved, facts described, rows int) limitKind {
	if approved.RowLimit() <= 0 || int64(rows) < approved.RowLimit() {
		return limitNone
	}
	for _, c := range approved.Changes() {
		if c.Rule == ruleLimit {
			return limitOfGuard
		}
	}
	if facts.limit > 0 {
		return limitOfQuery
	}
	return limitNone
}

// warnPart says that the answer is of the first rows, in place of the general warning
// about a cut result, and beside that of a limit.
func (s *Service) warnPart(q Query, read *fetched, a *Answer) {
	key := "analysed_part"
	if read.truncated {
		key = "analysed_part_cut"
	}
	w := analyse.Warning{Code: "RESULT_PARTLY_ANALYSED", Message: s.analyst.Sentence(q.Language, key, map[string]string{
		"rows": result.Int(int64(len(read.head.Rows))).String(), "all": result.Int(read.rows).String(),
	})}
	a.Analysis.Warnings = slices.DeleteFunc(a.Analysis.Warnings, func(have analyse.Warning) bool { return have.Code == analyse.WarnTruncated })
	a.Analysis.Warnings = append(a.Analysis.Warnings, w)
}

// warnLimit says so in place of the general warning about a cut result.
func (s *Service) warnLimit(q Query, rows int, a *Answer) {
	key := "limit_added"
	if stmt, err := parser.Parse(q.SQL); err == nil && stmt.Query != nil && stmt.Query.Limit != nil {
		key = "limit_lowered"
	}
	w := analyse.Warning{Code: "LIMIT_ADDED", Message: s.analyst.Sentence(q.Language, key, map[string]string{"rows": result.Int(int64(rows)).String()})}
	for i, have := range a.Analysis.Warnings {
		if have.Code == analyse.WarnTruncated {
			a.Analysis.Warnings[i] = w
			return
		}
	}
	a.Analysis.Warnings = append(a.Analysis.Warnings, w)
}

// warnPolicy says which rows and values the answer does not rest on, because the
// asker may not see them: a sum over one's own rows is not the company's.
func (s *Service) warnPolicy(q Query, approved guard.Approved, a *Answer) {
	keys := map[string]string{guard.RuleRowFilter: "policy_rows", guard.RuleMask: "policy_values"}
	for _, c := range approved.Changes() {
		key, ok := keys[c.Rule]
		if !ok {
			continue
		}
		if c.Purpose != "" {
			key += "_why"
		}
		message := s.analyst.Sentence(q.Language, key, map[string]string{"table": c.Table.String(), "column": c.Field, "purpose": c.Purpose})
		a.Analysis.Warnings = append(a.Analysis.Warnings, analyse.Warning{Code: "POLICY_APPLIED", Message: message})
	}
}

// warnPersonal says which columns of the answer show data of persons, as stored: a
// number of different e-mail addresses shows none, nor does what a policy masks. It
// reports whether there are some.
func (s *Service) warnPersonal(q Query, approved guard.Approved, facts described, known *catalogrpc.Excerpt, a *Answer) (some bool) {
	var shown []string
	for i, out := range approved.Asked().Output() {
		if i < len(facts.columns) && slices.Contains([]string{analyse.AggregateCount, analyse.AggregateCountDistinct}, facts.columns[i].Aggregate) {
			continue
		}
		for _, from := range out.Sources {
			t, ok := known.Lookup(from.Table)
			if !ok {
				continue
			}
			c, ok := t.Column(from.Column)
			masked := slices.ContainsFunc(approved.Changes(), func(x guard.Change) bool {
				return x.Rule == guard.RuleMask && x.Table.Key() == t.Name.Key() && strings.EqualFold(x.Field, c.Name)
			})
			if ok && !masked && c.Personal != nil && types.Parse(c.Type).Base == out.Type.Base && !slices.Contains(shown, c.Name) {
				shown = append(shown, c.Name)
			}
		}
	}
	if len(shown) > 0 {
		a.Analysis.Warnings = append(a.Analysis.Warnings, analyse.Warning{
			Code: "PERSONAL_DATA", Message: s.analyst.Sentence(q.Language, "personal", map[string]string{"columns": strings.Join(shown, ", ")}),
		})
	}
	return len(shown) > 0
}

// filtersPersonal reports whether the conditions name values of a column with data of
// persons: a sentence may tell its conditions.
func filtersPersonal(approved guard.Approved, known *catalogrpc.Excerpt) bool {
	for _, f := range lineage.Of(approved.Asked()).Filters {
		for _, from := range f.Columns {
			if t, ok := known.Lookup(from.Table); ok {
				if c, ok := t.Column(from.Column); ok && c.Personal != nil {
					return true
				}
			}
		}
	}
	return false
}

// warnEarly warns when the asked range begins before the table's data do: a sum
// over "this year" is then one over less.
func (s *Service) warnEarly(q Query, table catalog.Name, partition string, asked analyse.Range, a *Answer) {
	first, grain, known := result.ParseMoment(partition, q.Now.Location())
	if !known || !asked.From.Before(first) || (!asked.To.IsZero() && !first.Before(asked.To)) {
		return
	}
	a.Analysis.Warnings = append(a.Analysis.Warnings, analyse.Warning{Code: analyse.WarnEarly, Message: s.analyst.Sentence(q.Language, "table_begins", map[string]string{
		"table": table.String(), "first": result.FormatMoment(first, grain, q.Language), "from": result.FormatMoment(asked.From, result.GrainDay, q.Language),
	})})
}

// warnLate warns when the asked range goes on, over days that are past, after the
// table's data has ended. It needs an end of the range: without one, old data may
// be just what was asked for.
func (s *Service) warnLate(q Query, f Freshness, asked analyse.Range, a *Answer) {
	if asked.To.IsZero() {
		return
	}
	for _, w := range a.Analysis.Warnings {
		if w.Code == analyse.WarnLate {
			return
		}
	}
	end := asked.To
	if q.Now.Before(end) {
		y, m, d := q.Now.Date()
		end = time.Date(y, m, d, 0, 0, 0, 0, q.Now.Location()) // today need not be there yet
	}
	last, grain, known := result.ParseMoment(f.LatestPartition, q.Now.Location())
	covered := last
	switch {
	case known && grain != result.GrainSecond:
		covered = grain.Next(last)
	case known:
	case !f.UpdatedAt.IsZero():
		last, grain = f.UpdatedAt.In(q.Now.Location()), result.GrainDay
		covered = last.Add(s.config().LateAfter)
	default:
		return
	}
	if !covered.Before(end) {
		return
	}
	a.Analysis.Warnings = append(a.Analysis.Warnings, analyse.Warning{Code: analyse.WarnLate, Message: s.analyst.Sentence(q.Language, "table_late", map[string]string{
		"table": f.Table.String(), "last": result.FormatMoment(last, grain, q.Language),
		"end": result.FormatMoment(end.AddDate(0, 0, -1), result.GrainDay, q.Language),
	})})
}
